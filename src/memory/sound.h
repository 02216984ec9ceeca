/* Entries of a cache whose bytes were found whole, or that a fresh process refused: not read again
 * while the file is the same. A file that is too young to show a change is not stored, as in the
 * ledger. If this file is lost, the entries are read again. */
#pragma once

#include "base/arena.h"
#include "memory/cache_memory.h"

struct jw_sound_entry {
    uint64_t name, identity; /* jw_cache_identity (cache/place/listing.h) */
    bool refused;            /* its bytes do not show why: it is compiled again */
};

struct jw_sound {
    struct jw_sound_entry *v; /* sorted by name */
    size_t n;
};

void jw_sound_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_sound *out);
/* What is known of an entry's file; NULL: nothing. */
const struct jw_sound_entry *jw_sound_of(const struct jw_sound *s, uint64_t name,
                                         uint64_t identity);
/* Replaces the file by these entries, and sorts them. Failures are ignored. */
void jw_sound_save(const struct jw_cache_memory *f, struct jw_sound_entry *v, size_t n);

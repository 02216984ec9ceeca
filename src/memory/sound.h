/* Entries of a cache whose bytes were read and found whole, or that a process loaded: while the file is the same they are not read
 * again. One that is so young that a change would not show is not put in, as in the ledger. Lost: read again. */
#ifndef MEMORY_SOUND_H
#define MEMORY_SOUND_H

#include "base/arena.h"
#include "memory/cache_folder.h"

struct jw_sound_entry {
    uint64_t name, identity; /* jw_cache_identity (cache/place/listing.h) */
};

struct jw_sound {
    struct jw_sound_entry *v; /* by name */
    size_t n;
};

void jw_sound_load(const struct jw_cache_folder *f, struct jw_arena *a, struct jw_sound *out);
bool jw_sound_has(const struct jw_sound *s, uint64_t name, uint64_t identity);
/* Replaces the file by these, which are sorted here. A failure is no error. */
void jw_sound_save(const struct jw_cache_folder *f, struct jw_sound_entry *v, size_t n);

#endif

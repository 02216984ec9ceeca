/*
 * The last answers of the sources of jitwarm.conf, for prime's report and for status. A source is a registry, a web server or a
 * folder with packs of others (fleet/sources). The file source-memory in the state folder has one checked record
 * (base/fields.h), in which the one that was asked last comes first:
 *
 *   49 SOURCES   u32 n, then of each: text from   u8 state   i64 asked   i64 gave   u64 entries   u64 bytes   text key   text why
 */
#ifndef CACHE_MEMORY_SOURCE_MEMORY_H
#define CACHE_MEMORY_SOURCE_MEMORY_H

#include "base/arena.h"
#include "base/rows.h"

#include <stdbool.h>
#include <stdint.h>

enum jw_pack_source_state {
    JW_SOURCE_UNASKED, /* nothing had to be compiled since it is there */
    JW_SOURCE_GAVE,    /* entries came from it */
    JW_SOURCE_NOTHING, /* it has nothing for this machine and its software */
    JW_SOURCE_SILENT,  /* it did not answer, or with no document (a login is needed, it is busy) */
    JW_SOURCE_REFUSED, /* its pack is damaged, or not signed by a trusted key */
    JW_SOURCE_FAILED,  /* it sent wrong data or broke off, or the cache could not take it */
    JW_SOURCE_STATES
};

struct jw_pack_source {
    const char *from; /* as jitwarm.conf has it */
    enum jw_pack_source_state state;
    int64_t asked, gave;     /* Unix seconds, of the last time; 0: never */
    uint64_t entries, bytes; /* that came then */
    const char *key;         /* id of the trusted key that signed them; "" none */
    const char *why;         /* of the last time; "": nothing to say */
    bool postponed;          /* not remembered: it was silent a while ago, and is not asked again yet */
};

struct jw_pack_sources {
    struct jw_pack_source *v;
    size_t n;
};

/* Loads them; none where the file cannot be read. */
void jw_pack_source_memory_load(struct jw_arena *a, struct jw_pack_sources *out);

/* NULL: nothing is known of it. */
const struct jw_pack_source *jw_pack_source_find(const struct jw_pack_sources *known, const char *from);

/* Remembers these, and of others what was known. Ignores failures: then the next run knows less. */
void jw_pack_source_memory_keep(const struct jw_pack_sources *asked, struct jw_arena *a);

/* "12 entries (3.1 MiB), signed by 4A2C...", or why there are none. */
void jw_pack_source_say(struct jw_buf *out, const struct jw_pack_source *s);

extern const struct jw_row jw_pack_source_rows[];

#endif

/* The entries of a cache, as a driver finds them: behind links, too. Changes nothing and takes no
 * lock, because a lock could stall a CUDA program: an index that is being written looks torn, and
 * is read again. driver-fact: F42-foreign-lock, F45-in-place */
#pragma once

#include "base/arena.h"
#include "cache/format/jitcache.h"
#include "jitwarm/answer.h"
#include "machine/run.h"
#include "memory/sound.h"
#include "os/files/file.h"

#include <stdatomic.h>

struct jw_cache_file {
    uint64_t name;     /* the hash that names it */
    uint64_t size;     /* of the file */
    int64_t mtime;     /* of the file, nanoseconds since 1970 */
    uint64_t identity; /* jw_cache_identity */
    struct jw_cache_entry entry;
    enum jw_cache_kind kind;
    /* as in struct jw_cache_key: */
    char stamp[JW_CACHE_STAMP + 1], version[JW_CACHE_VERSION + 1], arch[12];
    uint16_t sm;
    const char *damage; /* NULL: no damage found */
    bool unread;        /* the file could not be read; `damage` says why */
    bool indexed;       /* the index has a record of this entry */
    uint64_t recorded;  /* size in that record; a sound entry has key + payload */
};

/* The path of this entry's file. */
const char *jw_cache_entry_path(const char *cache, uint64_t name, struct jw_arena *a);

/* A number of a file, never 0: while it is the same, so are the bytes (jw_file_unchanged). */
uint64_t jw_cache_identity(const struct jw_file_info *info);

struct jw_cache_listing {
    struct jw_cache_file *files; /* sorted by name */
    size_t n;
    struct jw_cache_index index; /* as it was read */
    enum jw_index_trouble index_trouble;
    const char *index_damage; /* why it is damaged or unread; NULL: it is neither */
    bool found;               /* the cache exists */
    const char *refused;      /* why the cache could not be read, or NULL */
    size_t missing;           /* records without a file */
    uint64_t foreign;         /* skipped files of other names; no work folder of a prime */
    struct jw_texts notes;    /* files and folders that were not read */
};

/* `check`: read every byte, else headers and the first bytes of keys. A missing cache is an empty
 * listing. Programs may change the cache meanwhile: `indexed` means that the index named it before
 * or after the walk, `missing` that both did. Fails with JW_E_INTERRUPTED when `*interrupted` (or
 * NULL). */
bool jw_cache_list(const char *folder, bool check, const atomic_bool *interrupted,
                   struct jw_arena *a, struct jw_cache_listing *out, struct jw_err *err) JW_MUST;

/* Is this entry whole? `info`: its file as it was found; as it was read afterwards. `key_size`:
 * what its key must have; 0: any. `known`: what is remembered of this file; NULL: every byte is
 * read, because the driver does not check what it holds. driver-fact: F34-payload-unchecked */
bool jw_cache_is_whole(const char *path, uint64_t name, uint64_t key_size,
                       const struct jw_sound_entry *known, struct jw_file_info *info,
                       struct jw_err *why);
/* NULL: it has no such entry. */
const struct jw_cache_file *jw_cache_file_find(const struct jw_cache_listing *l, uint64_t name);
void jw_cache_listing_free(struct jw_cache_listing *l); /* accepts a zeroed one */

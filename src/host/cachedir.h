/*
 * Where the driver keeps its cache for this user, how large it may grow, and what is in it. Nothing here changes
 * anything, and no lock is taken that could stall a running CUDA program: an index that is being written is read as torn, and
 * read again.
 */
#ifndef HOST_CACHEDIR_H
#define HOST_CACHEDIR_H

#include "base/arena.h"
#include "formats/jitcache.h"
#include "host/list.h"

#include <stdbool.h>

struct jw_setting_value {
    const char *value;  /* NULL: not set anywhere */
    const char *origin; /* "CUDA_CACHE_PATH", "the driver's default", "--cache" */
};

struct jw_cachedir {
    const char *root;             /* NULL: there is none, see `notes` (HOME is unset...) */
    struct jw_setting_value root_from;
    uint64_t limit;               /* bytes; 0: unknown */
    struct jw_setting_value limit_from; /* value as written */
    bool limit_known;             /* false: the default of a driver that we did not measure */
    bool disabled;
    struct jw_setting_value disabled_from;
    struct jw_notes notes;        /* junk in a value, relative path, ... each one sentence */
};

/* `cache`: the --cache option, or NULL. The environment is that of this process. */
bool jw_cachedir_find(const char *cache, struct jw_arena *a, struct jw_cachedir *out, struct jw_err *err);

struct jw_cache_file {
    uint64_t name;       /* hash */
    uint64_t size;       /* of the file */
    int64_t mtime;
    struct jw_cache_entry entry;
    enum jw_cache_kind kind;
    char stamp[JW_CACHE_STAMP + 1], arch[12];
    const char *damage;  /* NULL: sound as far as looked at */
    bool indexed;        /* the index has a record of it */
};

struct jw_cache_listing {
    struct jw_cache_file *files; /* by name */
    size_t n, cap;
    struct jw_cache_index index; /* as read */
    bool index_found;
    const char *index_damage;    /* NULL: it is sound */
    size_t missing;              /* records without a file */
    uint64_t foreign;            /* other names below the root, left alone */
    struct jw_notes notes;       /* what could not be read */
};

/* `check`: read every byte, else headers and the first bytes of keys. A root that does not exist is an empty listing. */
bool jw_cachedir_list(const char *root, bool check, struct jw_arena *a, struct jw_cache_listing *out, struct jw_err *err);
void jw_cache_listing_free(struct jw_cache_listing *l);

#endif

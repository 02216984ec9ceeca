/* What the cache's folder lies on, and who may write there: facts for doctor and env. Makes and changes nothing. */
#ifndef CACHE_PLACE_CACHEPLACE_H
#define CACHE_PLACE_CACHEPLACE_H

#include "base/arena.h"
#include "jitwarm/err.h"
#include "machine/trust.h"
#include "os/files/disk.h"

#include <stdbool.h>

struct jw_cache_place {
    const char *root;    /* as asked */
    bool exists, folder; /* the root itself */
    const char *nearest; /* the root, or the nearest folder above it that exists: what was asked below */
    bool nearest_folder; /* false: a file stands in the way */
    bool may_write;      /* this user may make files in `nearest` */
    bool disk_known;
    struct jw_disk disk;
    const char *type;      /* of the file system, "nfs4"; NULL: not known */
    bool with_system;      /* on the same file system as /: in a container, gone with it */
    struct jw_trust trust; /* of the root */
    const char *unasked;   /* NULL, or why some of this could not be asked */
};

/* What cannot be asked is told in `unasked`. */
bool jw_cache_place(const char *root, struct jw_arena *a, struct jw_cache_place *out) JW_MUST;

/*
 * Windows: the caches that Python of the Microsoft Store keeps apart, below `local` (%LOCALAPPDATA%): what such a Python writes
 * below AppData\Roaming lands there, and no other program looks into it. Their folders, sorted; none elsewhere.
 */
bool jw_cache_store_pythons(const char *local, struct jw_arena *a, const char *const **out, size_t *n,
                            struct jw_err *err) JW_MUST;

#endif

/* The disk of the cache's folder, and the users who may write there: facts for doctor and env. Changes nothing. */
#ifndef CACHE_PLACE_CACHEPLACE_H
#define CACHE_PLACE_CACHEPLACE_H

#include "base/arena.h"
#include "machine/trust.h"
#include "os/files/disk.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_cache_place {
    const char *path;    /* as asked */
    bool exists, folder; /* the cache itself */
    bool hidden;         /* whether it exists is not known: this user may not look */
    const char *nearest; /* the cache, or the nearest folder above it that exists */
    bool nearest_folder; /* false: it is a file */
    bool may_write;      /* this user may create files in `nearest` */
    bool disk_known;
    struct jw_disk disk;
    const char *type;          /* of the file system, "nfs4"; NULL: unknown */
    const char *mount;         /* the topmost folder of its disk; NULL: unknown */
    bool with_system;          /* on the file system of /: a container loses it when it ends */
    struct jw_trust trust;     /* of the cache */
    const char *finds_nothing; /* as jw_cache_why_unreadable; NULL: a driver can look */
    const char *unasked;       /* why some of this is unknown, or NULL */
};

void jw_cache_place(const char *folder, struct jw_arena *a, struct jw_cache_place *out);

/* Bytes that a new folder for the cache may fill (jw_shell_set_new_folder), where that is on another disk than this one;
 * 0: there is none. */
uint64_t jw_cache_room_elsewhere(const struct jw_disk *here);

/* Is a disk too small for so many bytes more, even if it were emptied for them, and a new folder (`elsewhere`) is not? */
bool jw_cache_fits_elsewhere(const struct jw_disk *here, uint64_t need, uint64_t elsewhere);

/* This user's own file or folder, whose mode keeps the user, and the driver, out of the cache; NULL: there is none. */
const char *jw_cache_closed(const struct jw_cache_place *place, struct jw_arena *a);

/* Is it this user's own, and does its mode keep the owner out? Never on Windows, which has no modes. */
bool jw_cache_is_closed(const char *path, struct jw_arena *a);

/* "chmod u+rw FILE", for a file or folder that its owner closed. */
const char *jw_cache_command_to_open(const char *path, struct jw_arena *a);

/*
 * Windows: private caches of Pythons from the Microsoft Store, below `local` (%LOCALAPPDATA%). Windows redirects what
 * such a Python writes below AppData\Roaming, and no other program reads it. Sorted; none on other systems.
 */
void jw_cache_store_pythons(const char *local, struct jw_arena *a, const char *const **out, size_t *n);

#endif

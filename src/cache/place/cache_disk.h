/* The disk of the cache's folder, and whether this user may write there: facts for the causes. */
#pragma once

#include "base/arena.h"
#include "os/files/disk.h"

struct jw_cache_disk {
    const char *path; /* as asked */
    bool folder;      /* the cache itself is one */
    bool hidden;      /* whether it exists is not known: this user may not look */
    /* the cache, or the nearest folder above it; where that is a link, its target */
    const char *nearest;
    bool nearest_folder; /* false: it is a file */
    bool may_write;      /* this user may create files in `nearest` */
    bool disk_known;
    struct jw_disk disk;
    /* the topmost folder of its mount; of /, a container loses it. NULL: unknown */
    const char *mount;
};

void jw_cache_disk(const char *folder, struct jw_arena *a, struct jw_cache_disk *out);

/* The n-th of the 256 folders of entries, or the one that it would be made in, if this user may add
 * nothing there, as a start under sudo leaves it: the driver then stores nothing, and says nothing.
 * NULL: this user may, or neither exists. */
const char *jw_cache_closed_folder(const char *cache, unsigned n, struct jw_arena *a);

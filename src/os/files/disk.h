/* The file system of a folder that exists or will be created. */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdint.h>

enum jw_disk_kind {
    JW_DISK_LOCAL,
    /* on another machine, or on FUSE, which may be: locks may not reach all clients, and other
       clients may rename files */
    JW_DISK_NETWORK,
    JW_DISK_MEMORY, /* in memory: lost at the next boot */
    JW_DISK_KERNEL  /* the kernel's own: /proc, /sys; no program may make a file there */
};

struct jw_disk {
    uint64_t free; /* bytes free for this user; a quota may leave less */
    uint64_t total;
    enum jw_disk_kind kind;
    bool read_only;
    bool few_inodes; /* it takes no cache, however many bytes are free */
    /* the same for all paths of one mount; before Linux 5.8, of one file system */
    uint64_t mounted;
};

/* For a path that does not exist, describes its nearest existing parent. */
bool jw_disk_look(const char *path, struct jw_disk *out, struct jw_err *err) JW_MUST;

/* Linux: the kind for f_type of statfs. */
enum jw_disk_kind jw_disk_of_magic(uint64_t magic);

/* Linux: whether syncfs on this file system (f_type of statfs) waits until all files are on the
 * disk, and reports those that could not be written. Before 5.8 it reported none, and overlay, NFS
 * and FUSE do not pass on what happened below them. */
bool jw_disk_has_barrier(uint64_t magic, const char *kernel);

/* One file per system: fills everything, for an existing path; `mounted` only where it is known. */
bool jw_disk_ask(const char *path, struct jw_disk *out, struct jw_err *err) JW_MUST;

/* The file system that a folder is on, or would be. */
#ifndef OS_FILES_DISK_H
#define OS_FILES_DISK_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

enum jw_disk_kind {
    JW_DISK_LOCAL,
    JW_DISK_NETWORK, /* another machine's: locks may not be seen by all, and names may change behind our back */
    JW_DISK_MEMORY   /* gone with the next start of the machine, and counted as memory */
};

struct jw_disk {
    uint64_t free; /* bytes for this user, as far as the system tells: a quota may leave less */
    uint64_t total;
    enum jw_disk_kind kind;
    bool read_only;
    uint64_t volume; /* equal for two paths on one file system; the one of struct jw_file_id */
};

/* What does not exist yet is judged by the nearest of its parents that does. */
bool jw_disk_look(const char *path, struct jw_disk *out, struct jw_err *err) JW_MUST;

/* The name of a file system in the list of mounts, appended: "nfs4". Nothing where the system has no such list, or it is not
 * in it. */
bool jw_disk_type(uint64_t volume, struct jw_buf *type, struct jw_err *err) JW_MUST;

/* Linux: what the number in statfs means. False: nothing that we know, or one that many share, as those of FUSE do. */
bool jw_disk_of_magic(uint64_t magic, enum jw_disk_kind *kind);

/* What a name in the list of mounts means: "ext4", "nfs4", "fuse.sshfs". Local when it is not known. */
enum jw_disk_kind jw_disk_of_type(const char *type);

/* What disk.c asks of the system: of a path that exists, all but the volume, which is there already. */
bool jw_disk_ask(const char *path, struct jw_disk *out, struct jw_err *err) JW_MUST;

#endif

#include "os/files/disk.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "os/files/file.h"

#include <stdlib.h>
#include <string.h>

/* The usual ones, which need no look at the list of mounts, by f_type of statfs. `barrier`: syncfs waits for all files. */
static const struct {
    uint64_t magic;
    enum jw_disk_kind kind;
    bool barrier;
} usual[] = {
    { 0xef53, JW_DISK_LOCAL, true },      /* ext2, 3 and 4 */
    { 0x58465342, JW_DISK_LOCAL, true },  /* XFS */
    { 0x9123683e, JW_DISK_LOCAL, true },  /* Btrfs */
    { 0xf2f52010, JW_DISK_LOCAL, true },  /* F2FS */
    { 0x2fc12fc1, JW_DISK_LOCAL, false }, /* ZFS */
    { 0x794c7630, JW_DISK_LOCAL, false }, /* overlay: the file system below it is unknown */
    { 0x01021994, JW_DISK_MEMORY, true }, /* tmpfs: nothing to wait for */
};

static const struct {
    enum jw_disk_kind kind;
    const char *types[48];
} kinds[] = {
    { JW_DISK_NETWORK,
      { "nfs",    "nfs4",      "cifs",      "smb3",   "smbfs",     "smbnetfs", "lustre",    "gpfs",
        "ceph",   "ceph-fuse", "glusterfs", "beegfs", "wekafs",    "panfs",    "pvfs2",     "afs",
        "coda",   "gfs2",      "ocfs2",     "9p",     "virtiofs",  "vboxsf",   "vmhgfs",    "vmhgfs-fuse",
        "sshfs",  "davfs",     "davfs2",    "s3fs",   "curlftpfs", "goofys",   "mount-s3",  "gcsfuse",
        "rclone", "juicefs",   "blobfuse",  "mfs",    "blobfuse2", "moosefs",  "seaweedfs", "hdfs" } },
    { JW_DISK_MEMORY, { "tmpfs", "ramfs" } },
    { JW_DISK_KERNEL,
      { "proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "devpts" } },
};

bool jw_disk_of_magic(uint64_t magic, enum jw_disk_kind *kind)
{
    for (size_t i = 0; i < JW_COUNT(usual); i++)
        if (usual[i].magic == magic) {
            *kind = usual[i].kind;
            return true;
        }
    return false;
}

/* "6.1.0-18-amd64" */
static bool is_since(const char *kernel, unsigned long major, unsigned long minor)
{
    char *end;
    unsigned long n = strtoul(kernel, &end, 10);

    return *end == '.' && (n > major || (n == major && strtoul(end + 1, NULL, 10) >= minor));
}

bool jw_disk_has_barrier(uint64_t magic, const char *kernel)
{
    for (size_t i = 0; i < JW_COUNT(usual); i++)
        if (usual[i].magic == magic)
            return usual[i].barrier && is_since(kernel, 5, 8);
    return false;
}

enum jw_disk_kind jw_disk_of_type(const char *type)
{
    static const char fuse[] = "fuse.";

    if (strncmp(type, fuse, sizeof fuse - 1) == 0)
        type += sizeof fuse - 1;
    for (size_t i = 0; i < JW_COUNT(kinds); i++)
        for (const char *const *known = kinds[i].types; *known; known++)
            if (strcmp(*known, type) == 0)
                return kinds[i].kind;
    return JW_DISK_LOCAL;
}

uint64_t jw_disk_spare(const struct jw_disk *disk)
{
    return jw_min(JW_SPARE_DISK, disk->total / 2);
}

bool jw_disk_look(const char *path, struct jw_disk *out, struct jw_err *err)
{
    struct jw_file_info info = { 0 };
    struct jw_arena a = { 0 };
    bool ok = true;

    *out = (struct jw_disk){ 0 };
    if (!*path)
        return jw_fail(err, JW_E_IO, "the name is empty");
    while (ok && (ok = jw_file_stat(path, &info, err)) && info.kind == JW_FILE_NONE) {
        const char *above = jw_path_dir(&a, path);

        ok = strcmp(above, path) != 0 || jw_fail(err, JW_E_IO, "no such drive or server");
        path = above;
    }
    if (ok) {
        out->volume = info.id.volume;
        ok = jw_disk_ask(path, out, err);
    }
    jw_arena_free(&a);
    return ok;
}

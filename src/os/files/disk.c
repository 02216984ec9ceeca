#include "os/files/disk.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "os/files/file.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    uint64_t magic;
    enum jw_disk_kind kind;
} magics[] = {
    { 0x6969, JW_DISK_NETWORK },     /* NFS */
    { 0xff534d42, JW_DISK_NETWORK }, /* CIFS */
    { 0xfe534d42, JW_DISK_NETWORK }, /* SMB 2 and 3 */
    { 0x517b, JW_DISK_NETWORK },     /* smbfs, before CIFS */
    { 0x0bd00bd0, JW_DISK_NETWORK }, /* Lustre */
    { 0x47504653, JW_DISK_NETWORK }, /* GPFS */
    { 0x00c36400, JW_DISK_NETWORK }, /* Ceph */
    { 0x19830326, JW_DISK_NETWORK }, /* BeeGFS */
    { 0xaad7aaea, JW_DISK_NETWORK }, /* PanFS */
    { 0x20030528, JW_DISK_NETWORK }, /* OrangeFS */
    { 0x5346414f, JW_DISK_NETWORK }, /* AFS */
    { 0x6b414653, JW_DISK_NETWORK }, /* AFS of the Linux kernel */
    { 0x73757245, JW_DISK_NETWORK }, /* Coda */
    { 0x01161970, JW_DISK_NETWORK }, /* GFS2 */
    { 0x7461636f, JW_DISK_NETWORK }, /* OCFS2 */
    { 0x01021997, JW_DISK_NETWORK }, /* 9P: shares of a virtual machine's host, Windows drives in WSL */
    { 0x786f4256, JW_DISK_NETWORK }, /* VirtualBox's shared folders */
    { 0xbacbacbc, JW_DISK_NETWORK }, /* VMware's */
    { 0x01021994, JW_DISK_MEMORY },  /* tmpfs */
    { 0x858458f6, JW_DISK_MEMORY },  /* ramfs */
    { 0x9fa0, JW_DISK_KERNEL },      /* /proc */
    { 0x62656572, JW_DISK_KERNEL },  /* /sys */
    { 0x27e0eb, JW_DISK_KERNEL },    /* control groups */
    { 0x63677270, JW_DISK_KERNEL },  /* control groups, version 2 */
    { 0x64626720, JW_DISK_KERNEL },  /* /sys/kernel/debug */
    { 0x74726163, JW_DISK_KERNEL },  /* /sys/kernel/tracing */
    { 0x73636673, JW_DISK_KERNEL },  /* /sys/kernel/security */
    { 0x1cd1, JW_DISK_KERNEL },      /* /dev/pts */
    { 0xef53, JW_DISK_LOCAL },       /* ext2, 3 and 4 */
    { 0x58465342, JW_DISK_LOCAL },   /* XFS */
    { 0x9123683e, JW_DISK_LOCAL },   /* Btrfs */
    { 0x2fc12fc1, JW_DISK_LOCAL },   /* ZFS */
    { 0xf2f52010, JW_DISK_LOCAL },   /* F2FS */
    { 0x794c7630, JW_DISK_LOCAL },   /* overlay: the file system below it is unknown */
};

static const struct {
    const char *type;
    enum jw_disk_kind kind;
} types[] = {
    { "nfs", JW_DISK_NETWORK },         { "nfs4", JW_DISK_NETWORK },      { "cifs", JW_DISK_NETWORK },
    { "smb3", JW_DISK_NETWORK },        { "smbnetfs", JW_DISK_NETWORK },  { "lustre", JW_DISK_NETWORK },
    { "gpfs", JW_DISK_NETWORK },        { "ceph", JW_DISK_NETWORK },      { "ceph-fuse", JW_DISK_NETWORK },
    { "glusterfs", JW_DISK_NETWORK },   { "beegfs", JW_DISK_NETWORK },    { "wekafs", JW_DISK_NETWORK },
    { "9p", JW_DISK_NETWORK },          { "virtiofs", JW_DISK_NETWORK },  { "sshfs", JW_DISK_NETWORK },
    { "davfs", JW_DISK_NETWORK },       { "davfs2", JW_DISK_NETWORK },    { "curlftpfs", JW_DISK_NETWORK },
    { "s3fs", JW_DISK_NETWORK },        { "goofys", JW_DISK_NETWORK },    { "mount-s3", JW_DISK_NETWORK },
    { "gcsfuse", JW_DISK_NETWORK },     { "rclone", JW_DISK_NETWORK },    { "juicefs", JW_DISK_NETWORK },
    { "blobfuse", JW_DISK_NETWORK },    { "blobfuse2", JW_DISK_NETWORK }, { "mfs", JW_DISK_NETWORK },
    { "moosefs", JW_DISK_NETWORK },     { "hdfs", JW_DISK_NETWORK },      { "seaweedfs", JW_DISK_NETWORK },
    { "vmhgfs-fuse", JW_DISK_NETWORK }, { "tmpfs", JW_DISK_MEMORY },      { "ramfs", JW_DISK_MEMORY },
};

bool jw_disk_of_magic(uint64_t magic, enum jw_disk_kind *kind)
{
    *kind = JW_DISK_LOCAL;
    for (size_t i = 0; i < JW_COUNT(magics); i++)
        if (magics[i].magic == magic) {
            *kind = magics[i].kind;
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
    switch (magic) {
    case 0xef53:     /* ext2, 3 and 4 */
    case 0x58465342: /* XFS */
    case 0x9123683e: /* Btrfs */
    case 0xf2f52010: /* F2FS */
    case 0x01021994: /* tmpfs: nothing to wait for */ return is_since(kernel, 5, 8);
    default: return false;
    }
}

enum jw_disk_kind jw_disk_of_type(const char *type)
{
    static const char fuse[] = "fuse.";

    if (strncmp(type, fuse, sizeof fuse - 1) == 0)
        type += sizeof fuse - 1;
    for (size_t i = 0; i < JW_COUNT(types); i++)
        if (strcmp(types[i].type, type) == 0)
            return types[i].kind;
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

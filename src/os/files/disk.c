#include "os/files/disk.h"

#include "base/path.h"
#include "os/files/file.h"

#include <stdlib.h>
#include <string.h>

/* By f_type of statfs. Another one is local. `barrier`: syncfs waits for all files. */
static const struct {
    uint64_t magic;
    enum jw_disk_kind kind;
    bool barrier;
} known[] = {
    {0xef53, JW_DISK_LOCAL, true},        /* ext2, 3 and 4 */
    {0x58465342, JW_DISK_LOCAL, true},    /* XFS */
    {0x9123683e, JW_DISK_LOCAL, true},    /* Btrfs */
    {0xf2f52010, JW_DISK_LOCAL, true},    /* F2FS */
    {0x01021994, JW_DISK_MEMORY, true},   /* tmpfs: nothing to wait for */
    {0x858458f6, JW_DISK_MEMORY, false},  /* ramfs */
    {0x6969, JW_DISK_NETWORK, false},     /* NFS */
    {0xff534d42, JW_DISK_NETWORK, false}, /* CIFS */
    {0xfe534d42, JW_DISK_NETWORK, false}, /* SMB 2 and 3 */
    {0x0bd00bd0, JW_DISK_NETWORK, false}, /* Lustre */
    {0x47504653, JW_DISK_NETWORK, false}, /* GPFS */
    {0x00c36400, JW_DISK_NETWORK, false}, /* Ceph */
    {0x19830326, JW_DISK_NETWORK, false}, /* BeeGFS */
    {0x65735546, JW_DISK_NETWORK, false}, /* FUSE: sshfs, s3fs, virtiofs; ntfs-3g, too */
    {0xaad7aaea, JW_DISK_NETWORK, false}, /* PanFS */
    {0x20030528, JW_DISK_NETWORK, false}, /* OrangeFS */
    {0x5346414f, JW_DISK_NETWORK, false}, /* AFS */
    {0x01161970, JW_DISK_NETWORK, false}, /* GFS2 */
    {0x7461636f, JW_DISK_NETWORK, false}, /* OCFS2 */
    {0x01021997, JW_DISK_NETWORK, false}, /* 9p */
    {0x786f4256, JW_DISK_NETWORK, false}, /* VirtualBox's shared folders */
    {0x9fa0, JW_DISK_KERNEL, false},      /* /proc */
    {0x62656572, JW_DISK_KERNEL, false},  /* /sys */
    {0x27e0eb, JW_DISK_KERNEL, false},    /* cgroup */
    {0x63677270, JW_DISK_KERNEL, false},  /* cgroup2 */
};

enum jw_disk_kind jw_disk_of_magic(uint64_t magic)
{
    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (known[i].magic == magic)
            return known[i].kind;
    return JW_DISK_LOCAL;
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
    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (known[i].magic == magic)
            return known[i].barrier && is_since(kernel, 5, 8);
    return false;
}

bool jw_disk_look(const char *path, struct jw_disk *out, struct jw_err *err)
{
    struct jw_file_info info = {0};
    struct jw_arena a = {0};
    bool ok = true;

    *out = (struct jw_disk){0};
    if (!*path)
        return jw_fail(err, JW_E_IO, "the name is empty");
    while (ok && (ok = jw_file_stat(path, &info, err)) && info.kind == JW_FILE_NONE) {
        const char *above = jw_path_dir(&a, path);

        ok = strcmp(above, path) != 0 || jw_fail(err, JW_E_IO, "no such drive or server");
        path = above;
    }
    if (ok) {
        out->mounted = info.id.volume;
        ok = jw_disk_ask(path, out, err);
    }
    jw_arena_free(&a);
    return ok;
}

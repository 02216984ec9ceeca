#include "os/files/disk.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/sys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

static uint64_t bytes(uint64_t blocks, uint64_t each)
{
    uint64_t n;

    return jw_mul(blocks, each, &n) ? n : UINT64_MAX;
}

/* "36 35 0:52 / /mnt rw shared:1 - fuse.sshfs host: rw". A fuseblk is on a disk of this machine (ntfs-3g). */
bool jw_disk_fuse_is_local(const char *mounts, uint64_t volume)
{
    static const char *const local[] = { "fuseblk ", "fuse.squashfuse ", "fuse.squashfuse_ll ",
                                         "fuse.fuse-overlayfs " };
    char device[32];

    (void)snprintf(device, sizeof device, " %u:%u ", major(volume), minor(volume));
    const char *line = strstr(mounts, device), *type = line ? strstr(line, " - ") : NULL;

    for (size_t i = 0; type && i < JW_COUNT(local); i++)
        if (jw_text_starts(type + strlen(" - "), local[i]))
            return true;
    return false;
}

static bool is_local_fuse(uint64_t magic, uint64_t volume)
{
    struct jw_buf mounts = JW_BUF(JW_MAX_TEXT_FILE);
    bool found, yes = magic == 0x65735546
                      && jw_file_slurp("/proc/self/mountinfo", &mounts, &found, JW_IGNORED)
                      && jw_disk_fuse_is_local(jw_buf_cstr(&mounts), volume);

    jw_buf_free(&mounts);
    return yes;
}

bool jw_disk_ask(const char *path, struct jw_disk *out, struct jw_err *err)
{
    struct statfs fs;
    int rc;

    if (jw_sys_fault(err))
        return false;
    do
        rc = statfs(path, &fs);
    while (rc != 0 && errno == EINTR);
    if (rc != 0)
        return jw_sys_fail(err, errno);

    uint64_t each = (uint64_t)(fs.f_frsize ? fs.f_frsize : fs.f_bsize);

    out->free = bytes(fs.f_bavail, each);
    out->total = bytes(fs.f_blocks, each);
    out->read_only = fs.f_flags & ST_RDONLY;
    const uint64_t magic = (uint32_t)fs.f_type; /* it is signed, but some values need 32 bits */

    out->kind = is_local_fuse(magic, out->volume) ? JW_DISK_LOCAL : jw_disk_of_magic(magic);
    return true;
}

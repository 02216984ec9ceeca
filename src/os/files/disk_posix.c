#include "os/files/disk.h"

#include "base/num.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { FEW_INODES = 64 };

static uint64_t bytes(uint64_t blocks, uint64_t each)
{
    uint64_t n;

    return jw_mul(blocks, each, &n) ? n : UINT64_MAX;
}

bool jw_disk_ask(const char *path, struct jw_disk *out, struct jw_err *err)
{
    struct statfs fs;
    struct statx at;
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
    out->few_inodes = fs.f_files && fs.f_ffree < FEW_INODES; /* some file systems count none */
    out->total = bytes(fs.f_blocks, each);
    out->read_only = fs.f_flags & ST_RDONLY;
    out->kind = jw_disk_of_magic((uint32_t)fs.f_type); /* signed, but some need 32 bits */
    /* glibc before 2.28 has no statx; 0: Linux before 5.8, or qemu-user. */
    if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_MNT_ID, &at) == 0 && at.stx_mnt_id)
        out->mounted = at.stx_mnt_id;
    return true;
}

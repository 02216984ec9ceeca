#include "os/files/disk.h"

#include "base/limits.h"
#include "base/num.h"
#include "os/files/file.h"
#include "os/machine/procfs.h"
#include "os/sys.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/vfs.h>

/* By the list of mounts, which has precise names, also for FUSE. Where it does not say, others may share it. */
static bool ask_kind(struct jw_disk *out, struct jw_err *err)
{
    struct jw_buf list = JW_BUF(JW_MAX_TEXT_FILE), type = JW_BUF(JW_MAX_LINE);
    bool found = false, ok = jw_file_slurp("/proc/self/mountinfo", &list, &found, err);

    if (ok && found)
        (void)jw_procfs_mount_type(jw_buf_cstr(&list), major((dev_t)out->volume), minor((dev_t)out->volume),
                                   &type);
    out->kind = type.n ? jw_disk_of_type(jw_buf_cstr(&type)) : JW_DISK_NETWORK;
    jw_buf_free(&list);
    jw_buf_free(&type);
    return ok || jw_wrap(err, "/proc/self/mountinfo");
}

static uint64_t bytes(uint64_t blocks, uint64_t each)
{
    uint64_t n;

    return jw_mul(blocks, each, &n) ? n : UINT64_MAX;
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
    /* f_type is signed, but some values need 32 bits. */
    return jw_disk_of_magic((uint32_t)fs.f_type, &out->kind) || ask_kind(out, err);
}

uint64_t jw_disk_largest_file(void)
{
    struct rlimit most;

    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY ? most.rlim_cur : UINT64_MAX;
}

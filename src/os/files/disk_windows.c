#include "os/files/disk.h"

#include "base/mem.h"
#include "os/sys.h"
#include "os/sys_windows.h"

static void describe_volume(const wchar_t *root, struct jw_disk *out)
{
    UINT type = GetDriveTypeW(root);
    DWORD flags = 0;

    out->kind = JW_DISK_LOCAL;
    if (type == DRIVE_REMOTE)
        out->kind = JW_DISK_NETWORK;
    if (type == DRIVE_RAMDISK)
        out->kind = JW_DISK_MEMORY;
    if (GetVolumeInformationW(root, NULL, 0, NULL, NULL, &flags, NULL, 0))
        out->read_only = flags & FILE_READ_ONLY_VOLUME;
}

/* Asks the folder itself if possible, because only then quotas and mounted volumes count. */
static bool ask_space(const wchar_t *path, const wchar_t *root, struct jw_disk *out,
                      struct jw_err *err)
{
    ULARGE_INTEGER mine, total;

    if (!GetDiskFreeSpaceExW(path, &mine, &total, NULL)
        && !GetDiskFreeSpaceExW(root, &mine, &total, NULL))
        return jw_win_fail(err);
    out->free = mine.QuadPart;
    out->total = total.QuadPart;
    return true;
}

bool jw_disk_ask(const char *path, struct jw_disk *out, struct jw_err *err)
{
    wchar_t *wide = NULL, *root;

    if (jw_sys_fault(err))
        return false;

    /* The root of its volume: "C:\", "\\server\share\", or the folder where it is mounted. */
    root = jw_alloc(JW_WIN_UNITS * sizeof *root);
    bool ok = jw_win_path(path, false, &wide, err)
              && (GetVolumePathNameW(wide, root, JW_WIN_UNITS) || jw_win_fail(err))
              && ask_space(wide, root, out, err);

    if (ok)
        describe_volume(root, out);
    jw_free(wide);
    jw_free(root);
    return ok;
}

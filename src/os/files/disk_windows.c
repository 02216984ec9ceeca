#include "os/files/disk.h"

#include "base/mem.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <string.h>

/* The root of the volume that `path` is on: "C:\", "\\server\share\", or the folder where a volume is mounted. */
static bool volume_root(const wchar_t *path, wchar_t **root, struct jw_err *err)
{
    size_t room = wcslen(path) + 2;

    if (room < MAX_PATH)
        room = MAX_PATH;
    *root = jw_alloc(room * sizeof **root);
    return GetVolumePathNameW(path, *root, (DWORD)room) || jw_sys_fail(err, (long)GetLastError());
}

static void describe_volume(const wchar_t *root, struct jw_disk *out)
{
    UINT type = GetDriveTypeW(root);
    DWORD flags = 0;

    out->kind = type == DRIVE_REMOTE    ? JW_DISK_NETWORK
                : type == DRIVE_RAMDISK ? JW_DISK_MEMORY
                                        : JW_DISK_LOCAL;
    if (GetVolumeInformationW(root, NULL, 0, NULL, NULL, &flags, NULL, 0))
        out->read_only = flags & FILE_READ_ONLY_VOLUME;
}

/* Asks the folder itself if possible, because only then quotas and mounted volumes count. */
static bool ask_space(const wchar_t *path, const wchar_t *root, struct jw_disk *out, struct jw_err *err)
{
    ULARGE_INTEGER mine, total;

    if (!GetDiskFreeSpaceExW(path, &mine, &total, NULL) && !GetDiskFreeSpaceExW(root, &mine, &total, NULL))
        return jw_sys_fail(err, (long)GetLastError());
    out->free = mine.QuadPart;
    out->total = total.QuadPart;
    return true;
}

bool jw_disk_ask(const char *path, struct jw_disk *out, struct jw_err *err)
{
    wchar_t *wide = NULL, *root = NULL;

    if (jw_sys_fault(err))
        return false;

    bool ok = jw_win_path(path, false, &wide, err) && volume_root(wide, &root, err)
              && ask_space(wide, root, out, err);

    if (ok)
        describe_volume(root, out);
    jw_free(wide);
    jw_free(root);
    return ok;
}

uint64_t jw_disk_largest_file(void)
{
    return UINT64_MAX;
}

#include "cache/place/cache_disk.h"

#include "base/path.h"
#include "machine/paths.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/real.h"

#include <string.h>

/* Goes up to the first thing that exists, or a link that leads nowhere. */
static void find_nearest(struct jw_cache_disk *out, struct jw_arena *a)
{
    const char *at = out->path;
    struct jw_file_info info = {0};

    for (;;) {
        const char *above;

        out->hidden |= !jw_file_stat(at, &info, JW_IGNORED);
        if (info.kind != JW_FILE_NONE || jw_is_link(at))
            break;
        above = jw_path_dir(a, at);
        if (strcmp(above, at) == 0)
            break;
        at = above;
    }
    out->nearest = at;
    out->nearest_folder = info.kind == JW_FILE_DIR;
    if (out->nearest_folder && jw_is_link(at) && !jw_real_path(at, a, &out->nearest, JW_IGNORED))
        out->nearest = at;
    out->folder = at == out->path && out->nearest_folder;
}

static void find_mount(struct jw_cache_disk *out, struct jw_arena *a)
{
    const char *at;
    struct jw_disk above;

    /* The folder above a link may be on another disk. */
    if (!jw_real_path(out->nearest, a, &at, JW_IGNORED))
        return;
    for (const char *up = jw_path_dir(a, at); strcmp(up, at) != 0; up = jw_path_dir(a, at)) {
        if (!jw_disk_look(up, &above, JW_IGNORED) || above.mounted != out->disk.mounted)
            break;
        at = up;
    }
    out->mount = at;
}

void jw_cache_disk(const char *folder, struct jw_arena *a, struct jw_cache_disk *out)
{
    *out = (struct jw_cache_disk){.path = folder};
    find_nearest(out, a);
    out->disk_known = jw_disk_look(out->nearest, &out->disk, JW_IGNORED);
    if (out->disk_known)
        find_mount(out, a);
    out->may_write = out->nearest_folder && out->disk.kind != JW_DISK_KERNEL
                     && jw_may_use(out->nearest, JW_FILE_DIR);
}

const char *jw_cache_closed_folder(const char *cache, unsigned n, struct jw_arena *a)
{
    const char *folder = jw_arena_printf(a, "%s/%x/%x", cache, n >> 4, n & 15);

    /* One that is missing would be made in the folder above it. */
    while (!jw_is_folder(folder) && strcmp(folder, cache) != 0)
        folder = jw_path_dir(a, folder);
    return jw_is_folder(folder) && !jw_may_use(folder, JW_FILE_DIR) ? folder : NULL;
}

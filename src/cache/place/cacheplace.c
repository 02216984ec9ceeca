#include "cache/place/cacheplace.h"

#include "base/command.h"
#include "base/path.h"
#include "cache/place/lookup.h"
#include "machine/listing.h"
#include "machine/shell.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

#define STORE_PYTHON "PythonSoftwareFoundation.Python.*"

static void note_unknown(struct jw_cache_place *out, struct jw_err *why, struct jw_arena *a)
{
    if (!out->unasked)
        out->unasked = jw_arena_str(a, why->msg);
    *why = (struct jw_err){ 0 };
}

/* Up to the first thing that exists, or a link that leads nowhere. */
static void find_nearest(struct jw_cache_place *out, struct jw_arena *a)
{
    const char *at = out->path;
    struct jw_file_info info = { 0 };
    struct jw_err why = { 0 };

    for (;;) {
        const char *above;

        if (!jw_file_stat(at, &info, &why)) {
            note_unknown(out, &why, a);
            out->hidden = true;
        }
        if (info.kind != JW_FILE_NONE || jw_is_link(at))
            break;
        above = jw_path_dir(a, at);
        if (strcmp(above, at) == 0)
            break;
        at = above;
    }
    out->nearest = at;
    out->nearest_folder = info.kind == JW_FILE_DIR;
    out->exists = at == out->path && info.kind != JW_FILE_NONE;
    out->folder = out->exists && out->nearest_folder;
}

static void find_mount(struct jw_cache_place *out, struct jw_arena *a)
{
    const char *at;
    struct jw_err ignored;
    struct jw_disk above;

    if (!jw_real_path(out->nearest, a, &at, &ignored)) /* the folder above a link may be on another disk */
        return;
    for (const char *up = jw_path_dir(a, at); strcmp(up, at) != 0; up = jw_path_dir(a, at)) {
        if (!jw_disk_look(up, &above, &ignored) || above.volume != out->disk.volume)
            break;
        at = up;
    }
    out->mount = at;
}

static void ask_disk(struct jw_cache_place *out, struct jw_arena *a)
{
    struct jw_buf type = JW_LINE(a);
    struct jw_err why = { 0 };
    struct jw_disk system;

    out->disk_known = jw_disk_look(out->nearest, &out->disk, &why);
    if (!out->disk_known) {
        note_unknown(out, &why, a);
        return;
    }
    if (jw_os_is_windows()) /* / is the root of any drive there */
        out->with_system = false;
    else if (jw_disk_look("/", &system, &why))
        out->with_system = system.volume == out->disk.volume;
    else
        note_unknown(out, &why, a);
    find_mount(out, a);
    if (!jw_disk_type(out->disk.volume, &type, &why))
        note_unknown(out, &why, a);
    else if (type.n)
        out->type = jw_buf_cstr(&type);
}

void jw_cache_place(const char *folder, struct jw_arena *a, struct jw_cache_place *out)
{
    struct jw_err why = { 0 };

    *out = (struct jw_cache_place){ .path = folder };
    find_nearest(out, a);
    if (out->nearest_folder && !jw_dir_may_add(out->nearest, &out->may_write, &why))
        note_unknown(out, &why, a);
    ask_disk(out, a);
    out->finds_nothing = out->folder ? jw_cache_why_unreadable(folder, a) : NULL;
    if (out->exists && !jw_trust_read(folder, a, &out->trust, &why))
        note_unknown(out, &why, a);
}

void jw_cache_store_pythons(const char *local, struct jw_arena *a, const char *const **out, size_t *n)
{
    static const char below[] = "LocalCache/Roaming/NVIDIA/ComputeCache";
    struct jw_notes ignored = { 0 };
    const char *packages = jw_path_join(a, local, "Packages");
    const struct jw_listing names = jw_listing_read(packages, STORE_PYTHON, a, &ignored);
    const char **list = jw_arena_alloc(a, (names.n + 1) * sizeof *list);

    *n = 0;
    for (size_t i = 0; i < names.n; i++) {
        const char *package = jw_path_join(a, packages, names.names[i]);
        const char *cache = jw_path_join(a, package, below);

        if (jw_is_folder(cache))
            list[(*n)++] = cache;
    }
    *out = list;
}

/* ---- what its owner closed ---- */

bool jw_cache_is_closed(const char *path, struct jw_arena *a)
{
    enum { OWNER_READS = 0400, OWNER_WRITES = 0200, OWNER_ENTERS = 0100 };
    uint32_t needed = OWNER_READS | OWNER_WRITES | (jw_is_folder(path) ? OWNER_ENTERS : 0);
    struct jw_file_info info;
    struct jw_trust trust;
    struct jw_err ignored;

    return !jw_os_is_windows() && jw_file_stat(path, &info, &ignored) && (info.mode & needed) != needed
           && jw_trust_read(path, a, &trust, &ignored) && trust.exists && !trust.owner;
}

uint64_t jw_cache_room_elsewhere(const struct jw_disk *here)
{
    struct jw_disk disk;
    struct jw_err ignored;
    bool other = !jw_os_is_windows() && jw_disk_look(JW_SHELL_NEW_FOLDERS, &disk, &ignored)
                 && disk.volume != here->volume && disk.kind == JW_DISK_LOCAL && !disk.read_only
                 && disk.free > jw_disk_spare(&disk);

    return other ? disk.free - jw_disk_spare(&disk) : 0;
}

bool jw_cache_fits_elsewhere(const struct jw_disk *here, uint64_t need, uint64_t elsewhere)
{
    return need > here->total - jw_disk_spare(here) && need <= elsewhere;
}

const char *jw_cache_closed(const struct jw_cache_place *place, struct jw_arena *a)
{
    const char *index = place->path ? jw_path_join(a, place->path, "index") : NULL, *path = NULL;
    struct jw_file_info info;
    struct jw_err closed;

    if (place->hidden)
        path = place->nearest;
    else if (place->finds_nothing && !jw_file_stat(index, &info, &closed))
        path = place->path;
    else if (place->finds_nothing && info.kind == JW_FILE_REGULAR && place->may_write)
        path = index;
    return path && jw_cache_is_closed(path, a) ? path : NULL;
}

const char *jw_cache_command_to_open(const char *path, struct jw_arena *a)
{
    return JW_COMMAND(a, false, "chmod", jw_is_folder(path) ? "u+rwx" : "u+rw", path);
}

#include "machine/paths.h"
#include "os/files/dir.h"
#include "os/files/real.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"

#include <string.h>

static bool list_names(struct jw_dir *dir, const char *pattern, struct jw_arena *a,
                       struct jw_listing *out, struct jw_err *err)
{
    struct jw_entry entry;
    bool more, ok;

    while ((ok = jw_dir_next(dir, &entry, &more, err)) && more) {
        if (!jw_path_match(pattern, entry.name))
            continue;

        const char **slot =
            jw_list_add(a, &out->names, &out->n, sizeof *out->names, JW_MAX_LISTED, err);
        if (!slot)
            return false;
        *slot = jw_arena_str(a, entry.name);
    }
    return ok;
}

struct jw_listing jw_listing_read(const char *folder, const char *pattern, struct jw_arena *a,
                                  struct jw_texts *notes)
{
    struct jw_listing out = {0};
    struct jw_dir *dir = NULL;
    struct jw_file_info info;
    struct jw_err why;

    bool ok = jw_file_stat(folder, &info, &why);

    if (ok && info.kind == JW_FILE_DIR)
        ok = jw_dir_open(&dir, folder, &why) && list_names(dir, pattern, a, &out, &why);
    if (!ok && notes)
        jw_note(notes, a, "%s: %s", folder, why.msg);
    jw_dir_close(dir);
    jw_sort(out.names, out.n, sizeof *out.names, jw_by_text);
    return out;
}

/* Is the path of this kind? False also if that cannot be seen. */
static bool is_kind(const char *path, enum jw_file_kind kind)
{
    struct jw_file_info info;

    return jw_file_stat(path, &info, JW_IGNORED) && info.kind == kind;
}

bool jw_is_folder(const char *path) { return is_kind(path, JW_FILE_DIR); }

bool jw_is_absent(const char *path) { return is_kind(path, JW_FILE_NONE); }

bool jw_is_file(const char *path) { return path && is_kind(path, JW_FILE_REGULAR); }

bool jw_is_inside(const char *path, const char *folder, struct jw_arena *a)
{
    const char *below = folder ? jw_path_below(path, folder) : NULL, *to;

    return below && jw_real_path(folder, a, &folder, JW_IGNORED)
           && jw_real_path(path, a, &to, JW_IGNORED)
           && strcmp(to, jw_path_join(a, folder, below)) == 0;
}

const char *jw_why_absent(const char *path)
{
    return jw_is_link(path) ? "a link that leads nowhere" : "no such file or folder";
}

const char *jw_why_no_folder(const char *path)
{
    return jw_is_absent(path) ? "does not exist" : "is not a folder";
}

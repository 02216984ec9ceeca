#include "machine/listing.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "os/machine/time.h"

#include <string.h>

static bool list_names(struct jw_dir *dir, const char *pattern, struct jw_arena *a, struct jw_listing *out,
                       struct jw_err *err)
{
    struct jw_entry entry;
    bool more;

    for (;;) {
        if (!jw_dir_next(dir, &entry, &more, err))
            return false;
        if (!more)
            return true;
        if (!jw_path_match(pattern, entry.name))
            continue;

        const char *name = jw_arena_str(a, entry.name);

        const char **slot = jw_list_add(a, &out->names, &out->n, sizeof *out->names, JW_MAX_LISTED, err);
        if (!slot)
            return false;
        *slot = name;
    }
}

struct jw_listing jw_listing_read(const char *folder, const char *pattern, struct jw_arena *a,
                                  struct jw_notes *notes)
{
    struct jw_listing out = { 0 };
    struct jw_dir *dir = NULL;
    struct jw_err why;

    if (!jw_is_folder(folder))
        return out;
    if (!jw_dir_open(&dir, folder, &why) || !list_names(dir, pattern, a, &out, &why))
        jw_note_failure(notes, a, &why, folder);
    jw_dir_close(dir);
    jw_sort(out.names, out.n, sizeof *out.names, jw_by_text);
    return out;
}

struct jw_listed {
    const char *folder, *pattern;
    struct jw_file_info info;
    struct jw_listing names;
};

struct jw_listing jw_listings_read(struct jw_listings *known, const char *folder, const char *pattern)
{
    struct jw_file_info info;
    struct jw_notes ignored = { 0 };
    struct jw_err why;

    int64_t looked = jw_time_unix_ns();

    if (!jw_file_stat(folder, &info, &why) || info.kind != JW_FILE_DIR)
        return (struct jw_listing){ 0 };
    for (size_t i = 0; i < known->n; i++) {
        const struct jw_listed *one = &known->list[i];

        if (jw_file_unchanged(&one->info, &info) && strcmp(one->folder, folder) == 0
            && strcmp(one->pattern, pattern) == 0)
            return one->names;
    }
    const struct jw_listed now = { jw_arena_str(known->a, folder), jw_arena_str(known->a, pattern), info,
                                   jw_listing_read(folder, pattern, known->a, &ignored) };
    struct jw_listed *added =
        jw_file_change_shows(&info, looked)
            ? jw_list_add(known->a, &known->list, &known->n, sizeof *added, JW_MAX_LISTED, &why)
            : NULL;

    if (added)
        *added = now;
    return now.names;
}

void jw_names_add(uint64_t *digest, const struct jw_entry *e)
{
    uint8_t type = (uint8_t)e->type;

    if (e->type == JW_ENTRY_DIR && strcmp(e->name, "__pycache__") == 0)
        return;
    *digest += jw_fnv1a(jw_fnv1a(JW_FNV_START, e->name, strlen(e->name)), &type, sizeof type) | 1;
}

bool jw_names_read(const char *folder, uint64_t *digest)
{
    struct jw_dir *dir = NULL;
    struct jw_entry entry;
    struct jw_err ignored;
    bool more = true, ok = jw_dir_open(&dir, folder, &ignored);

    *digest = JW_NO_NAMES;
    while (ok && more && (ok = jw_dir_next(dir, &entry, &more, &ignored)))
        if (more)
            jw_names_add(digest, &entry);
    jw_dir_close(dir);
    return ok;
}

bool jw_is_folder(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_DIR;
}

bool jw_is_same_folder(const char *a, const char *b)
{
    struct jw_file_info x, y;
    struct jw_err ignored;

    return jw_file_stat(a, &x, &ignored) && jw_file_stat(b, &y, &ignored) && x.kind == JW_FILE_DIR
           && y.kind == JW_FILE_DIR && jw_file_same(x.id, y.id);
}

bool jw_is_absent(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_NONE;
}

bool jw_is_file(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return path && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR;
}

const char *jw_why_no_folder(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_NONE ? "does not exist"
                                                                            : "is not a folder";
}

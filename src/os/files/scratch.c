#include "os/files/scratch.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/at.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 1000, STRANGERS_S = 24 * 60 * 60 };

static enum jw_at make(const char *path, struct jw_err *err)
{
    return jw_sys_fault(err) ? JW_AT_FAILED : jw_at_mkdir(NULL, path, true, err);
}

bool jw_make_private_dir(const char *path, struct jw_err *err)
{
    struct jw_err why = {0};
    enum jw_at how = make(path, &why);

    return how == JW_AT_DONE || how == JW_AT_TAKEN || jw_pass(err, why);
}

struct owner {
    uint32_t system; /* one boot of one machine or container: the scope of a process number */
    unsigned long pid;
};

/* The owner in a name, which must be spelled as this program does, as no file of a person is. */
static bool read_owner(const char *name, const char *prefix, struct owner *out)
{
    char again[64];
    size_t n = strlen(prefix);
    char *end;

    *out = (struct owner){0};
    if (strncmp(name, prefix, n) != 0 || name[n] != '-')
        return false;
    out->system = (uint32_t)strtoul(name + n + 1, &end, 16);
    out->pid = strtoul(end + (*end == '-'), &end, 10);
    (void)snprintf(again, sizeof again, "-%08x-%lu-%lu", out->system, out->pid,
                   strtoul(end + (*end == '-'), NULL, 10));
    return strcmp(name + n, again) == 0 && out->pid && out->pid <= INT32_MAX;
}

bool jw_remove_empty_dir(const char *path, struct jw_err *err)
{
    return jw_at_remove(NULL, path, true, err) == JW_AT_DONE;
}

/* Works by open folders, so that nobody can lead it elsewhere meanwhile. Takes `folder` over. */
static void remove_below(struct jw_folder folder, unsigned depth)
{
    struct jw_dir dir = {.folder = folder};
    struct jw_folder sub;
    struct jw_entry e;
    bool more;

    if (!jw_at_list(&dir, JW_IGNORED))
        return;
    while (jw_dir_next(&dir, &e, &more, JW_IGNORED) && more) {
        bool is_folder = e.kind == JW_FILE_DIR;

        if (is_folder && depth
            && jw_at_enter(&dir.folder, e.name, JW_AT_STRICT, &sub, NULL, JW_IGNORED) == JW_AT_DONE)
            remove_below(sub, depth - 1);
        (void)!jw_at_remove(&dir.folder, e.name, is_folder, JW_IGNORED);
    }
    jw_at_end(&dir);
}

void jw_scratch_remove(const char *folder)
{
    struct jw_folder top;

    if (!folder)
        return;
    if (jw_at_enter(NULL, folder, JW_AT_STRICT, &top, NULL, JW_IGNORED) == JW_AT_DONE)
        remove_below(top, JW_MAX_DEPTH);
    else if (jw_is_link(folder)) /* what it leads to is not this program's */
        jw_sys_remove(folder);
    (void)jw_remove_empty_dir(folder, JW_IGNORED);
}

/* Its process ended. Whether one of another system (a container, a machine with the same home)
 * lives is unknown: then it must be a day old. */
static bool is_abandoned(const char *path, const char *name, const char *prefix)
{
    struct owner owner;
    struct jw_file_info info;

    if (!read_owner(name, prefix, &owner))
        return false;
    if (owner.system == jw_boot_id())
        return !jw_process_alive(owner.pid);
    return jw_file_stat(path, &info, JW_IGNORED) && info.kind != JW_FILE_NONE
           && info.mtime / 1000000000 + STRANGERS_S < jw_time_unix();
}

/* Folders PREFIX-OWNER; or, with an `end`, files PREFIX-OWNER END. */
static void sweep(const char *parent, const char *prefix, const char *end)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_buf owner = JW_BUF(JW_MAX_PATH);
    bool more = true;

    if (!jw_dir_open(&dir, parent, JW_IGNORED))
        return;
    while (jw_dir_next(dir, &e, &more, JW_IGNORED) && more) {
        if (e.kind != (*end ? JW_FILE_REGULAR : JW_FILE_DIR) || !jw_text_ends(e.name, end))
            continue;
        jw_buf_clear(&path);
        jw_buf_clear(&owner);
        jw_buf_printf(&path, "%s/%s", parent, e.name);
        jw_buf_add(&owner, e.name, strlen(e.name) - strlen(end));
        if (path.bad || !is_abandoned(jw_buf_cstr(&path), jw_buf_cstr(&owner), prefix))
            continue;
        (*end ? jw_sys_remove : jw_scratch_remove)(jw_buf_cstr(&path));
    }
    jw_buf_free(&owner);
    jw_buf_free(&path);
    jw_dir_close(dir);
}

void jw_scratch_sweep(const char *parent, const char *prefix) { sweep(parent, prefix, ""); }

void jw_out_sweep(const char *folder) { sweep(folder, JW_TEMP_BEGIN, JW_TEMP_END); }

bool jw_scratch_make(const char *parent, const char *prefix, struct jw_arena *a, char **path,
                     struct jw_err *err)
{
    *path = NULL;
    if (!jw_make_dirs(jw_path_dir(a, parent), err) || !jw_make_private_dir(parent, err))
        return jw_wrap(err, "%s", parent);
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        char *name = jw_arena_printf(a, "%.80s-%08lx-%lu-%u", prefix, (unsigned long)jw_boot_id(),
                                     jw_process_id(), i);
        char *next = jw_path_join(a, parent, name);
        struct jw_err why = {0};
        enum jw_at how = make(next, &why);

        *path = how == JW_AT_DONE ? next : NULL;
        if (how != JW_AT_TAKEN)
            return *path || jw_pass(err, why) || jw_wrap(err, "%s", next);
    }
    return jw_fail(err, JW_E_IO, "%s: no free name", parent);
}

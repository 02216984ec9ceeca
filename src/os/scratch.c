#include "os/scratch.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "os/dir.h"
#include "os/sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 1000 };

bool jw_make_private_dir(const char *path, struct jw_err *err)
{
    bool taken;

    return jw_sys_mkdir_private(path, &taken, err);
}

unsigned long jw_scratch_owner(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    char *end;

    if (!jw_text_starts(name, prefix) || name[n] != '-' || name[n + 1] < '1' || name[n + 1] > '9')
        return 0;
    unsigned long pid = strtoul(name + n + 1, &end, 10);

    if (*end != '-' || end[1] == '\0' || strspn(end + 1, "0123456789") != strlen(end + 1))
        return 0;
    return pid;
}

static void remove_below(struct jw_buf *path, unsigned depth)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err ignored;
    bool more = true;
    size_t stem = path->n;

    if (depth == 0 || !jw_dir_open(&dir, jw_buf_cstr(path), &ignored))
        return;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        path->n = stem;
        jw_buf_printf(path, "/%s", e.name);
        if (path->bad)
            break;
        if (e.type == JW_ENTRY_DIR) {
            remove_below(path, depth - 1);
            jw_sys_rmdir(jw_buf_cstr(path));
        } else {
            jw_sys_remove(jw_buf_cstr(path));
        }
    }
    path->n = stem;
    jw_dir_close(dir);
}

void jw_scratch_remove(const char *folder)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);

    if (!folder)
        return;
    jw_buf_text(&path, folder);
    if (!path.bad)
        remove_below(&path, JW_MAX_DEPTH);
    if (!path.bad)
        jw_sys_rmdir(jw_buf_cstr(&path));
    jw_buf_free(&path);
}

/* What processes left behind that did not live to clean up. */
static void sweep(const char *parent, const char *prefix)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err ignored;
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool more = true;

    if (!jw_dir_open(&dir, parent, &ignored))
        return;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        unsigned long pid = e.type == JW_ENTRY_DIR ? jw_scratch_owner(e.name, prefix) : 0;

        if (!pid || jw_sys_process_alive(pid))
            continue;
        jw_buf_clear(&path);
        jw_buf_printf(&path, "%s/%s", parent, e.name);
        if (!path.bad)
            jw_scratch_remove(jw_buf_cstr(&path));
    }
    jw_buf_free(&path);
    jw_dir_close(dir);
}

static bool make_parent(const char *parent, struct jw_arena *a, struct jw_err *err)
{
    struct jw_file_info info;
    char *above;

    if (!jw_file_stat(parent, &info, err))
        return false;
    if (info.kind != JW_FILE_NONE)
        return true;
    above = jw_path_dir(a, parent);
    if (!above)
        return jw_nomem(err, strlen(parent));
    return jw_make_dirs(above, err) && jw_make_private_dir(parent, err);
}

bool jw_scratch_make(const char *parent, const char *prefix, struct jw_arena *a, char **path,
                     struct jw_err *err)
{
    char name[128];
    bool taken = true;

    if (!make_parent(parent, a, err))
        return jw_wrap(err, "%s", parent);
    sweep(parent, prefix);
    for (unsigned i = 0; taken && i < ATTEMPTS; i++) {
        (void)snprintf(name, sizeof name, "%.80s-%lu-%u", prefix, jw_sys_pid(), i);
        *path = jw_path_join(a, parent, name);
        if (!*path)
            return jw_nomem(err, sizeof name);
        if (!jw_sys_mkdir_private(*path, &taken, err))
            return jw_wrap(err, "%s", *path);
    }
    return !taken || jw_fail(err, JW_E_IO, "%s: no free name", parent);
}

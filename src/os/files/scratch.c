#include "os/files/scratch.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 1000, SYSTEM_DIGITS = 8, STRANGERS_S = 24 * 60 * 60 };

bool jw_make_private_dir(const char *path, struct jw_err *err)
{
    bool taken;

    return jw_sys_mkdir_private(path, &taken, err);
}

/* Parses "1a2b3c4d-" and advances; false: no match. */
static bool take_system(const char **at, uint32_t *out)
{
    char digits[SYSTEM_DIGITS + 1] = "";

    if (strspn(*at, "0123456789abcdef") != SYSTEM_DIGITS || (*at)[SYSTEM_DIGITS] != '-')
        return false;
    memcpy(digits, *at, SYSTEM_DIGITS);
    *out = (uint32_t)strtoul(digits, NULL, 16);
    *at += SYSTEM_DIGITS + 1;
    return true;
}

bool jw_scratch_owner(const char *name, const char *prefix, struct jw_scratch_owner *out)
{
    size_t n = strlen(prefix), digits;
    char *end;

    *out = (struct jw_scratch_owner){ 0 };
    if (!jw_text_starts(name, prefix) || name[n] != '-')
        return false;
    name += n + 1;
    if (!take_system(&name, &out->system) || *name < '1' || *name > '9')
        return false;
    out->pid = strtoul(name, &end, 10);
    digits = strspn(end, "-") == 1 ? strspn(end + 1, "0123456789") : 0;
    return out->pid <= INT32_MAX && digits && end[1 + digits] == '\0';
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

/* Whether a process of another system (a container, a machine with the same home) lives is unknown. */
bool jw_scratch_abandoned(const char *path, const char *name, const char *prefix)
{
    struct jw_scratch_owner owner;
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_scratch_owner(name, prefix, &owner))
        return false;
    if (owner.system == jw_sys_system())
        return !jw_sys_process_alive(owner.pid);
    return jw_file_stat(path, &info, &ignored) && info.kind != JW_FILE_NONE
           && info.mtime / 1000000000 + STRANGERS_S < jw_time_unix();
}

/* Removes the folders of dead processes. */
void jw_scratch_sweep(const char *parent, const char *prefix)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err ignored;
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool more = true;

    if (!jw_dir_open(&dir, parent, &ignored))
        return;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        if (e.type != JW_ENTRY_DIR)
            continue;
        jw_buf_clear(&path);
        jw_buf_printf(&path, "%s/%s", parent, e.name);
        if (!path.bad && jw_scratch_abandoned(jw_buf_cstr(&path), e.name, prefix))
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
    return jw_make_dirs(above, err) && jw_make_private_dir(parent, err);
}

static bool make_folder(const char *path, bool *taken, struct jw_err *err)
{
    return jw_sys_mkdir_private(path, taken, err) || jw_wrap(err, "%s", path);
}

bool jw_scratch_make(const char *parent, const char *prefix, struct jw_arena *a, char **path,
                     struct jw_err *err)
{
    char name[128];
    bool taken = true;

    *path = NULL;
    if (!make_parent(parent, a, err))
        return jw_wrap(err, "%s", parent);
    jw_scratch_sweep(parent, prefix);
    for (unsigned i = 0; taken && i < ATTEMPTS; i++) {
        (void)snprintf(name, sizeof name, "%.80s-%08lx-%lu-%u", prefix, (unsigned long)jw_sys_system(),
                       jw_process_id(), i);
        char *next = jw_path_join(a, parent, name);

        if (!make_folder(next, &taken, err))
            return false;
        if (!taken)
            *path = next;
    }
    return *path || jw_fail(err, JW_E_IO, "%s: no free name", parent);
}

bool jw_scratch_link(const char *folder, const char *name, const char *target, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&path, "%s/%s", folder, name);

    bool ok = jw_buf_ok(&path, err) && jw_sys_link(jw_buf_cstr(&path), target, err);

    jw_buf_free(&path);
    return ok;
}

#include "startup/system/startup_host.h"

#include "base/buf.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fault(struct jw_err *err)
{
    return jw_fault_here() && !jw_fail(err, JW_E_IO, "injected failure");
}

static bool refused(struct jw_err *err, const char *path)
{
    int why = errno;

    (void)jw_fail(err, JW_E_IO, "%.250s: %s", path, strerror(why));
    err->os = why;
    return false;
}

/* ---- what is here ---- */

static bool is_folder(struct jw_arena *a, const char *root, const char *path)
{
    struct jw_buf b = JW_BUF(JW_MAX_PATH);
    struct stat st;

    (void)a;
    jw_buf_printf(&b, "%s%s", root, path);
    bool yes = stat(jw_buf_cstr(&b), &st) == 0 && S_ISDIR(st.st_mode);

    jw_buf_free(&b);
    return yes;
}

/* The socket of this user's manager, which it makes before it starts anything. */
static bool manager_answers(struct jw_arena *a)
{
    const char *runtime = jw_env(a, "XDG_RUNTIME_DIR");
    const char *socket = runtime && *runtime == '/' ? jw_path_join(a, runtime, "systemd/private") : NULL;
    struct stat st;

    return socket && stat(socket, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid();
}

static bool find_systemctl(struct jw_arena *a, struct jw_startup_host *out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool found, ok = jw_process_find("systemctl", &path, &found, err);

    if (ok && found) {
        out->systemctl = jw_arena_str(a, jw_buf_cstr(&path));
        ok = true;
    }
    jw_buf_free(&path);
    return ok;
}

bool jw_startup_look(const char *sysroot, struct jw_arena *a, struct jw_startup_host *out, struct jw_err *err)
{
    const char *config;

    *out = (struct jw_startup_host){ 0 };
    if (fault(err))
        return false;
    /* sd_booted(3) is this very question. */
    out->systemd = is_folder(a, sysroot, "/run/systemd/system");
    if (out->systemd && !*sysroot && manager_answers(a) && !find_systemctl(a, out, err))
        return false;
    out->packs = "/var/lib/jitwarm/packs";
    config = jw_env_config_user(a);
    if (!config)
        return true;
    out->units = jw_path_join(a, config, "systemd/user");
    return true;
}

/* ---- names ---- */

bool jw_startup_read_link(const char *path, struct jw_arena *a, const char **to, struct jw_err *err)
{
    char text[PATH_MAX + 1];
    ssize_t n;

    *to = NULL;
    if (fault(err))
        return false;
    n = readlink(path, text, sizeof text);
    if (n < 0)
        return errno == EINVAL || errno == ENOENT || errno == ENOTDIR || refused(err, path);
    if ((size_t)n == sizeof text)
        return jw_fail(err, JW_E_IO, "%.250s: is a link to a name that is too long", path);
    *to = jw_arena_text(a, text, (size_t)n);
    return true;
}

bool jw_startup_make_link(const char *path, const char *to, struct jw_err *err)
{
    struct jw_buf temp = JW_BUF(JW_MAX_PATH);
    bool ok;

    if (fault(err))
        return false;
    jw_buf_printf(&temp, "%.*s.%s.jw-%lu-0.tmp", (int)(jw_path_base(path) - path), path, jw_path_base(path),
                  jw_process_id()); /* as jw_out names its own */
    ok = jw_buf_ok(&temp, err);
    if (ok) {
        (void)unlink(jw_buf_cstr(&temp));
        ok = symlink(to, jw_buf_cstr(&temp)) == 0 || refused(err, path);
    }
    if (ok && ((fault(err)) || (rename(jw_buf_cstr(&temp), path) != 0 && !refused(err, path)))) {
        (void)unlink(jw_buf_cstr(&temp));
        ok = false;
    }
    jw_buf_free(&temp);
    return ok;
}

bool jw_startup_remove_link(const char *path, struct jw_err *err)
{
    if (fault(err))
        return false;
    return unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR || refused(err, path);
}

bool jw_startup_remove_folder(const char *path, struct jw_err *err)
{
    if (fault(err))
        return false;
    return rmdir(path) == 0 || errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT || refused(err, path);
}

bool jw_startup_for_all(const char *path, bool folder, struct jw_err *err)
{
    if (fault(err))
        return false;
    return chmod(path, folder ? 0755 : 0644) == 0 || refused(err, path);
}

/* ---- programs that everybody runs ---- */

static bool others_may_write(const struct stat *st)
{
    return st->st_uid != 0 || st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != 0);
}

bool jw_startup_safe_for_all(const char *exe, const struct jw_startup_host *host, struct jw_arena *a,
                             const char **why, struct jw_err *err)
{
    const char *at = exe;

    (void)host;
    *why = NULL;
    for (struct stat st;;) {
        if (stat(at, &st) != 0)
            return refused(err, at);
        if (others_may_write(&st))
            break;
        if (strcmp(at, "/") == 0)
            return true;
        at = jw_path_dir(a, at);
    }
    *why = jw_arena_printf(
        a,
        "every user would run %.120s, and others than root may change %s%.120s; install jitwarm where "
        "only root writes, as a package does",
        exe, strcmp(at, exe) == 0 ? "" : "the folder ", strcmp(at, exe) == 0 ? "it" : at);
    return true;
}

/* ---- tasks: there are none ---- */

static bool no_tasks(struct jw_err *err)
{
    return jw_fail(err, JW_E_USAGE, "tasks are registered on Windows only");
}

bool jw_startup_task_look(const char *name, struct jw_arena *a, struct jw_startup_task *out,
                          struct jw_err *err)
{
    (void)name;
    (void)a;
    (void)err;
    *out = (struct jw_startup_task){ 0 };
    return true;
}

bool jw_startup_task_put(const char *name, const char *xml, bool everybody, struct jw_err *err)
{
    (void)name;
    (void)xml;
    (void)everybody;
    return no_tasks(err);
}

bool jw_startup_task_remove(const char *name, struct jw_err *err)
{
    (void)name;
    return no_tasks(err);
}

bool jw_startup_task_run(const char *name, struct jw_err *err)
{
    (void)name;
    return no_tasks(err);
}

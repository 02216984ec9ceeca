#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/login.h"
#include "machine/paths.h"
#include "memory/roots.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "setup/parts.h"

static const char *file_of(struct jw_arena *a)
{
    const char *config = jw_env_config_user(a);

    return config ? jw_path_join(a, config, "environment.d/jitwarm.conf") : NULL;
}

const char *jw_env_written(const char *name, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_CONF);
    struct jw_buf value = JW_BUF_IN(a, JW_MAX_CONF);
    const char *path = file_of(a), *at;
    bool found;

    if (!path || !jw_file_slurp(path, &text, &found, JW_IGNORED)
        || !(at = strstr(jw_buf_cstr(&text), jw_arena_printf(a, "\n%s=\"", name))))
        return NULL;
    for (at = strchr(at, '"') + 1; *at && *at != '"'; at++) {
        at += *at == '\\' && at[1];
        jw_buf_add(&value, at, 1);
    }
    return jw_buf_cstr(&value);
}

bool jw_env_change(const struct jw_env_setting *s, size_t n, bool dry_run, struct jw_arena *a,
                   struct jw_step_list *out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_CONF);
    const char *path = file_of(a);

    if (!path)
        return jw_fail(err, JW_E_IO, "this user has no folder for settings (is HOME unset?)");
    if (n
        && !(jw_login_check_home(a, err)
             && (jw_root_path(path, a, &path, err) || jw_wrap(err, "%s", path))))
        return false;
    jw_buf_text(&text, "# Written by jitwarm env apply. jitwarm env undo removes it.\n");
    for (size_t i = 0; i < n; i++)
        if (!jw_env_put(JW_ENVIRONMENT_D, s[i].name, s[i].value, &text, err))
            return false;
    if (!jw_buf_ok(&text, err))
        return false;
    jw_step_look(out, JW_STEP_FILE, path, jw_env_config_user(a), n ? jw_buf_cstr(&text) : NULL, a);
    if (n)
        return jw_steps_write(out, dry_run, a, err);
    jw_steps_remove(out, dry_run, a);
    return true;
}

const char *jw_env_line(struct jw_arena *a, const char **file)
{
    const char *word, *line;
    const char *path = file_of(a);
    const char *home = jw_env_home(a);
    const char *shell = jw_env(a, "SHELL");

    if (!path)
        return NULL;
    word = jw_env(a, "XDG_CONFIG_HOME") ? JW_COMMAND(a, false, path)
                                        : "~/.config/environment.d/jitwarm.conf";
    line = jw_arena_printf(a, "f=%s; [ -r \"$f\" ] && set -a && . \"$f\"; set +a", word);
    shell = shell ? jw_path_base(shell) : "bash"; /* as in containers */
    *file = "~/.profile";
    if (strcmp(shell, "zsh") == 0)
        *file = "~/.zprofile";
    else if (strcmp(shell, "bash") == 0 && home
             && !jw_is_absent(jw_path_join(a, home, ".bash_profile")))
        *file = "~/.bash_profile";
    return jw_arena_printf(a, "grep -qs environment.d/jitwarm.conf %s || echo %s >>%s", *file,
                           JW_COMMAND(a, false, line), *file);
}

bool jw_env_path_change(bool machine, const char *folder, bool add, struct jw_arena *a,
                        struct jw_err *err)
{
    (void)machine, (void)folder, (void)add, (void)a;
    return jw_fail(err, JW_E_USAGE, "this is for Windows");
}

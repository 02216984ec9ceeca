#include "setup/env.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "os/machine/env.h"

#include <string.h>

#define MARK "# Written by jitwarm env apply."

/* NULL: this user has no folder for it. */
static const char *file_of(struct jw_arena *a, struct jw_err *err)
{
    const char *config = jw_env_config_user(a);

    if (config)
        return jw_path_join(a, config, "environment.d/jitwarm.conf");
    (void)jw_fail(err, JW_E_IO, "this user has no folder for settings (is HOME unset?)");
    return NULL;
}

/* Lines that systemd and a shell read alike: in double quotes, and without what only one of them expands. */
static const char *settings_text(const struct jw_env_setting *s, size_t n, struct jw_arena *a,
                                 struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_CONF);

    jw_buf_text(&text, MARK " jitwarm env undo removes it.\n");
    for (size_t i = 0; i < n; i++) {
        if (strchr(s[i].value, '$')) {
            (void)jw_fail(
                err, JW_E_USAGE,
                "%s: the file that logins read cannot hold a value with $ in it; choose another folder",
                s[i].name);
            return NULL;
        }
        if (!jw_env_put(JW_ENV_ENVIRONMENT_D, s[i].name, s[i].value, &text, err))
            return NULL;
    }
    return jw_buf_ok(&text, err) ? jw_buf_cstr(&text) : NULL;
}

bool jw_env_apply(const struct jw_env_setting *s, size_t n, bool dry_run, struct jw_arena *a,
                  struct jw_step_list *out, struct jw_err *err)
{
    const char *path = file_of(a, err), *text = path ? settings_text(s, n, a, err) : NULL;

    if (!text)
        return false;

    struct jw_step *step = jw_step_add(out, JW_STEP_FILE, path, a);

    step->text = text;
    jw_step_look(step, MARK, a);
    if (step->why)
        return jw_fail(err, JW_E_IO, "%s", step->why);
    return step->same || dry_run || jw_step_write(step, a, err);
}

bool jw_env_undo(bool dry_run, struct jw_arena *a, struct jw_step_list *out, struct jw_err *err)
{
    const char *path = file_of(a, err);

    if (!path)
        return false;

    struct jw_step *step = jw_step_add(out, JW_STEP_FILE, path, a);

    step->top = jw_path_dir(a, jw_path_dir(a, path));
    jw_step_look(step, MARK, a);
    return !step->found || dry_run || jw_step_remove(step, a, err);
}

const char *jw_env_line(struct jw_arena *a)
{
    struct jw_err ignored;
    const char *path = file_of(a, &ignored), *word = path ? JW_COMMAND(a, false, path) : NULL;

    return word ? jw_arena_printf(a, "if [ -r %s ]; then set -a; . %s; set +a; fi", word, word) : NULL;
}

bool jw_env_path_change(bool machine, const char *folder, bool add, struct jw_arena *a, struct jw_err *err)
{
    (void)machine;
    (void)folder;
    (void)add;
    (void)a;
    return jw_fail(err, JW_E_USAGE, "this is for Windows");
}

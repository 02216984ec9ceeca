/* Each value that jitwarm wrote has a mark beside it: JITWARM_ENV_NAME with the same text. Undo
 * removes the values that still equal their marks. */
#include "base/limits.h"
#include "base/text.h"
#include "os/sys.h"
#include "setup/parts.h"

#include <string.h>
#include <windows.h>

enum { PATIENCE_MS = 2000 };

/* Keys of the registry. */
static const struct {
    HKEY root;
    const char *key;
} variables[] = {
    [false] = {HKEY_CURRENT_USER, "Environment"},
    [true] = {HKEY_LOCAL_MACHINE,
              "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"},
};

static bool check(LSTATUS rc, const char *name, struct jw_err *err)
{
    return rc == ERROR_SUCCESS || rc == ERROR_FILE_NOT_FOUND
           || (!jw_sys_fail(err, rc) && jw_wrap(err, "%s in the registry", name));
}

/* Reads a value; `*out` NULL: it is unset. `*type`: does Windows expand names in it? */
static bool get_value(bool machine, const char *name, DWORD *type, struct jw_arena *a,
                      const char **out, struct jw_err *err)
{
    DWORD n = JW_MAX_PATH;
    char *value = jw_arena_alloc(a, n);
    LSTATUS rc = RegGetValueA(variables[machine].root, variables[machine].key, name,
                              RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND, type, value, &n);

    *out = rc == ERROR_SUCCESS ? value : NULL;
    return check(rc, name, err);
}

/* Writes a value; NULL removes it. */
static bool put_value(bool machine, const char *name, DWORD type, const char *value,
                      struct jw_err *err)
{
    HKEY root = variables[machine].root;
    const char *key = variables[machine].key;

    return check(value ? RegSetKeyValueA(root, key, name, type, value, (DWORD)strlen(value) + 1)
                       : RegDeleteKeyValueA(root, key, name),
                 name, err);
}

/* Tells Explorer, which gives the variables to programs that start from now on. */
static void announce(void)
{
    DWORD_PTR ignored;

    (void)SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM)L"Environment",
                              SMTO_ABORTIFHUNG, PATIENCE_MS, &ignored);
}

/* Sets one value; `want` NULL removes it if it is jitwarm's. If it differs from its mark, only the
 * mark goes. */
static bool change_value(const char *name, const char *want, bool dry_run, struct jw_arena *a,
                         struct jw_step_list *out, struct jw_err *err)
{
    const char *mark_name = jw_arena_printf(a, "JITWARM_ENV_%s", name), *now, *mark;
    DWORD ignored;
    bool ours;

    if (!get_value(false, name, &ignored, a, &now, err)
        || !get_value(false, mark_name, &ignored, a, &mark, err))
        return false;
    if (!want && !mark)
        return true;
    ours = mark && jw_text_same(now ? now : mark, mark);

    struct jw_step *step = jw_step_add(
        out, JW_STEP_VALUE, jw_arena_printf(a, "HKEY_CURRENT_USER\\Environment\\%s", name), a);

    step->text = want;
    step->found = want ? ours && now : true;
    step->same = want && jw_text_same(now, want);
    if (want && now && !ours && !step->same)
        return jw_fail(err, JW_E_IO, "%s is %.200s now, which jitwarm did not set: remove it first",
                       name, now);
    if (!want && !ours)
        step->why = jw_arena_printf(a, "%s was changed since, and is kept", name);
    if (dry_run || step->same)
        return true;
    /* The mark is written first: a value without a mark is not jitwarm's. */
    if (want)
        step->done = put_value(false, mark_name, REG_SZ, want, err)
                     && put_value(false, name, REG_SZ, want, err);
    else
        step->done = (!ours || put_value(false, name, REG_SZ, NULL, err))
                     && put_value(false, mark_name, REG_SZ, NULL, err);
    return step->done;
}

const char *jw_env_written(const char *name, struct jw_arena *a)
{
    const char *mark_name = jw_arena_printf(a, "JITWARM_ENV_%s", name), *now, *mark;
    DWORD ignored;

    if (!get_value(false, name, &ignored, a, &now, JW_IGNORED)
        || !get_value(false, mark_name, &ignored, a, &mark, JW_IGNORED))
        return NULL;
    return jw_text_same(now, mark) ? now : NULL;
}

bool jw_env_change(const struct jw_env_setting *s, size_t n, bool dry_run, struct jw_arena *a,
                   struct jw_step_list *out, struct jw_err *err)
{
    for (size_t i = 0; i < (n ? n : JW_ALL_VARIABLES); i++)
        if (!change_value(n ? s[i].name : jw_driver_variables[i], n ? s[i].value : NULL, dry_run, a,
                          out, err))
            return false;
    if (!dry_run && out->n)
        announce();
    return true;
}

const char *jw_env_line(struct jw_arena *a, const char **file)
{
    (void)a, (void)file;
    return NULL;
}

bool jw_env_path_change(bool machine, const char *folder, bool add, struct jw_arena *a,
                        struct jw_err *err)
{
    const char *before, *now;
    DWORD type;

    if (!get_value(machine, "Path", &type, a, &before, err))
        return false;
    if (!before) {
        before = "";
        type = REG_EXPAND_SZ;
    }
    now = jw_env_path_with(before, folder, add, a);
    if (strcmp(now, before) == 0)
        return true;
    if (!put_value(machine, "Path", type, *now ? now : NULL, err))
        return false;
    announce();
    return true;
}

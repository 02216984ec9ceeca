/* Beside each value that was written stands its mark, JITWARM_ENV_NAME with the same text: undo removes what still is as the mark
 * says. */
#include "setup/env.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/sys.h"

#include <string.h>
#include <wchar.h>
#include <windows.h>

enum { PATIENCE_MS = 2000 };

#define MARK "JITWARM_ENV_"

struct variables { /* a key of the registry */
    HKEY root;
    const wchar_t *key;
};

static const struct variables of_user = { HKEY_CURRENT_USER, L"Environment" };
static const struct variables of_machine = {
    HKEY_LOCAL_MACHINE, L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
};

/* `*out` NULL: there is none. `*type`: whether Windows expands names in it. */
static bool get_value(const struct variables *in, const char *name, DWORD *type, struct jw_arena *a,
                      const char **out, struct jw_err *err)
{
    DWORD n = JW_MAX_LINE;
    wchar_t *value = jw_alloc(n);
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_VARIABLE);
    uint16_t *wide = NULL;
    LSTATUS rc = ERROR_SUCCESS;
    bool ok = jw_utf16_from(name, &wide, err);

    *out = NULL;
    if (ok)
        rc = RegGetValueW(in->root, in->key, (wchar_t *)wide,
                          RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND, type, value, &n);
    if (ok && rc == ERROR_SUCCESS) {
        jw_utf16_to(&text, (const uint16_t *)value);
        *out = jw_buf_cstr(&text);
    }
    jw_free(wide);
    jw_free(value);
    if (rc != ERROR_SUCCESS && rc != ERROR_FILE_NOT_FOUND)
        return !jw_sys_fail(err, rc) && jw_wrap(err, "%s in the registry", name);
    return ok && jw_buf_ok(&text, err);
}

/* NULL: removes it. */
static bool put_value(const struct variables *in, const char *name, DWORD type, const char *value,
                      struct jw_err *err)
{
    uint16_t *wide = NULL, *text = NULL;
    LSTATUS rc = ERROR_SUCCESS;
    bool ok = jw_utf16_from(name, &wide, err) && (!value || jw_utf16_from(value, &text, err));

    if (ok && value)
        rc = RegSetKeyValueW(in->root, in->key, (wchar_t *)wide, type, text,
                             (DWORD)((wcslen((wchar_t *)text) + 1) * sizeof(wchar_t)));
    else if (ok)
        rc = RegDeleteKeyValueW(in->root, in->key, (wchar_t *)wide);
    jw_free(wide);
    jw_free(text);
    if (rc != ERROR_SUCCESS && !(rc == ERROR_FILE_NOT_FOUND && !value))
        return !jw_sys_fail(err, rc) && jw_wrap(err, "%s in the registry", name);
    return ok;
}

/* Explorer hands the variables to programs that start from now on. */
static void announce(void)
{
    DWORD_PTR ignored;

    (void)SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM)L"Environment", SMTO_ABORTIFHUNG,
                              PATIENCE_MS, &ignored);
}

/* ---- the settings of the cache ---- */

static const char *place_of(const char *name, struct jw_arena *a)
{
    return jw_arena_printf(a, "HKEY_CURRENT_USER\\Environment\\%s", name);
}

/* A variable of this user, and its mark. */
static bool get_both(const char *name, struct jw_arena *a, const char **now, const char **mark,
                     struct jw_err *err)
{
    DWORD ignored;

    return get_value(&of_user, name, &ignored, a, now, err)
           && get_value(&of_user, jw_arena_printf(a, MARK "%s", name), &ignored, a, mark, err);
}

static bool put_mark(const char *name, const char *value, struct jw_arena *a, struct jw_err *err)
{
    return put_value(&of_user, jw_arena_printf(a, MARK "%s", name), REG_SZ, value, err);
}

bool jw_env_apply(const struct jw_env_setting *s, size_t n, bool dry_run, struct jw_arena *a,
                  struct jw_step_list *out, struct jw_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct jw_step *step = jw_step_add(out, JW_STEP_VALUE, place_of(s[i].name, a), a);
        const char *mark, *now;

        if (!get_both(s[i].name, a, &now, &mark, err))
            return false;
        step->text = s[i].value;
        step->found = mark && now && strcmp(mark, now) == 0;
        step->same = now && strcmp(now, s[i].value) == 0;
        if (now && !step->found && !step->same)
            return jw_fail(err, JW_E_IO, "%s is %.200s now, which jitwarm did not set: remove it first",
                           s[i].name, now);
        if (step->same || dry_run)
            continue;
        /* The mark first: a value without one is not jitwarm's. */
        step->done = put_mark(s[i].name, s[i].value, a, err)
                     && put_value(&of_user, s[i].name, REG_SZ, s[i].value, err);
        if (!step->done)
            return false;
    }
    announce();
    return true;
}

bool jw_env_undo(bool dry_run, struct jw_arena *a, struct jw_step_list *out, struct jw_err *err)
{
    for (size_t i = 0; i < JW_ENV_ROWS; i++) {
        const char *name = jw_env_names[i], *mark, *now;

        if (!get_both(name, a, &now, &mark, err))
            return false;
        if (!mark)
            continue;

        struct jw_step *step = jw_step_add(out, JW_STEP_VALUE, place_of(name, a), a);
        bool ours = !now || strcmp(mark, now) == 0;

        step->found = true;
        if (!ours)
            step->why = jw_arena_printf(a, "%s was changed since, and is kept", name);
        if (dry_run)
            continue;
        step->done = (!ours || put_value(&of_user, name, REG_SZ, NULL, err)) && put_mark(name, NULL, a, err);
        if (!step->done)
            return false;
    }
    if (!dry_run && out->n)
        announce();
    return true;
}

const char *jw_env_line(struct jw_arena *a)
{
    (void)a;
    return NULL;
}

/* ---- PATH ---- */

bool jw_env_path_change(bool machine, const char *folder, bool add, struct jw_arena *a, struct jw_err *err)
{
    const struct variables *in = machine ? &of_machine : &of_user;
    const char *before, *now;
    DWORD type = REG_EXPAND_SZ;

    if (!get_value(in, "Path", &type, a, &before, err))
        return false;
    if (!before)
        type = REG_EXPAND_SZ;
    now = jw_env_path_with(before ? before : "", folder, add, a);
    if (strcmp(now, before ? before : "") == 0)
        return true;
    if (!put_value(in, "Path", type, *now ? now : NULL, err))
        return false;
    announce();
    return true;
}

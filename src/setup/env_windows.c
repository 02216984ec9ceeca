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

#define KEY L"Environment"
#define MARK "JITWARM_ENV_"

static const char *place_of(const char *name, struct jw_arena *a)
{
    return jw_arena_printf(a, "HKEY_CURRENT_USER\\Environment\\%s", name);
}

/* NULL: there is none, or it is no text. */
static const char *get_value(const char *prefix, const char *name, struct jw_arena *a, struct jw_err *err)
{
    DWORD n = JW_MAX_LINE;
    wchar_t *value = jw_alloc(n);
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_VARIABLE);
    uint16_t *wide = NULL;
    bool found = jw_utf16_from(jw_arena_printf(a, "%s%s", prefix, name), &wide, err)
                 && RegGetValueW(HKEY_CURRENT_USER, KEY, (wchar_t *)wide,
                                 RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND, NULL, value, &n)
                        == ERROR_SUCCESS;

    if (found)
        jw_utf16_to(&text, (const uint16_t *)value);
    jw_free(wide);
    jw_free(value);
    return found ? jw_buf_cstr(&text) : NULL;
}

/* NULL: removes it. */
static bool put_value(const char *prefix, const char *name, const char *value, struct jw_arena *a,
                      struct jw_err *err)
{
    uint16_t *wide = NULL, *text = NULL;
    LSTATUS rc = ERROR_SUCCESS;
    bool ok = jw_utf16_from(jw_arena_printf(a, "%s%s", prefix, name), &wide, err)
              && (!value || jw_utf16_from(value, &text, err));

    if (ok && value)
        rc = RegSetKeyValueW(HKEY_CURRENT_USER, KEY, (wchar_t *)wide, REG_SZ, text,
                             (DWORD)((wcslen((wchar_t *)text) + 1) * sizeof(wchar_t)));
    else if (ok)
        rc = RegDeleteKeyValueW(HKEY_CURRENT_USER, KEY, (wchar_t *)wide);
    jw_free(wide);
    jw_free(text);
    if (ok && rc != ERROR_SUCCESS && !(rc == ERROR_FILE_NOT_FOUND && !value))
        return !jw_sys_fail(err, rc) && jw_wrap(err, "%s", place_of(name, a));
    return ok;
}

/* Explorer hands it to programs that start from now on. */
static void announce(void)
{
    DWORD_PTR ignored;

    (void)SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM)KEY, SMTO_ABORTIFHUNG, PATIENCE_MS,
                              &ignored);
}

bool jw_env_apply(const struct jw_env_setting *s, size_t n, bool dry_run, struct jw_arena *a,
                  struct jw_step_list *out, struct jw_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct jw_step *step = jw_step_add(out, JW_STEP_VALUE, place_of(s[i].name, a), a);
        const char *mark = get_value(MARK, s[i].name, a, err), *now = get_value("", s[i].name, a, err);

        step->text = s[i].value;
        step->found = mark && now && strcmp(mark, now) == 0;
        step->same = now && strcmp(now, s[i].value) == 0;
        if (now && !step->found && !step->same)
            return jw_fail(err, JW_E_IO, "%s is %.200s now, which jitwarm did not set: remove it first",
                           s[i].name, now);
        /* The mark first: a value without one is not jitwarm's. */
        if (step->same || dry_run)
            continue;
        step->done =
            put_value(MARK, s[i].name, s[i].value, a, err) && put_value("", s[i].name, s[i].value, a, err);
        if (!step->done)
            return false;
    }
    if (jw_steps_done(out))
        announce();
    return true;
}

bool jw_env_undo(bool dry_run, struct jw_arena *a, struct jw_step_list *out, struct jw_err *err)
{
    for (size_t i = 0; i < JW_ENV_ROWS; i++) {
        const char *mark = get_value(MARK, jw_env_names[i], a, err),
                   *now = get_value("", jw_env_names[i], a, err);

        if (!mark)
            continue;

        struct jw_step *step = jw_step_add(out, JW_STEP_VALUE, place_of(jw_env_names[i], a), a);
        bool ours = !now || strcmp(mark, now) == 0;

        step->found = true;
        if (!ours)
            step->why = jw_arena_printf(a, "%s was changed since, and is kept", jw_env_names[i]);
        if (dry_run)
            continue;
        step->done = (!ours || put_value("", jw_env_names[i], NULL, a, err))
                     && put_value(MARK, jw_env_names[i], NULL, a, err);
        if (!step->done)
            return false;
    }
    if (jw_steps_done(out))
        announce();
    return true;
}

const char *jw_env_line(struct jw_arena *a)
{
    (void)a;
    return NULL;
}

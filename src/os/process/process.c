#include "os/process/process.h"

#include "base/limits.h"
#include "base/num.h"
#include "os/machine/env.h"

#include <string.h>
#include <strings.h>

/* Whether an edit is about this variable, "NAME" or "NAME=value". */
static bool is_edited(const struct jw_child_edit *edit, const char *variable)
{
    size_t n = strlen(edit->name), given = strcspn(variable, "=");

    if (n && edit->name[n - 1] == '*') {
        n--;
        given = (size_t)jw_min(given, n);
    }
    return given == n && (jw_os_is_windows() ? strncasecmp : strncmp)(variable, edit->name, n) == 0;
}

static bool is_any_edited(const struct jw_child_edit *edits, size_t n, const char *variable)
{
    for (size_t i = 0; i < n; i++)
        if (is_edited(&edits[i], variable))
            return true;
    return false;
}

bool jw_child_environment(const struct jw_child_edit *edits, size_t n, bool bare, struct jw_arena *a,
                          const char ***out, struct jw_err *err)
{
    const char *const *inherited = NULL;
    size_t n_inherited = 0, at = 0;

    if (!bare && !jw_env_all(a, &inherited, &n_inherited, err))
        return false;
    *out = jw_arena_alloc(a, (n_inherited + n + 1) * sizeof **out);
    for (size_t i = 0; i < n_inherited; i++)
        if (!is_any_edited(edits, n, inherited[i]))
            (*out)[at++] = inherited[i];
    for (size_t i = 0; i < n; i++) {
        if (!edits[i].value || is_any_edited(edits + i + 1, n - i - 1, edits[i].name))
            continue;
        if (strlen(edits[i].value) > JW_MAX_VARIABLE)
            return jw_fail(err, JW_E_LIMIT, "%.100s: longer than %zu bytes", edits[i].name, JW_MAX_VARIABLE);
        (*out)[at++] = jw_arena_printf(a, "%s=%s", edits[i].name, edits[i].value);
    }
    return true;
}

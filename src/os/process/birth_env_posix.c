#include "os/process/birth_posix.h"

#include "base/buf.h"
#include "base/limits.h"

#include <string.h>
#include <unistd.h>

enum { MOST_VARIABLES = 1 << 16 };

static bool names(const struct jw_child_edit *edit, const char *variable)
{
    size_t n = strlen(edit->name), given = strcspn(variable, "=");

    if (n && edit->name[n - 1] == '*')
        return given >= n - 1 && strncmp(edit->name, variable, n - 1) == 0;
    return given == n && strncmp(edit->name, variable, n) == 0;
}

static bool edited(const struct jw_child_edit *edits, size_t n, const char *variable)
{
    for (size_t i = 0; i < n; i++)
        if (names(&edits[i], variable))
            return true;
    return false;
}

static bool assign(const struct jw_child_edit *edit, struct jw_arena *a, char **out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_VARIABLE);

    jw_buf_printf(&text, "%s=%s", edit->name, edit->value);
    *out = jw_arena_str(a, jw_buf_cstr(&text));

    bool ok = jw_buf_ok(&text, err);

    jw_buf_free(&text);
    return ok || jw_wrap(err, "%.100s", edit->name);
}

bool jw_birth_environment(const struct jw_child_edit *edits, size_t n, bool bare, struct jw_arena *a,
                          char ***out, struct jw_err *err)
{
    size_t inherited = 0, at = 0;

    while (!bare && environ && environ[inherited])
        inherited++;
    if (inherited > MOST_VARIABLES)
        return jw_fail(err, JW_E_LIMIT, "more than %d environment variables", MOST_VARIABLES);
    char **envp = jw_arena_alloc(a, (inherited + n + 1) * sizeof *envp);
    for (size_t i = 0; i < inherited; i++)
        if (!edited(edits, n, environ[i]))
            envp[at++] = environ[i];
    for (size_t i = 0; i < n; i++) {
        if (!edits[i].value || edited(edits + i + 1, n - i - 1, edits[i].name))
            continue;
        if (!assign(&edits[i], a, &envp[at++], err))
            return false;
    }
    *out = envp;
    return true;
}

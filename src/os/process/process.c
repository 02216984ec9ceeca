#include "os/process/process.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/dir.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/sys.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Whether an edit is about this variable, "NAME" or "NAME=value". */
static bool is_edited(const struct jw_child_edit *edit, const char *variable)
{
    size_t n = strlen(edit->name);
    size_t given = strcspn(variable, "=");

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

bool jw_child_environment(const struct jw_command *c, struct jw_arena *a, const char ***out,
                          struct jw_err *err)
{
    size_t n = 0;
    size_t at = 0;

    while (environ && environ[n])
        n++;
    *out = jw_arena_alloc(a, (n + c->n_edits + 1) * sizeof **out);
    for (size_t i = 0; i < n; i++)
        if (!is_any_edited(c->edits, c->n_edits, environ[i]))
            (*out)[at++] = environ[i];
    for (size_t i = 0; i < c->n_edits; i++) {
        const struct jw_child_edit *e = &c->edits[i];

        if (!e->value || is_any_edited(e + 1, c->n_edits - i - 1, e->name))
            continue;
        if (strlen(e->value) > JW_MAX_VARIABLE)
            return jw_fail(err, JW_E_LIMIT, "%.100s: longer than %zu bytes", e->name,
                           JW_MAX_VARIABLE);
        (*out)[at++] = jw_arena_printf(a, "%s=%s", e->name, e->value);
    }
    return true;
}

bool jw_process_start(struct jw_process **out, const struct jw_command *c, struct jw_err *err)
{
    *out = NULL;
    if (jw_sys_fault(err))
        return false;
    if (!jw_path_absolute(c->exe))
        return jw_fail(err, JW_E_USAGE, "is not an absolute path");
    if (c->input.n > JW_PROCESS_INPUT)
        return jw_fail(err, JW_E_LIMIT, "its input has more than %d bytes", JW_PROCESS_INPUT);
    if (jw_process_begin(out, c, err))
        return true;
    jw_process_free(*out);
    *out = NULL;
    return false;
}

enum {
    STEP = 16384,
    NAP_MS = 20 /* between looks whether it has ended */
};

static bool collect_output(struct jw_process *p, const struct jw_command *c, unsigned timeout_ms,
                           struct jw_buf *out, struct jw_err *err)
{
    uint64_t deadline = jw_time_after_ms(timeout_ms);
    uint8_t step[STEP];

    for (;;) {
        /* This order sees all output that was written before the end. */
        bool gone = jw_process_ended(p);
        enum jw_process_read what;
        size_t n;

        if (!jw_process_read(p, step, sizeof step, gone ? 0 : NAP_MS, &what, &n, err))
            return false;
        jw_buf_add(out, step, n);
        if (!jw_buf_ok(out, err))
            return jw_wrap(err, "its output");
        if (gone && what != JW_PROCESS_DATA)
            return true;
        if (!jw_not_interrupted(c->interrupted, err))
            return false;
        if (jw_time_monotonic_ns() >= deadline)
            return jw_fail(err, JW_E_IO, "ran longer than %u ms and was ended", timeout_ms);
        if (what == JW_PROCESS_CLOSED)
            jw_time_sleep_ms(1);
    }
}

bool jw_process_run(const struct jw_command *c, unsigned timeout_ms, struct jw_buf *out,
                    int *exit_code, struct jw_err *err)
{
    struct jw_command how = *c;
    struct jw_process_end end;
    struct jw_process *p;

    how.prints = true;
    *exit_code = -1;
    if (!jw_process_start(&p, &how, err))
        return false;

    bool ok = collect_output(p, c, timeout_ms, out, err);

    jw_process_finish(p, 0, &end);
    jw_process_free(p);
    if (!ok)
        return false;
    if (end.crashed)
        return jw_fail(err, JW_E_IO, "was ended by %s", end.how);
    *exit_code = end.code;
    return true;
}

bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err)
{
    *gone = false;
    for (size_t got = 0, part; got < n; got += part) {
        if (!jw_sys_read(p->in, JW_SYS_NEXT, (uint8_t *)dst + got, n - got, &part, err))
            return false;
        if (!part) {
            *gone = !got;
            return *gone || jw_fail(err, JW_E_IO, "the parent ended in the middle of a record");
        }
    }
    return true;
}

bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err)
{
    return jw_sys_write_all(p->out, JW_SYS_NEXT, src, n, err);
}

unsigned long jw_process_id(void) { return (unsigned long)getpid(); }

/* The name in one entry of PATH, without the quotes that Windows allows. */
static const char *in_entry(const char *entry, size_t n, const char *name, struct jw_arena *a)
{
    if (!jw_os_is_windows())
        return jw_arena_printf(a, "%.*s/%s", (int)n, entry, name);
    const char *ending = jw_text_ends(name, ".exe") ? "" : ".exe";

    if (n >= 2 && *entry == '"' && entry[n - 1] == '"') {
        entry++;
        n -= 2;
    }
    return jw_arena_printf(a, "%.*s\\%s%s", (int)n, entry, name, ending);
}

/* The aliases in WindowsApps, which open the Microsoft Store instead, cannot be opened. */
const char *jw_process_path(const char *name, struct jw_arena *a)
{
    bool windows = jw_os_is_windows();
    const char *at = jw_env(a, "PATH");

    if (!at || !*name || strpbrk(name, windows ? "/\\:*?" : "/"))
        return NULL;
    while (*at) {
        size_t n = strcspn(at, windows ? ";" : ":");
        const char *path = in_entry(at, n, name, a);

        if (jw_path_absolute(path) && jw_may_use(path, JW_FILE_REGULAR))
            return path;
        at += n;
        if (*at)
            at++;
    }
    return NULL;
}

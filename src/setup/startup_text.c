#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "setup/parts.h"

#include <string.h>

extern const char jw_startup_service_file[], jw_startup_timer_file[], jw_startup_path_file[],
    jw_startup_user_task_file[], jw_startup_system_task_file[];

#define TASK "\\jitwarm startup"

const char *const jw_unit_names[] = { "jitwarm-startup.service", "jitwarm-startup.path",
                                      "jitwarm-startup.timer" };

/* Text that is no line of a file could become one. */
static bool is_sayable(const char *path, struct jw_arena *a, struct jw_err *err)
{
    struct jw_buf shown = JW_LINE(a);

    jw_text_clean(&shown, path);
    return strcmp(jw_buf_cstr(&shown), path) == 0
           || jw_fail(err, JW_E_IO,
                      "%.250s: what starts programs cannot name this path; move jitwarm elsewhere",
                      jw_buf_cstr(&shown));
}

struct field {
    const char *name, *value;
};

static const char *fill(const char *text, const struct field *fields, size_t n, struct jw_arena *a)
{
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_CONF);

    while (*text) {
        size_t i = 0;

        while (i < n && !jw_text_starts(text, fields[i].name))
            i++;
        if (i < n)
            jw_buf_text(&out, fields[i].value);
        else
            jw_buf_add(&out, text, 1);
        text += i < n ? strlen(fields[i].name) : 1;
    }
    return jw_buf_cstr(&out);
}

/* ---- units of systemd ---- */

/* A word for the shell that starts it, and the line of that shell for systemd, which reads \, ", % and $ itself. */
static const char *program_of(const struct jw_startup *s, struct jw_arena *a)
{
    static const char *const rules[] = { "$$$", "\"\\\"", "\\\\\\", "%%%", NULL };
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_COMMAND);

    jw_text_escape(&out, JW_COMMAND(a, false, s->exe), rules);
    return jw_buf_cstr(&out);
}

const char *jw_startup_unit(enum jw_unit unit, const struct jw_startup *s, struct jw_arena *a,
                            struct jw_err *err)
{
    static const char *const files[] = { jw_startup_service_file, jw_startup_path_file,
                                         jw_startup_timer_file };

    if (!is_sayable(s->exe, a, err))
        return NULL;

    const struct field fields[] = {
        { "@VERSION@", JITWARM_VERSION },
        { "@CONDITION@",
          s->everybody ? "# People, not services and not root.\nConditionUser=!@system\n" : "" },
        { "@PROGRAM@", program_of(s, a) },
        { "@AS_ROOT@", s->as_root ? " --as-root" : "" },
    };

    return fill(files[unit], fields, JW_COUNT(fields), a);
}

/* ---- a task of Windows ---- */

const char *jw_startup_task_name(const struct jw_startup *s, struct jw_arena *a)
{
    return s->everybody ? TASK : jw_arena_printf(a, TASK " %s", s->user);
}

/* A second user who logs on while the first one's run goes on must get a run, too: so the task for everybody is not held to one
 * instance; the lock on each user's cache is. */
const char *jw_startup_task(const struct jw_startup *s, struct jw_arena *a, struct jw_err *err)
{
    static const char *const rules[] = { "&&amp;", "<&lt;", ">&gt;", NULL };
    struct jw_buf program = JW_BUF_IN(a, JW_MAX_COMMAND);

    if (!is_sayable(s->exe, a, err))
        return NULL;
    jw_text_escape(&program, s->exe, rules);

    const struct field fields[] = {
        { "@VERSION@", JITWARM_VERSION },
        { "@USER@", s->user },
        { "@PROGRAM@", jw_buf_cstr(&program) },
    };

    return fill(s->everybody ? jw_startup_system_task_file : jw_startup_user_task_file, fields,
                JW_COUNT(fields), a);
}

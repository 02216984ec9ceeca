#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "setup/parts.h"

#include <string.h>

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

static const char *escaped(const char *text, const char *const *rules, struct jw_arena *a)
{
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_COMMAND);

    jw_text_escape(&out, text, rules);
    return jw_buf_cstr(&out);
}

const char *jw_startup_text(const char *file, const struct jw_startup *s, struct jw_arena *a,
                            struct jw_err *err)
{
    static const char *const systemd[] = {"$$$", "\"\\\"", "\\\\\\", "%%%", NULL};
    static const char *const specifiers[] = {"%%%", NULL};
    static const char *const xml[] = {"&&amp;", "<&lt;", ">&gt;", NULL};
    const struct {
        const char *name, *value;
    } fields[] = {
        {"@VERSION@", JITWARM_VERSION},
        {"@CONDITION@",
         s->everybody ? "# People, not services and not root.\nConditionUser=!@system\n" : ""},
        {"@SHELL_WORD@",
         escaped(JW_COMMAND(a, false, s->exe), systemd, a)}, /* which systemd reads first */
        {"@PROGRAM_PATH@", escaped(s->exe, specifiers, a)},
        {"@AS_ROOT@", s->as_root ? " --as-root" : ""},
        {"@PROGRAM@", escaped(s->exe, xml, a)},
        {"@USER@", s->user},
    };
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_CONF);

    if (!is_sayable(s->exe, a, err))
        return NULL;
    while (*file) {
        size_t i = 0;

        while (i < JW_COUNT(fields) && !jw_text_starts(file, fields[i].name))
            i++;
        if (i < JW_COUNT(fields))
            jw_buf_text(&out, fields[i].value);
        else
            jw_buf_add(&out, file, 1);
        file += i < JW_COUNT(fields) ? strlen(fields[i].name) : 1;
    }
    return jw_buf_cstr(&out);
}

const char *jw_startup_task_name(const struct jw_startup *s, struct jw_arena *a)
{
    if (s->everybody)
        return "\\jitwarm startup";
    return jw_arena_printf(a, "\\jitwarm startup %s", s->user);
}

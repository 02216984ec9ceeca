#include "setup/startup_text.h"

#include "base/limits.h"
#include "base/text.h"
#include "machine/login.h"
#include "os/process/winargv.h"

#include <string.h>
#include <strings.h>

extern const char jw_startup_service_file[], jw_startup_timer_file[], jw_startup_path_file[],
    jw_startup_task_file[];

#define TASK "\\jitwarm startup"
#define EVERYBODY "S-1-5-32-545" /* BUILTIN\Users, in any language of Windows */
/* A device of the class of displays got a driver. The channel is not everybody's to read: only administrators, who register the task
 * for everybody, can have this trigger. */
#define PNP "Microsoft-Windows-Kernel-PnP"
#define AFTER_UPDATE                                                                                         \
    "    <EventTrigger>\n      <Enabled>true</Enabled>\n      <Delay>PT2M</Delay>\n      <Subscription>"     \
    "&lt;QueryList&gt;&lt;Query Id=\"0\" Path=\"" PNP "/Configuration\"&gt;&lt;Select Path=\"" PNP           \
    "/Configuration\"&gt;*[System[Provider[@Name='" PNP "'] and EventID=400]] and "                          \
    "*[EventData[Data[@Name='ClassGuid']='{4d36e968-e325-11ce-bfc1-08002be10318}']]"                         \
    "&lt;/Select&gt;&lt;/Query&gt;&lt;/QueryList&gt;</Subscription>\n    </EventTrigger>\n"

const char *const jw_unit_names[] = { "jitwarm-startup.service", "jitwarm-startup.path",
                                      "jitwarm-startup.timer" };

const char *const *jw_startup_command(const struct jw_startup_spec *s, struct jw_arena *a)
{
    const char *const words[] = { s->exe,   "prime", "--background",
                                  "--jobs", "2",     s->as_root ? "--as-root" : NULL,
                                  NULL };

    return jw_arena_copy(a, words, sizeof words);
}

/* Text that is no line of a file could become one. */
static bool is_sayable(const char *path, struct jw_err *err)
{
    struct jw_buf shown = JW_BUF(JW_MAX_LINE);
    bool ok = jw_utf8_valid((struct jw_bytes){ (const uint8_t *)path, strlen(path) });

    for (const char *at = path; ok && *at; at++)
        ok = (unsigned char)*at >= ' ' && *at != 0x7f;
    if (!ok) {
        jw_text_clean(&shown, path);
        (void)jw_fail(err, JW_E_IO,
                      "%.250s: what starts programs cannot name this path; move jitwarm elsewhere",
                      jw_buf_cstr(&shown));
    }
    jw_buf_free(&shown);
    return ok;
}

/* ---- files with names in them ---- */

struct field {
    const char *name, *value;
};

/* Fields in the order of the file, each at most once: from the last one on, so that none is looked for in a value. */
static const char *fill(const char *text, const struct field *fields, size_t n, struct jw_arena *a)
{
    while (n--) {
        const char *at = strstr(text, fields[n].name);

        if (at)
            text = jw_arena_printf(a, "%.*s%s%s", (int)(at - text), text, fields[n].value,
                                   at + strlen(fields[n].name));
    }
    return text;
}

/* ---- units of systemd ---- */

/* A word of ExecStart= is read with quotes, backslashes, specifiers (%) and variables ($). */
static void unit_word(struct jw_buf *out, const char *word)
{
    static const char *const rules[] = { "$$$", "\"\\\"", "\\\\\\", "%%%", NULL };

    jw_buf_text(out, "\"");
    jw_text_escape(out, word, rules);
    jw_buf_text(out, "\"");
}

static const char *unit_command(const struct jw_startup_spec *s, struct jw_arena *a)
{
    const char *const *words = jw_login_shell(jw_startup_command(s, a), a);
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_COMMAND);

    for (size_t i = 0; words[i]; i++) {
        jw_buf_text(&out, i ? " " : "");
        if (i < 2) /* "/bin/sh" "-c" */
            jw_buf_text(&out, words[i]);
        else
            unit_word(&out, words[i]);
    }
    return jw_buf_cstr(&out);
}

const char *jw_startup_unit(enum jw_unit unit, const struct jw_startup_spec *s, struct jw_arena *a,
                            struct jw_err *err)
{
    static const char *const files[] = { jw_startup_service_file, jw_startup_path_file,
                                         jw_startup_timer_file };

    if (!is_sayable(s->exe, err))
        return NULL;

    const struct field fields[] = {
        { "@VERSION@", s->version },
        { "@CONDITION@",
          s->everybody ? "# People, not services and not root.\nConditionUser=!@system\n" : "" },
        { "@COMMAND@", unit_command(s, a) },
    };

    return fill(files[unit], fields, JW_COUNT(fields), a);
}

/* ---- a task of Windows ---- */

const char *jw_startup_task_name(const struct jw_startup_spec *s, struct jw_arena *a)
{
    return s->everybody ? TASK : jw_arena_printf(a, TASK " %s", s->user);
}

static const char *xml(struct jw_arena *a, const char *text)
{
    static const char *const rules[] = { "&&amp;", "<&lt;", ">&gt;", "\"&quot;", NULL };
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_COMMAND);

    jw_text_escape(&out, text, rules);
    return jw_buf_cstr(&out);
}

static const char *element(struct jw_arena *a, const char *name, const char *text)
{
    return jw_arena_printf(a, "      <%s>%s</%s>\n", name, xml(a, text), name);
}

/* Everything behind the program's name, as Windows takes it apart again. */
static const char *arguments(const struct jw_startup_spec *s, struct jw_arena *a, struct jw_err *err)
{
    struct jw_buf line = JW_BUF_IN(a, JW_MAX_COMMAND);

    if (!jw_winargv_line(&line, jw_startup_command(s, a), err))
        return NULL;
    return xml(a, jw_buf_cstr(&line) + strlen(s->exe) + 3); /* two quotes, a blank */
}

/* A second user who logs on while the first one's run goes on must get a run, too: so the task for everybody is not held to one
 * instance; the lock on each user's cache is. */
const char *jw_startup_task(const struct jw_startup_spec *s, struct jw_arena *a, struct jw_err *err)
{
    const char *args = is_sayable(s->exe, err) ? arguments(s, a, err) : NULL;

    if (!args)
        return NULL;

    const struct field fields[] = {
        { "@VERSION@", s->version },
        { "@NAME@", xml(a, jw_startup_task_name(s, a)) },
        { "@LOGON_USER@", s->everybody ? "" : element(a, "UserId", s->user) },
        { "@AFTER_UPDATE@", s->everybody ? AFTER_UPDATE : "" },
        { "@RUN_AS@", s->everybody ? element(a, "GroupId", EVERYBODY)
                                   : jw_arena_printf(a, "%s%s", element(a, "UserId", s->user),
                                                     element(a, "LogonType", "InteractiveToken")) },
        { "@INSTANCES@", s->everybody ? "Parallel" : "IgnoreNew" },
        { "@PROGRAM@", xml(a, s->exe) },
        { "@ARGUMENTS@", args },
    };

    return fill(jw_startup_task_file, fields, JW_COUNT(fields), a);
}

/* ---- where programs are ---- */

bool jw_startup_in_programs(const char *exe, const char *folders)
{
    for (size_t n; folders && *folders; folders += n + (folders[n] == '\n')) {
        n = strcspn(folders, "\n");
        if (n && strncasecmp(exe, folders, n) == 0 && exe[n] == '\\' && exe[n + 1] && !strstr(exe, ".."))
            return true;
    }
    return false;
}

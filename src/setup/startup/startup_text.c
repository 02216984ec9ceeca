#include "setup/startup/startup_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/process/winargv.h"

#include <string.h>

/* Checks for UTF-8 without control characters. `noun` names the text in the error. */
static bool jw_startup_check_text(const char *noun, const char *text, struct jw_err *err)
{
    bool plain = jw_utf8_valid((struct jw_bytes){ (const uint8_t *)text, strlen(text) });

    for (const char *at = text; *at; at++)
        plain &= (unsigned char)*at >= 0x20 && *at != 0x7f;
    if (plain)
        return true;

    struct jw_buf shown = JW_BUF(4096);

    jw_text_clean(&shown, text);
    (void)jw_fail(err, JW_E_USAGE,
                  "%s, %.200s, holds a control character or bytes that are not UTF-8, which a file that "
                  "starts programs cannot say; give it another name",
                  noun, jw_buf_cstr(&shown));
    jw_buf_free(&shown);
    return false;
}

static void unit_text(struct jw_buf *out, const char *text, bool variables)
{
    static const char *const rules[] = { "$$$", "\"\\\"", "\\\\\\", "%%%", NULL };

    jw_text_escape(out, text, variables ? rules : rules + 1);
}

void jw_startup_unit_word(struct jw_buf *out, const char *text, bool program)
{
    jw_buf_text(out, "\"");
    unit_text(out, text, !program);
    jw_buf_text(out, "\"");
}

/* NAME=VALUE of Environment=, in double quotes: specifiers, but no variables. */
static void jw_startup_unit_setting(struct jw_buf *out, const char *name, const char *value)
{
    jw_buf_text(out, "\"");
    unit_text(out, name, false);
    jw_buf_text(out, "=");
    unit_text(out, value, false);
    jw_buf_text(out, "\"");
}

void jw_startup_xml_text(struct jw_buf *out, const char *text)
{
    static const char *const rules[] = { "&&amp;", "<&lt;", ">&gt;", "\"&quot;", NULL };

    jw_text_escape(out, text, rules);
}

static char folded(char c)
{
    if (c == '/')
        return '\\';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool climbs(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == path || folded(at[-1]) == '\\') && (!at[2] || folded(at[2]) == '\\'))
            return true;
    return false;
}

static bool is_below(const char *path, const char *folder, size_t n)
{
    while (n && folded(folder[n - 1]) == '\\')
        n--;
    for (size_t i = 0; i < n; i++)
        if (!path[i] || folded(path[i]) != folded(folder[i]))
            return false;
    return n && folded(path[n]) == '\\' && path[n + 1];
}

bool jw_startup_in_programs(const char *exe, const char *folders)
{
    while (folders && *folders) {
        size_t n = strcspn(folders, "\n");

        if (is_below(exe, folders, n) && !climbs(exe))
            return true;
        folders += n + (folders[n] == '\n');
    }
    return false;
}

extern const char jw_startup_service_file[], jw_startup_timer_file[], jw_startup_path_file[],
    jw_startup_task_file[];

#define WRITTEN "# Written by jitwarm "
#define PROGRAM "# Program: "

/* ---- the command ---- */

const char *const *jw_startup_command(const struct jw_startup_spec *s, struct jw_arena *a)
{
    enum { MAX_WORDS = 8 };
    const char **words = jw_arena_alloc(a, MAX_WORDS * sizeof *words);
    size_t n = 0;

    words[n++] = s->exe;
    words[n++] = "prime";
    words[n++] = "--if-stale";
    words[n++] = "--background";
    words[n++] = "--jobs";
    words[n++] = "2";
    if (s->as_root)
        words[n++] = "--as-root";
    return words;
}

static bool sayable(const struct jw_startup_spec *s, struct jw_err *err)
{
    if (!jw_startup_check_text("the path of this program", s->exe, err))
        return false;
    for (size_t i = 0; i < s->n_set; i++)
        if (!jw_startup_check_text(s->set[i].name, s->set[i].value, err))
            return false;
    return true;
}

/* ---- files with names in them ---- */

struct field {
    const char *name, *value;
};

/* The value of the field that `at` begins with, "@NAME@", and its length; NULL: there is none. */
static const char *field_at(const char *at, const struct field *fields, size_t n, size_t *length)
{
    for (size_t i = 0; i < n; i++) {
        size_t name = strlen(fields[i].name);

        if (strncmp(at + 1, fields[i].name, name) == 0 && at[1 + name] == '@') {
            *length = name + 2;
            return fields[i].value;
        }
    }
    return NULL;
}

static bool fill(const char *file, const struct field *fields, size_t n, struct jw_buf *out,
                 struct jw_err *err)
{
    while (*file) {
        size_t plain = strcspn(file, "@"), length = 1;
        const char *value = file[plain] ? field_at(file + plain, fields, n, &length) : NULL;

        jw_buf_add(out, file, plain);
        file += plain;
        if (value)
            jw_buf_text(out, value);
        else if (*file)
            jw_buf_add(out, file, 1);
        file += *file ? length : 0;
    }
    return jw_buf_ok(out, err);
}

/* ---- units of systemd ---- */

/* systemd starts no program with a quote or a backslash in its name; a shell does, and takes the words untouched. */
static void unit_command(const struct jw_startup_spec *s, struct jw_buf *out)
{
    struct jw_arena a = { 0 };
    const char *const *words = jw_startup_command(s, &a);
    bool shell = strpbrk(s->exe, "\"'\\") != NULL;

    if (shell)
        jw_buf_text(out, "/bin/sh -c \"exec \\\"$$0\\\" \\\"$$@\\\"\" ");
    for (size_t i = 0; words && words[i]; i++) {
        bool plain = words[i][strspn(words[i], "abcdefghijklmnopqrstuvwxyz-0123456789")] == '\0';

        jw_buf_text(out, i ? " " : "");
        if (plain)
            jw_buf_text(out, words[i]);
        else
            jw_startup_unit_word(out, words[i], i == 0 && !shell);
    }
    jw_arena_free(&a);
}

static void put_environment(const struct jw_startup_spec *s, struct jw_buf *out)
{
    for (size_t i = 0; i < s->n_set; i++) {
        jw_buf_text(out, "Environment=");
        jw_startup_unit_setting(out, s->set[i].name, s->set[i].value);
        jw_buf_text(out, "\n");
    }
}

bool jw_startup_service(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err)
{
    struct jw_buf command = JW_BUF(JW_MAX_COMMAND), environment = JW_BUF(JW_MAX_TEXT_FILE);
    bool ok = sayable(s, err);

    if (ok) {
        unit_command(s, &command);
        put_environment(s, &environment);

        const struct field fields[] = {
            { "VERSION", s->version },
            { "PROGRAM", s->exe },
            { "CONDITION",
              s->everybody ? "# People, not services and not root.\nConditionUser=!@system\n" : "" },
            { "COMMAND", jw_buf_cstr(&command) },
            { "ENVIRONMENT", jw_buf_cstr(&environment) },
        };

        ok = jw_buf_ok(&command, err) && jw_buf_ok(&environment, err)
             && fill(jw_startup_service_file, fields, JW_COUNT(fields), out, err);
    }
    jw_buf_free(&command);
    jw_buf_free(&environment);
    return ok;
}

bool jw_startup_timer(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err)
{
    const struct field fields[] = { { "VERSION", s->version } };

    return fill(jw_startup_timer_file, fields, JW_COUNT(fields), out, err);
}

bool jw_startup_path(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err)
{
    const struct field fields[] = { { "VERSION", s->version } };

    return fill(jw_startup_path_file, fields, JW_COUNT(fields), out, err);
}

/* ---- a task of Windows ---- */

#define EVERYBODY "S-1-5-32-545" /* BUILTIN\Users, in any language of Windows */
#define TASK "\\jitwarm startup"
#define SOURCE "<Source>jitwarm</Source>"

/* A device of the class of displays got a driver. The channel is not everybody's to read: only administrators, who
 * register the task for everybody, can have this trigger. */
#define PNP "Microsoft-Windows-Kernel-PnP"
#define AFTER_UPDATE                                                                                         \
    "    <EventTrigger>\n      <Enabled>true</Enabled>\n      <Delay>PT2M</Delay>\n      <Subscription>"     \
    "&lt;QueryList&gt;&lt;Query Id=\"0\" Path=\"" PNP "/Configuration\"&gt;&lt;Select Path=\"" PNP           \
    "/Configuration\"&gt;*[System[Provider[@Name='" PNP "'] and EventID=400]] and "                          \
    "*[EventData[Data[@Name='ClassGuid']='{4d36e968-e325-11ce-bfc1-08002be10318}']]"                         \
    "&lt;/Select&gt;&lt;/Query&gt;&lt;/QueryList&gt;</Subscription>\n    </EventTrigger>\n"

bool jw_startup_task_name(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err)
{
    jw_buf_text(out, TASK);
    if (!s->everybody)
        jw_buf_printf(out, " %s", s->user);
    return jw_buf_ok(out, err);
}

static void element(struct jw_buf *out, const char *name, const char *text)
{
    jw_buf_printf(out, "      <%s>", name);
    jw_startup_xml_text(out, text);
    jw_buf_printf(out, "</%s>\n", name);
}

/* The parts of a definition that differ by user and program. */
struct task_parts {
    struct jw_buf name, logon, run_as, program, arguments;
};

/* Everything behind the program's name, as Windows takes it apart again. */
static bool put_action(const struct jw_startup_spec *s, struct task_parts *p, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    bool ok = jw_winargv_line(&line, jw_startup_command(s, &a), err);

    if (ok) {
        jw_startup_xml_text(&p->program, s->exe);
        jw_startup_xml_text(&p->arguments, jw_buf_cstr(&line) + strlen(s->exe) + 3); /* two quotes, a blank */
    }
    jw_buf_free(&line);
    jw_arena_free(&a);
    return ok;
}

static void put_users(const struct jw_startup_spec *s, struct task_parts *p)
{
    if (s->everybody) {
        element(&p->run_as, "GroupId", EVERYBODY);
        return;
    }
    element(&p->logon, "UserId", s->user);
    element(&p->run_as, "UserId", s->user);
    element(&p->run_as, "LogonType", "InteractiveToken");
}

/* A second user who logs on while the first one's run goes on must get a run, too: so the task for everybody is not
 * held to one instance; the lock on each user's cache is. */
bool jw_startup_task(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err)
{
    struct task_parts p = { JW_BUF(JW_MAX_LINE), JW_BUF(JW_MAX_LINE), JW_BUF(JW_MAX_LINE),
                            JW_BUF(JW_MAX_COMMAND), JW_BUF(JW_MAX_COMMAND) };
    bool ok = sayable(s, err) && jw_startup_task_name(s, &p.name, err) && put_action(s, &p, err);

    if (ok) {
        put_users(s, &p);

        const struct field fields[] = {
            { "VERSION", s->version },
            { "NAME", jw_buf_cstr(&p.name) },
            { "LOGON_USER", jw_buf_cstr(&p.logon) },
            { "RUN_AS", jw_buf_cstr(&p.run_as) },
            { "AFTER_UPDATE", s->everybody ? AFTER_UPDATE : "" },
            { "INSTANCES", s->everybody ? "Parallel" : "IgnoreNew" },
            { "PROGRAM", jw_buf_cstr(&p.program) },
            { "ARGUMENTS", jw_buf_cstr(&p.arguments) },
        };

        ok = jw_buf_ok(&p.run_as, err) && jw_buf_ok(&p.program, err) && jw_buf_ok(&p.arguments, err)
             && fill(jw_startup_task_file, fields, JW_COUNT(fields), out, err);
    }
    jw_buf_free(&p.name);
    jw_buf_free(&p.logon);
    jw_buf_free(&p.run_as);
    jw_buf_free(&p.program);
    jw_buf_free(&p.arguments);
    return ok;
}

/* ---- reading back ---- */

bool jw_startup_unit_is_ours(struct jw_bytes file, struct jw_arena *a, const char **program)
{
    size_t at = jw_find(file, JW_BYTES("\n" PROGRAM));

    *program = NULL;
    if (!jw_starts(file, WRITTEN) || memchr(file.p, 0, file.n))
        return false;
    if (at < file.n) {
        struct jw_bytes rest = { file.p + at + sizeof PROGRAM, file.n - at - sizeof PROGRAM };

        *program = jw_arena_text(a, (const char *)rest.p, jw_find(rest, JW_BYTES("\n")));
    }
    return true;
}

/* The reverse of jw_startup_xml_text, with the numbers that other writers may use left as they are. */
static const char *plain_text(struct jw_arena *a, const char *p, size_t n)
{
    static const struct {
        const char *escape;
        char meant;
    } words[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' } };
    char *out = jw_arena_text(a, p, n);
    size_t to = 0;

    for (size_t i = 0; i < n;) {
        size_t k = 0;

        while (k < JW_COUNT(words) && strncmp(p + i, words[k].escape, strlen(words[k].escape)) != 0)
            k++;
        out[to++] = k < JW_COUNT(words) ? words[k].meant : p[i];
        i += k < JW_COUNT(words) ? strlen(words[k].escape) : 1;
    }
    out[to] = '\0';
    return out;
}

bool jw_startup_task_is_ours(const char *xml, struct jw_arena *a, const char **program)
{
    static const char open[] = "<Command>", close[] = "</Command>";
    const char *from = strstr(xml, open), *to = from ? strstr(from, close) : NULL;

    *program = to ? plain_text(a, from + sizeof open - 1, (size_t)(to - from) - (sizeof open - 1)) : NULL;
    return strstr(xml, SOURCE) != NULL;
}

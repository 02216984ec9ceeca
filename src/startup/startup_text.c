#include "startup/startup_text.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/process/winargv.h"
#include "startup/system/startup_host.h"

#include <stdio.h>
#include <string.h>

bool jw_startup_sayable(const char *noun, const char *text, struct jw_err *err)
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

void jw_startup_unit_setting(struct jw_buf *out, const char *name, const char *value)
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

#define WRITTEN "# Written by jitwarm "
#define MARK "# jitwarm-startup "
#define PROGRAM "# Program: "

enum { MOST_WORDS = 16, MOST_FOLDERS = 64 };

/* ---- the command ---- */

const char *const *jw_startup_command(const struct jw_startup_spec *s, struct jw_arena *a)
{
    const char **words = jw_arena_alloc(a, MOST_WORDS * sizeof *words);
    char *jobs = jw_arena_alloc(a, 16);
    size_t n = 0;

    (void)snprintf(jobs, 16, "%d", JW_STARTUP_WORKERS);
    words[n++] = s->exe;
    words[n++] = "prime";
    words[n++] = "--if-stale";
    words[n++] = "--background";
    words[n++] = "--quiet";
    words[n++] = "--jobs";
    words[n++] = jobs;
    if (s->as_root)
        words[n++] = "--as-root";
    if (s->everybody) {
        words[n++] = "--profile";
        words[n++] = "everybody";
    }
    if (s->prune)
        words[n++] = "--prune";
    if (s->cache) {
        words[n++] = "--cache";
        words[n++] = s->cache;
    }
    if (s->packs) {
        words[n++] = "--packs";
        words[n++] = s->packs;
    }
    return words;
}

/* ---- files with a mark ---- */

static bool sayable(const struct jw_startup_spec *s, struct jw_err *err)
{
    if (!jw_startup_sayable("the path of this program", s->exe, err))
        return false;
    if (s->cache && !jw_startup_sayable("--cache", s->cache, err))
        return false;
    if (s->packs && !jw_startup_sayable("--packs", s->packs, err))
        return false;
    for (size_t i = 0; i < s->n_set; i++)
        if (!jw_startup_sayable(s->set[i].name, s->set[i].value, err))
            return false;
    return true;
}

static bool sign(const struct jw_startup_spec *s, unsigned folders, struct jw_buf *body, struct jw_buf *out,
                 struct jw_err *err)
{
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];
    bool ok = jw_buf_ok(body, err);

    if (ok) {
        jw_digest(digest, body->p, body->n);
        jw_digest_hex(hex, digest);
        jw_buf_printf(out, WRITTEN "%s: jitwarm startup install. jitwarm startup remove takes it away.\n",
                      s->version);
        jw_buf_printf(out, MARK "%s folders=%u\n", hex, folders);
        jw_buf_add(out, body->p, body->n);
        ok = jw_buf_ok(out, err);
    }
    jw_buf_free(body);
    return ok;
}

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

/*
 * The program's own process is batch work, not idle: it takes the lock on the cache's index, for which CUDA programs
 * wait, and an idle process may not get a processor for seconds while it holds it. Its workers, which do the work and
 * hold no lock, make themselves idle.
 */
bool jw_startup_service(const struct jw_startup_spec *s, unsigned folders, struct jw_buf *out,
                        struct jw_err *err)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);

    if (!sayable(s, err))
        return false;
    jw_buf_printf(&b,
                  PROGRAM "%s\n"
                          "[Unit]\n"
                          "Description=jitwarm: what CUDA programs need is compiled before they start\n"
                          "ConditionACPower=true\n",
                  s->exe);
    if (s->everybody)
        jw_buf_text(&b, "# People, not services and not root.\n"
                        "ConditionUser=!@system\n");
    jw_buf_text(&b, "\n[Service]\n"
                    "Type=oneshot\n"
                    "ExecStart=");
    unit_command(s, &b);
    jw_buf_text(&b, "\n");
    for (size_t i = 0; i < s->n_set; i++) {
        jw_buf_text(&b, "Environment=");
        jw_startup_unit_setting(&b, s->set[i].name, s->set[i].value);
        jw_buf_text(&b, "\n");
    }
    jw_buf_text(&b, "# 7: another jitwarm was at work, or there was more to do than time.\n"
                    "SuccessExitStatus=7\n"
                    "KillMode=mixed\n"
                    "TimeoutStartSec=infinity\n"
                    "TimeoutStopSec=20s\n"
                    "# Everybody else goes first. The process itself is batch work and not idle, because it\n"
                    "# locks the cache's index for moments; the workers make themselves idle.\n"
                    "Nice=19\n"
                    "CPUSchedulingPolicy=batch\n"
                    "IOSchedulingClass=idle\n"
                    "CPUWeight=1\n"
                    "IOWeight=1\n"
                    "OOMScoreAdjust=800\n"
                    "NoNewPrivileges=true\n");
    return sign(s, folders, &b, out, err);
}

bool jw_startup_timer(const struct jw_startup_spec *s, unsigned folders, struct jw_buf *out,
                      struct jw_err *err)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);

    jw_buf_printf(&b,
                  "[Unit]\n"
                  "Description=jitwarm: after login or boot\n"
                  "\n"
                  "[Timer]\n"
                  "# %d seconds after this user's first login, or after boot where the user lingers.\n"
                  "OnStartupSec=%ds\n"
                  "\n"
                  "[Install]\n"
                  "WantedBy=timers.target\n",
                  JW_STARTUP_DELAY_S, JW_STARTUP_DELAY_S);
    return sign(s, folders, &b, out, err);
}

/* ---- a task of Windows ---- */

#define EVERYBODY "S-1-5-32-545" /* BUILTIN\Users, in any language of Windows */
#define TASK "\\jitwarm startup"
#define SOURCE "<Source>jitwarm</Source>"

bool jw_startup_task_name(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err)
{
    jw_buf_text(out, TASK);
    if (!s->everybody)
        jw_buf_printf(out, " %s", s->user);
    return jw_buf_ok(out, err);
}

static void element(struct jw_buf *out, unsigned indent, const char *name, const char *text)
{
    jw_buf_fill(out, ' ', indent);
    jw_buf_printf(out, "<%s>", name);
    jw_startup_xml_text(out, text);
    jw_buf_printf(out, "</%s>\n", name);
}

static void add_trigger(struct jw_buf *out, const struct jw_startup_spec *s)
{
    jw_buf_text(out, "  <Triggers>\n"
                     "    <LogonTrigger>\n"
                     "      <Enabled>true</Enabled>\n");
    if (!s->everybody)
        element(out, 6, "UserId", s->user);
    jw_buf_printf(out,
                  "      <Delay>PT%dS</Delay>\n"
                  "    </LogonTrigger>\n"
                  "  </Triggers>\n",
                  JW_STARTUP_DELAY_S);
}

static void add_principal(struct jw_buf *out, const struct jw_startup_spec *s)
{
    jw_buf_text(out, "  <Principals>\n"
                     "    <Principal id=\"Author\">\n");
    if (s->everybody)
        element(out, 6, "GroupId", EVERYBODY);
    else {
        element(out, 6, "UserId", s->user);
        element(out, 6, "LogonType", "InteractiveToken");
    }
    jw_buf_text(out, "      <RunLevel>LeastPrivilege</RunLevel>\n"
                     "    </Principal>\n"
                     "  </Principals>\n");
}

/*
 * Priority 7 is "below normal". On battery it is not started, and is ended where it runs. A second user who logs on
 * while the first one's run goes on must get a run, too: so the task for everybody is not held to one instance; the
 * lock on each user's cache is.
 */
static void add_settings(struct jw_buf *out, const struct jw_startup_spec *s)
{
    jw_buf_printf(out,
                  "  <Settings>\n"
                  "    <MultipleInstancesPolicy>%s</MultipleInstancesPolicy>\n"
                  "    <DisallowStartIfOnBatteries>true</DisallowStartIfOnBatteries>\n"
                  "    <StopIfGoingOnBatteries>true</StopIfGoingOnBatteries>\n"
                  "    <AllowHardTerminate>true</AllowHardTerminate>\n"
                  "    <StartWhenAvailable>false</StartWhenAvailable>\n"
                  "    <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>\n"
                  "    <AllowStartOnDemand>true</AllowStartOnDemand>\n"
                  "    <Enabled>true</Enabled>\n"
                  "    <Hidden>false</Hidden>\n"
                  "    <RunOnlyIfIdle>false</RunOnlyIfIdle>\n"
                  "    <WakeToRun>false</WakeToRun>\n"
                  "    <ExecutionTimeLimit>PT24H</ExecutionTimeLimit>\n"
                  "    <Priority>7</Priority>\n"
                  "  </Settings>\n",
                  s->everybody ? "Parallel" : "IgnoreNew");
}

/* Everything behind the program's name, as Windows takes it apart again. */
static bool add_action(struct jw_buf *out, const struct jw_startup_spec *s, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    const char *const *words = jw_startup_command(s, &a);
    bool ok = jw_winargv_line(&line, words, err);

    if (ok) {
        jw_buf_text(out, "  <Actions Context=\"Author\">\n"
                         "    <Exec>\n");
        element(out, 6, "Command", s->exe);
        element(out, 6, "Arguments", jw_buf_cstr(&line) + strlen(s->exe) + 3); /* two quotes, a blank */
        jw_buf_text(out, "    </Exec>\n"
                         "  </Actions>\n");
    }
    jw_buf_free(&line);
    jw_arena_free(&a);
    return ok;
}

bool jw_startup_task(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err)
{
    struct jw_buf name = JW_BUF(JW_MAX_LINE);
    bool ok = sayable(s, err) && jw_startup_task_name(s, &name, err);

    if (ok) {
        jw_buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n"
                         "<Task version=\"1.2\" "
                         "xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\n"
                         "  <RegistrationInfo>\n"
                         "    " SOURCE "\n"
                         "    <Author>jitwarm</Author>\n");
        element(out, 4, "Version", s->version);
        jw_buf_text(out, "    <Description>What CUDA programs need is compiled before they start. jitwarm "
                         "startup remove takes this task away.</Description>\n");
        element(out, 4, "URI", jw_buf_cstr(&name));
        jw_buf_text(out, "  </RegistrationInfo>\n");
        add_trigger(out, s);
        add_principal(out, s);
        add_settings(out, s);
        ok = add_action(out, s, err);
        jw_buf_text(out, "</Task>\n");
        ok = ok && jw_buf_ok(out, err);
    }
    jw_buf_free(&name);
    return ok;
}

/* ---- reading back ---- */

/* The next line; false: there is none. */
static bool next_line(struct jw_bytes *rest, struct jw_bytes *line)
{
    const uint8_t *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;

    if (!end)
        return false;
    *line = (struct jw_bytes){ rest->p, (size_t)(end - rest->p) };
    *rest = (struct jw_bytes){ end + 1, rest->n - line->n - 1 };
    return true;
}

static bool begins(struct jw_bytes line, const char *with)
{
    return line.n >= strlen(with) && memcmp(line.p, with, strlen(with)) == 0;
}

static void read_numbers(struct jw_bytes line, struct jw_bytes body, struct jw_startup_mark *out)
{
    const size_t at = sizeof MARK - 1, hex = 2 * (size_t)JW_DIGEST;
    static const char folders[] = " folders=";
    uint8_t digest[JW_DIGEST];
    char want[2 * JW_DIGEST + 1], number[8] = { 0 };
    uint64_t n;

    if (line.n < at + hex + sizeof folders || line.n - at - hex - (sizeof folders - 1) >= sizeof number
        || memcmp(line.p + at + hex, folders, sizeof folders - 1) != 0)
        return;
    memcpy(number, line.p + at + hex + sizeof folders - 1, line.n - at - hex - (sizeof folders - 1));
    if (!jw_text_u64(number, &n) || n > MOST_FOLDERS)
        return;
    jw_digest(digest, body.p, body.n);
    jw_digest_hex(want, digest);
    out->folders = (unsigned)n;
    out->intact = memcmp(line.p + at, want, hex) == 0;
}

void jw_startup_read_mark(struct jw_bytes file, struct jw_arena *a, struct jw_startup_mark *out)
{
    struct jw_bytes rest = file, line;

    *out = (struct jw_startup_mark){ 0 };
    if (!next_line(&rest, &line) || !begins(line, WRITTEN) || !next_line(&rest, &line) || !begins(line, MARK))
        return;
    out->ours = true;
    read_numbers(line, rest, out);
    if (!next_line(&rest, &line) || !begins(line, PROGRAM) || memchr(line.p, 0, line.n))
        return;
    out->program = jw_arena_text(a, (const char *)line.p + sizeof PROGRAM - 1, line.n - (sizeof PROGRAM - 1));
}

/* The reverse of jw_startup_xml_text, with the numbers that other writers may use left as they are. */
static const char *plain_text(struct jw_arena *a, const char *p, size_t n)
{
    static const struct {
        const char *said;
        char meant;
    } words[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' } };
    char *out = jw_arena_text(a, p, n);
    size_t to = 0;

    for (size_t i = 0; i < n;) {
        size_t k = 0;

        while (k < JW_COUNT(words) && strncmp(p + i, words[k].said, strlen(words[k].said)) != 0)
            k++;
        out[to++] = k < JW_COUNT(words) ? words[k].meant : p[i];
        i += k < JW_COUNT(words) ? strlen(words[k].said) : 1;
    }
    out[to] = '\0';
    return out;
}

void jw_startup_read_task(const char *xml, struct jw_arena *a, struct jw_startup_mark *out)
{
    static const char open[] = "<Command>", close[] = "</Command>";
    const char *from = strstr(xml, open), *to = from ? strstr(from, close) : NULL;

    *out = (struct jw_startup_mark){ .ours = strstr(xml, SOURCE) != NULL };
    if (!to)
        return;
    from += sizeof open - 1;
    out->program = plain_text(a, from, (size_t)(to - from));
}

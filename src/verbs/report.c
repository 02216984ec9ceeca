/* report: what doctor, status and prime know of this machine, on one page of HTML. */
#include "verbs/report.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "doctor/doctor_todo.h"
#include "jitwarm/prime.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "verbs/doctor.h"
#include "verbs/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORT = 64 << 20, REPORT_TEXT = 1 << 16, REPORT_FACTS = 5, REPORT_SLOWEST = 5 };

struct report_args {
    const char *output;
    bool yes;
};

static const struct opt report_opts[] = {
    { "output", 'o', OPT_TEXT, offsetof(struct report_args, output), "FILE",
      "write the report to this new file (default: standard output)", NULL, HINT_FILES },
    { "yes", 'y', OPT_FLAG, offsetof(struct report_args, yes), NULL, "replace the file of -o if it exists",
      NULL, HINT_NONE },
    { 0 },
};

/* ---- what is on the page ---- */

struct gathering {
    struct cli *cli;
    struct jw_arena *a;
    struct jw_doctor_machine machine;
    struct jw_status_report cache;
    struct jw_doctor_answer answer;
    struct jw_findings findings;
    struct report_machine *out;
};

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

/* "2026-11-21 13:05 UTC" */
static const char *date_of(struct jw_arena *a, int64_t when)
{
    struct jw_buf time = JW_BUF(64);
    const char *text, *date;

    if (when <= 0)
        return "";
    jw_text_time(&time, when);
    text = jw_buf_cstr(&time);
    date = jw_arena_printf(a, "%.10s %.5s UTC", text, text + (time.n > 16 ? 11 : 0));
    jw_buf_free(&time);
    return date;
}

static const char *arch_text(struct jw_arena *a, unsigned sm)
{
    return sm ? jw_arena_printf(a, "sm_%u", sm) : "";
}

static void add_gpus(struct gathering *g)
{
    const struct jw_gpu *gpus = g->answer.c.gpus;
    struct report_machine *m = g->out;

    m->n_gpus = g->answer.c.n_gpus;
    m->gpus = jw_arena_alloc(g->a, m->n_gpus * sizeof *m->gpus);
    for (size_t i = 0; i < m->n_gpus; i++)
        m->gpus[i] = (struct report_gpu){ gpus[i].name, arch_text(g->a, gpus[i].sm) };
}

static void add_software(struct gathering *g)
{
    const struct jw_doctor_answer *d = &g->answer;
    struct report_machine *m = g->out;

    m->software = jw_arena_alloc(g->a, d->n * d->c.n_gpus * sizeof *m->software);
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->c.n_gpus; k++) {
            enum jw_software_verdict v = d->checks[i * d->c.n_gpus + k].verdict;
            const char *word = jw_software_verdict_name(v);

            m->software[m->n_software++] =
                (struct report_software){ .name = jw_software_name(&d->software[i], &g->findings),
                                          .gpu = d->c.gpus[k].name,
                                          .verdict = word ? word : "unknown",
                                          .what = jw_software_verdict_text(v),
                                          .ptx_bytes = d->software[i].code[k].ptx_bytes };
        }
}

static int slower(const void *a, const void *b)
{
    const struct report_module *x = a, *y = b;

    return x->milliseconds < y->milliseconds   ? 1
           : x->milliseconds > y->milliseconds ? -1
                                               : strcmp(x->name, y->name);
}

/* Lists this driver's modules in the cache, from the journal. */
static void add_modules(struct gathering *g)
{
    const struct jw_warm_state *s = &g->cache.memory;
    struct report_machine *out = g->out;

    out->slowest = jw_arena_alloc(g->a, s->modules.n * sizeof *out->slowest);
    for (size_t i = 0; i < s->modules.n; i++) {
        const struct jw_warm_module *m = &s->modules.list[i];
        const char *whose = jw_warm_origin(s, m->name);

        if (!m->compiled || !g->cache.current || strcmp(m->build, g->cache.current->build) != 0 || !m->name
            || !jw_cache_file_find(&g->cache.list, m->name))
            continue;
        out->slowest[out->n_slowest++] =
            (struct report_module){ m->kernel, whose ? text_or_empty(whose) : "unknown software",
                                    arch_text(g->a, m->sm), m->milliseconds, m->ptx_bytes };
        out->compiled++;
    }
    if (out->n_slowest)
        qsort(out->slowest, out->n_slowest, sizeof *out->slowest, slower);
    if (out->n_slowest > REPORT_SLOWEST)
        out->n_slowest = REPORT_SLOWEST;
}

static void add_builds(struct gathering *g)
{
    struct report_machine *m = g->out;

    m->n_builds = g->cache.n_groups;
    m->builds = jw_arena_alloc(g->a, m->n_builds * sizeof *m->builds);
    for (size_t i = 0; i < m->n_builds; i++) {
        const struct jw_status_group *b = &g->cache.groups[i];
        const char *stamp = jw_arena_str(g->a, jw_stamp_text(b->stamp).text);

        m->builds[i] = (struct report_build){ *stamp ? stamp : "unknown", b->arch,
                                              jw_build_relation_name(b->relation), b->entries, b->bytes };
    }
}

static void add_commands(struct gathering *g)
{
    struct report_machine *m = g->out;

    m->commands = jw_arena_alloc(g->a, g->cache.n_commands * sizeof *m->commands);
    for (size_t i = 0; i < g->cache.n_commands; i++) {
        const struct jw_status_command *c = &g->cache.commands[i];
        struct jw_buf times = JW_BUF(JW_MAX_LINE);

        status_say_command(&times, c);
        m->commands[m->n_commands++] =
            (struct report_command){ c->words, date_of(g->a, c->when),
                                     jw_arena_str(g->a, jw_buf_cstr(&times)), c->modules };
        jw_buf_free(&times);
    }
}

/* The next step is doctor's last line. */
static void add_next(struct gathering *g)
{
    const struct jw_doctor_todo todo = jw_doctor_todo(&g->machine, &g->findings);
    struct report_machine *m = g->out;

    m->next = jw_arena_alloc(g->a, 2 * sizeof *m->next);
    bool this_page = jw_text_starts(todo.command, "jitwarm report");

    if (todo.when && !this_page)
        m->next[m->n_next++] = jw_arena_printf(g->a, "# %s:", todo.when);
    m->next[m->n_next++] = this_page ? "jitwarm doctor" : todo.command;
}

static void add_findings(struct gathering *g)
{
    struct report_machine *m = g->out;

    m->findings = jw_arena_alloc(g->a, (g->findings.n + 1) * sizeof *m->findings);
    for (size_t i = 0; i < g->findings.n; i++) {
        const struct jw_finding *f = &g->findings.v[i];

        m->findings[m->n_findings++] =
            (struct report_finding){ jw_severity_name(f->severity), text_or_empty(f->text),
                                     text_or_empty(f->consequence), text_or_empty(f->fix),
                                     text_or_empty(f->command) };
    }
    add_next(g);
}

static bool fill_machine(struct gathering *g, struct jw_err *err)
{
    const char *version = jw_doctor_version(&g->machine), *driver;
    struct report_machine *m = g->out;
    struct jw_buf warm = JW_BUF(JW_MAX_LINE);
    struct jw_prime_last last;

    if (!jw_prime_last(&g->cli->session, &g->cache.dir, &g->cache.memory, &last, err))
        return false;
    status_say_warm(&warm, &last);
    driver = last.other_driver ? "" : jw_arena_str(g->a, last.driver_version);
    *m = (struct report_machine){
        .name = text_or_empty(g->machine.who.host),
        .made = date_of(g->a, jw_time_unix()),
        .version = JITWARM_VERSION,
        .driver = version ? version : driver,
        .primed = last.known || last.commands,
        .warm = jw_arena_str(g->a, jw_buf_cstr(&warm)),
        .cache = text_or_empty(g->cache.dir.root),
        .cache_bytes = g->cache.used,
        .cache_limit = g->cache.dir.limit_known ? g->cache.dir.limit : 0,
    };
    jw_buf_free(&warm);
    add_gpus(g);
    add_software(g);
    add_modules(g);
    add_builds(g);
    add_commands(g);
    add_findings(g);
    return true;
}

static bool gather_machine(struct gathering *g, struct jw_err *err)
{
    g->findings = JW_FINDINGS(g->a);
    return doctor_check_machine(g->cli, &g->machine, &g->cache, &g->answer, &g->findings, err)
           && fill_machine(g, err);
}

/* ---- words that both forms share ---- */

static struct jw_words report_size(uint64_t bytes)
{
    return bytes ? jw_words(jw_text_bytes, bytes) : (struct jw_words){ "" };
}

static struct jw_words report_ms(uint64_t milliseconds)
{
    return jw_words_of_time(jw_text_tenths, (double)milliseconds / 1000);
}

static const char *report_module_name(const struct report_module *m)
{
    return *m->kernel ? m->kernel : "no kernel named";
}

static const char *report_severity(const char *word)
{
    return strcmp(word, "error") == 0 ? "Problem" : strcmp(word, "warning") == 0 ? "Warning" : "Note";
}

static void say_gpus(struct jw_buf *out, const struct report_machine *m)
{
    for (size_t i = 0; i < m->n_gpus; i++) {
        const char *arch = m->gpus[i].arch;

        jw_say(out, "%s%s%s%s%s", i ? ", " : "", m->gpus[i].name, *arch ? " (" : "", arch, *arch ? ")" : "");
    }
}

static void say_warm(struct jw_buf *out, const struct report_machine *m)
{
    jw_say(out, "%s", m->warm);
}

static void say_cache(struct jw_buf *out, const struct report_machine *m)
{
    if (*m->cache)
        jw_say(out, "%s%s%s, in %s", JW_SIZE(m->cache_bytes), m->cache_limit ? " of " : "",
               report_size(m->cache_limit).text, m->cache);
}

static void say_driver(struct jw_buf *out, const struct report_machine *m)
{
    jw_say(out, "%s", *m->driver ? m->driver : "none");
}

static void say_made(struct jw_buf *out, const struct report_machine *m)
{
    jw_say(out, "%s, by jitwarm %s", m->made, m->version);
}

static const char *report_fact(const struct report_machine *m, size_t i, struct jw_buf *value)
{
    static const struct {
        const char *label;
        void (*say)(struct jw_buf *out, const struct report_machine *m);
    } facts[REPORT_FACTS] = {
        { "GPU", say_gpus },    { "Driver", say_driver }, { "Warm", say_warm },
        { "Cache", say_cache }, { "Report", say_made },
    };

    facts[i].say(value, m);
    return facts[i].label;
}

/* ---- HTML ---- */

/* One self-contained page: no script, font or picture. Light or dark as the reader's system; wide tables scroll on a phone;
 * nothing is cut in print. */
static const char html_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n"
    "<title>jitwarm report</title>\n<style>\n"
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d1d9e0;--card:#f6f8fa;"
    "--good:#1a7f37;--warn:#9a6700;--bad:#c0262d;--bar:#0969da;--old:#b8c0c8}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;"
    "--card:#151b23;--good:#4ac26b;--warn:#d4a72c;--bad:#ff7b72;--bar:#4493f8;--old:#4a525b}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:64rem;background:var(--bg);color:var(--fg);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;margin:.2rem 0 1rem}"
    "h3{font-size:1rem;margin:1.5rem 0 .4rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem "
    "1rem;margin:0}dt{color:var(--dim)}dd{margin:0}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem;overflow-wrap:normal}\n"
    "th{text-align:left;color:var(--dim);font-weight:600}th,td{padding:.3rem .6rem .3rem 0;"
    "border-bottom:1px solid var(--line);vertical-align:top}.n{text-align:right;white-space:nowrap}\n"
    "td.name{min-width:9rem;overflow-wrap:anywhere}.v{font-weight:600;white-space:nowrap}\n"
    ".good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.dim{color:var(--dim)}\n"
    ".finding{border-left:4px solid var(--line);background:var(--card);padding:.5rem .8rem;margin:.5rem 0}"
    ".finding.bad{border-color:var(--bad)}.finding.warn{border-color:var(--warn)}.finding "
    "p{color:var(--fg);margin:.2rem 0}\n"
    "pre,code{font:.9rem/1.4 ui-monospace,monospace}pre{background:var(--card);padding:.6rem "
    ".8rem;margin:.4rem 0;"
    "white-space:pre-wrap;border:1px solid var(--line)}\n"
    "pre{color:var(--fg)}\n"
    "@media screen and (max-width:40rem){.stack tr:first-child{display:none}.stack "
    "tr{display:block;padding:.4rem 0;"
    "border-bottom:1px solid var(--line)}.stack td{display:block;border:0;padding:0;text-align:left}"
    ".stack td::before{content:attr(data-head) \": \";color:var(--dim)}"
    ".slow tr>:nth-child(3),.slow tr>:nth-child(4),.slow "
    "tr>:nth-child(6){display:none}td.name{min-width:0}}\n"
    "svg{display:block;width:100%;height:auto}.bar{fill:var(--bar)}"
    ".old{fill:var(--old)}.rail{fill:var(--"
    "card);"
    "stroke:var(--line)}\n"
    "@media "
    "print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#f4f4f4}body{max-width:none;font-size:"
    "11pt}"
    ".wide{overflow:visible}tr,.finding,svg{break-inside:avoid}h3,svg,tr:first-child{break-after:avoid}}\n"
    "</style>\n</head>\n<body>\n";

/* Escapes text: it cannot become markup. */
static void put_html(struct jw_buf *out, const char *text)
{
    static const char *const rules[] = { "&&amp;", "<&lt;", ">&gt;", "\"&quot;", "'&#39;", NULL };
    struct jw_buf clean = JW_BUF(REPORT_TEXT);

    jw_text_clean(&clean, text);
    jw_text_escape(out, jw_buf_cstr(&clean), rules);
    jw_buf_free(&clean);
}

static void put_element(struct jw_buf *out, const char *open, const char *text, const char *close)
{
    jw_buf_text(out, open);
    put_html(out, text);
    jw_buf_text(out, close);
}

/* Of a table whose rows a phone shows one below the other: each cell brings its heading. */
static void put_headed(struct jw_buf *out, const char *heading, const char *class, const char *text)
{
    jw_buf_printf(out, "<td data-head=\"%s\"", heading);
    if (*class)
        jw_buf_printf(out, " class=\"%s\"", class);
    put_element(out, ">", text, "");
}

static void put_cell(struct jw_buf *out, const char *class, const char *text)
{
    jw_buf_printf(out, *class ? "<td class=\"%s\">" : "<td%s>", class);
    put_element(out, "", text, "</td>");
}

static const char *tone_of(const char *verdict)
{
    static const struct {
        const char *verdict, *tone;
    } tones[] = {
        { "NATIVE", "good" },    { "WARM", "good" },     { "JIT_FIRST", "warn" },  { "DRIVER_OLD", "bad" },
        { "JIT_EVERY", "bad" },  { "NO_KERNEL", "bad" }, { "PTX_TOO_NEW", "bad" }, { "LIBS_MISSING", "bad" },
        { "CPU_BUILD", "warn" }, { "REFUSED", "bad" },
    };

    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++)
        if (strcmp(verdict, tones[i].verdict) == 0)
            return tones[i].tone;
    return "dim";
}

static void html_facts(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, "<dl>\n");
    for (size_t i = 0; i < REPORT_FACTS; i++) {
        struct jw_buf value = JW_BUF(REPORT_TEXT);
        const char *label = report_fact(m, i, &value);

        if (value.n) {
            put_element(out, "<dt>", label, "</dt>");
            put_element(out, "<dd>", jw_buf_cstr(&value), "</dd>\n");
        }
        jw_buf_free(&value);
    }
    jw_buf_text(out, "</dl>\n");
}

static void html_software(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_software)
        return;
    jw_buf_text(out, "<h3>Software</h3>\n<div class=\"wide\"><table "
                     "class=\"stack\"><tr><th>Software<th>GPU<th>Verdict<th>What happens"
                     "<th class=\"n\">PTX to compile</tr>\n");
    for (size_t i = 0; i < m->n_software; i++) {
        const struct report_software *s = &m->software[i];

        jw_buf_text(out, "<tr>");
        put_headed(out, "Software", "name", s->name);
        put_headed(out, "GPU", "", s->gpu);
        put_headed(out, "Verdict", JW_PHRASE("v %s", tone_of(s->verdict)), s->verdict);
        put_headed(out, "What happens", "", s->what);
        put_headed(out, "PTX to compile", "n", report_size(s->ptx_bytes).text);
        jw_buf_text(out, "</tr>\n");
    }
    jw_buf_text(out, "</table></div>\n");
}

static void html_findings(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, "<h3>Findings</h3>\n");
    if (!m->n_findings)
        jw_buf_text(out, "<p class=\"good\">jitwarm doctor finds nothing wrong.</p>\n");
    for (size_t i = 0; i < m->n_findings; i++) {
        const struct report_finding *f = &m->findings[i];
        const char *tone = strcmp(f->severity, "error") == 0     ? "bad"
                           : strcmp(f->severity, "warning") == 0 ? "warn"
                                                                 : "dim";

        jw_buf_printf(out, "<div class=\"finding %s\"><strong>%s</strong>", tone,
                      report_severity(f->severity));
        put_element(out, "<p>", f->text, "</p>\n");
        if (*f->consequence)
            put_element(out, "<p>", f->consequence, "</p>\n");
        if (*f->fix)
            put_element(out, "<p>Do: ", f->fix, "</p>\n");
        if (*f->command)
            put_element(out, "<pre>", f->command, "</pre>\n");
        jw_buf_text(out, "</div>\n");
    }
}

static void html_commands(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_commands)
        return;
    jw_buf_text(
        out, "<h3>Recorded commands</h3>\n<div class=\"wide\"><table class=\"stack\"><tr><th>Command<th>Start"
             "<th class=\"n\">Modules<th>Recorded</tr>\n");
    for (size_t i = 0; i < m->n_commands; i++) {
        jw_buf_text(out, "<tr>");
        put_headed(out, "Command", "name", m->commands[i].words);
        put_headed(out, "Start", "", m->commands[i].times);
        put_headed(out, "Modules", "n", JW_NUM(m->commands[i].modules));
        put_headed(out, "Recorded", "", m->commands[i].when);
        jw_buf_text(out, "</tr>\n");
    }
    jw_buf_text(out, "</table></div>\n");
}

/* How full the cache is, by driver build. */
static void html_fill(struct jw_buf *out, const struct report_machine *m)
{
    enum { WIDTH = 1000, HEIGHT = 24 };
    uint64_t sum = 0, whole;
    double at = 0;

    for (size_t i = 0; i < m->n_builds; i++)
        sum += m->builds[i].bytes;
    whole = jw_max(sum, m->cache_limit);
    if (!sum)
        return;
    jw_buf_printf(out,
                  "<h3>Cache by driver build</h3>\n<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
                  "style=\"height:24px\" role=\"img\" aria-label=\"How full the cache is\">"
                  "<rect class=\"rail\" width=\"%d\" height=\"%d\"/>",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    for (size_t i = 0; i < m->n_builds; i++) {
        double wide = (double)m->builds[i].bytes / (double)whole * WIDTH;

        jw_buf_printf(out, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" height=\"%d\"/>",
                      strcmp(m->builds[i].state, "current") == 0 ? "bar" : "old", at, wide, HEIGHT);
        at += wide;
    }
    jw_buf_text(
        out, "</svg>\n<div class=\"wide\"><table><tr><th>Driver build<th>GPU<th>State<th class=\"n\">Entries"
             "<th class=\"n\">Size</tr>\n");
    for (size_t i = 0; i < m->n_builds; i++) {
        jw_buf_text(out, "<tr>");
        put_cell(out, "", m->builds[i].build);
        put_cell(out, "", m->builds[i].arch);
        put_cell(out, "", m->builds[i].state);
        put_cell(out, "n", JW_NUM(m->builds[i].entries));
        put_cell(out, "n", report_size(m->builds[i].bytes).text);
        jw_buf_text(out, "</tr>\n");
    }
    jw_buf_text(out, "</table></div>\n");
}

static void html_slowest(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_slowest)
        return;
    jw_buf_text(out, "<h3>Slowest modules</h3>\n<div class=\"wide\"><table "
                     "class=\"slow\"><tr><th>Kernel<th>Software<th>GPU<th "
                     "class=\"n\">PTX<th class=\"n\">Time<th></tr>\n");
    for (size_t i = 0; i < m->n_slowest; i++) {
        const struct report_module *s = &m->slowest[i];
        uint64_t max = jw_max(m->slowest[0].milliseconds, 1);

        jw_buf_text(out, "<tr>");
        put_cell(out, "name", report_module_name(s));
        put_cell(out, "name", s->name);
        put_cell(out, "", s->arch);
        put_cell(out, "n", report_size(s->ptx_bytes).text);
        put_cell(out, "n", report_ms(s->milliseconds).text);
        jw_buf_printf(
            out,
            "<td style=\"width:30%%;min-width:5rem\"><svg viewBox=\"0 0 100 6\" "
            "preserveAspectRatio=\"none\" "
            "style=\"height:.8rem\" aria-hidden=\"true\"><rect class=\"bar\" width=\"%.1f\" height=\"6\"/>"
            "</svg></td></tr>\n",
            (double)jw_min(s->milliseconds, max) / (double)max * 100);
    }
    jw_buf_text(out, "</table></div>\n");
    if (m->compiled > m->n_slowest)
        jw_buf_printf(out, "<p class=\"dim\">%zu of %llu modules</p>\n", m->n_slowest,
                      (unsigned long long)m->compiled);
}

void report_write_html(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, html_head);
    jw_buf_text(out, "<h1>jitwarm report");
    if (*m->name)
        put_element(out, ": ", m->name, "");
    jw_buf_text(out, "</h1>\n");
    html_facts(out, m);
    if (m->n_next)
        jw_buf_text(out, "<h3>Next</h3>\n");
    for (size_t i = 0; i < m->n_next; i++)
        put_element(out, "<pre>", m->next[i], "</pre>\n");
    html_findings(out, m);
    html_software(out, m);
    html_commands(out, m);
    html_fill(out, m);
    html_slowest(out, m);
    jw_buf_text(out, "</body>\n</html>\n");
}

/* ---- the run ---- */

/* "report.pdf" */
static bool names_another_format(const char *name)
{
    static const char *const ends[] = { ".pdf", ".json", ".txt", ".csv", ".xml",
                                        ".doc", ".docx", ".png", ".md" };

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(name, ends[i]))
            return true;
    return false;
}

/* Before the work. */
static bool check_output(const struct report_args *args, struct jw_arena *a, struct jw_err *err)
{
    struct jw_file_info there = { 0 };

    if (!args->output)
        return true;
    const char *folder = jw_path_dir(a, args->output);

    if (!jw_file_stat(folder, &there, err))
        return jw_wrap(err, "%s", folder);
    if (there.kind != JW_FILE_DIR)
        return jw_fail(err, JW_E_IO, "%s: no such folder", folder);
    if (!jw_file_stat(args->output, &there, err))
        return jw_wrap(err, "%s", args->output);
    if (there.kind == JW_FILE_DIR)
        return jw_fail(err, JW_E_IO, "%s: is a folder", args->output);
    if (names_another_format(args->output))
        return jw_fail(err, JW_E_USAGE, "%s: a report is HTML: name it .html", args->output);
    if (there.kind == JW_FILE_REGULAR && !args->yes)
        return jw_fail(err, JW_E_IO, "%s: already exists; --yes replaces it", args->output);
    return true;
}

static bool put_file(const struct report_args *args, struct jw_buf *page, struct jw_err *err)
{
    return (jw_buf_ok(page, err)
            && jw_file_put(args->output, args->yes ? JW_OUT_REPLACE : JW_OUT_NEW, jw_buf_bytes(page), err))
           || jw_wrap(err, "%s", args->output);
}

static int write_page(struct cli *cli, const struct report_args *args, struct jw_buf *page)
{
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!args->output)
        return jw_cli_page(cli, page);
    if (!put_file(args, page, &err))
        code = jw_cli_fail(cli, &err);
    else
        jw_messages_say(&cli->messages, "wrote %s", args->output);
    jw_buf_free(page);
    return code;
}

static int report_run(struct cli *cli, const void *p)
{
    const struct report_args *args = p;
    struct jw_buf page = JW_BUF(MAX_REPORT);
    struct report_machine machine = { 0 };
    struct gathering g = { .cli = cli, .a = cli->arena, .out = &machine };
    struct jw_err err = { 0 };
    bool ok = check_output(args, g.a, &err) && gather_machine(&g, &err);

    if (ok)
        report_write_html(&page, &machine);
    jw_status_free(&g.cache);
    if (ok)
        return write_page(cli, args, &page);
    jw_buf_free(&page);
    return jw_cli_fail(cli, &err);
}

static const struct example report_examples[] = {
    { "jitwarm report -o report.html", "this machine on one page" },
    { 0 },
};

const struct cmd jw_cmd_report = {
    .name = "report",
    .summary = "write a page about this machine",
    .synopsis_args = "",
    .details =
        "Writes one page that needs nothing else and holds no script: what each software does on each GPU, "
        "the recorded commands, how full the cache is by driver build, the slowest modules, what doctor "
        "finds, "
        "and the next commands. It can be "
        "printed and read on a phone.\n\n"
        "The driver is asked in a process of its own, as doctor does. Nothing is changed. An existing file "
        "is "
        "replaced only with --yes.",
    .examples = report_examples,
    .opts = report_opts,
    .args_size = sizeof(struct report_args),
    .run = report_run,
};

/* report: one page of HTML with the results of doctor, status and prime for this machine. */
#include "verbs/report.h"

#include "base/sort.h"
#include "base/text.h"
#include "cli/commands.h"
#include "doctor/doctor_here.h"
#include "doctor/doctor_todo.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "verbs/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORT = 64 << 20, REPORT_TEXT = 1 << 16, REPORT_SLOWEST = 5 };

struct report_args {
    const char *output;
    bool yes;
};

static const struct opt report_opts[] = {
    { "output", 'o', OPT_TEXT, offsetof(struct report_args, output), "FILE",
      "write the report to this new file (default, and -: standard output)", NULL, HINT_NEW },
    { "yes", 'y', OPT_FLAG, offsetof(struct report_args, yes), NULL, "replace the file of -o if it exists",
      NULL, HINT_NONE },
    { 0 },
};

static bool is_for_stdout(const struct report_args *args)
{
    return !args->output || strcmp(args->output, "-") == 0;
}

/* ---- what is on the page ---- */

struct gathering {
    struct cli *cli;
    struct jw_arena *a;
    struct jw_doctor_machine machine;
    struct jw_status_report cache;
    struct jw_doctor_answer answer;
    struct jw_findings findings;
    struct report_page *out;
};

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

/* "2026-11-21 13:05 UTC" */
static const char *date_of(struct jw_arena *a, int64_t when)
{
    struct jw_buf time = JW_BUF_IN(a, 64);
    const char *text, *date;

    if (when <= 0)
        return "";
    jw_text_time(&time, when);
    text = jw_buf_cstr(&time);
    date = jw_arena_printf(a, "%.10s %.5s UTC", text, text + (time.n > 16 ? 11 : 0));
    return date;
}

static const char *size_text(struct jw_arena *a, uint64_t bytes)
{
    return bytes ? jw_arena_str(a, JW_SIZE(bytes)) : "";
}

static const char *number_text(struct jw_arena *a, uint64_t n)
{
    return jw_arena_str(a, JW_NUM(n));
}

static const char *arch_text(struct jw_arena *a, unsigned sm)
{
    return sm ? jw_arena_printf(a, "sm_%u", sm) : "";
}

static struct report_table *add_table(struct gathering *g, const char *title,
                                      const struct report_column *columns, size_t rows)
{
    struct report_table *t = &g->out->tables[g->out->n_tables++];

    *t = (struct report_table){ .title = title, .columns = columns };
    t->rows = jw_arena_alloc(g->a, (rows + 1) * sizeof *t->rows);
    return t;
}

static void add_software(struct gathering *g)
{
    static const struct report_column columns[REPORT_COLUMNS] = { { "Software", "name" },
                                                                  { "GPU", "" },
                                                                  { "Verdict", "v" },
                                                                  { "What happens", "" },
                                                                  { "PTX to compile", "n" } };
    const struct jw_doctor_answer *d = &g->answer;
    struct report_table *t = add_table(g, "Software", columns, d->n * d->c.n_gpus);

    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->c.n_gpus; k++) {
            enum jw_software_verdict v = d->checks[i * d->c.n_gpus + k].verdict;
            const char *word = jw_software_verdict_names[v];

            t->rows[t->n++] =
                (struct report_row){ { jw_software_name(&d->software[i], &g->findings), d->c.gpus[k].name,
                                       word ? word : "unknown", jw_software_verdict_texts[v],
                                       size_text(g->a, d->software[i].code[k].ptx_bytes) } };
        }
}

static void add_commands(struct gathering *g)
{
    static const struct report_column columns[REPORT_COLUMNS] = {
        { "Command", "name" }, { "Start", "" }, { "Modules", "n" }, { "Recorded", "" }
    };
    struct report_table *t = add_table(g, "Recorded commands", columns, g->cache.n_commands);

    for (size_t i = 0; i < g->cache.n_commands; i++) {
        const struct jw_status_command *c = &g->cache.commands[i];
        struct jw_buf times = JW_LINE(g->a);

        status_say_command(&times, c);
        t->rows[t->n++] = (struct report_row){ { c->words, jw_buf_cstr(&times), number_text(g->a, c->modules),
                                                 date_of(g->a, c->when) } };
    }
}

static void add_builds(struct gathering *g)
{
    static const struct report_column columns[REPORT_COLUMNS] = {
        { "Driver build", "" }, { "GPU", "" }, { "State", "" }, { "Entries", "n" }, { "Size", "n" }
    };
    struct report_table *t = add_table(g, "Cache by driver build", columns, g->cache.n_groups);

    for (size_t i = 0; i < g->cache.n_groups; i++) {
        const struct jw_status_group *b = &g->cache.groups[i];
        const char *stamp = jw_arena_str(g->a, jw_stamp_text(b->stamp).text);

        t->rows[t->n++] =
            (struct report_row){ { *stamp ? stamp : "unknown", b->arch, jw_build_relation_names[b->relation],
                                   number_text(g->a, b->entries), size_text(g->a, b->bytes) } };
    }
}

static int slower(const void *a, const void *b)
{
    const struct jw_warm_module *x = *(const struct jw_warm_module *const *)a,
                                *y = *(const struct jw_warm_module *const *)b;

    return x->milliseconds < y->milliseconds   ? 1
           : x->milliseconds > y->milliseconds ? -1
                                               : (x->name > y->name) - (x->name < y->name);
}

/* Lists this driver's modules in the cache that took longest, from the records. */
static void add_slowest(struct gathering *g)
{
    static const struct report_column columns[REPORT_COLUMNS] = {
        { "Kernel", "name" }, { "Software", "name" }, { "GPU", "" }, { "PTX", "n" }, { "Time", "n" }
    };
    const struct jw_warm_state *s = &g->cache.memory;
    const struct jw_warm_module **list = jw_arena_alloc(g->a, (s->modules.n + 1) * sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < s->modules.n; i++) {
        const struct jw_warm_module *m = &s->modules.list[i];

        if (m->compiled && g->cache.current && strcmp(m->build, g->cache.current->build) == 0 && m->name
            && jw_cache_file_find(&g->cache.list, m->name))
            list[n++] = m;
    }
    jw_sort(list, n, sizeof *list, slower);

    struct report_table *t =
        add_table(g, jw_arena_printf(g->a, "Slowest of %s", JW_N(n, "module", "modules")), columns, n);

    for (size_t i = 0; i < n && i < REPORT_SLOWEST; i++) {
        const struct jw_warm_module *m = list[i];
        const char *whose = jw_warm_origin(s, m->name);

        t->rows[t->n++] =
            (struct report_row){ { *m->kernel ? m->kernel : "no kernel named",
                                   whose ? whose : "unknown software", arch_text(g->a, m->sm),
                                   size_text(g->a, m->ptx_bytes),
                                   jw_arena_str(g->a, JW_TENTHS((double)m->milliseconds / 1000)) } };
    }
}

/* The next step is doctor's last line. */
static void add_next(struct gathering *g)
{
    const struct jw_doctor_todo todo = jw_doctor_todo(&g->machine, &g->findings);
    bool this_page = jw_text_starts(todo.command, "jitwarm report");

    g->out->when = this_page ? NULL : todo.when;
    g->out->next = this_page ? "jitwarm doctor" : todo.command;
}

static const char *gpus_text(struct gathering *g)
{
    const struct jw_gpu *gpus = g->answer.c.gpus;
    struct jw_buf out = JW_BUF_IN(g->a, REPORT_TEXT);

    for (size_t i = 0; i < g->answer.c.n_gpus; i++) {
        const char *arch = arch_text(g->a, gpus[i].sm);

        jw_say(&out, "%s%s%s%s%s", i ? ", " : "", gpus[i].name, *arch ? " (" : "", arch, *arch ? ")" : "");
    }

    return jw_buf_cstr(&out);
}

static const char *cache_text(struct gathering *g)
{
    const struct jw_cachedir *dir = &g->cache.dir;
    const char *limit = dir->limit_known ? size_text(g->a, dir->limit) : "";

    return dir->folder ? jw_arena_printf(g->a, "%s%s%s, in %s", JW_SIZE(g->cache.used), *limit ? " of " : "",
                                         limit, dir->folder)
                       : "";
}

static void add_fact(struct gathering *g, const char *label, const char *value)
{
    if (*value)
        g->out->facts[g->out->n_facts++] = (struct report_fact){ label, value };
}

static void fill_page(struct gathering *g)
{
    const char *driver = jw_doctor_version(&g->machine);
    struct jw_buf warm = JW_LINE(g->a);
    const struct jw_prime_last *last = &g->machine.primed->last;

    status_say_warm(&warm, last);
    driver = driver ? driver : last->driver.other ? NULL : last->driver.version;
    g->out->host = text_or_empty(g->machine.who.host);
    add_fact(g, "GPU", gpus_text(g));
    add_fact(g, "Driver", driver ? driver : "none");
    add_fact(g, "Warm", jw_buf_cstr(&warm));
    add_fact(g, "Cache", cache_text(g));
    add_fact(g, "Report",
             jw_arena_printf(g->a, "%s, by jitwarm %s", date_of(g->a, jw_time_unix()), JITWARM_VERSION));
    add_next(g);
    g->out->findings = &g->findings;
    add_software(g);
    add_commands(g);
    add_builds(g);
    add_slowest(g);
}

static bool gather_page(struct gathering *g, struct jw_err *err)
{
    const struct jw_doctor_progress progress = { jw_cli_show_search, g->cli };

    g->findings = JW_FINDINGS(g->a);
    bool ok =
        jw_doctor_here(&g->cli->session, &progress, &g->machine, &g->cache, &g->answer, &g->findings, err);

    jw_messages_progress_end(&g->cli->messages);
    if (ok)
        fill_page(g);
    return ok;
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
    "--good:#1a7f37;--warn:#9a6700;--bad:#c0262d}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;"
    "--card:#151b23;--good:#4ac26b;--warn:#d4a72c;--bad:#ff7b72}}\n"
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
    "@media screen and (max-width:40rem){tr:first-child{display:none}"
    "tr{display:block;padding:.4rem 0;border-bottom:1px solid var(--line)}"
    "td{display:block;border:0;padding:0;text-align:left}"
    "td::before{content:attr(data-head) \": \";color:var(--dim)}td.name{min-width:0}}\n"
    "@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#f4f4f4}"
    "body{max-width:none;font-size:11pt}.wide{overflow:visible}tr,.finding{break-inside:avoid}"
    "h3,tr:first-child{break-after:avoid}}\n"
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

static const char *tone_of(const char *verdict)
{
    static const struct {
        const char *verdict, *tone;
    } tones[] = {
        { "NATIVE", "good" },    { "WARM", "good" },     { "JIT_FIRST", "warn" },  { "DRIVER_OLD", "bad" },
        { "JIT_EVERY", "bad" },  { "NO_KERNEL", "bad" }, { "PTX_TOO_NEW", "bad" }, { "LIBS_MISSING", "bad" },
        { "CPU_BUILD", "warn" }, { "REFUSED", "bad" },   { "NO_COMPILER", "bad" },
    };

    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++)
        if (strcmp(verdict, tones[i].verdict) == 0)
            return tones[i].tone;
    return "dim";
}

static void html_facts(struct jw_buf *out, const struct report_page *page)
{
    jw_buf_text(out, "<dl>\n");
    for (size_t i = 0; i < page->n_facts; i++) {
        put_element(out, "<dt>", page->facts[i].label, "</dt>");
        put_element(out, "<dd>", page->facts[i].value, "</dd>\n");
    }
    jw_buf_text(out, "</dl>\n");
}

static void html_next(struct jw_buf *out, const struct report_page *page)
{
    if (!page->next)
        return;
    jw_buf_text(out, "<h3>Next</h3>\n");
    if (page->when)
        put_element(out, "<pre># ", page->when, ":</pre>\n");
    put_element(out, "<pre>", page->next, "</pre>\n");
}

static void put_if(struct jw_buf *out, const char *open, const char *text, const char *close)
{
    if (text && *text)
        put_element(out, open, text, close);
}

static void html_findings(struct jw_buf *out, const struct jw_findings *findings)
{
    static const struct {
        const char *tone, *word;
    } severities[] = { [JW_NOTE] = { "dim", "Note" },
                       [JW_WARNING] = { "warn", "Warning" },
                       [JW_PROBLEM] = { "bad", "Problem" } };

    jw_buf_text(out, "<h3>Findings</h3>\n");
    if (!findings->n)
        jw_buf_text(out, "<p class=\"good\">jitwarm doctor finds nothing wrong.</p>\n");
    for (size_t i = 0; i < findings->n; i++) {
        const struct jw_finding *f = &findings->v[i];

        jw_buf_printf(out, "<div class=\"finding %s\"><strong>%s</strong>", severities[f->severity].tone,
                      severities[f->severity].word);
        put_if(out, "<p>", f->text, "</p>\n");
        put_if(out, "<p>", f->consequence, "</p>\n");
        put_if(out, "<p>Do: ", f->fix, "</p>\n");
        put_if(out, "<pre>", f->command, "</pre>\n");
        jw_buf_text(out, "</div>\n");
    }
}

/* A phone shows the cells of a row one below the other, each with its heading. */
static void html_cell(struct jw_buf *out, const struct report_column *c, const char *text)
{
    jw_buf_printf(out, "<td data-head=\"%s\"", c->heading);
    if (*c->class)
        jw_buf_printf(out, " class=\"%s%s%s\"", c->class, *c->class == 'v' ? " " : "",
                      *c->class == 'v' ? tone_of(text) : "");
    put_element(out, ">", text_or_empty(text), "");
}

static void html_table(struct jw_buf *out, const struct report_table *t)
{
    if (!t->n)
        return;
    put_element(out, "<h3>", t->title, "</h3>\n<div class=\"wide\"><table><tr>");
    for (size_t c = 0; c < REPORT_COLUMNS && t->columns[c].heading; c++)
        jw_buf_printf(out, *t->columns[c].class == 'n' ? "<th class=\"n\">%s" : "<th>%s",
                      t->columns[c].heading);
    jw_buf_text(out, "</tr>\n");
    for (size_t i = 0; i < t->n; i++) {
        jw_buf_text(out, "<tr>");
        for (size_t c = 0; c < REPORT_COLUMNS && t->columns[c].heading; c++)
            html_cell(out, &t->columns[c], t->rows[i].cells[c]);
        jw_buf_text(out, "</tr>\n");
    }
    jw_buf_text(out, "</table></div>\n");
}

void report_write_html(struct jw_buf *out, const struct report_page *page)
{
    jw_buf_text(out, html_head);
    jw_buf_text(out, "<h1>jitwarm report");
    put_if(out, ": ", page->host, "");
    jw_buf_text(out, "</h1>\n");
    html_facts(out, page);
    html_next(out, page);
    html_findings(out, page->findings);
    for (size_t i = 0; i < page->n_tables; i++)
        html_table(out, &page->tables[i]);
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
static bool check_output(const struct report_args *args, struct jw_err *err)
{
    struct jw_file_info there = { 0 };

    if (is_for_stdout(args))
        return true;
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

    if (is_for_stdout(args))
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
    struct report_page contents = { 0 };
    struct gathering g = { .cli = cli, .a = cli->arena, .out = &contents };
    struct jw_err err = { 0 };
    bool ok = check_output(args, &err) && gather_page(&g, &err);

    if (ok)
        report_write_html(&page, &contents);
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

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "doctor/command/doctor_view.h"
#include "doctor/command/report_view.h"
#include "jitwarm/prime.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "verbs/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORT = 64 << 20 };

struct report_args {
    const char *output;
    unsigned format;
    bool yes;
};

enum format { FORMAT_OF_NAME, FORMAT_HTML, FORMAT_MD };

static const struct opt report_opts[] = {
    { "output", 'o', OPT_TEXT, offsetof(struct report_args, output), "FILE",
      "write the report to this new file (default: standard output)", NULL, HINT_FILES },
    { "format", 0, OPT_CHOICE, offsetof(struct report_args, format), "FORMAT",
      "html, or md for an issue (default: by the file's name; html)", "- html md", HINT_WORDS },
    { "yes", 'y', OPT_FLAG, offsetof(struct report_args, yes), NULL, "replace the file of -o if it exists",
      NULL, HINT_NONE },
    { 0 },
};

struct gathering {
    struct cli *cli;
    struct jw_arena *a;
    struct jw_doctor_machine machine;
    struct jw_status_report cache;
    struct doctor_answer answer;
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
    const struct doctor_answer *d = &g->answer;
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

/* What to do next is doctor's last line. */
static void add_next(struct gathering *g)
{
    static const struct texts none;
    const struct doctor_view v = {
        .machine = &g->machine, .answer = &g->answer, .findings = &g->findings, .ignored = &none
    };
    const struct doctor_todo todo = doctor_todo(&v);
    struct report_machine *m = g->out;

    m->next = jw_arena_alloc(g->a, 2 * sizeof *m->next);
    if (todo.when)
        m->next[m->n_next++] = jw_arena_printf(g->a, "# %s:", todo.when);
    m->next[m->n_next++] = jw_text_starts(todo.command, "jitwarm report") ? "jitwarm doctor" : todo.command;
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

    if (!jw_prime_last(&g->cache.dir, &g->cache.memory, jw_session_config(&g->cli->session), &last, err))
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
    if (!jw_doctor_gather(&g->cli->session, &g->machine, &g->cache, err))
        return false;
    jw_doctor_check(&g->machine, &g->findings);
    if (!doctor_answer_machine(g->cli, &g->machine, &g->answer, &g->findings, err))
        return false;
    jw_findings_sort(&g->findings);
    return fill_machine(g, err);
}

/* "report.pdf" */
static bool names_another_format(const char *name)
{
    static const char *const ends[] = { ".pdf", ".json", ".txt", ".csv", ".xml", ".doc", ".docx", ".png" };

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
    if (args->format == FORMAT_OF_NAME && names_another_format(args->output))
        return jw_fail(err, JW_E_USAGE,
                       "%s: a report is HTML or Markdown: name it .html or .md, or say --format",
                       args->output);
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

static bool is_markdown(const struct report_args *args)
{
    const char *name = args->output ? args->output : "";

    return args->format == FORMAT_MD
           || (args->format == FORMAT_OF_NAME
               && (jw_text_ends(name, ".md") || jw_text_ends(name, ".markdown")));
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
        jw_messages_say(&cli->messages, "wrote %s (%s)", args->output,
                        is_markdown(args) ? "Markdown" : "HTML");
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
        (is_markdown(args) ? report_write_md : report_write_html)(&page, &machine);
    jw_status_free(&g.cache);
    if (ok)
        return write_page(cli, args, &page);
    jw_buf_free(&page);
    return jw_cli_fail(cli, &err);
}

static const struct example report_examples[] = {
    { "jitwarm report -o report.html", "this machine on one page" },
    { "jitwarm report -o report.md", "for an issue" },
    { 0 },
};

const struct cmd jw_cmd_report = {
    .name = "report",
    .summary = "write a page about this machine",
    .synopsis_args = "",
    .details =
        "Writes one page that needs nothing else and holds no script: what each software does on each GPU, "
        "how full the cache is by driver build, what each worker of the last prime compiled and when, the "
        "slowest "
        "modules, what doctor finds, and the next commands. It can be "
        "printed and read on a phone.\n\n"
        "The driver is asked in a process of its own, as doctor does. Nothing is changed. An existing file "
        "is "
        "replaced only with --yes.",
    .examples = report_examples,
    .opts = report_opts,
    .args_size = sizeof(struct report_args),
    .run = report_run,
};

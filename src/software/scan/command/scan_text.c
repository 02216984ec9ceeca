#include "base/limits.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/page.h"
#include "software/scan/command/scan_view.h"

#include <string.h>

enum {
    DETAIL_FILES = 3, /* up to this number in full; more become a table */
    SCREEN_SKIPPED = 5,
    INDENT = 2,
    LABEL = 11 /* columns of "  jit      " */
};

struct verdicts {
    struct cli *cli;
    const struct scan_view *v;
    const struct jw_scan_file *f;
};

/* Begins with the verdict, so that only equal verdicts share a line. */
static void say_one(struct jw_buf *out, size_t gpu, void *ctx)
{
    const struct verdicts *all = ctx;
    const struct jw_scan_verdict *one = &all->f->verdicts[gpu];

    jw_say(out, "%s: ", jw_verdict_name(one->verdict));
    scan_say_verdict(out, one, &all->v->gpus[gpu], all->f, all->v);
}

/* "  jit      NVIDIA H100 (sm_90): all 143 modules ..." */
static void show_one(const char *gpus, const char *sentence, size_t gpu, void *ctx)
{
    const struct verdicts *all = ctx;
    const struct jw_scan_verdict *one = &all->f->verdicts[gpu];
    const char *word = jw_verdict_name(one->verdict);
    struct jw_buf text = JW_BUF(JW_MAX_LINE), line = JW_BUF(JW_MAX_LINE);
    struct jw_output *out = &all->cli->out;
    enum jw_tint tint = scan_tint(one);

    jw_say(&text, "%s: %s", gpus, sentence + strlen(word) + 2);
    jw_help_wrap(&line, jw_buf_cstr(&text), LABEL, LABEL, out->width);
    jw_output_printf(out, "  %s%-*s%s %s", jw_paint_on(out->paint, tint), LABEL - INDENT - 1, word,
                     jw_paint_off(out->paint, tint), jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(&text);
}

static void show_problems(struct jw_page *p, const struct jw_scan_file *f)
{
    jw_page_rows(p, TINT_BAD, scan_problem_rows, f);
    if (f->more_problems)
        jw_page_whole(p, TINT_NONE, "", "and %zu more places like these", f->more_problems);
}

/* What a program makes of them while it runs is in no file. */
static void show_pieces(struct jw_page *p, const struct jw_scan_file *f)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!f->ptx_pieces)
        return;
    jw_say(&text,
           "may compile: %s of PTX in its data, which it puts together while it runs; only jitwarm prime "
           "--run finds "
           "what",
           JW_N(f->ptx_pieces, "piece", "pieces"));
    jw_page_line(p, TINT_WARN, "", &text);
}

static void show_holdings(struct jw_page *p, const struct jw_scan_file *f)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (f->size)
        jw_say(&text, "%s, %s, ", f->format, JW_SIZE(f->size));
    if (f->containers + f->lazy_containers + f->rdc_containers == 0)
        jw_say(&text, f->n_problems ? "no sound CUDA code in it"
                      : f->sampled  ? "no CUDA code found in samples of its data"
                                    : "no CUDA code in it");
    else
        jw_say(&text, "%s", JW_N(f->containers, "module", "modules"));
    if (f->lazy_containers)
        jw_say(&text, " and %s that it loads on demand", JW_NUM(f->lazy_containers));
    if (f->rdc_containers)
        jw_say(&text, ", %s for the device linker", JW_NUM(f->rdc_containers));
    if (f->n_rows)
        jw_say(&text, ": ");
    scan_say_holdings(&text, f->rows, f->n_rows);
    p->label = INDENT;
    jw_page_line(p, TINT_NONE, "", &text);
    p->label = LABEL;
}

/* Prints text of a file, cleaned. */
static void say_clean(struct jw_buf *out, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    jw_buf_text(out, before);
    jw_text_clean(out, text);
}

static void show_entry(struct cli *cli, const struct jw_scan_entry *e)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&line, "    0x%-10llx %-4s %-12s %u.%-3u %-9s %10llu -> %llu", (unsigned long long)e->at,
                  e->kind, e->arch, e->major, e->minor, e->compression, (unsigned long long)e->stored,
                  (unsigned long long)e->plain);
    say_clean(&line, "  ", e->identifier);
    say_clean(&line, "  options: ", e->options);
    jw_output_printf(&cli->out, "%s\n", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

static void show_modules(struct cli *cli, const struct jw_scan_file *f)
{
    for (size_t i = 0; i < f->n_modules; i++) {
        const struct jw_scan_module *m = &f->modules[i];
        struct jw_buf line = JW_BUF(JW_MAX_LINE);

        jw_buf_printf(&line, "  module %zu at 0x%llx, %llu bytes, %s", i, (unsigned long long)m->at,
                      (unsigned long long)m->size, m->role);
        say_clean(&line, ", section ", m->section);
        say_clean(&line, ", member ", m->member);
        jw_output_printf(&cli->out, "%s\n", jw_buf_cstr(&line));
        jw_buf_free(&line);
        for (size_t k = 0; k < m->n; k++)
            show_entry(cli, &m->entries[k]);
        if (m->doubt)
            jw_output_printf(&cli->out, "    an entry %s; it will not be given to a driver\n", m->doubt);
    }
}

static void show_file(struct cli *cli, struct jw_page *p, const struct scan_view *v,
                      const struct jw_scan_file *f)
{
    jw_page_whole(p, TINT_STRONG, NULL, "%s", f->path);
    if (strcmp(f->format, "none") == 0)
        jw_page_put(p, f->size ? "  no format that can hold CUDA code\n" : "  empty\n");
    else
        show_holdings(p, f);
    show_problems(p, f);
    show_pieces(p, f);
    if (f->containers || f->lazy_containers || f->rdc_containers)
        scan_share_sentences(v,
                             &(struct scan_sentences){ say_one, show_one, &(struct verdicts){ cli, v, f } });
    if (v->entries)
        show_modules(cli, f);
    jw_page_put(p, "\n");
}

/* Prints "PATH: REASON" lines under a heading; only a few without -v. */
struct complaints {
    struct jw_page *page;
    size_t max, shown;
    const char *heading;
};

static void complain(struct complaints *c, const char *path, const char *reason)
{
    if (c->shown == 0)
        jw_page_whole(c->page, TINT_WARN, NULL, "%s:", c->heading);
    if (c->shown++ < c->max)
        jw_page_put(c->page, "  %s: %s\n", path, reason);
}

static void complained(const struct complaints *c)
{
    if (c->shown > c->max)
        jw_page_put(c->page, "  and %zu more (--verbose lists all)\n", c->shown - c->max);
}

/* Named files are errors on stderr; the others are listed here. */
static void show_skipped(struct jw_page *p, size_t max, const struct scan_view *v)
{
    struct complaints c = { p, max, 0, "not read" };

    for (size_t i = 0; i < v->report.n_skipped; i++)
        if (!v->report.skipped[i].named)
            complain(&c, v->report.skipped[i].path, v->report.skipped[i].reason);
    complained(&c);
}

static void show_damaged(struct jw_page *p, size_t max, const struct scan_view *v)
{
    struct complaints c = { p, max, 0, "damaged" };

    for (size_t i = 0; i < v->report.n_files; i++)
        for (size_t k = 0; k < v->report.files[i].n_problems; k++)
            complain(&c, v->report.files[i].path, v->report.files[i].problems[k]);
    complained(&c);
}

static void show_nothing(struct jw_page *p, const struct scan_view *v)
{
    uint64_t walked = v->report.files_walked, skipped = v->report.n_skipped;

    if (v->discovered)
        jw_page_say(p, TINT_NONE, NULL,
                    "No CUDA software was found in the %zu places that were searched. Name a file or "
                    "folder: jitwarm scan PATH",
                    v->discovery.n_roots);
    else if (skipped == 0 || walked > skipped) /* and the reason for each unreadable file */
        jw_page_put(p, "No CUDA code in %llu file%s.\n", (unsigned long long)(walked - skipped),
                    walked - skipped == 1 ? "" : "s");
}

#define NOT_SEARCHED                                                                                         \
    "Not searched in the home: hidden folders but .venv, .env, .pixi, .conda, .tox and .nox; data, "         \
    "datasets, caches and "                                                                                  \
    "version control; more than 4 levels of folders."

/* Prints each place, how it was found, and what was not searched. */
static void show_places(struct jw_page *p, const struct scan_view *v)
{
    jw_page_put(p, "\nPlaces:\n");
    for (size_t i = 0; i < v->discovery.n_roots; i++)
        jw_page_put(p, "  searched     %s (%s)\n", v->discovery.roots[i].path, v->discovery.roots[i].how);
    for (size_t i = 0; i < v->discovery.n_skipped; i++)
        jw_page_put(p, "  not searched %s (%s)\n", v->discovery.skipped[i].path, v->discovery.skipped[i].why);
    p->label = INDENT;
    jw_page_say(p, TINT_NONE, "",
                v->everyone ? NOT_SEARCHED
                            : NOT_SEARCHED
                    " Homes of other users (--system searches them, as root or administrator).");
}

static void show_stats(struct jw_page *p, const struct jw_scan_report *r)
{
    jw_page_put(p, "%zu with CUDA code, %llu looked at in %llu folders; %s read of %s; %llu ms\n", r->n_files,
                (unsigned long long)r->files_walked, (unsigned long long)r->folders_walked,
                JW_SIZE(r->bytes_read), JW_SIZE(r->bytes), (unsigned long long)r->milliseconds);
}

/* What a search in samples may have missed. */
static void show_sampled(struct jw_page *p, const struct jw_scan_report *r)
{
    if (r->sampled_files)
        jw_page_say(p, TINT_NONE, NULL,
                    "Searched in samples only: %s of data, in large sections of %s. With --check all of it "
                    "is searched.",
                    JW_SIZE(r->sampled_bytes), JW_N(r->sampled_files, "file", "files"));
}

/* Packages of a lock file that is for several systems. */
static void show_elsewhere(struct jw_page *p, const struct scan_view *v)
{
    for (size_t i = 0; i < v->n_packages; i++)
        if (v->packages[i].other_system)
            jw_page_say(p, TINT_NONE, NULL, "%s: %s", v->packages[i].text, v->packages[i].why);
}

bool scan_write_text(struct cli *cli, const struct scan_view *v, struct jw_err *err)
{
    bool full = !v->discovered && (v->report.n_files <= DETAIL_FILES || v->entries);
    size_t max = cli->common.verbose ? SIZE_MAX : SCREEN_SKIPPED;
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    if (v->report.n_files == 0)
        show_nothing(&p, v);
    else if (full)
        for (size_t i = 0; i < v->report.n_files; i++)
            show_file(cli, &p, v, &v->report.files[i]);
    else {
        p.bad |= !scan_write_table(cli, v, err);
        show_damaged(&p, max, v);
    }
    scan_show_advice(&p, v, cli->arena);
    show_skipped(&p, max, v);
    if (cli->common.verbose)
        show_elsewhere(&p, v);
    if (cli->common.verbose)
        show_sampled(&p, &v->report);
    if (v->discovered && cli->common.verbose)
        show_places(&p, v);
    if (v->stats)
        show_stats(&p, &v->report);
    if (v->todo)
        jw_page_whole(&p, TINT_STRONG, "To do", "%s", v->todo);
    return !p.bad;
}

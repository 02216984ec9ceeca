#include "base/limits.h"
#include "base/text.h"
#include "cli/help.h"
#include "software/scan/command/scan_view.h"

#include <string.h>

enum {
    DETAIL_FILES = 3, /* up to this number in full; more become a table */
    SCREEN_SKIPPED = 5,
    VERDICT = 8
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

    jw_buf_printf(out, "%s: ", jw_verdict_name(one->verdict));
    scan_say_verdict(out, one, &all->v->gpus[gpu], all->f->rows, all->f->n_rows, all->v);
}

/* "jit      NVIDIA H100 (sm_90): all 143 modules ...", wrapped with an indent. */
static void show_one(const char *gpus, const char *sentence, size_t gpu, void *ctx)
{
    const struct verdicts *all = ctx;
    const struct jw_scan_verdict *one = &all->f->verdicts[gpu];
    struct jw_buf text = JW_BUF(JW_MAX_LINE), line = JW_BUF(JW_MAX_LINE);
    struct jw_output *out = &all->cli->out;
    const char *word = jw_verdict_name(one->verdict);
    enum jw_tint tint = scan_tint(one);

    jw_buf_printf(&text, "%s: %s", gpus, sentence + strlen(word) + 2);
    jw_help_wrap(&line, jw_buf_cstr(&text), 2 + VERDICT + 1, 2 + VERDICT + 1, out->width);
    jw_output_printf(out, "  %s%-*s%s %s", jw_paint_on(out->paint, tint), VERDICT, word,
                     jw_paint_off(out->paint, tint), jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(&text);
}

static void show_problems(struct cli *cli, const struct jw_scan_file *f)
{
    for (size_t i = 0; i < f->n_problems; i++) {
        struct jw_buf clean = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&clean, f->problems[i]);
        jw_output_printf(&cli->out, "  %sdamaged%s  %s\n", jw_paint_on(cli->out.paint, TINT_BAD),
                         jw_paint_off(cli->out.paint, TINT_BAD), jw_buf_cstr(&clean));
        jw_buf_free(&clean);
    }
    if (f->more_problems)
        jw_output_printf(&cli->out, "           and %zu more places like these\n", f->more_problems);
}

static void show_holdings(struct cli *cli, const struct jw_scan_file *f)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE), line = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "%s, ", f->format);
    jw_text_bytes(&text, f->size);
    jw_buf_text(&text, ", ");
    if (f->containers + f->lazy_containers + f->rdc_containers == 0) {
        jw_buf_text(&text, f->n_problems ? "no sound CUDA code in it" : "no CUDA code in it");
    } else {
        jw_text_count(&text, f->containers);
        jw_buf_text(&text, f->containers == 1 ? " module" : " modules");
    }
    if (f->lazy_containers) {
        jw_buf_text(&text, " and ");
        jw_text_count(&text, f->lazy_containers);
        jw_buf_text(&text, " that it loads on demand");
    }
    if (f->rdc_containers) {
        jw_buf_text(&text, ", ");
        jw_text_count(&text, f->rdc_containers);
        jw_buf_text(&text, " for the device linker");
    }
    if (f->n_rows)
        jw_buf_text(&text, ": ");
    scan_say_holdings(&text, f->rows, f->n_rows);
    jw_buf_text(&line, "  ");
    jw_help_wrap(&line, jw_buf_cstr(&text), 2, 2, cli->out.width);
    jw_output_text(&cli->out, jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(&text);
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

static void show_path(struct cli *cli, const char *path)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, path);
    jw_output_printf(&cli->out, "%s%s%s\n", jw_paint_on(cli->out.paint, TINT_STRONG), jw_buf_cstr(&clean),
                     jw_paint_off(cli->out.paint, TINT_STRONG));
    jw_buf_free(&clean);
}

static void show_file(struct cli *cli, const struct scan_view *v, const struct jw_scan_file *f)
{
    show_path(cli, f->path);
    if (strcmp(f->format, "none") == 0)
        jw_output_text(&cli->out, f->size ? "  no format that can hold CUDA code\n" : "  empty\n");
    else
        show_holdings(cli, f);
    show_problems(cli, f);
    if (f->containers || f->lazy_containers || f->rdc_containers)
        scan_share_sentences(v,
                             &(struct scan_sentences){ say_one, show_one, &(struct verdicts){ cli, v, f } });
    if (f->extracted)
        jw_output_printf(&cli->out, "  %llu payloads written\n", (unsigned long long)f->extracted);
    if (v->entries)
        show_modules(cli, f);
    jw_output_text(&cli->out, "\n");
}

/* Prints "PATH: REASON" lines under a heading; only a few without -v. */
struct complaints {
    struct cli *cli;
    const char *heading;
    size_t said;
};

static void complain(struct complaints *c, const char *path, const char *reason)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);
    struct jw_output *out = &c->cli->out;

    if (c->said++ == 0)
        jw_output_printf(out, "%s%s:%s\n", jw_paint_on(out->paint, TINT_WARN), c->heading,
                         jw_paint_off(out->paint, TINT_WARN));
    if (c->said > SCREEN_SKIPPED && !c->cli->common.verbose)
        return;
    jw_text_clean(&clean, path);
    jw_buf_text(&clean, ": ");
    jw_text_clean(&clean, reason);
    jw_output_printf(out, "  %s\n", jw_buf_cstr(&clean));
    jw_buf_free(&clean);
}

static void complained(const struct complaints *c)
{
    if (c->said > SCREEN_SKIPPED && !c->cli->common.verbose)
        jw_output_printf(&c->cli->out, "  and %zu more (--verbose lists all)\n", c->said - SCREEN_SKIPPED);
}

/* Named files are errors on stderr; the others are listed here. */
static void show_skipped(struct cli *cli, const struct scan_view *v)
{
    struct complaints c = { cli, "not read", 0 };

    for (size_t i = 0; i < v->report->n_skipped; i++)
        if (!v->report->skipped[i].named)
            complain(&c, v->report->skipped[i].path, v->report->skipped[i].reason);
    complained(&c);
}

static void show_damaged(struct cli *cli, const struct scan_view *v)
{
    struct complaints c = { cli, "damaged", 0 };

    for (size_t i = 0; i < v->report->n_files; i++)
        for (size_t k = 0; k < v->report->files[i].n_problems; k++)
            complain(&c, v->report->files[i].path, v->report->files[i].problems[k]);
    complained(&c);
}

static void show_nothing(struct cli *cli, const struct scan_view *v)
{
    uint64_t walked = v->report->files_walked, skipped = v->report->n_skipped;
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    char text[160];

    if (v->discovered) {
        (void)snprintf(text, sizeof text,
                       "No CUDA software was found in the %zu places that were searched. Name a file or "
                       "folder: jitwarm scan PATH",
                       v->n_roots);
        jw_help_wrap(&line, text, 0, 0, cli->out.width);
        jw_output_text(&cli->out, jw_buf_cstr(&line));
    } else if (skipped == 0 || walked > skipped) /* and the reason for each unreadable file */
        jw_output_printf(&cli->out, "No CUDA code in %llu file%s.\n", (unsigned long long)(walked - skipped),
                         walked - skipped == 1 ? "" : "s");
    jw_buf_free(&line);
}

static void show_place(struct cli *cli, const char *label, const char *path, const char *why)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&text, path);
    jw_buf_text(&text, " (");
    jw_text_clean(&text, why);
    jw_output_printf(&cli->out, "  %-12s %s)\n", label, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

#define NOT_SEARCHED                                                                                         \
    "Not searched in the home: hidden folders but .venv, .env, .pixi, .conda, .tox and .nox; data, "         \
    "datasets, caches and "                                                                                  \
    "version control; more than 4 levels of folders."

/* Prints each place, how it was found, and what was not searched. */
static void show_places(struct cli *cli, const struct scan_view *v)
{
    struct jw_buf limits = JW_BUF(JW_MAX_LINE);

    jw_output_printf(&cli->out, "\nPlaces:\n");
    for (size_t i = 0; i < v->n_roots; i++)
        show_place(cli, "searched", v->roots[i].path, v->roots[i].how);
    for (size_t i = 0; i < v->n_passed; i++)
        show_place(cli, "not searched", v->passed[i].path, v->passed[i].why);
    jw_buf_text(&limits, "  ");
    jw_help_wrap(&limits,
                 v->everyone ? NOT_SEARCHED
                             : NOT_SEARCHED
                     " Homes of other users (--system searches them, as root or administrator).",
                 2, 2, cli->out.width);
    jw_output_printf(&cli->out, "%s", jw_buf_cstr(&limits));
    jw_buf_free(&limits);
}

static void show_stats(struct cli *cli, const struct scan_view *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_text_bytes(&text, v->report->bytes_read);
    jw_buf_text(&text, " read of ");
    jw_text_bytes(&text, v->report->bytes);
    jw_output_printf(&cli->out, "%zu with CUDA code, %llu looked at in %llu folders; %s; %llu ms\n",
                     v->report->n_files, (unsigned long long)v->report->files_walked,
                     (unsigned long long)v->report->folders_walked, jw_buf_cstr(&text),
                     (unsigned long long)v->report->milliseconds);
    jw_buf_free(&text);
}

bool scan_write_text(struct cli *cli, const struct scan_view *v, struct jw_err *err)
{
    bool full = !v->discovered && (v->report->n_files <= DETAIL_FILES || v->entries);
    bool ok = true;

    if (v->report->n_files == 0)
        show_nothing(cli, v);
    else if (full)
        for (size_t i = 0; i < v->report->n_files; i++)
            show_file(cli, v, &v->report->files[i]);
    else {
        ok = scan_tell_table(cli, v, err);
        show_damaged(cli, v);
    }
    show_skipped(cli, v);
    if (v->discovered && cli->common.verbose)
        show_places(cli, v);
    if (v->stats)
        show_stats(cli, v);
    return ok;
}

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/scan_view.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

enum {
    DETAIL_FILES = 3, /* so many are told in full; more become a table */
    SCREEN_ROWS = 18, /* of a table, unless more is asked for */
    SCREEN_SKIPPED = 5,
    PAGE_WIDTH = 100, /* when the answer does not go to a terminal */
    VERDICT = 8
};

/* One line of the table: a package, or a file without one. */
struct group {
    const char *name, *version;
    bool vendor;
    size_t files;
    uint64_t modules;
    struct jw_scan_verdict *sum; /* one per GPU */
};

struct groups {
    struct group *list;
    size_t n, cap;
};

static size_t width_of(const struct cli *cli)
{
    return cli->answer.columns ? cli->answer.columns : PAGE_WIDTH;
}

static void say_sentence(struct jw_buf *out, const struct scan_view *v, const struct jw_scan_file *f,
                         size_t gpu)
{
    jw_buf_clear(out);
    jw_buf_printf(out, "%s: ", jw_verdict_name(f->verdicts[gpu].verdict));
    scan_say_verdict(out, &f->verdicts[gpu], &v->gpus[gpu], f->rows, f->n_rows, v->driver);
}

/* "jit      NVIDIA H100 (sm_90): all 143 modules ..." wrapped under itself. */
static void tell_verdict(struct cli *cli, const struct jw_scan_verdict *one, const char *gpus,
                         const char *sentence)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE), line = JW_BUF(JW_MAX_LINE);
    const char *word = jw_verdict_name(one->verdict);
    enum jw_tint tint = scan_tint(one);

    jw_buf_printf(&text, "%s: %s", gpus, sentence + strlen(word) + 2);
    jw_help_wrap(&line, jw_buf_cstr(&text), 2 + VERDICT + 1, 2 + VERDICT + 1, width_of(cli));
    jw_answer_printf(&cli->answer, "  %s%-*s%s %s", jw_paint_on(cli->answer.paint, tint), VERDICT, word,
                     jw_paint_off(cli->answer.paint, tint), jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(&text);
}

/* GPUs of which the same is to be said share a sentence, where the first of them stands. */
static void tell_verdicts(struct cli *cli, const struct scan_view *v, const struct jw_scan_file *f)
{
    struct jw_buf first = JW_BUF(JW_MAX_LINE), other = JW_BUF(JW_MAX_LINE), gpus = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < v->n_gpus; i++) {
        bool told = false;

        say_sentence(&first, v, f, i);
        jw_buf_clear(&gpus);
        scan_say_gpu(&gpus, &v->gpus[i]);
        for (size_t k = 0; k < v->n_gpus; k++) {
            if (k == i)
                continue;
            say_sentence(&other, v, f, k);
            if (strcmp(jw_buf_cstr(&first), jw_buf_cstr(&other)) != 0)
                continue;
            told |= k < i;
            jw_buf_text(&gpus, ", ");
            scan_say_gpu(&gpus, &v->gpus[k]);
        }
        if (!told)
            tell_verdict(cli, &f->verdicts[i], jw_buf_cstr(&gpus), jw_buf_cstr(&first));
    }
    jw_buf_free(&first);
    jw_buf_free(&other);
    jw_buf_free(&gpus);
}

static void tell_problems(struct cli *cli, const struct jw_scan_file *f)
{
    for (size_t i = 0; i < f->n_problems; i++) {
        struct jw_buf clean = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&clean, f->problems[i]);
        jw_answer_printf(&cli->answer, "  %sdamaged%s  %s\n", jw_paint_on(cli->answer.paint, TINT_BAD),
                         jw_paint_off(cli->answer.paint, TINT_BAD), jw_buf_cstr(&clean));
        jw_buf_free(&clean);
    }
    if (f->more_problems)
        jw_answer_printf(&cli->answer, "           and %zu more places like these\n", f->more_problems);
}

static void tell_holdings(struct cli *cli, const struct jw_scan_file *f)
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
    jw_help_wrap(&line, jw_buf_cstr(&text), 2, 2, width_of(cli));
    jw_answer_text(&cli->answer, jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(&text);
}

/* Text out of a file, which must not move the cursor. */
static void say_clean(struct jw_buf *out, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    jw_buf_text(out, before);
    jw_text_clean(out, text);
}

static void tell_entry(struct cli *cli, const struct jw_scan_entry *e)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&line, "    0x%-10llx %-4s %-12s %u.%-3u %-9s %10llu -> %llu", (unsigned long long)e->at,
                  e->kind, e->arch, e->major, e->minor, e->compression, (unsigned long long)e->stored,
                  (unsigned long long)e->plain);
    say_clean(&line, "  ", e->identifier);
    say_clean(&line, "  options: ", e->options);
    jw_answer_printf(&cli->answer, "%s\n", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

static void tell_modules(struct cli *cli, const struct jw_scan_file *f)
{
    for (size_t i = 0; i < f->n_modules; i++) {
        const struct jw_scan_module *m = &f->modules[i];
        struct jw_buf line = JW_BUF(JW_MAX_LINE);

        jw_buf_printf(&line, "  module %zu at 0x%llx, %llu bytes, %s", i, (unsigned long long)m->at,
                      (unsigned long long)m->size, m->role);
        say_clean(&line, ", section ", m->section);
        say_clean(&line, ", member ", m->member);
        jw_answer_printf(&cli->answer, "%s\n", jw_buf_cstr(&line));
        jw_buf_free(&line);
        for (size_t k = 0; k < m->n; k++)
            tell_entry(cli, &m->entries[k]);
        if (m->doubt)
            jw_answer_printf(&cli->answer, "    an entry %s; it will not be given to a driver\n", m->doubt);
    }
}

static void tell_path(struct cli *cli, const char *path)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, path);
    jw_answer_printf(&cli->answer, "%s%s%s\n", jw_paint_on(cli->answer.paint, TINT_STRONG),
                     jw_buf_cstr(&clean), jw_paint_off(cli->answer.paint, TINT_STRONG));
    jw_buf_free(&clean);
}

static void tell_file(struct cli *cli, const struct scan_view *v, const struct jw_scan_file *f)
{
    tell_path(cli, f->path);
    if (strcmp(f->format, "none") == 0)
        jw_answer_text(&cli->answer, f->size ? "  no format that can hold CUDA code\n" : "  empty\n");
    else
        tell_holdings(cli, f);
    tell_problems(cli, f);
    if (f->containers || f->lazy_containers || f->rdc_containers)
        tell_verdicts(cli, v, f);
    if (f->extracted)
        jw_answer_printf(&cli->answer, "  %llu payloads written\n", (unsigned long long)f->extracted);
    if (v->entries)
        tell_modules(cli, f);
    jw_answer_text(&cli->answer, "\n");
}

/* The verdict of several files together: the first that applies to any of them. */
static void add_verdict(struct jw_scan_verdict *sum, const struct jw_scan_verdict *one, bool first)
{
    if (first || one->verdict < sum->verdict)
        sum->verdict = one->verdict;
    sum->native += one->native;
    sum->jit += one->jit;
    sum->blocked += one->blocked;
    sum->none += one->none;
    sum->rdc += one->rdc;
    sum->lazy_jit += one->lazy_jit;
    sum->jit_ptx_bytes += one->jit_ptx_bytes;
    sum->lazy_ptx_bytes += one->lazy_ptx_bytes;
    if (one->needs_driver && (!sum->needs_driver || strcmp(one->needs_driver, sum->needs_driver) > 0))
        sum->needs_driver = one->needs_driver;
}

static bool same_group(const struct group *g, const struct jw_package *p)
{
    const char *a = g->version ? g->version : "", *b = p->version ? p->version : "";

    return strcmp(g->name, p->name) == 0 && strcmp(a, b) == 0 && g->vendor == p->vendor;
}

static struct group *group_for(struct groups *all, const struct jw_package *p, size_t n_gpus,
                               struct jw_arena *a, struct jw_err *err)
{
    for (size_t i = 0; i < all->n; i++)
        if (same_group(&all->list[i], p))
            return &all->list[i];
    if (!jw_grow(&all->list, sizeof *all->list, all->n, &all->cap, 1 << 20, err))
        return NULL;
    struct group *g = &all->list[all->n];

    *g = (struct group){ .name = p->name, .version = p->version, .vendor = p->vendor };
    g->sum = jw_arena_alloc(a, n_gpus * sizeof *g->sum);
    if (!g->sum) {
        (void)jw_nomem(err, n_gpus * sizeof *g->sum);
        return NULL;
    }
    all->n++;
    return g;
}

/* A file of NVIDIA's inside somebody's package is told with NVIDIA's own, whose code is never the user's problem. */
static struct jw_package owner_of(const struct scan_view *v, size_t i)
{
    const struct jw_scan_file *f = &v->report->files[i];
    struct jw_package p = v->discovered ? v->owners[i] : (struct jw_package){ .name = f->path };

    p.vendor = v->owners[i].vendor || jw_vendor_file(jw_path_base(f->path));
    if (p.vendor && v->discovered)
        p = (struct jw_package){ .name = "NVIDIA's own libraries", .vendor = true };
    return p;
}

static bool gather(const struct scan_view *v, struct groups *all, struct jw_arena *a, struct jw_err *err)
{
    for (size_t i = 0; i < v->report->n_files; i++) {
        const struct jw_scan_file *f = &v->report->files[i];
        struct jw_package p = owner_of(v, i);
        struct group *g = group_for(all, &p, v->n_gpus, a, err);

        if (!g)
            return false;
        for (size_t k = 0; k < v->n_gpus; k++)
            add_verdict(&g->sum[k], &f->verdicts[k], g->files == 0);
        g->files++;
        g->modules += f->containers;
    }
    return true;
}

/* How early a line is told: what fails, what waits, what the user cannot change. */
static unsigned rank(const struct jw_scan_verdict *v)
{
    if (jw_scan_unusable(v))
        return 2;
    switch (v->verdict) {
    case JW_VERDICT_BLOCKED: return 0;
    case JW_VERDICT_JIT: return 1;
    case JW_VERDICT_NONE: return 6;
    case JW_VERDICT_LAZY: return 3;
    case JW_VERDICT_NATIVE: return 4;
    default: return 5;
    }
}

static unsigned worst(const struct group *g, size_t n_gpus)
{
    unsigned first = 9;

    for (size_t i = 0; i < n_gpus; i++)
        if (rank(&g->sum[i]) < first)
            first = rank(&g->sum[i]);
    return first;
}

struct ranked {
    const struct group *g;
    unsigned worst;
    uint64_t bytes;
};

static int by_worst(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->g->vendor != y->g->vendor)
        return x->g->vendor ? 1 : -1;
    if (x->worst != y->worst)
        return x->worst < y->worst ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->g->name, y->g->name);
}

static void cell_verdict(struct jw_table *t, const struct jw_scan_verdict *v, bool with_bytes)
{
    struct jw_buf text = JW_BUF(64);

    jw_buf_text(&text, jw_scan_harmless(v) ? "-" : jw_verdict_name(v->verdict));
    if (with_bytes && v->jit_ptx_bytes) {
        jw_buf_text(&text, ", ");
        jw_text_bytes(&text, v->jit_ptx_bytes);
        jw_buf_text(&text, " of PTX");
    }
    jw_table_cell(t, scan_tint(v), jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void row(struct jw_table *t, const struct scan_view *v, const struct group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "%s%s%s", g->name, g->version ? " " : "", g->version ? g->version : "");
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
    if (v->discovered)
        jw_table_cellf(t, TINT_NONE, "%zu", g->files);
    jw_buf_clear(&text);
    jw_text_count(&text, g->modules);
    jw_table_cell(t, TINT_NONE, jw_buf_cstr(&text));
    for (size_t i = 0; i < v->n_gpus; i++)
        cell_verdict(t, &g->sum[i], v->n_gpus == 1);
    jw_buf_free(&text);
}

static struct jw_column *columns_for(const struct scan_view *v, size_t *n, struct jw_arena *a)
{
    struct jw_column *c = jw_arena_alloc(a, (3 + v->n_gpus) * sizeof *c);

    if (!c)
        return NULL;
    *n = 0;
    c[(*n)++] =
        (struct jw_column){ v->discovered ? "PACKAGE" : "FILE", v->discovered ? COLUMN_TEXT : COLUMN_PATH };
    if (v->discovered)
        c[(*n)++] = (struct jw_column){ "FILES", COLUMN_RIGHT };
    c[(*n)++] = (struct jw_column){ "MODULES", COLUMN_RIGHT };
    for (size_t i = 0; i < v->n_gpus; i++) {
        char title[16];

        (void)snprintf(title, sizeof title, "sm_%u", v->gpus[i].sm);
        c[(*n)++] = (struct jw_column){ jw_arena_str(a, title), COLUMN_LEFT };
        if (!c[*n - 1].title)
            return NULL;
    }
    return c;
}

static bool tell_table(struct cli *cli, const struct scan_view *v, const struct groups *all,
                       struct jw_arena *a, struct jw_err *err)
{
    size_t n_columns, shown;
    struct jw_column *columns = columns_for(v, &n_columns, a);
    struct ranked *order = jw_arena_alloc(a, all->n * sizeof *order);
    struct jw_table t;

    if (!columns || !order)
        return jw_nomem(err, all->n * sizeof *order);
    for (size_t i = 0; i < all->n; i++) {
        order[i] = (struct ranked){ .g = &all->list[i], .worst = worst(&all->list[i], v->n_gpus) };
        for (size_t k = 0; k < v->n_gpus; k++)
            order[i].bytes += all->list[i].sum[k].jit_ptx_bytes;
    }
    qsort(order, all->n, sizeof *order, by_worst);
    shown = cli->common.verbose || all->n <= SCREEN_ROWS ? all->n : SCREEN_ROWS;
    jw_table_begin(&t, a, columns, n_columns);
    for (size_t i = 0; i < shown; i++)
        row(&t, v, order[i].g);
    if (!jw_table_print(&t, cli->answer.paint, cli->answer.columns, jw_answer_sink(&cli->answer), err))
        return false;
    if (shown < all->n)
        jw_answer_printf(&cli->answer, "and %zu more %s (--verbose lists all)\n", all->n - shown,
                         v->discovered ? "packages" : "files");
    jw_answer_text(&cli->answer, "\n");
    return true;
}

static void say_packages(struct jw_buf *out, uint64_t n, bool packages)
{
    jw_text_count(out, n);
    jw_buf_printf(out, " %s%s", packages ? "package" : "file", n == 1 ? "" : "s");
}

/* "NVIDIA H100 (sm_90): 2 of 5 packages must be compiled at the first start: 526 MB of PTX, ..." */
static void tell_summary(struct cli *cli, const struct scan_view *v, const struct groups *all, size_t gpu)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE), line = JW_BUF(JW_MAX_LINE);
    uint64_t total = 0, jit = 0, blocked = 0, none = 0, bytes = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct group *g = &all->list[i];
        const struct jw_scan_verdict *one = &g->sum[gpu];

        if (g->vendor && v->discovered)
            continue;
        total++;
        jit += one->verdict == JW_VERDICT_JIT;
        blocked += one->verdict == JW_VERDICT_BLOCKED;
        none += jw_scan_unusable(one);
        bytes += one->jit_ptx_bytes;
    }
    scan_say_gpu(&text, &v->gpus[gpu]);
    jw_buf_text(&text, ": ");
    if (blocked) {
        say_packages(&text, blocked, v->discovered);
        jw_buf_printf(&text, " cannot be loaded by driver %s; ", v->driver);
    }
    if (jit) {
        say_packages(&text, jit, v->discovered);
        jw_buf_printf(&text, " of %llu must be compiled before the first start: ", (unsigned long long)total);
        scan_say_cost(&text, bytes);
        jw_buf_text(&text, "; ");
    }
    if (none) {
        say_packages(&text, none, v->discovered);
        jw_buf_text(&text, none == 1 ? " has no code for it; " : " have no code for it; ");
    }
    if (!jit && !blocked && !none)
        jw_buf_text(&text, "nothing has to be compiled");
    else
        text.n -= 2; /* the last "; " */
    jw_help_wrap(&line, jw_buf_cstr(&text), 0, 2, width_of(cli));
    jw_answer_text(&cli->answer, jw_buf_cstr(&line));
    jw_buf_free(&line);
    jw_buf_free(&text);
}

/* "PATH: REASON" under a heading; at most a few unless more is asked for. */
struct complaints {
    struct cli *cli;
    const char *heading;
    size_t said;
};

static void complain(struct complaints *c, const char *path, const char *reason)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);
    struct jw_answer *out = &c->cli->answer;

    if (c->said++ == 0)
        jw_answer_printf(out, "%s%s:%s\n", jw_paint_on(out->paint, TINT_WARN), c->heading,
                         jw_paint_off(out->paint, TINT_WARN));
    if (c->said > SCREEN_SKIPPED && !c->cli->common.verbose)
        return;
    jw_text_clean(&clean, path);
    jw_buf_text(&clean, ": ");
    jw_text_clean(&clean, reason);
    jw_answer_printf(out, "  %s\n", jw_buf_cstr(&clean));
    jw_buf_free(&clean);
}

static void complained(const struct complaints *c)
{
    if (c->said > SCREEN_SKIPPED && !c->cli->common.verbose)
        jw_answer_printf(&c->cli->answer, "  and %zu more (--verbose lists all)\n", c->said - SCREEN_SKIPPED);
}

/* What was named is an error on stderr; the rest is told here. */
static void tell_skipped(struct cli *cli, const struct scan_view *v)
{
    struct complaints c = { cli, "not read", 0 };

    for (size_t i = 0; i < v->report->n_skipped; i++)
        if (!v->report->skipped[i].named)
            complain(&c, v->report->skipped[i].path, v->report->skipped[i].reason);
    complained(&c);
}

static void tell_damaged(struct cli *cli, const struct scan_view *v)
{
    struct complaints c = { cli, "damaged", 0 };

    for (size_t i = 0; i < v->report->n_files; i++)
        for (size_t k = 0; k < v->report->files[i].n_problems; k++)
            complain(&c, v->report->files[i].path, v->report->files[i].problems[k]);
    complained(&c);
}

static void tell_nothing(struct cli *cli, const struct scan_view *v)
{
    if (v->discovered)
        jw_answer_printf(
            &cli->answer,
            "No CUDA software was found in the %zu places that were searched. Name a file or folder: "
            "jitwarm scan PATH\n",
            v->n_roots);
    else if (v->report->n_skipped == 0)
        jw_answer_printf(&cli->answer, "No CUDA code in %llu files.\n",
                         (unsigned long long)v->report->files_walked);
}

static void tell_stats(struct cli *cli, const struct scan_view *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_text_bytes(&text, v->report->bytes_read);
    jw_buf_text(&text, " read of ");
    jw_text_bytes(&text, v->report->bytes);
    jw_answer_printf(&cli->answer, "%zu told, %llu looked at in %llu folders; %s; %llu ms\n",
                     v->report->n_files, (unsigned long long)v->report->files_walked,
                     (unsigned long long)v->report->folders_walked, jw_buf_cstr(&text),
                     (unsigned long long)v->report->milliseconds);
    jw_buf_free(&text);
}

bool scan_write_text(struct cli *cli, const struct scan_view *v, struct jw_err *err)
{
    struct groups all = { 0 };
    bool full = !v->discovered && (v->report->n_files <= DETAIL_FILES || v->entries);
    bool ok = true;

    if (v->report->n_files == 0)
        tell_nothing(cli, v);
    else if (full)
        for (size_t i = 0; i < v->report->n_files; i++)
            tell_file(cli, v, &v->report->files[i]);
    else {
        ok = gather(v, &all, cli->arena, err) && tell_table(cli, v, &all, cli->arena, err);
        for (size_t i = 0; ok && i < v->n_gpus; i++)
            tell_summary(cli, v, &all, i);
        tell_damaged(cli, v);
    }
    tell_skipped(cli, v);
    if (v->stats)
        tell_stats(cli, v);
    jw_free(all.list);
    return ok;
}

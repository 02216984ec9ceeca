/* Prints many files as a table, with a line per package or file and a sentence per GPU. */
#include "verbs/scan.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "cli/table.h"
#include "facts/compile_time.h"

#include <stdio.h>
#include <string.h>

enum {
    SCREEN_ROWS = 15, /* unless more is asked for */
    FIXED = 48,       /* columns for a recognisable name, and for the counts */
    PER_GPU = 9
};

/* One line of the table: a package, or a file without one. */
struct group {
    const char *name, *version;
    enum jw_code_of of;
    size_t files;
    uint64_t modules;
    struct jw_scan_verdict *sum; /* one per GPU */
};

static bool is_users(const struct group *g)
{
    return g->of == JW_CODE_OF_USERS;
}

struct groups {
    struct group *list;
    size_t n, cap;
};

/* The verdict of several files together: the first that applies to any of them. */
static void add_verdict(struct jw_scan_verdict *sum, const struct jw_scan_verdict *one, bool first)
{
    if (first || one->verdict < sum->verdict)
        sum->verdict = one->verdict;
    sum->native += one->native;
    sum->jit += one->jit;
    sum->warm += one->warm;
    sum->blocked += one->blocked;
    sum->none += one->beside ? 0 : one->none;
    sum->unknown += one->unknown;
    sum->links += one->links;
    sum->inputs += one->links ? one->inputs : 0;
    sum->inputs_native += one->inputs_native;
    sum->inputs_missing += one->links ? one->inputs_missing : 0;
    sum->inputs_lto += one->inputs_lto;
    sum->mostly_none |= one->mostly_none && !one->beside;
    sum->beside = one->beside && (first || sum->beside);
    sum->rdc += one->rdc;
    sum->lazy_native += one->lazy_native;
    sum->lazy_jit += one->lazy_jit;
    sum->lazy_none += one->lazy_none;
    sum->jit_ptx_bytes += one->jit_ptx_bytes;
    sum->lazy_ptx_bytes += one->lazy_ptx_bytes;
    if (one->isa_major > sum->isa_major
        || (one->isa_major == sum->isa_major && one->isa_minor > sum->isa_minor)) {
        sum->isa_major = one->isa_major;
        sum->isa_minor = one->isa_minor;
    }
    if (one->needs_driver && (!sum->needs_driver || strcmp(one->needs_driver, sum->needs_driver) > 0))
        sum->needs_driver = one->needs_driver;
}

static bool same_group(const struct group *g, const struct jw_package *p, enum jw_code_of of)
{
    const char *a = g->version ? g->version : "", *b = p->version ? p->version : "";

    return strcmp(g->name, p->name) == 0 && strcmp(a, b) == 0 && g->of == of;
}

static struct group *group_for(struct groups *all, const struct jw_package *p, enum jw_code_of of,
                               size_t n_gpus, struct jw_arena *a, struct jw_err *err)
{
    for (size_t i = 0; i < all->n; i++)
        if (same_group(&all->list[i], p, of))
            return &all->list[i];
    if (!jw_grow(&all->list, sizeof *all->list, all->n, &all->cap, 1 << 20, err))
        return NULL;
    struct group *g = &all->list[all->n];

    *g = (struct group){ .name = p->name, .version = p->version, .of = of };
    g->sum = jw_arena_alloc(a, n_gpus * sizeof *g->sum);
    all->n++;
    return g;
}

/* NVIDIA's files inside another package belong to NVIDIA's line, because users cannot change them. */
static struct jw_package line_of(const struct scan_view *v, size_t i)
{
    static const char *const names[] = { [JW_CODE_OF_NVIDIA] = "NVIDIA's own libraries",
                                         [JW_CODE_OF_TOOLS] = "NVIDIA's driver and compilers",
                                         [JW_CODE_OF_TESTS] = "files of packages' own tests" };

    if (!v->discovered)
        return (struct jw_package){ .name = v->report.files[i].path };
    return v->of[i] == JW_CODE_OF_USERS ? v->owners[i] : (struct jw_package){ .name = names[v->of[i]] };
}

static bool gather_groups(const struct scan_view *v, struct groups *all, struct jw_arena *a,
                          struct jw_err *err)
{
    for (size_t i = 0; i < v->report.n_files; i++) {
        const struct jw_scan_file *f = &v->report.files[i];
        struct jw_package p = line_of(v, i);
        struct group *g = group_for(all, &p, v->of[i], v->n_gpus, a, err);

        if (!g)
            return false;
        for (size_t k = 0; k < v->n_gpus; k++)
            add_verdict(&g->sum[k], &f->verdicts[k], g->files == 0);
        g->files++;
        g->modules += f->containers;
    }
    return true;
}

/* The order of lines: failures, then compiling, then what the user cannot change. */
static unsigned verdict_rank(const struct jw_scan_verdict *v)
{
    if (jw_scan_unusable(v))
        return 2;
    switch (v->verdict) {
    case JW_VERDICT_BLOCKED: return 0;
    case JW_VERDICT_LINKS:
    case JW_VERDICT_UNKNOWN:
    case JW_VERDICT_JIT: return 1;
    case JW_VERDICT_NONE: return 7;
    case JW_VERDICT_LAZY: return 3;
    case JW_VERDICT_WARM: return 4;
    case JW_VERDICT_NATIVE: return 5;
    default: return 6;
    }
}

static unsigned worst(const struct group *g, size_t n_gpus)
{
    unsigned first = 9;

    for (size_t i = 0; i < n_gpus; i++)
        if (verdict_rank(&g->sum[i]) < first)
            first = verdict_rank(&g->sum[i]);
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

    if (is_users(x->g) != is_users(y->g))
        return is_users(x->g) ? -1 : 1;
    if (x->worst != y->worst)
        return x->worst < y->worst ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->g->name, y->g->name);
}

/* Of a package of which one file cannot run, that counts. */
static const char *word_of(const struct group *g, size_t gpu)
{
    const struct jw_scan_verdict *v = &g->sum[gpu];

    return g->of == JW_CODE_OF_TOOLS || jw_scan_harmless(v) ? "-"
           : v->mostly_none                                 ? jw_verdict_names[JW_VERDICT_NONE]
                                                            : jw_verdict_names[v->verdict];
}

static void cell_verdict(struct jw_table *t, const struct group *g, size_t gpu, bool with_bytes)
{
    const struct jw_scan_verdict *v = &g->sum[gpu];
    struct jw_buf text = JW_BUF(64);

    with_bytes &= g->of != JW_CODE_OF_TOOLS;
    jw_say(&text, "%s", word_of(g, gpu));
    if (with_bytes && v->mostly_none)
        jw_say(&text, ", code for %s of %s", JW_NUM(jw_scan_can_run(v)),
               JW_NUM(jw_scan_can_run(v) + v->none));
    if (with_bytes && v->jit_ptx_bytes)
        jw_say(&text, ", %s of PTX", JW_SIZE(v->jit_ptx_bytes));
    if (with_bytes && v->jit && v->warm)
        jw_say(&text, ", %s of %s warm", JW_NUM(v->warm), JW_NUM(v->warm + v->jit));
    jw_table_cell(t, is_users(g) ? scan_tint(v) : TINT_FAINT, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* One column per GPU, or one for all GPUs if they do not fit. */
static bool one_column(const struct jw_page *p, const struct scan_view *v)
{
    return v->n_gpus > 8 || (p->columns && FIXED + v->n_gpus * PER_GPU > p->columns);
}

/* "jit 90-120; native 61-89": ranges of GPUs with the same verdict, the most urgent first. */
static void cell_all(struct jw_table *t, const struct scan_view *v, const struct group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    unsigned worst_rank = 9;

    for (unsigned r = 0; r < 9; r++) {
        bool any = false;

        for (size_t i = 0, next; i < v->n_gpus; i = next) {
            for (next = i + 1; next < v->n_gpus && verdict_rank(&g->sum[next]) == verdict_rank(&g->sum[i]);
                 next++)
                continue;
            if (verdict_rank(&g->sum[i]) != r)
                continue;
            if (!any)
                jw_buf_printf(&text, "%s%s", text.n ? "; " : "", word_of(g, i));
            any = true;
            jw_buf_printf(&text, " %u", v->gpus[i].sm);
            if (next - i > 1)
                jw_buf_printf(&text, "-%u", v->gpus[next - 1].sm);
            worst_rank = r < worst_rank ? r : worst_rank;
        }
    }
    jw_table_cell(t,
                  !is_users(g)                         ? TINT_FAINT
                  : worst_rank == 0 || worst_rank == 2 ? TINT_BAD
                  : worst_rank == 1                    ? TINT_WARN
                                                       : TINT_NONE,
                  jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void row(struct jw_table *t, const struct scan_view *v, const struct group *g, bool together)
{
    jw_table_cellf(t, TINT_NONE, "%s%s%s", g->name, g->version ? " " : "", g->version ? g->version : "");
    if (v->discovered)
        jw_table_cellf(t, TINT_NONE, "%zu", g->files);
    jw_table_cell(t, TINT_NONE, JW_NUM(g->modules));
    if (together)
        cell_all(t, v, g);
    else
        for (size_t i = 0; i < v->n_gpus; i++)
            cell_verdict(t, g, i, v->n_gpus == 1);
}

static struct jw_column *columns_for(const struct scan_view *v, bool together, size_t *n, struct jw_arena *a)
{
    struct jw_column *c = jw_arena_alloc(a, (3 + v->n_gpus) * sizeof *c);

    *n = 0;
    c[(*n)++] =
        (struct jw_column){ v->discovered ? "PACKAGE" : "FILE", v->discovered ? COLUMN_TEXT : COLUMN_PATH };
    if (v->discovered)
        c[(*n)++] = (struct jw_column){ "FILES", COLUMN_RIGHT };
    c[(*n)++] = (struct jw_column){ "MODULES", COLUMN_RIGHT };
    if (together)
        c[(*n)++] = (struct jw_column){ "VERDICT BY sm_", COLUMN_LEFT };
    for (size_t i = 0; !together && i < v->n_gpus; i++) {
        char title[16];

        (void)snprintf(title, sizeof title, "sm_%u", v->gpus[i].sm);
        c[(*n)++] = (struct jw_column){ jw_arena_str(a, title), COLUMN_LEFT };
    }
    return c;
}

static void show_groups(struct jw_page *p, const struct scan_view *v, const struct groups *all)
{
    struct jw_arena *a = p->arena;
    size_t n_columns, shown;
    bool together = one_column(p, v);
    struct jw_column *columns = columns_for(v, together, &n_columns, a);
    struct ranked *order = jw_arena_alloc(a, all->n * sizeof *order);
    struct jw_table t;
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++) {
        if (all->list[i].of == JW_CODE_OF_TOOLS && v->discovered && all->n > 1 && !p->verbose)
            continue; /* of no use to programs */
        order[n] = (struct ranked){ .g = &all->list[i], .worst = worst(&all->list[i], v->n_gpus) };
        for (size_t k = 0; k < v->n_gpus; k++)
            order[n].bytes += all->list[i].sum[k].jit_ptx_bytes;
        n++;
    }
    jw_sort(order, n, sizeof *order, by_worst);
    shown = p->verbose || n <= SCREEN_ROWS ? n : SCREEN_ROWS;
    jw_table_begin(&t, a, columns, n_columns);
    for (size_t i = 0; i < shown; i++)
        row(&t, v, order[i].g, together);
    jw_page_table(p, &t);
    jw_page_more(p, NULL, shown, n, v->discovered ? "more package" : "more file",
                 v->discovered ? "more packages" : "more files");
    jw_page_put(p, "\n");
}

struct summary {
    struct jw_page *page;
    const struct scan_view *v;
    const struct groups *all;
};

/* Counts packages, and those with a problem on one GPU. */
struct counts {
    uint64_t total, jit, warm, blocked, none, beside, unknown, links;
    struct jw_compile_cost cost;
};

static struct counts count_for(const struct summary *s, size_t gpu)
{
    struct counts c = { 0 };

    for (size_t i = 0; i < s->all->n; i++) {
        const struct group *g = &s->all->list[i];
        const struct jw_scan_verdict *one = &g->sum[gpu];

        if (!is_users(g))
            continue;
        c.total++;
        c.jit += one->verdict != JW_VERDICT_BLOCKED && one->jit;
        c.warm += one->verdict == JW_VERDICT_WARM
                  || (one->verdict == JW_VERDICT_LINKS && !one->jit && !one->inputs_lto && !one->unknown);
        c.links += one->verdict == JW_VERDICT_LINKS;
        c.blocked += one->verdict == JW_VERDICT_BLOCKED;
        c.none += jw_scan_unusable(one);
        c.beside += one->beside && jw_scan_harmless(one);
        c.unknown += one->unknown != 0;
        c.cost.modules += one->jit;
        c.cost.ptx_bytes += one->jit_ptx_bytes;
        c.cost.lazy |= one->jit && jw_isa_is_lazy(one->isa_major, one->isa_minor);
    }
    return c;
}

/* Of NVIDIA's own libraries, or of packages' own tests: the modules that are compiled when a program uses them, and their PTX; *unusable: a
 * file has no code for the GPU. */
static struct jw_compile_cost cost_of(const struct summary *s, enum jw_code_of of, size_t gpu, bool *unusable)
{
    struct jw_compile_cost cost = { 0 };

    *unusable = false;
    for (size_t i = 0; i < s->all->n; i++) {
        const struct jw_scan_verdict *one = &s->all->list[i].sum[gpu];

        if (s->all->list[i].of != of)
            continue;
        cost.modules += one->jit;
        cost.ptx_bytes += one->jit_ptx_bytes;
        *unusable |= !one->jit && jw_scan_unusable(one);
    }
    return cost;
}

/* What does not count: says what the driver does there, and when. */
static void say_others(struct jw_buf *out, const struct summary *s, size_t gpu)
{
    bool unusable, none;
    const struct jw_compile_cost vendor = cost_of(s, JW_CODE_OF_NVIDIA, gpu, &unusable),
                                 tests = cost_of(s, JW_CODE_OF_TESTS, gpu, &none);

    if (vendor.modules)
        jw_say(out,
               "%s of NVIDIA's own libraries %s compiled when a program uses %s (%s of PTX; prime --all "
               "compiles %s now); ",
               JW_N(vendor.modules, "module", "modules"), vendor.modules == 1 ? "is" : "are",
               vendor.modules == 1 ? "it" : "them", JW_SIZE(vendor.ptx_bytes),
               vendor.modules == 1 ? "it" : "them");
    else if (unusable)
        jw_say(out, "NVIDIA's own libraries here have no code for it: a program that uses them needs "
                    "those of another CUDA version; ");
    if (tests.modules && !s->v->discovered) /* else their line says it */
        jw_say(out, "%s of packages' own tests %s not counted; ", JW_N(tests.modules, "module", "modules"),
               tests.modules == 1 ? "is" : "are");
}

/* "2 packages of 5 must be compiled at the first start: 526 MiB of PTX, ..." */
static void say_summary(struct jw_buf *out, size_t gpu, void *ctx)
{
    const struct summary *s = ctx;
    struct counts c = count_for(s, gpu);
    bool packages = s->v->discovered;
    const char *one = packages ? "package" : "file", *many = packages ? "packages" : "files";

    if (c.blocked)
        jw_say(out, "%s cannot be loaded by driver %s; ", JW_N(c.blocked, one, many), s->v->known.driver);
    if (c.jit)
        jw_say(out, "%s of %llu must be compiled at the first start: %s; ", JW_N(c.jit, one, many),
               (unsigned long long)c.total,
               jw_compile_cost_words(&s->v->known, s->v->gpus[gpu].sm, &c.cost).text);
    if (c.links)
        jw_say(out, "the driver links %s at each start; ", JW_N(c.links, one, many));
    if (c.none)
        jw_say(out, "%s %s no code for it; ", JW_N(c.none, one, many), c.none == 1 ? "has" : "have");
    if (c.beside)
        jw_say(out, "%s %s for other GPUs, beside one for it; ", JW_N(c.beside, one, many),
               c.beside == 1 ? "is" : "are");
    if (c.unknown)
        jw_say(out, "%s code of a form that this jitwarm does not know; ",
               c.unknown == 1 ? JW_PHRASE("1 %s has", one)
                              : JW_PHRASE("%s %s have", JW_NUM(c.unknown), many));
    if (!c.blocked && !c.jit && !c.none && !c.unknown)
        jw_say(out, "nothing has to be compiled; ");
    if (c.warm)
        jw_say(out, "%s %s warm; ", JW_N(c.warm, one, many), c.warm == 1 ? "is" : "are");
    say_others(out, s, gpu);
    out->n -= out->bad ? 0 : strlen("; ");
}

static void show_summary(const char *gpus, const char *sentence, size_t first, void *ctx)
{
    const struct summary *s = ctx;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    (void)first;
    jw_buf_printf(&text, "%s: %s", gpus, sentence);
    jw_page_hanging(s->page, 2, &text);
}

void scan_show_table(struct jw_page *p, const struct scan_view *v)
{
    struct groups all = { 0 };

    if (!p->bad)
        p->bad = !gather_groups(v, &all, p->arena, p->err);
    if (!p->bad) {
        show_groups(p, v, &all);
        scan_share_sentences(
            v, &(struct scan_sentences){ say_summary, show_summary, &(struct summary){ p, v, &all } });
    }
    jw_free(all.list);
}

/* scan: which GPUs the CUDA code in files runs on. */
#include "jitwarm/scan.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/memory/state.h"
#include "cache/place/cachedir.h"
#include "cache/place/listing.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "cli/table.h"
#include "doctor/package_advice.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "machine/config.h"
#include "machine/gpus.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "prime/facts.h"
#include "prime/memory/next_step.h"
#include "session/blocker.h"
#include "session/lines.h"
#include "software/fetch/fetch.h"
#include "software/fetch/requirement.h"
#include "software/find/discover.h"
#include "software/find/run_time.h"
#include "software/find/vendor.h"
#include "software/scan/verdict_groups.h"
#include "software/scan/verdict_words.h"

#include <stdio.h>
#include <string.h>

struct scan_args {
    struct jw_texts paths, gpus, exclude;
    const char *driver;
    bool entries, deep, check, system, yes;
    unsigned os; /* a word of its choices */
};

enum { OS_HERE, OS_LINUX, OS_WINDOWS };

static const struct opt scan_opts[] = {
    { "gpu", 0, OPT_LIST, offsetof(struct scan_args, gpus), "GPU",
      "say what this GPU would do: sm_86, 8.6, 10de:2484, \"RTX 3070\", its number here, all or known; "
      "several with commas, or repeated (default: the GPUs of this machine, else all)",
      NULL, HINT_GPUS },
    { "driver", 0, OPT_TEXT, offsetof(struct scan_args, driver), "VERSION",
      "say what this driver would do: 580.126.09, 590, or a CUDA version such as 13.0 (default: this "
      "machine's, for its own GPUs)",
      NULL, HINT_NONE },
    { "entries", 0, OPT_FLAG, offsetof(struct scan_args, entries), NULL,
      "list every module and what it holds", NULL, HINT_NONE },
    { "deep", 0, OPT_FLAG, offsetof(struct scan_args, deep), NULL,
      "search every byte, for code outside of the usual sections", NULL, HINT_NONE },
    { "exclude", 0, OPT_LIST, offsetof(struct scan_args, exclude), "PATTERN",
      "skip files and folders with this name (* and ? as in a shell); may be repeated", NULL, HINT_NONE },
    { "system", 0, OPT_FLAG, offsetof(struct scan_args, system), NULL,
      "without PATH, as root: search the homes of all users, too", NULL, HINT_NONE },
    { "os", 0, OPT_CHOICE, offsetof(struct scan_args, os), "SYSTEM",
      "of a package, fetch the wheel for linux or windows (default: this system's)", "- linux windows",
      HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct scan_args, yes), NULL,
      "send names and fetch packages without asking", NULL, HINT_NONE },
    { "check", 0, OPT_FLAG, offsetof(struct scan_args, check), NULL,
      "exit with 1 unless all that was found runs natively or is warm here", NULL, HINT_NONE },
    { 0 },
};

/* ---- the findings ---- */

/* Does the next start compile nothing, and does all code run? Code that is loaded on demand or linked does not count. */
enum scan_check { SCAN_NOT_CHECKED, SCAN_PASSED, SCAN_FAILED, SCAN_NO_CODE };

struct scan_view {
    struct jw_scan_report report;
    enum scan_check check;
    struct jw_gpu *gpus;
    size_t n_gpus;
    struct jw_verdict_known known;
    struct jw_discovery discovery;     /* without PATH: the roots, and what was skipped */
    const struct jw_package *owners;   /* one per file of the report */
    const enum jw_code_of *of;         /* one per file: the kind of its owner */
    struct jw_notes run_time;          /* packages that compile while they run, and show no code */
    bool discovered, entries;          /* discovered: without PATH */
    bool everyone;                     /* the homes of all users were searched */
    const struct jw_fetched *packages; /* that were asked for by name */
    size_t n_packages;
    /* the place where packages that could not be fetched here can be, and the command; NULL: all were */
    const char *elsewhere;
    bool for_windows; /* the system that they were fetched for */
    /* why programs of this environment compile at each start: a sentence; NULL: they need not */
    const char *ignored;
    uint64_t limit;   /* of the cache, where a variable sets one; 0: none does */
    const char *todo; /* a command; NULL: nothing is to be done here */
};

/* ---- the report ---- */

#define T struct whole
#define F struct file_row
#define C struct gpu_verdict
#define R struct jw_scan_row
#define E struct jw_scan_entry
#define M struct jw_scan_module
#define G struct jw_gpu
#define KINDS "^(ptx|elf|nvvm|other)$"
#define ARCHS "^(compute|sm|lto)_[0-9]{1,3}[af]?$"
#define PACKED "^(none|zlib|lz4|lz4-frame|zstd|unknown)$"
#define NUMBERS "^[0-9]+\\.[0-9]+$"

struct gpu_verdict {
    uint16_t sm;
    uint64_t link_ms;
    struct jw_scan_verdict v;
};

struct file_row {
    struct jw_scan_file f;
    struct jw_package owner;
    bool vendor, entries;
    C *verdicts;
};

static const struct jw_row problem_rows[] = {
    { JW_TEXTS("problems", struct jw_scan_file, problems, n_problems), JW_LABEL("  Damaged") },
    { 0 },
};

struct whole {
    struct scan_view v;
    F *files;
};

enum {
    DETAIL_FILES = 3, /* up to this number in full; more become a table */
    SCREEN_SKIPPED = 5,
    INDENT = 2,
    LABEL = 11 /* columns of "  jit      " */
};

/* GPUs with the same text share a sentence: `put` is called once for each group, with their names. */
struct sentences {
    void (*say)(struct jw_buf *out, size_t gpu, void *ctx);
    void (*put)(const char *gpus, const char *sentence, size_t first, void *ctx);
    void *ctx;
};

static enum jw_tint tint_of(const struct jw_scan_verdict *v)
{
    static const enum jw_tint tints[JW_VERDICTS] = {
        [JW_VERDICT_BLOCKED] = TINT_BAD,   [JW_VERDICT_LINKS] = TINT_WARN, [JW_VERDICT_JIT] = TINT_WARN,
        [JW_VERDICT_UNKNOWN] = TINT_WARN,  [JW_VERDICT_WARM] = TINT_GOOD,  [JW_VERDICT_NATIVE] = TINT_GOOD,
        [JW_VERDICT_LAZY] = TINT_FAINT,    [JW_VERDICT_RDC] = TINT_FAINT,  [JW_VERDICT_NONE] = TINT_BAD,
        [JW_VERDICT_NO_CODE] = TINT_FAINT,
    };

    return jw_scan_harmless(v) ? TINT_FAINT : jw_scan_unusable(v) ? TINT_BAD : tints[v->verdict];
}

static void share_sentences(const struct scan_view *v, const struct sentences *s)
{
    struct jw_buf first = JW_BUF(JW_MAX_LINE), other = JW_BUF(JW_MAX_LINE), gpus = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < v->n_gpus; i++) {
        bool done = false;

        jw_buf_clear(&first);
        jw_buf_clear(&gpus);
        s->say(&first, i, s->ctx);
        jw_gpu_say(&gpus, v->gpus[i].name, v->gpus[i].sm);
        for (size_t k = 0; k < v->n_gpus; k++) {
            if (k == i)
                continue;
            jw_buf_clear(&other);
            s->say(&other, k, s->ctx);
            if (strcmp(jw_buf_cstr(&first), jw_buf_cstr(&other)) != 0)
                continue;
            done |= k < i;
            jw_say(&gpus, ", ");
            jw_gpu_say(&gpus, v->gpus[k].name, v->gpus[k].sm);
        }
        if (!done)
            s->put(jw_buf_cstr(&gpus), jw_buf_cstr(&first), i, s->ctx);
    }
    jw_buf_free(&first);
    jw_buf_free(&other);
    jw_buf_free(&gpus);
}

struct verdicts {
    struct jw_page *page;
    const struct scan_view *v;
    const struct jw_scan_file *f;
};

/* Begins with the verdict, so that only equal verdicts share a line. */
static void say_one(struct jw_buf *out, size_t gpu, void *ctx)
{
    const struct verdicts *all = ctx;
    const struct jw_scan_verdict *one = &all->f->verdicts[gpu];

    jw_say(out, "%s: ", jw_verdict_names[one->verdict]);
    jw_verdict_say(out, one, &all->v->gpus[gpu], all->f, all->v->of[all->f - all->v->report.files],
                   &all->v->known);
}

/* "  jit      NVIDIA H100 (sm_90): all 143 modules ..." */
static void show_one(const char *gpus, const char *sentence, size_t gpu, void *ctx)
{
    const struct verdicts *all = ctx;
    const struct jw_scan_verdict *one = &all->f->verdicts[gpu];
    const char *word = jw_verdict_names[one->verdict];
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_say(&text, "%s: %s", gpus, sentence + strlen(word) + 2);
    jw_page_line(all->page, tint_of(one), JW_PHRASE("  %s", word), &text);
}

static void show_problems(struct jw_page *p, const struct jw_scan_file *f)
{
    jw_page_rows(p, TINT_BAD, problem_rows, f);
    if (f->more_problems)
        jw_page_whole(p, TINT_NONE, "", "and %zu more places like these", f->more_problems);
}

/* No file shows what a program makes of them while it runs. */
static void show_pieces(struct jw_page *p, const struct jw_scan_file *f)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!f->ptx_pieces)
        return;
    jw_say(&text,
           "may compile: %s of PTX in its data, which it puts together while it runs; only jitwarm prime "
           "--run finds what",
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
    jw_holdings_say(&text, f->rows, f->n_rows);
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

static void show_entry(struct jw_page *p, const struct jw_scan_entry *e)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&line, "    0x%-10llx %-4s %-12s %u.%-3u %-9s %10llu -> %llu", (unsigned long long)e->at,
                  e->kind, e->arch, e->major, e->minor, e->compression, (unsigned long long)e->stored,
                  (unsigned long long)e->plain);
    say_clean(&line, "  ", e->identifier);
    say_clean(&line, "  options: ", e->options);
    jw_page_put(p, "%s\n", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

static void show_modules(struct jw_page *p, const struct jw_scan_file *f)
{
    for (size_t i = 0; i < f->n_modules; i++) {
        const struct jw_scan_module *m = &f->modules[i];
        struct jw_buf line = JW_BUF(JW_MAX_LINE);

        jw_buf_printf(&line, "  module %zu at 0x%llx, %llu bytes, %s", i, (unsigned long long)m->at,
                      (unsigned long long)m->size, m->role);
        say_clean(&line, ", section ", m->section);
        say_clean(&line, ", member ", m->member);
        jw_page_put(p, "%s\n", jw_buf_cstr(&line));
        jw_buf_free(&line);
        for (size_t k = 0; k < m->n; k++)
            show_entry(p, &m->entries[k]);
        if (m->doubt)
            jw_page_put(p, "    an entry %s; it will not be given to a driver\n", m->doubt);
    }
}

static void show_file(struct jw_page *p, const struct scan_view *v, const struct jw_scan_file *f)
{
    jw_page_whole(p, TINT_STRONG, NULL, "%s", f->path);
    if (strcmp(f->format, "none") == 0)
        jw_page_put(p, f->size ? "  no format that can hold CUDA code\n" : "  empty\n");
    else
        show_holdings(p, f);
    show_problems(p, f);
    show_pieces(p, f);
    if (f->containers || f->lazy_containers || f->rdc_containers)
        share_sentences(v, &(struct sentences){ say_one, show_one, &(struct verdicts){ p, v, f } });
    if (v->entries)
        show_modules(p, f);
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
static void show_skipped(struct jw_page *p, const void *of)
{
    const struct scan_view *v = &((const T *)of)->v;
    struct complaints c = { p, p->verbose ? SIZE_MAX : SCREEN_SKIPPED, 0, "not read" };

    for (size_t i = 0; i < v->report.n_skipped; i++)
        if (!v->report.skipped[i].named)
            complain(&c, v->report.skipped[i].path, v->report.skipped[i].reason);
    complained(&c);
}

static void show_damaged(struct jw_page *p, const struct scan_view *v)
{
    struct complaints c = { p, p->verbose ? SIZE_MAX : SCREEN_SKIPPED, 0, "damaged" };

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
                    "No CUDA software was found in the %zu places that were searched. Name a file or folder: "
                    "jitwarm scan PATH",
                    v->discovery.n_roots);
    else if (skipped == 0 || walked > skipped) /* and the reason for each unreadable file */
        jw_page_put(p, "No CUDA code in %llu file%s.\n", (unsigned long long)(walked - skipped),
                    walked - skipped == 1 ? "" : "s");
}

#define NOT_SEARCHED                                                                                         \
    "Not searched in the home: hidden folders but .venv, .env, .pixi, .conda, .tox and .nox; data, "         \
    "datasets, caches and "                                                                                  \
    "version control; more than 4 levels of folders."

/* Prints each place, how it was found, and the places that were not searched. */
static void show_places(struct jw_page *p, const void *of)
{
    const struct scan_view *v = &((const T *)of)->v;

    if (!p->verbose)
        return;
    jw_page_put(p, "\nPlaces:\n");
    size_t width = p->width;

    p->width = p->columns ? width : JW_MAX_LINE; /* one line each, so that scripts can search them */
    p->label = strlen("  not searched ");
    for (size_t i = 0; i < v->discovery.n_roots; i++)
        jw_page_say(p, TINT_NONE, "  searched", "%s (%s)", v->discovery.roots[i].path,
                    v->discovery.roots[i].how);
    for (size_t i = 0; i < v->discovery.n_skipped; i++)
        jw_page_say(p, TINT_NONE, "  not searched", "%s (%s)", v->discovery.skipped[i].path,
                    v->discovery.skipped[i].why);
    p->width = width;
    p->label = INDENT;
    jw_page_say(p, TINT_NONE, "",
                v->everyone ? NOT_SEARCHED
                            : NOT_SEARCHED
                    " Homes of other users (--system searches them, as root or administrator).");
    p->label = LABEL;
}

/* Says what a search in samples may have missed. */
static void show_sampled(struct jw_page *p, const void *of)
{
    const struct jw_scan_report *r = &((const T *)of)->v.report;

    if (p->verbose && r->sampled_files)
        jw_page_say(p, TINT_NONE, NULL,
                    "Searched in samples only: %s of data, in large sections of %s. With --check all of it "
                    "is searched.",
                    JW_SIZE(r->sampled_bytes), JW_N(r->sampled_files, "file", "files"));
}

/* Packages of a lock file that is for several systems. */
static void show_elsewhere(struct jw_page *p, const void *of)
{
    const struct scan_view *v = &((const T *)of)->v;

    for (size_t i = 0; p->verbose && i < v->n_packages; i++)
        if (v->packages[i].other_system)
            jw_page_say(p, TINT_NONE, NULL, "%s: %s", v->packages[i].text, v->packages[i].why);
}

/* ---- many files: a line for each package or file, and a sentence for each GPU ---- */

enum {
    SCREEN_ROWS = 15, /* unless more is asked for */
    FIXED = 48,       /* columns for a recognisable name, and for the counts */
    PER_GPU = 9
};

static bool is_users(const struct jw_verdict_group *g)
{
    return g->of == JW_CODE_OF_USERS;
}

/* A package counts as unable to run if one of its files is. */
static const char *word_of(const struct jw_verdict_group *g, size_t gpu)
{
    const struct jw_scan_verdict *v = &g->sum[gpu];

    return g->of == JW_CODE_OF_TOOLS || jw_scan_harmless(v) ? "-"
           : v->mostly_none                                 ? jw_verdict_names[JW_VERDICT_NONE]
                                                            : jw_verdict_names[v->verdict];
}

static void cell_verdict(struct jw_table *t, const struct jw_verdict_group *g, size_t gpu, bool with_bytes)
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
    jw_table_cell(t, is_users(g) ? tint_of(v) : TINT_FAINT, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* One column per GPU, or one for all GPUs if they do not fit. */
static bool one_column(const struct jw_page *p, const struct scan_view *v)
{
    return v->n_gpus > 8 || (p->columns && FIXED + v->n_gpus * PER_GPU > p->columns);
}

/* "jit 90-120; native 61-89": ranges of GPUs with the same verdict, the most urgent first. */
static void cell_all(struct jw_table *t, const struct scan_view *v, const struct jw_verdict_group *g)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    unsigned worst_rank = 9;

    for (unsigned r = 0; r < 9; r++) {
        bool any = false;

        for (size_t i = 0, next; i < v->n_gpus; i = next) {
            for (next = i + 1;
                 next < v->n_gpus && jw_verdict_rank(&g->sum[next]) == jw_verdict_rank(&g->sum[i]); next++)
                continue;
            if (jw_verdict_rank(&g->sum[i]) != r)
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

static void row(struct jw_table *t, const struct scan_view *v, const struct jw_verdict_group *g,
                bool together)
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

static void show_groups(struct jw_page *p, const struct scan_view *v, const struct jw_verdict_groups *all)
{
    struct jw_arena *a = p->arena;
    size_t n_columns, shown;
    bool together = one_column(p, v);
    struct jw_column *columns = columns_for(v, together, &n_columns, a);
    const struct jw_verdict_group **lines = jw_arena_alloc(a, (all->n + 1) * sizeof *lines);
    struct jw_table t;
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++) {
        if (all->list[i].of == JW_CODE_OF_TOOLS && v->discovered && all->n > 1 && !p->verbose)
            continue; /* of no use to programs */
        lines[n++] = &all->list[i];
    }
    shown = p->verbose || n <= SCREEN_ROWS ? n : SCREEN_ROWS;
    jw_table_begin(&t, a, columns, n_columns);
    for (size_t i = 0; i < shown; i++)
        row(&t, v, lines[i], together);
    jw_page_table(p, &t);
    jw_page_more(p, NULL, shown, n, v->discovered ? "more package" : "more file",
                 v->discovered ? "more packages" : "more files");
    jw_page_put(p, "\n");
}

struct summary {
    struct jw_page *page;
    const struct scan_view *v;
    const struct jw_verdict_groups *all;
};

/* Says when the driver compiles code that does not count in the totals: NVIDIA's libraries and packages'
 * tests. */
static void say_others(struct jw_buf *out, const struct summary *s, size_t gpu)
{
    bool unusable, none;
    const struct jw_compile_cost vendor = jw_verdict_cost(s->all, JW_CODE_OF_NVIDIA, gpu, &unusable),
                                 tests = jw_verdict_cost(s->all, JW_CODE_OF_TESTS, gpu, &none);

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
    struct jw_verdict_counts c = jw_verdict_count(s->all, gpu);
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

/* For more files than are printed one by one. */
static void show_table(struct jw_page *p, const struct scan_view *v)
{
    const struct jw_verdict_files files = { .report = &v->report,
                                            .owners = v->owners,
                                            .of = v->of,
                                            .n_gpus = v->n_gpus,
                                            .by_package = v->discovered };
    struct jw_verdict_groups all = { NULL, 0, 0 };

    if (!p->bad)
        p->bad = !jw_verdict_groups(&files, p->arena, &all, p->err);
    if (!p->bad) {
        show_groups(p, v, &all);
        share_sentences(v, &(struct sentences){ say_summary, show_summary, &(struct summary){ p, v, &all } });
    }
    jw_free(all.list);
}

/* ---- packages that were fetched: what the table of frameworks adds to their files ---- */

struct advice {
    const struct scan_view *v;
    const char *name; /* before each line, where there are several packages */
    struct jw_page *page;
    struct jw_package_advice of;
};

/* The verdicts on all its files, one for each GPU; NULL: it was not scanned. */
static struct jw_scan_verdict *verdicts_of(const struct scan_view *v, const struct jw_fetched *p,
                                           struct jw_arena *a)
{
    struct jw_scan_verdict *sums;

    if (!p->wheel || p->why)
        return NULL;
    sums = jw_arena_alloc(a, (v->n_gpus + 1) * sizeof *sums);
    for (size_t k = 0; k < v->n_gpus; k++)
        sums[k].verdict = JW_VERDICT_NO_CODE;
    for (size_t i = 0; i < v->report.n_files; i++)
        for (size_t k = 0; jw_fetched_holds(p, v->report.files[i].path) && k < v->report.files[i].n_verdicts;
             k++)
            jw_package_verdict_add(&sums[k], &v->report.files[i].verdicts[k]);
    return sums;
}

static bool advice_of(const struct scan_view *v, const struct jw_fetched *p,
                      const struct jw_scan_verdict *verdicts, struct jw_arena *a,
                      struct jw_package_advice *out)
{
    const struct jw_package_asked o = { .package = &p->owner,
                                        .gpus = v->gpus,
                                        .n_gpus = v->n_gpus,
                                        .driver = v->known.driver,
                                        .for_windows = v->for_windows,
                                        .ignored = v->ignored,
                                        .limit = v->limit };

    return jw_package_advice(&o, verdicts, a, out);
}

/* The driver is older than the toolkit of a package needs, which its files do not say. */
static bool needs_newer_driver(const struct scan_view *v)
{
    struct jw_arena a = { 0 };
    bool needs = false;

    for (size_t i = 0; i < v->n_packages; i++) {
        const struct jw_scan_verdict *verdicts = verdicts_of(v, &v->packages[i], &a);
        struct jw_package_advice one;

        if (verdicts && advice_of(v, &v->packages[i], verdicts, &a, &one))
            for (size_t k = 0; k < v->n_gpus; k++)
                needs |= one.s.code[k].needs_toolkit != 0;
    }
    jw_arena_free(&a);
    return needs;
}

static void say_advice(struct jw_buf *out, size_t gpu, void *ctx)
{
    const struct advice *w = ctx;

    jw_package_advice_say(out, &w->of, gpu);
}

static void show_advice(const char *gpus, const char *sentence, size_t first, void *ctx)
{
    const struct advice *w = ctx;

    (void)first;
    if (*sentence)
        jw_page_say(w->page, TINT_NONE, "  Advice", "%s%s%s%s%s", w->name, *w->name ? ", " : "",
                    w->v->n_gpus > 1 ? gpus : "", w->v->n_gpus > 1 || *w->name ? ": " : "", sentence);
}

/* A package that it depends on may hold the code: tensorflow on Windows is an empty package of tensorflow-intel. */
static void show_no_code(struct jw_page *p, const struct scan_view *v, const struct jw_fetched *package,
                         const struct jw_scan_verdict *verdicts)
{
    for (size_t i = 0; i < v->n_gpus; i++)
        if (verdicts[i].verdict != JW_VERDICT_NO_CODE)
            return;
    for (size_t i = 0; i < v->report.n_skipped; i++)
        if (jw_fetched_holds(package, v->report.skipped[i].path))
            return;
    for (size_t i = 0; i < v->report.n_files; i++)
        if (v->report.files[i].n_problems && jw_fetched_holds(package, v->report.files[i].path))
            return;
    jw_page_say(p, TINT_NONE, NULL, "%s: no CUDA code in its wheel. What it depends on was not fetched.",
                package->text);
}

static void show_package_advice(struct jw_page *p, const struct scan_view *v)
{
    for (size_t i = 0; i < v->n_packages; i++) {
        const struct jw_fetched *package = &v->packages[i];
        const struct jw_scan_verdict *verdicts = verdicts_of(v, package, p->arena);
        struct advice w = { .v = v, .page = p, .name = v->n_packages > 1 ? package->text : "" };

        if (!verdicts)
            continue;
        if (v->n_packages == 1)
            show_no_code(p, v, package, verdicts);
        if (!advice_of(v, package, verdicts, p->arena, &w.of))
            continue;
        share_sentences(v, &(struct sentences){ say_advice, show_advice, &w });
        for (size_t k = 0; k < v->n_gpus; k++) {
            const char *old = jw_package_old_compiler(&w.of, k, p->arena);

            if (old)
                jw_page_say(p, TINT_WARN, "  Note", "%s", old);
        }
        if (jw_package_slow_start(&w.of))
            jw_page_say(p, TINT_NONE, "  Note", "%s", jw_package_slow_start(&w.of));
    }
}

/* ---- what was found ---- */

static void show_found(struct jw_page *p, const void *of)
{
    const struct scan_view *v = &((const T *)of)->v;

    if (v->report.n_files == 0)
        show_nothing(p, v);
    else if (!v->discovered && (v->report.n_files <= DETAIL_FILES || v->entries))
        for (size_t i = 0; i < v->report.n_files; i++)
            show_file(p, v, &v->report.files[i]);
    else {
        show_table(p, v);
        show_damaged(p, v);
    }
    show_package_advice(p, v);
}

/* "numba-cuda 0.30.4 and triton 3.1.0 compile GPU code while they run: ..." */
static void show_run_time(struct jw_page *p, const void *of)
{
    const struct jw_notes *n = &((const T *)of)->v.run_time;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!n->n)
        return;
    for (size_t i = 0; i < n->n; i++)
        jw_say(&text, "%s%s", jw_text_between(i, n->n), n->v[i]);
    jw_say(&text, " %s GPU code while %s: jitwarm prime --run CMD records what a start compiles",
           n->n == 1 ? "compiles" : "compile", n->n == 1 ? "it runs" : "they run");
    jw_page_sentence(p, TINT_NONE, &text);
}

static void show_to_do(struct jw_page *p, const void *of)
{
    const struct scan_view *v = &((const T *)of)->v;

    if (v->todo)
        jw_page_whole(p, TINT_STRONG, "To do", "%s", v->todo);
}

/* ---- entries ---- */

/* Writes the ISA of PTX, or the format version of other kinds. `at`: major and minor; `n_at`: kind. */
static void write_version(struct jw_json *j, const struct jw_row *row, const void *of)
{
    bool isa = strcmp(row->key, "isa") == 0;
    const char *kind;
    uint16_t version[2];
    char text[16];

    memcpy(&kind, (const uint8_t *)of + row->n_at, sizeof kind);
    memcpy(version, (const uint8_t *)of + row->at, sizeof version);
    (void)snprintf(text, sizeof text, "%u.%u", version[0], version[1]);
    if (isa == (strcmp(kind, "ptx") == 0))
        jw_json_text(j, row->key, text);
}

#define VERSION(k, T)                                                                                        \
    JW_CUSTOM(k, JW_ROW_TEXT, write_version), JW_IF(T, kind), .at = offsetof(T, major),                      \
                                                              .n_at = offsetof(T, kind), JW_PATTERN(NUMBERS)

static const struct jw_row held_rows[] = {
    { JW_ROW("kind", R, kind), JW_PATTERN(KINDS) },
    { JW_ROW("arch", R, arch), JW_PATTERN(ARCHS) },
    { VERSION("isa", R) },
    { VERSION("code_version", R) },
    { JW_ROW("compression", R, compression), JW_PATTERN(PACKED) },
    { JW_ROW("count", R, count) },
    { JW_ROW("stored_bytes", R, stored) },
    { JW_ROW("plain_bytes", R, plain) },
    { JW_ROW("lazy", R, lazy) },
    { 0 },
};

static const struct jw_row entry_rows[] = {
    { JW_ROW("offset", E, at) },
    { JW_ROW("kind", E, kind), JW_PATTERN(KINDS) },
    { JW_ROW("arch", E, arch), JW_PATTERN(ARCHS) },
    { VERSION("isa", E) },
    { VERSION("code_version", E) },
    { JW_ROW("compression", E, compression), JW_PATTERN(PACKED) },
    { JW_ROW("stored_bytes", E, stored) },
    { JW_ROW("plain_bytes", E, plain) },
    { JW_ROW("options", E, options), JW_NULLABLE },
    { JW_ROW("identifier", E, identifier), JW_NULLABLE },
    { 0 },
};

static const struct jw_row module_rows[] = {
    { JW_ROW("offset", M, at) },
    { JW_ROW("bytes", M, size) },
    { JW_ROW("section", M, section), JW_NULLABLE },
    { JW_ROW("member", M, member), JW_NULLABLE },
    { JW_ROW("role", M, role), JW_PATTERN("^(registered|rdc|lazy)$") },
    { JW_LIST("entries", M, entries, n, entry_rows) },
    { 0 },
};

/* ---- verdicts ---- */

static const struct jw_row verdict_rows[] = {
    { JW_SPELT("gpu", C, sm, &jw_spell_sm) },
    { JW_NAMED("verdict", C, v.verdict, jw_verdict_names) },
    { JW_ROW("native", C, v.native) },
    { JW_ROW("jit", C, v.jit), JW_ABOUT("without those that are warm") },
    { JW_ROW("warm", C, v.warm), JW_ABOUT("modules that would be compiled, and are in the driver's cache") },
    { JW_ROW("blocked", C, v.blocked) },
    { JW_ROW("none", C, v.none) },
    { JW_ROW("unknown", C, v.unknown) },
    { JW_ROW("mostly_none", C, v.mostly_none),
      JW_ABOUT("most kernels are only in modules that have no code for this GPU") },
    { JW_ROW("beside", C, v.beside),
      JW_ABOUT("no code for this GPU: a file of the same name but for its GPU has some") },
    { JW_ROW("links", C, v.links),
      JW_ABOUT("results of the device linker that the driver links at each start") },
    { JW_ROW("inputs", C, v.inputs), JW_ABOUT("of the device linker, that it links instead") },
    { JW_ROW("inputs_native", C, v.inputs_native) },
    { JW_ROW("inputs_missing", C, v.inputs_missing), JW_ABOUT("with nothing for this GPU") },
    { JW_ROW("link_milliseconds", C, link_ms), JW_NULLABLE,
      JW_ABOUT(
          "of the link that remains at each start, measured when the file was primed; null: not measured") },
    { JW_ROW("rdc", C, v.rdc) },
    { JW_ROW("lto", C, v.lto) },
    { JW_ROW("lazy_jit", C, v.lazy_jit) },
    { JW_ROW("left_out", C, v.left_out) },
    { JW_TEXTS("from", C, v.from, v.n_from), JW_PATTERN("^compute_[0-9]{1,3}[af]?$") },
    { JW_ROW("jit_ptx_bytes", C, v.jit_ptx_bytes) },
    { JW_ROW("lazy_ptx_bytes", C, v.lazy_ptx_bytes) },
    { JW_ROW("needs_driver", C, v.needs_driver), JW_NULLABLE, JW_PATTERN("^[0-9]{3}(\\.[0-9]+)*$") },
    { 0 },
};

/* ---- files ---- */

static const struct jw_row package_rows[] = {
    { JW_ROW("name", F, owner.name) },
    { JW_ROW("version", F, owner.version), JW_NULLABLE },
    { JW_ROW("vendor", F, owner.vendor) },
    { 0 },
};

static const struct jw_row file_rows[] = {
    { JW_ROW("path", F, f.path) },
    { JW_ROW("size", F, f.size) },
    { JW_ROW("format", F, f.format), JW_PATTERN("^(none|elf|pe|ar|coff|fatbin|cubin|ptx|wheel)$") },
    { JW_ROW("vendor", F, vendor) },
    { JW_SUB_OF("package", package_rows) },
    { JW_ROW("containers", F, f.containers) },
    { JW_ROW("lazy_containers", F, f.lazy_containers) },
    { JW_ROW("rdc_containers", F, f.rdc_containers) },
    { JW_LIST("entries", F, f.rows, f.n_rows, held_rows) },
    { JW_LIST("verdicts", F, verdicts, f.n_verdicts, verdict_rows) },
    { JW_LIST("modules", F, f.modules, f.n_modules, module_rows), JW_IF(F, entries) },
    { JW_ROW("sampled_bytes", F, f.sampled), JW_IF(F, f.sampled),
      JW_ABOUT("of large sections of data that were searched in samples only; scan --check searches all") },
    { JW_PART(F, f, problem_rows) },
    { 0 },
};

/* ---- all of it ---- */

static const char *const source_names[] = { "option", "here", "default" };

static const struct jw_row gpu_rows[] = {
    { JW_SPELT("gpu", G, sm, &jw_spell_sm) },
    { JW_ROW("name", G, name), JW_NULLABLE },
    { JW_NAMED("source", G, source, source_names) },
    { 0 },
};

static const struct jw_row searched_rows[] = {
    { JW_ROW("path", struct jw_root, path) },
    { JW_ROW("how", struct jw_root, how) },
    { 0 },
};

static const struct jw_row skipped_rows[] = {
    { JW_ROW("path", struct jw_scan_skipped, path) },
    { JW_ROW("reason", struct jw_scan_skipped, reason) },
    { 0 },
};

static const struct jw_row asked_rows[] = {
    { JW_ROW("package", struct jw_fetched, text) },
    { JW_ROW("where", struct jw_fetched, where), JW_NULLABLE,
      JW_ABOUT("the line of a requirements file or lock file; null: an argument") },
    { JW_ROW("wheel", struct jw_fetched, wheel), JW_NULLABLE, JW_ABOUT("its files begin with this name") },
    { JW_ROW("not_scanned", struct jw_fetched, why), JW_NULLABLE, JW_ABOUT("why; null: it was scanned") },
    { 0 },
};

static const struct jw_row totals_rows[] = {
    { JW_ROW("files", T, v.report.n_files) },
    { JW_ROW("bytes", T, v.report.bytes) },
    { 0 },
};

static const char *const check_names[] = { NULL, "passed", "failed", "no-code" };

static const struct jw_row rows[] = {
    { JW_NAMED("check", T, v.check, check_names), .first = SCAN_PASSED, JW_IF(T, v.check),
      JW_ABOUT("with --check: passed: on these GPUs the next start compiles nothing, and all code runs; "
               "no-code: there was nothing to check") },
    { JW_LIST("gpus", T, v.gpus, v.n_gpus, gpu_rows) },
    { JW_ROW("driver", T, v.known.driver), JW_NULLABLE },
    { JW_ROW("driver_build", T, v.known.state.build), JW_NULLABLE,
      JW_ABOUT("the build of this machine's driver whose cache was asked what is warm; null: none was, and "
               "'warm' is 0") },
    { JW_LIST("files", T, files, v.report.n_files, file_rows) },
    { JW_TEXT_ALONE(show_found) },
    { JW_LIST("skipped", T, v.report.skipped, v.report.n_skipped, skipped_rows), JW_SHOW(show_skipped) },
    { JW_LIST("packages", T, v.packages, v.n_packages, asked_rows), JW_IF(T, v.n_packages),
      JW_SHOW(show_elsewhere), JW_ABOUT("that were asked for by name and fetched") },
    { JW_TEXT_ALONE(show_sampled) },
    { JW_LIST("searched", T, v.discovery.roots, v.discovery.n_roots, searched_rows), JW_IF(T, v.discovered),
      JW_SHOW(show_places) },
    { JW_SUB_OF("totals", totals_rows) },
    { JW_TEXTS("run_time", T, v.run_time.v, v.run_time.n), JW_IF(T, v.discovered), JW_SHOW(show_run_time),
      JW_ABOUT("packages that compile GPU code while they run: their files do not show what") },
    { JW_TEXT_ALONE(show_to_do) },
    { 0 },
};

const struct jw_form scan_form = { .verb = "scan",
                                   .about = "What CUDA files hold, and what that means for each GPU.",
                                   .rows = rows,
                                   .label = LABEL };

static bool print_report(struct cli *cli, const struct scan_view *v, struct jw_err *err)
{
    T all = { .v = *v };

    all.files = jw_arena_alloc(cli->arena, v->report.n_files * sizeof *all.files);
    for (size_t i = 0; i < v->report.n_files; i++) {
        const struct jw_scan_file *f = &v->report.files[i];
        C *each = jw_arena_alloc(cli->arena, f->n_verdicts * sizeof *each);

        for (size_t k = 0; k < f->n_verdicts; k++)
            each[k] = (C){ v->gpus[k].sm, jw_verdict_link_ms(&v->known, &f->verdicts[k]), f->verdicts[k] };
        all.files[i] = (F){ *f, v->owners[i], v->owners[i].vendor || jw_vendor_file(jw_path_base(f->path)),
                            v->entries, each };
    }
    return jw_cli_report(cli, &scan_form, &all, err);
}

/* ---- the run ---- */

/* The state of one run of scan. */

struct scan_cmd {
    struct cli *cli;
    const struct scan_args *args;
    const struct jw_config *config;
    const struct jw_host_gpus *host;
    struct jw_cache_listing listing;
    struct jw_scan_cache cache;
    struct jw_scan_root *roots;
    size_t n_roots;
    struct scan_view view;
    bool met;              /* no GPU is visible, and a driver was met here that may show one */
    struct jw_texts paths; /* that were named, and the wheels that were fetched */
    char *work;            /* the folder of these wheels; NULL: none */
};

static void show_search_notes(struct cli *cli, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        jw_messages_detail(&cli->messages, "%s", notes->v[i]);
}

static bool add_gpu(struct scan_cmd *r, const struct jw_gpu *gpu, struct jw_err *err)
{
    for (size_t i = 0; i < r->view.n_gpus; i++)
        if (r->view.gpus[i].sm == gpu->sm && strcmp(r->view.gpus[i].name, gpu->name) == 0)
            return true;
    if (r->view.n_gpus == JW_MAX_GPUS)
        return jw_fail(err, JW_E_LIMIT, "more than %zu GPUs", JW_MAX_GPUS);
    r->view.gpus[r->view.n_gpus++] = *gpu;
    return true;
}

static bool add_here(struct scan_cmd *r, const char *index, struct jw_err *err)
{
    uint64_t n = 0;

    (void)jw_text_u64(index, &n);
    if (n >= r->host->n)
        return jw_fail(
            err, JW_E_USAGE,
            "--gpu %s: this machine has %zu NVIDIA GPU%s; name an architecture (sm_86) or a product", index,
            r->host->n, r->host->n == 1 ? "" : "s");
    if (r->host->gpus[n].sm == 0)
        return jw_fail(err, JW_E_USAGE, "--gpu %s: %s is not in our table; name its architecture (sm_86)",
                       index, r->host->gpus[n].name);
    return add_gpu(r, &r->host->gpus[n], err);
}

static bool add_option(struct scan_cmd *r, const char *text, struct jw_err *err)
{
    struct jw_gpu list[JW_GPU_LIST_MAX], one;
    size_t n = jw_gpu_list(text, list);

    for (size_t i = 0; i < n; i++)
        if (!add_gpu(r, &list[i], err))
            return false;
    if (n)
        return true;
    if (jw_gpu_is_index(text))
        return add_here(r, text, err);
    return (jw_gpu_parse(text, &one, err) || jw_wrap(err, "--gpu")) && add_gpu(r, &one, err);
}

/* Two equal GPUs are one line, because scan checks architectures. */
static bool default_gpus(struct scan_cmd *r, struct jw_err *err)
{
    struct jw_gpu list[JW_GPU_LIST_MAX];

    for (size_t i = 0; i < r->host->n; i++) {
        if (r->host->gpus[i].sm == 0)
            jw_messages_warn(&r->cli->messages,
                             "%s is not in our table; name its architecture with --gpu sm_NN",
                             r->host->gpus[i].name);
        else if (!add_gpu(r, &r->host->gpus[i], err))
            return false;
    }
    if (r->view.n_gpus) {
        if (!r->view.known.driver)
            r->view.known.driver = r->host->driver;
        return true;
    }
    const struct jw_driver_file *driver = jw_session_driver_file(&r->cli->session);
    bool driver_here = r->host->driver || driver->found;
    const char *none = driver_here ? "the system lists no NVIDIA GPU here" : "no NVIDIA GPU was found here";

    if (r->args->check)
        return jw_fail(
            err, JW_E_USAGE,
            "--check: %s; name the GPUs that are meant: --gpu sm_90, or --gpu all for the usual ones", none);
    r->met = driver->known != NULL;
    jw_messages_say(&r->cli->messages, "no GPU is %s here, so usual ones are shown",
                    driver_here ? "listed" : "found");
    jw_messages_say(&r->cli->messages, "--gpu names others%s",
                    driver_here ? "; jitwarm doctor asks the driver which are here" : "");
    size_t n = jw_gpu_list("all", list);

    for (size_t i = 0; i < n; i++) {
        list[i].source = JW_GPU_DEFAULT;
        if (!add_gpu(r, &list[i], err))
            return false;
    }
    return true;
}

/* A GPU that this driver does not support. */
static void warn_undriven(struct scan_cmd *r)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    if (!r->view.known.driver || !jw_driver_parse(r->view.known.driver, &v, &ignored))
        return;
    for (size_t i = 0; i < r->view.n_gpus; i++) {
        enum jw_driver_fit d = jw_driver_support(&v, r->view.gpus[i].sm);

        if (d != JW_DRIVER_FITS)
            jw_messages_warn(
                &r->cli->messages, "driver %s is too %s for sm_%u: it does not drive this GPU at all",
                r->view.known.driver, d == JW_DRIVER_TOO_OLD ? "old" : "new", r->view.gpus[i].sm);
    }
}

static bool choose_gpus(struct scan_cmd *r, struct jw_err *err)
{
    struct jw_driver_version v;

    r->view.gpus = jw_arena_alloc(r->cli->arena, JW_MAX_GPUS * sizeof *r->view.gpus);
    r->view.known.driver = r->args->driver;
    if (r->view.known.driver && !jw_driver_parse(r->view.known.driver, &v, err))
        return jw_wrap(err, "--driver");
    r->host = jw_session_gpus(&r->cli->session);
    show_search_notes(r->cli, &r->host->notes);
    for (size_t i = 0; i < r->args->gpus.n; i++)
        if (!add_option(r, r->args->gpus.items[i], err))
            return false;
    if (r->args->gpus.n == 0 && !default_gpus(r, err))
        return false;
    warn_undriven(r);
    return true;
}

static void add_skipped(struct jw_discovery *d, const struct jw_discovery *more)
{
    struct jw_skipped_folder *all =
        jw_arena_alloc(d->arena, (d->n_skipped + more->n_skipped + 1) * sizeof *all);

    for (size_t i = 0; i < d->n_skipped; i++)
        all[i] = d->skipped[i];
    for (size_t i = 0; i < more->n_skipped; i++)
        all[d->n_skipped++] = more->skipped[i];
    d->skipped = all;
}

static bool choose_roots(struct scan_cmd *r, struct jw_err *err)
{
    const struct jw_texts *paths = &r->paths;

    if (r->args->system && !jw_process_elevated())
        return jw_fail(err, JW_E_USAGE,
                       "--system reads other users' homes: run it as root or as an administrator");
    if (!r->view.discovered) {
        jw_discovery_init(&r->view.discovery, r->cli->arena);
    } else {
        size_t n_roots;
        struct jw_root *roots = jw_session_roots(&r->cli->session, &n_roots);

        r->view.discovery = *jw_session_software(&r->cli->session, false);
        r->view.discovery.roots = roots;
        r->view.discovery.n_roots = n_roots;
        add_skipped(&r->view.discovery, jw_session_login_folders(&r->cli->session));
    }
    size_t n = r->view.discovered ? r->view.discovery.n_roots : paths->n;

    r->roots = jw_arena_alloc(r->cli->arena, (n + 1) * sizeof *r->roots);
    for (size_t i = 0; i < n; i++) {
        if (!r->view.discovered)
            r->roots[i] = (struct jw_scan_root){ paths->items[i], JW_MAX_DEPTH, true };
        else
            r->roots[i] = (struct jw_scan_root){ r->view.discovery.roots[i].path,
                                                 r->view.discovery.roots[i].depth, false };
    }
    r->n_roots = n;
    return true;
}

/* --check for a named architecture or product is about other machines, whose caches do not have the entries of this one. */
static bool is_for_others(const struct scan_cmd *r)
{
    for (size_t i = 0; r->args->check && i < r->args->gpus.n; i++)
        if (!jw_gpu_is_index(r->args->gpus.items[i]))
            return true;
    return r->args->driver != NULL;
}

/* Under these nothing counts as warm, whatever is in the cache; and a start fails that may not compile. */
static void warn_of_settings(const struct scan_cmd *r, const struct jw_cachedir *dir)
{
    const char *forbidden = jw_cache_why_forbidden(r->cli->arena),
               *why = forbidden ? forbidden : jw_cache_why_ignored(dir, r->cli->arena);

    if (why && r->args->check)
        jw_messages_warn(&r->cli->messages, "%s", why);
}

/* Warm modules are known only for this machine's own driver, and only if its entry names can be predicted. */
static bool find_cache(struct scan_cmd *r, struct jw_err *err)
{
    const struct jw_cachedir *dir = jw_session_cache(&r->cli->session);
    const struct jw_driver_state *known;
    struct jw_next_start_answer answer;
    struct jw_next_start_facts facts;

    r->view.ignored = jw_cache_why_ignored(dir, r->cli->arena);
    r->view.limit = dir->limit_from.value ? dir->limit : 0;
    if (is_for_others(r))
        return true;

    const struct jw_notes *notes = &jw_session_drivers(&r->cli->session)->notes;

    for (size_t i = 0; i < notes->n; i++)
        jw_messages_say(&r->cli->messages, "%s", notes->v[i]);
    known = jw_session_driver_file(&r->cli->session)->known;
    if (!known || known->level < JW_LEVEL_PREDICTABLE || !jw_cache_is_asked(dir, r->cli->arena)) {
        warn_of_settings(r, dir);
        return true;
    }
    r->view.known.state = *known;
    if (!jw_cachedir_walk(dir->folder, false, r->cli->session.interrupted, r->cli->arena, &r->listing, err))
        return false;
    if (!jw_next_start_of_cache(&r->cli->session, &r->listing, r->args->check, &facts, err))
        return false;
    answer = jw_next_start_answer(&facts, r->cli->arena);
    if (answer.is != JW_NEXT_START_WARM && r->listing.n)
        jw_messages_warn(&r->cli->messages, "what is in the driver's cache does not count: %s", answer.why);
    else
        warn_of_settings(r, dir);
    if (answer.is != JW_NEXT_START_WARM)
        return true;
    jw_cache_names_of_stamp(&r->listing, dir->folder, r->view.known.state.stamp, r->cli->arena, &r->cache);
    r->cache.driver = r->view.known.state.version;
    r->view.known.memory = jw_session_memory(&r->cli->session, dir->folder);
    return true;
}

static void show_progress(void *ctx, const struct jw_scan_progress *p)
{
    struct jw_messages *messages = ctx;

    jw_messages_progress(messages, "%llu files in %llu folders, %llu with CUDA code: %s",
                         (unsigned long long)p->files, (unsigned long long)p->folders,
                         (unsigned long long)p->cuda_files, p->path);
}

static void warn_of_damage(const struct scan_cmd *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->view.report.n_files; i++)
        for (size_t k = 0; k < r->view.report.files[i].n_verdicts; k++)
            n += r->view.report.files[i].verdicts[k].damaged_entries;
    if (n)
        jw_messages_warn(&r->cli->messages,
                         "%s in the driver's cache %s damaged and %s not count (jitwarm status has more)",
                         JW_N(n, "entry", "entries"), n == 1 ? "is" : "are", n == 1 ? "does" : "do");
}

static bool search(struct scan_cmd *r, struct jw_err *err)
{
    struct jw_scan_options o = jw_session_scan(&r->cli->session);

    o.roots = r->roots;
    o.n_roots = r->n_roots;
    o.gpus = r->view.gpus;
    o.n_gpus = r->view.n_gpus;
    o.driver = r->view.known.driver;
    o.cache = r->cache.n ? &r->cache : NULL;
    o.deep = r->args->deep;
    o.samples = !r->args->check && !r->args->entries;
    o.entries = r->args->entries;
    o.progress = show_progress;
    o.progress_ctx = &r->cli->messages;
    bool ok = jw_scan(&o, &r->view.report, err);

    jw_messages_progress_end(&r->cli->messages);
    if (ok)
        warn_of_damage(r);
    return ok;
}

/* The path, named here or to prime, that is this file or a folder above it; NULL: the file was found by the
 * search. */
static const char *named_above(const struct scan_cmd *r, const struct jw_scan_file *f)
{
    const struct jw_discovery *d = &r->view.discovery;
    const char *path = f->path, *nearest = f->named ? path : NULL;

    if (r->view.discovered)
        return jw_discovery_named(d->roots, d->n_roots, path);
    for (size_t i = 0; i < r->n_roots; i++)
        nearest = jw_nearer(path, nearest, r->roots[i].path);
    return nearest;
}

static void find_owners(struct scan_cmd *r)
{
    const struct jw_scan_report *report = &r->view.report;
    struct jw_package *owners = jw_arena_alloc(r->cli->arena, report->n_files * sizeof *owners);
    enum jw_code_of *of = jw_arena_alloc(r->cli->arena, report->n_files * sizeof *of);

    for (size_t i = 0; i < report->n_files; i++) {
        owners[i] = jw_discovery_owner_of(&r->view.discovery, &report->files[i]);
        for (size_t k = 0; k < r->view.n_packages; k++)
            if (jw_fetched_holds(&r->view.packages[k], report->files[i].path))
                owners[i] = r->view.packages[k].owner;
        of[i] = jw_code_of(&owners[i], report->files[i].path, named_above(r, &report->files[i]));
    }
    r->view.owners = owners;
    r->view.of = of;
    show_search_notes(r->cli, &r->view.discovery.notes);
    jw_run_time_here(&r->view.discovery, r->cli->arena, &r->view.run_time);
}

static bool all_native(const struct scan_view *view)
{
    const struct jw_scan_report *report = &view->report;

    for (size_t i = 0; i < report->n_files; i++) {
        if (view->of[i] != JW_CODE_OF_USERS && !report->files[i].n_problems)
            continue;
        if (report->files[i].n_problems || report->files[i].ptx_pieces)
            return false;
        for (size_t k = 0; k < report->files[i].n_verdicts; k++) {
            const struct jw_scan_verdict *v = &report->files[i].verdicts[k];

            if (v->verdict == JW_VERDICT_BLOCKED || v->jit || v->unknown || v->inputs_lto
                || (v->links && v->inputs_missing) || jw_scan_unusable(v))
                return false;
        }
    }
    return report->n_skipped == 0;
}

static bool has_code(const struct jw_scan_report *report)
{
    for (size_t i = 0; i < report->n_files; i++)
        for (size_t k = 0; k < report->files[i].n_verdicts; k++)
            if (report->files[i].verdicts[k].verdict != JW_VERDICT_NO_CODE)
                return true;
    return false;
}

/* ---- what to do ---- */

enum need { NEED_NOTHING, NEED_PRIME, NEED_DOCTOR };

/* True if this GPU counts. If no GPU is visible, only those count that modules were compiled for here, if there are
 * any. */
static bool counts_here(const struct scan_cmd *r, size_t gpu)
{
    const struct jw_driver_state *known = &r->view.known.state;
    unsigned sm = r->view.gpus[gpu].sm;

    for (size_t i = 0; i < known->n_rates; i++)
        if (known->rates[i].sm == sm)
            return true;
    for (size_t i = 0; i < r->cache.n; i++)
        if (r->cache.names[i].sm == sm)
            return true;
    return !r->met || (!known->n_rates && !r->cache.n);
}

/* The worst need of a file on this machine's GPUs: code that the driver compiles can be primed now; code that
 * does not run needs another driver or build. */
static enum need need_of(const struct scan_cmd *r, const struct jw_scan_file *f)
{
    enum need most = NEED_NOTHING;

    for (size_t k = 0; k < f->n_verdicts; k++) {
        const struct jw_scan_verdict *v = &f->verdicts[k];
        enum need need = v->verdict == JW_VERDICT_BLOCKED || (r->view.discovered && jw_scan_unusable(v))
                             ? NEED_DOCTOR
                         : v->jit ? NEED_PRIME
                                  : NEED_NOTHING;

        if (r->met) /* the usual GPUs, of which this may be none */
            need = v->jit && counts_here(r, k) ? NEED_PRIME : NEED_NOTHING;
        most = need > most ? need : most;
    }
    return most;
}

/* Are all GPUs of the report in this machine, and all files as prime finds them? */
static bool can_be_done(const struct scan_cmd *r)
{
    if (r->args->driver || r->args->system || r->view.n_packages || (!r->host->n && !r->met))
        return false;
    for (size_t i = 0; i < r->view.n_gpus; i++)
        if (r->view.gpus[i].source != JW_GPU_HERE && !r->met)
            return false;
    for (size_t i = 0; i < r->view.report.n_files; i++)
        if (strchr(r->view.report.files[i].path, '!')) /* a member of a wheel or of a packed file */
            return false;
    return true;
}

/* "jitwarm prime --gpu 0 libx.so"; where no GPU is visible, whether one of them is here has to be asked first. */
static const char *prime_command(const struct scan_cmd *r)
{
    const struct jw_next_step step =
        r->met ? (struct jw_next_step){ .words = "prime --check",
                                        .remark = "asks the driver which GPUs are here" }
               : (struct jw_next_step){ .words = "prime" };
    const struct jw_step_scope scope = { .windows = jw_os_is_windows(),
                                         .prime = jw_line_prime(&r->cli->session, false, r->cli->arena),
                                         .cache = "",
                                         .gpus = r->args->gpus,
                                         .exclude = r->args->exclude,
                                         .paths = r->args->paths };

    return jw_next_step_line(&step, &scope, r->cli->arena);
}

static const char *todo_of(const struct scan_cmd *r)
{
    enum need most = NEED_NOTHING;

    if (!can_be_done(r))
        return NULL;
    for (size_t i = 0; i < r->view.report.n_files; i++) {
        enum need need =
            r->view.of[i] != JW_CODE_OF_USERS ? NEED_NOTHING : need_of(r, &r->view.report.files[i]);

        most = need > most ? need : most;
    }
    if (most == NEED_PRIME
        && (!jw_cache_is_asked(jw_session_cache(&r->cli->session), r->cli->arena)
            || jw_session_hidden_gpus(&r->cli->session, false, r->cli->arena).is))
        most = NEED_DOCTOR; /* which names the setting */
    return most == NEED_PRIME ? prime_command(r) : most == NEED_DOCTOR ? "jitwarm doctor" : NULL;
}

/* ---- the result of --check ---- */

/* Without CUDA code nothing was checked, which a script must not take for a pass. */
static enum scan_check check_of(const struct scan_view *view)
{
    bool code = has_code(&view->report);

    if (code && !all_native(view))
        return SCAN_FAILED;
    return code ? SCAN_PASSED : SCAN_NO_CODE;
}

/* A package that was not scanned may hold anything. */
static bool lacks_package(const struct scan_cmd *r)
{
    for (size_t i = 0; i < r->view.n_packages; i++)
        if (r->view.packages[i].why && !r->view.packages[i].other_system)
            return true;
    return false;
}

/* The files that were fetched are known by their names: their folder will be gone. */
static void drop_work_folder(const char *work, struct jw_scan_report *r, struct jw_arena *a)
{
    struct jw_scan_file *files = jw_arena_copy(a, r->files, r->n_files * sizeof *files);
    struct jw_scan_skipped *skipped = jw_arena_copy(a, r->skipped, r->n_skipped * sizeof *skipped);
    size_t n = strlen(work);

    for (size_t i = 0; i < r->n_files; i++)
        if (jw_text_starts(files[i].path, work))
            files[i].path += n + 1;
    for (size_t i = 0; i < r->n_skipped; i++)
        if (jw_text_starts(skipped[i].path, work))
            skipped[i].path += n + 1;
    r->files = files;
    r->skipped = skipped;
}

static bool write_report(struct scan_cmd *r, struct jw_err *err)
{
    if (r->work)
        drop_work_folder(r->work, &r->view.report, r->cli->arena);
    find_owners(r);
    if (r->args->check)
        r->view.check = lacks_package(r) ? SCAN_FAILED : check_of(&r->view);
    r->view.todo = todo_of(r);
    if (!r->view.discovered && r->paths.n == 0 && !r->cli->common.json)
        return true;
    return print_report(r->cli, &r->view, err);
}

static int check_code(const struct scan_cmd *r)
{
    if (r->view.check == SCAN_NO_CODE)
        jw_messages_error(&r->cli->messages, "--check: no CUDA code was found, so nothing was checked");
    return r->view.check == SCAN_PASSED ? EXIT_DONE : EXIT_PARTLY;
}

/* A walk found files that are damaged or cannot be read: the report lists them, and is about the others. */
static bool is_partly(const struct jw_scan_report *report)
{
    for (size_t i = 0; i < report->n_files; i++)
        if (report->files[i].n_problems)
            return true;
    return report->n_skipped > 0;
}

/* Packages one after another that have one reason are one line. */
static bool say_not_fetched(const struct scan_cmd *r)
{
    const struct scan_view *v = &r->view;
    struct jw_messages *m = &r->cli->messages;
    bool any = false;

    for (size_t i = 0, more; i < v->n_packages; i += 1 + more) {
        const struct jw_fetched *p = &v->packages[i];

        for (more = 0; p->why && i + more + 1 < v->n_packages && p[more + 1].why == p->why;)
            more++;
        if (!p->why || p->other_system)
            continue;
        jw_messages_error(m, "%s%s%s%s%s: %s", p->where ? p->where : "", p->where ? " (" : "", p->text,
                          p->where ? ")" : "",
                          more ? jw_arena_printf(r->cli->arena, " and %zu more", more) : "", p->why);
        any = true;
    }
    if (v->elsewhere) {
        jw_messages_say(m, "%s", v->elsewhere);
        jw_messages_say(m, "then here, with that folder: jitwarm scan wheels");
    }
    return any;
}

static bool may_be_package(const struct jw_scan_skipped *s)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_requirement_is_bare(s->path) && jw_file_stat(s->path, &info, &ignored)
           && info.kind == JW_FILE_NONE;
}

/* A named file that cannot be read is an error. */
static int exit_code(const struct scan_cmd *r)
{
    int code = r->args->check ? check_code(r) : is_partly(&r->view.report) ? EXIT_PARTLY : EXIT_DONE;
    bool unreadable = false;

    if (r->args->driver)
        for (size_t i = 0; i < r->view.report.n_files; i++)
            for (size_t k = 0; k < r->view.report.files[i].n_verdicts; k++)
                if (r->view.report.files[i].verdicts[k].undriven)
                    code = EXIT_PARTLY;
    if (r->args->driver && needs_newer_driver(&r->view))
        code = EXIT_PARTLY;
    for (size_t i = 0; i < r->view.report.n_files; i++)
        if (r->view.report.files[i].named && r->view.report.files[i].n_problems)
            code = EXIT_INTEGRITY;
    for (size_t i = 0; i < r->view.report.n_skipped; i++) {
        const struct jw_scan_skipped *s = &r->view.report.skipped[i];

        if (!s->named)
            continue;
        jw_messages_error(&r->cli->messages, "%s: %s%s", s->path, s->reason,
                          may_be_package(s) ? "; a package is named with its version: NAME==VERSION"
                                            : jw_scan_remedy(s));
        code = EXIT_INTEGRITY;
        unreadable |= s->why == JW_SKIP_UNREADABLE;
    }
    if (say_not_fetched(r))
        code = EXIT_REMOTE;
    return unreadable ? EXIT_USAGE : code;
}

static void say_fetch(void *ctx, const char *sentence)
{
    struct cli *cli = ctx;

    jw_messages_progress_end(&cli->messages);
    jw_messages_say(&cli->messages, "%s", sentence);
}

/* Fetches what was asked for by name. */
static bool fetch(struct scan_cmd *r, struct jw_err *err)
{
    const struct jw_run run = jw_cli_run(r->cli);
    const struct jw_fetch_options o = { .paths = &r->args->paths,
                                        .windows =
                                            r->args->os ? r->args->os == OS_WINDOWS : jw_os_is_windows(),
                                        .yes = r->args->yes,
                                        .watched = r->cli->messages.terminal,
                                        .say = say_fetch };
    struct jw_fetch fetched;
    bool ok = jw_fetch(&run, &o, &fetched, err);

    jw_messages_progress_end(&r->cli->messages);
    r->paths = fetched.paths;
    r->work = fetched.work;
    r->view.packages = fetched.packages;
    r->view.n_packages = fetched.n_packages;
    r->view.for_windows = o.windows;
    r->view.elsewhere = fetched.elsewhere;
    return ok
           && (r->args->os == OS_HERE || r->view.n_packages
               || jw_fail(err, JW_E_USAGE, "--os chooses the wheel of a package: name it as NAME==VERSION"));
}

static int scan_run(struct cli *cli, const void *args)
{
    struct scan_cmd r = { .cli = cli, .args = args };
    struct jw_err err = { 0 };
    bool ok;

    r.view.discovered = r.args->paths.n == 0;
    r.view.everyone = r.args->system;
    r.view.entries = r.args->entries;
    r.config = jw_session_config(&cli->session);
    for (size_t i = 0; i < r.config->warnings.n; i++)
        jw_messages_warn(&cli->messages, "%s", r.config->warnings.v[i]);
    cli->session.exclude = r.args->exclude.items;
    cli->session.n_exclude = r.args->exclude.n;
    cli->session.everyone = r.args->system;
    ok = choose_gpus(&r, &err) && fetch(&r, &err) && choose_roots(&r, &err) && find_cache(&r, &err)
         && search(&r, &err) && write_report(&r, &err);
    int code = ok ? exit_code(&r) : jw_cli_fail(cli, &err);

    jw_scratch_remove(r.work);
    jw_cache_listing_free(&r.listing);
    jw_scan_free(&r.view.report);
    return code;
}

static const struct example scan_examples[] = {
    { "jitwarm scan", "the CUDA software of this machine, for its GPUs" },
    { "jitwarm scan --gpu \"RTX 3070\" libggml-cuda.so", "one library, for a GPU that is not here" },
    { "jitwarm scan --gpu h100 --driver 580 torch-2.9.0-cp312-linux_x86_64.whl",
      "a wheel that is not installed yet" },
    { "jitwarm scan tensorflow==2.3.1 --gpu \"RTX 3070\"", "a package that is not here: fetched by pip" },
    { "jitwarm scan uv.lock --os windows --gpu 5090 --yes", "all packages of a lock file" },
    { "jitwarm scan --check --exclude '*.a' /opt/app",
      "in a script: exit 1 if anything would be compiled at first start" },
    { 0 },
};

const struct cmd jw_cmd_scan = {
    .name = "scan",
    .summary = "show which GPUs a file's CUDA code runs on",
    .synopsis_args = "[PATH|NAME==VERSION...]",
    .details = "Reads the headers of the CUDA code in each file and shows for each GPU whether it runs "
               "natively, must be compiled by the driver at the first start (jit), is in the driver's cache "
               "already (warm), needs a newer driver (blocked), is compiled only when a library asks for it "
               "(lazy), is for the device linker (rdc), or does not run at all (none). Nothing is changed, "
               "and the driver is not loaded.\n\n"
               "PATH may be a library, program, object, static library, .fatbin, .cubin, .ptx, wheel, or a "
               "folder, which is searched with all that is below it. Without PATH the CUDA software that you "
               "run is searched for: Python, conda and Node.js environments of your home, of the working "
               "folder and the folders above it, what running programs have loaded, LD_LIBRARY_PATH and "
               "PYTHONPATH (of this shell and of a fresh login), CUDA "
               "toolkits, known applications, and the roots of jitwarm.conf without its exclude. --verbose "
               "lists each place, how it was found, and what was not searched.\n\n"
               "NAME==VERSION is a package that is not here. jitwarm asks the pip in PATH (or uv) for its "
               "wheel, with your own indexes and settings, into a folder that is removed afterwards. The "
               "index gets the name; before the wheel is fetched, scan shows the size and asks. Scripts say "
               "--yes. What the package depends on is not fetched, and nothing of it is executed. A "
               "requirements file (*.txt, *.in) or a lock file (uv.lock, poetry.lock, pdm.lock, pylock.toml) "
               "as PATH "
               "does the same for each package that it names, and scan asks before it sends these names to "
               "the index, too. A text with a line that is neither a package nor an option is no "
               "requirements file: nothing of it is sent.\n\n"
               "With --check the exit code is 1 when something would be compiled, or when there was nothing "
               "to check. It asks for the GPUs of this machine, or for those of --gpu. It is 2 when there "
               "are neither or a named PATH cannot be read, 6 when one is damaged, 7 when --yes is missing, "
               "and 8 when a package cannot be fetched. A file in a folder that is damaged or cannot be read "
               "is listed, and the exit code is 1, also without --check.",
    .examples = scan_examples,
    .opts = scan_opts,
    .args_size = sizeof(struct scan_args),
    .positional_at = offsetof(struct scan_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .stateless = true,
    .run = scan_run,
};

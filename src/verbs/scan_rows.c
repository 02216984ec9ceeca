#include "verbs/scan_rows.h"

#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "facts/compile_time.h"

#include <string.h>

enum { SHOWN = 15 };

/* ---- what is so of a file on a GPU ---- */

unsigned scan_failing(const struct scanned *s)
{
    unsigned always = DOES_NOT_RUN | IS_UNKNOWN;

    return s->args->check == CHECK_NATIVE ? always | COMPILES : always;
}

unsigned scan_verdict_on(const struct row *row, size_t gpu)
{
    unsigned verdict = 1u << row->verdicts[gpu];

    return row->own && (verdict & DOES_NOT_RUN) ? 1u << JW_VERDICT_NATIVE : verdict;
}

/* What a program makes of pieces is compiled, and --check=native cannot know when. */
static struct row row_of(const struct scanned *s, const struct jw_scan_file *f)
{
    const struct jw_package owner =
        jw_discovery_owner(&s->found, f->path, jw_named_above(s->folders, s->n_folders, f->path));
    bool folder = strcmp(owner.name, jw_path_base(f->path)) == 0;
    bool pieces = f->ptx_pieces && s->args->check == CHECK_NATIVE;
    struct row row = {.file = f,
                      .place = folder ? jw_path_dir(s->a, f->path) : owner.name,
                      .own = owner.own,
                      .worst = JW_VERDICT_NOTHING};

    for (size_t k = 0; k < s->of.sms.n; k++) {
        unsigned verdict = f->verdicts[k].verdict;

        row.verdicts[k] = (uint8_t)(pieces ? jw_min(verdict, JW_VERDICT_COMPILES) : verdict);
        row.worst = (uint8_t)jw_min(row.worst, row.verdicts[k]);
        row.anywhere |= scan_verdict_on(&row, k);
    }
    row.place = row.own ? "NVIDIA's own" : row.place;
    return row;
}

/* Users' files before NVIDIA's, what is worst first. Zero: they are one row of the table. */
static int by_place(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    int verdicts = memcmp(x->verdicts, y->verdicts, sizeof x->verdicts);

    if (x->own != y->own)
        return x->own - y->own;
    if (x->worst != y->worst)
        return x->worst - y->worst;
    return verdicts ? verdicts : strcmp(x->place, y->place);
}

static int by_worst(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    int place = by_place(a, b);

    return place ? place : strcmp(x->file->path, y->file->path);
}

void scan_make_rows(struct scanned *s)
{
    size_t n = s->report.n_files;

    s->rows = jw_arena_alloc(s->a, (n + 1) * sizeof *s->rows);
    for (size_t i = 0; i < n; i++)
        s->rows[i] = row_of(s, &s->report.files[i]);
    if (!s->cli->shared.json)
        jw_sort(s->rows, n, sizeof *s->rows, by_worst);
}

/* ---- how much is compiled ---- */

struct scan_amount scan_amount_on(const struct row *row, size_t gpu)
{
    const struct jw_scan_verdict *v = &row->file->verdicts[gpu];

    if (scan_verdict_on(row, gpu) != COMPILES)
        return (struct scan_amount){0};
    return (struct scan_amount){.jit = v->modules[JW_SELECTED_JIT],
                                .modules = jw_verdict_modules(v),
                                .ptx_bytes = v->jit_ptx_bytes};
}

/* Of these rows, on the GPU where most is compiled. */
static struct scan_amount amount_of(const struct scanned *s, const struct row *rows, size_t n)
{
    struct scan_amount most = {0};

    for (size_t k = 0; k < s->of.sms.n; k++) {
        struct scan_amount here = {0};

        for (size_t i = 0; i < n; i++) {
            const struct scan_amount one = scan_amount_on(&rows[i], k);

            here.jit += one.jit;
            here.modules += one.modules;
            here.ptx_bytes += one.ptx_bytes;
        }
        if (here.ptx_bytes > most.ptx_bytes)
            most = here;
    }
    return most;
}

double scan_seconds(const struct scanned *s, const struct scan_amount *all)
{
    unsigned branch = jw_branch_of(s->of.driver);
    double module = jw_driver_module_seconds(branch);

    if (!all->jit)
        return 0;
    return jw_compile_seconds(branch, all->ptx_bytes, 0) + module * (double)(all->jit - 1);
}

const char *scan_amount_text(const struct scanned *s, const struct row *rows, size_t n, bool full)
{
    const struct scan_amount all = amount_of(s, rows, n);

    if (!all.jit)
        return NULL;
    return jw_arena_printf(s->a, "%s of %s, %s, %s", JW_NUM(all.jit),
                           full ? JW_N(all.modules, "module", "modules") : JW_NUM(all.modules),
                           JW_SIZE(all.ptx_bytes), jw_compile_words(scan_seconds(s, &all)).text);
}

/* ---- the table ---- */

struct table {
    const struct row *rows;
    size_t n;
    bool many;     /* files of one place share a row */
    bool compiles; /* there is a column of what is compiled */
    const char *titles[JW_MAX_SMS];
    size_t gpus[JW_MAX_SMS]; /* of each title one GPU */
    size_t n_columns;
};

/* Has each file the same verdict on both GPUs? */
static bool are_alike(const struct table *t, size_t gpu, size_t other)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].verdicts[gpu] != t->rows[i].verdicts[other])
            return false;
    return true;
}

static bool runs_all(const struct table *t, size_t gpu)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->rows[i].verdicts[gpu] < JW_VERDICT_NATIVE)
            return false;
    return true;
}

/* "sm_86", or "sm_75,80,86" of GPUs that are alike. NULL: an earlier one has it. */
static const char *title_of(const struct scanned *s, const struct table *t, size_t gpu)
{
    struct jw_buf title = JW_LINE(s->a);

    for (size_t k = 0; k < s->of.sms.n; k++) {
        if (!are_alike(t, gpu, k))
            continue;
        if (k < gpu)
            return NULL;
        jw_buf_printf(&title, "%s%u", title.n ? "," : "sm_", s->of.sms.v[k]);
    }
    return jw_buf_cstr(&title);
}

/* Of a narrow terminal the last column is left out, so GPUs on which all runs come last. */
static void add_columns(const struct scanned *s, struct table *t, bool of_all)
{
    for (size_t gpu = 0; gpu < s->of.sms.n; gpu++) {
        const char *title = runs_all(t, gpu) == of_all ? title_of(s, t, gpu) : NULL;

        if (!title)
            continue;
        t->titles[t->n_columns] = title;
        t->gpus[t->n_columns++] = gpu;
    }
}

static void show_verdict(struct rep *r, const char *title, const struct row *row, size_t gpu)
{
    static const enum rep_tone tones[] = {
        [JW_VERDICT_NONE] = REP_BAD,     [JW_VERDICT_BLOCKED] = REP_BAD,
        [JW_VERDICT_UNKNOWN] = REP_WARN, [JW_VERDICT_COMPILES] = REP_WARN,
        [JW_VERDICT_NATIVE] = REP_GOOD,  [JW_VERDICT_NOTHING] = REP_PLAIN,
    };
    JW_ROW_FOR_EACH(tones, JW_VERDICTS, 6);
    enum jw_verdict v = row->verdicts[gpu];
    const char *word = jw_verdict_names[v];

    if (!word)
        word = v == JW_VERDICT_UNKNOWN ? "?" : "-";
    rep_fact(r, NULL, title, rep_toned(row->own ? REP_PLAIN : tones[v], rep_text(word)));
}

/* Below the only path that was named, or inside it, as in a wheel. */
static const char *shown_path(const struct scanned *s, const char *path)
{
    const char *named = s->folders->path;

    if (s->n_folders != 1)
        return path;
    if (jw_text_starts(path, named) && path[strlen(named)] == '!')
        return path + strlen(named) + 1;
    const char *below = jw_path_below(path, named);

    return below ? below : path;
}

/* `n`: files that share this row. */
static void show_row(struct rep *r, const struct scanned *s, const struct table *t,
                     const struct row *row, size_t n)
{
    const char *name = n > 1 ? row->place : row->file->path;

    rep_row(r);
    for (size_t i = 0; i < t->n_columns; i++)
        show_verdict(r, t->titles[i], row, t->gpus[i]);
    if (t->compiles)
        rep_fact(r, NULL, "COMPILES", rep_text(scan_amount_text(s, row, n, false)));
    if (t->many)
        rep_fact(r, NULL, "FILES", rep_count(n));
    rep_fact(r, NULL, t->many ? "FILE OR PACKAGE" : "FILE", rep_path(shown_path(s, name)));
}

void scan_show_table(struct rep *r, const struct scanned *s)
{
    struct row *rows = jw_arena_alloc(s->a, (s->report.n_files + 1) * sizeof *rows);
    struct table t = {.rows = rows};

    for (size_t i = 0; i < s->report.n_files; i++)
        if (!s->args->check || (s->rows[i].anywhere & scan_failing(s)))
            rows[t.n++] = s->rows[i];
    t.many = t.n > SHOWN && !s->cli->shared.verbose;
    t.compiles = t.n > 1 && scan_amount_text(s, rows, t.n, false); /* of one file the head has it */
    add_columns(s, &t, false);
    add_columns(s, &t, true);
    rep_table(r, NULL, SHOWN);
    for (size_t i = 0, next; i < t.n; i = next) {
        next = i + 1;
        while (t.many && next < t.n && by_place(&rows[i], &rows[next]) == 0)
            next++;
        show_row(r, s, &t, &rows[i], next - i);
    }
    rep_end(r);
}

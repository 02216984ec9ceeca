#include "base/mem.h"
#include "base/sort.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/ptx_options.h"
#include "software/scan/scan_judge.h"
#include "software/scan/scan_work.h"
#include "software/scan/verdict_words.h"

enum { MAX_ROWS = 4096 };

const char *const jw_verdict_names[] = {
    [JW_VERDICT_NONE] = "none",     [JW_VERDICT_BLOCKED] = "blocked",
    [JW_VERDICT_UNKNOWN] = NULL,    [JW_VERDICT_COMPILES] = "compiles",
    [JW_VERDICT_NATIVE] = "native", [JW_VERDICT_NOTHING] = NULL};
JW_ROW_FOR_EACH(jw_verdict_names, JW_VERDICTS, 6);

/* Machine code first, then PTX, then the rest; old architectures before new ones. */
static int by_row(const void *a, const void *b)
{
    const struct jw_fat_entry *x = a;
    const struct jw_fat_entry *y = b;
    int kind = (int)jw_fat_code_kind(x->kind) - (int)jw_fat_code_kind(y->kind);
    int target = (int)jw_arch_rank(x->target) - (int)jw_arch_rank(y->target);

    if (kind)
        return kind;
    if (target)
        return target;
    return x->major != y->major ? x->major - y->major : x->minor - y->minor;
}

/* Most files have about ten rows and thousands of entries. A hostile file may have more kinds of
 * entries: they are not told. */
static void list_rows(const struct jw_image *image, struct jw_arena *a, struct jw_scan_file *file)
{
    struct jw_fat_entry *rows = NULL;
    size_t n = 0;

    for (size_t i = 0, k = 0; i < image->fats.n_entries; i++, k = 0) {
        while (k < n && by_row(&rows[k], &image->fats.entries[i]))
            k++;
        if (k == n && jw_list_add(a, &rows, &n, sizeof *rows, MAX_ROWS, JW_IGNORED))
            rows[k] = image->fats.entries[i];
    }
    jw_sort(rows, n, sizeof *rows, by_row);
    file->rows = rows;
    file->n_rows = n;
}

/* Texts of the inputs that are compiled; room for all. */
struct texts {
    uint64_t *v;
    size_t n;
};

static void note_needs(const struct scan *scan, struct jw_scan_verdict *v, struct jw_choice c)
{
    const struct jw_need one = jw_needed(c.entry, &scan->driver);
    struct jw_need *most = &v->too_new[one.kind];

    v->needs_driver = one.branch > v->needs_driver ? one.branch : v->needs_driver;
    if (c.outcome == JW_SELECTED_BLOCKED
        && (one.branch > most->branch
            || (one.branch == most->branch && one.version > most->version)))
        *most = one;
}

static bool is_known_text(const struct texts *known, const struct jw_fat_entry *e)
{
    for (size_t i = 0; e->text && i < known->n; i++)
        if (known->v[i] == e->text)
            return true;
    return false;
}

static void note_options(struct jw_scan_verdict *v, const struct jw_fat_entry *e)
{
    const char *odd = jw_ptx_option_unknown(e->options);

    if (odd && !v->odd_options++)
        v->odd_option = odd;
}

/* Of the inputs of a link those count that the driver compiles, refuses, or may compile. */
static void count_module(const struct scan *scan, struct jw_scan_verdict *v, struct texts *known,
                         const struct jw_fat *fat, struct jw_choice c, bool input)
{
    bool jit = c.outcome == JW_SELECTED_JIT;
    bool blocked = c.outcome == JW_SELECTED_BLOCKED;
    bool unknown = c.outcome == JW_SELECTED_UNKNOWN;

    if (fat->role == JW_ROLE_LAZY && !unknown) {
        v->lazy[c.outcome]++;
        if (blocked)
            note_needs(scan, v, c);
        return;
    }
    if (input && jit && is_known_text(known, c.entry))
        return;
    if (input && jit)
        known->v[known->n++] = c.entry->text;
    v->unknown_at = unknown && !v->modules[c.outcome] ? fat->at : v->unknown_at;
    v->modules[c.outcome] += !input || jit || blocked || unknown;
    if (!c.entry || c.outcome == JW_SELECTED_RDC)
        return;
    note_needs(scan, v, c);
    if (jit)
        note_options(v, c.entry);
    if (c.entry->kind == JW_KIND_PTX)
        v->jit_ptx_bytes += jw_fat_plain(c.entry);
}

/* Registered modules come before those on demand. */
static enum jw_verdict first_that_applies(const struct jw_scan_verdict *v, bool in_doubt)
{
    const uint64_t *n = v->modules;
    const uint64_t *lazy = v->lazy;
    bool compiles = n[JW_SELECTED_LINKED] || n[JW_SELECTED_JIT];
    bool native = n[JW_SELECTED_NATIVE];

    if (n[JW_SELECTED_BLOCKED])
        return JW_VERDICT_BLOCKED;
    if (in_doubt || n[JW_SELECTED_UNKNOWN] || v->inputs_missing)
        return JW_VERDICT_UNKNOWN;
    if (!compiles && !native && n[JW_SELECTED_NONE])
        return JW_VERDICT_NONE;
    if (compiles || lazy[JW_SELECTED_JIT])
        return JW_VERDICT_COMPILES;
    if (native || lazy[JW_SELECTED_NATIVE])
        return JW_VERDICT_NATIVE;
    if (lazy[JW_SELECTED_BLOCKED])
        return JW_VERDICT_BLOCKED;
    return lazy[JW_SELECTED_NONE] ? JW_VERDICT_NONE : JW_VERDICT_NOTHING;
}

/* The given driver does not support this GPU: it loads nothing. */
static void block_undriven(enum jw_driver_fit drives, const struct jw_arch_fact *arch,
                           struct jw_scan_verdict *v)
{
    if (drives == JW_DRIVER_FITS)
        return;
    v->modules[JW_SELECTED_BLOCKED] += v->modules[JW_SELECTED_NATIVE] + v->modules[JW_SELECTED_JIT];
    v->modules[JW_SELECTED_NATIVE] = v->modules[JW_SELECTED_JIT] = v->modules[JW_SELECTED_LINKED] =
        0;
    v->undriven = true;
    v->verdict = JW_VERDICT_BLOCKED;
    v->needs_driver = drives == JW_DRIVER_TOO_OLD && arch ? arch->first_branch : 0;
}

static void check_gpu(const struct scan *scan, const struct jw_image *image, unsigned sm,
                      struct jw_scan_verdict *v)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);
    struct texts known = {0};

    *v = (struct jw_scan_verdict){0};
    const struct scan_judge judge = scan_judge(image, sm, &scan->driver);

    known.v = jw_alloc((size_t)judge.inputs * sizeof *known.v);
    for (size_t i = 0; i < image->fats.n; i++) {
        const struct jw_fat *fat = &image->fats.list[i];

        count_module(scan, v, &known, fat, scan_judge_module(&judge, fat),
                     scan_judge_input(&judge, fat));
    }
    v->inputs_missing = judge.links && judge.results ? judge.missing : 0;
    bool odd = v->odd_options && !scan->o->compiles;
    bool in_doubt = image->problems.n || image->fats.unbounded || odd;

    v->verdict = first_that_applies(v, in_doubt);
    if (v->needs_driver && arch && arch->first_branch > v->needs_driver)
        v->needs_driver = arch->first_branch;
    if (v->verdict != JW_VERDICT_NOTHING)
        block_undriven(jw_driver_support(scan->branch, sm), arch, v);
    jw_free(known.v);
}

void scan_check(const struct scan *s, const struct jw_image *image, struct jw_arena *a,
                struct jw_scan_file *file)
{
    struct jw_scan_verdict *v = jw_arena_alloc(a, s->o->sms.n * sizeof *v);

    for (size_t i = 0; i < s->o->sms.n; i++) {
        check_gpu(s, image, s->o->sms.v[i], &v[i]);
        v[i].odd_option = jw_arena_str_or_null(a, v[i].odd_option); /* the image goes */
    }
    file->verdicts = v;
    list_rows(image, a, file);
}

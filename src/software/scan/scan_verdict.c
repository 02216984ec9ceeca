#include "base/mem.h"
#include "base/sort.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "software/scan/scan_judge.h"
#include "software/scan/scan_work.h"
#include "software/scan/verdict_words.h"

#include <string.h>

enum { MAX_FROM = 64, MAX_ROWS = 4096 };

const char *const jw_verdict_names[] = { "blocked", "links", "jit",  "unknown", "native",
                                         "lazy",    "rdc",   "none", "no-code" };

bool jw_scan_unusable(const struct jw_scan_verdict *v)
{
    if (v->beside)
        return false;
    if (v->native + v->jit + v->blocked + v->links + v->unknown)
        return false;
    return v->none > 0 || (v->lazy_none + v->lazy_blocked > 0 && v->lazy_native + v->lazy_jit == 0);
}

bool jw_scan_harmless(const struct jw_scan_verdict *v)
{
    return v->verdict == JW_VERDICT_NONE && !jw_scan_unusable(v);
}

bool jw_scan_passes(const struct jw_scan_verdict *v, bool native)
{
    return v->verdict != JW_VERDICT_BLOCKED && !v->unknown && !v->inputs_missing && !jw_scan_unusable(v)
           && !(native && (v->jit || v->lazy_jit || v->links || v->inputs_lto));
}

bool jw_scan_fails(const struct jw_scan_file *f, size_t gpu, enum jw_code_owner of, bool native)
{
    return f->n_problems || (f->ptx_pieces && native) || f->verdicts[gpu].unknown
           || (of == JW_CODE_OF_USERS && !jw_scan_passes(&f->verdicts[gpu], native));
}

/* Machine code first, then PTX, then the rest; old architectures before new ones. */
static int by_row(const void *a, const void *b)
{
    const struct jw_scan_row *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    int text = strcmp(x->arch, y->arch);

    if (text)
        return text;
    return x->major != y->major ? (int)x->major - (int)y->major : (int)x->minor - (int)y->minor;
}

/* Most files have about ten rows and thousands of entries. */
static bool has_row(const struct jw_scan_row *rows, size_t n, const struct jw_scan_row *like)
{
    for (size_t i = 0; rows && i < n; i++)
        if (rows[i].kind == like->kind && rows[i].major == like->major && rows[i].minor == like->minor
            && rows[i].sm == like->sm && rows[i].suffix == like->suffix)
            return true;
    return false;
}

/* A hostile file may have more kinds of entries: they are not told. */
static void list_rows(const struct jw_image *image, struct jw_arena *a, struct jw_scan_file *file)
{
    struct jw_scan_row *rows = NULL;
    struct jw_err full;

    for (size_t i = 0; i < image->fats.n_entries; i++) {
        const struct jw_fat_entry *e = &image->fats.entries[i];
        struct jw_scan_row one = { .kind = jw_fat_code_kind(e->kind),
                                   .suffix = e->target.suffix,
                                   .sm = e->target.sm,
                                   .major = e->major,
                                   .minor = e->minor };

        if (has_row(rows, file->n_rows, &one))
            continue;
        struct jw_scan_row *slot = jw_list_add(a, &rows, &file->n_rows, sizeof *rows, MAX_ROWS, &full);

        memcpy(one.arch, jw_fat_arch_name(e).text, sizeof one.arch);
        if (slot)
            *slot = one;
    }
    jw_sort(rows, file->n_rows, sizeof *rows, by_row);
    file->rows = rows;
}

/* Collects what is compiled for one GPU: distinct targets and the newest PTX version. */
struct sources {
    struct jw_arch target[MAX_FROM];
    size_t n;
    uint64_t *texts; /* of the inputs that are compiled; room for all */
    size_t n_texts;
    unsigned branch; /* the oldest that takes all */
};

static void add_source(struct sources *s, struct jw_arch t)
{
    size_t i = 0;

    while (i < s->n && jw_arch_rank(s->target[i]) > jw_arch_rank(t))
        i++;
    if ((i < s->n && jw_arch_rank(s->target[i]) == jw_arch_rank(t)) || s->n == MAX_FROM)
        return;
    memmove(&s->target[i + 1], &s->target[i], (s->n - i) * sizeof t);
    s->target[i] = t;
    s->n++;
}

static void keep_sources(const struct sources *s, struct jw_arena *a, struct jw_scan_verdict *v)
{
    const char **from = jw_arena_alloc(a, s->n * sizeof *from);

    for (size_t i = 0; i < s->n; i++)
        from[i] = jw_arena_str(a, jw_arch_name("compute_", s->target[i]).text);
    v->from = from;
    v->n_from = s->n;
}

static void compile_it(struct jw_scan_verdict *v, struct sources *s, const struct jw_fat_entry *e)
{
    v->ptx_modules++;
    v->jit_ptx_bytes += jw_fat_plain(e);
    if (e->major > v->isa_major || (e->major == v->isa_major && e->minor > v->isa_minor)) {
        v->isa_major = e->major;
        v->isa_minor = e->minor;
    }
    add_source(s, e->target);
}

static void count_lazy(struct jw_scan_verdict *v, struct jw_choice c)
{
    v->lazy_native += c.outcome == JW_SELECTED_NATIVE;
    v->lazy_none += c.outcome == JW_SELECTED_NONE;
    v->lazy_blocked += c.outcome == JW_SELECTED_BLOCKED;
    v->lazy_jit += c.outcome == JW_SELECTED_JIT;
    v->lazy_ptx_bytes += c.outcome == JW_SELECTED_JIT ? jw_fat_plain(c.entry) : 0;
}

static void note_needs(const struct scan *scan, struct jw_scan_verdict *v, struct sources *s,
                       struct jw_choice c)
{
    const struct jw_need one = jw_needed(c.entry, &scan->driver);
    struct jw_need *most = &v->too_new[one.kind];

    s->branch = one.branch > s->branch ? one.branch : s->branch;
    if (c.outcome == JW_SELECTED_BLOCKED
        && (one.branch > most->branch || (one.branch == most->branch && one.version > most->version)))
        *most = one;
}

/* Is it compiled for an earlier input already? */
static bool is_known_text(const struct sources *s, const struct jw_fat_entry *e)
{
    for (size_t i = 0; e->text && i < s->n_texts; i++)
        if (s->texts[i] == e->text)
            return true;
    return false;
}

static void count_module(const struct scan *scan, struct jw_scan_verdict *v, struct sources *s,
                         const struct jw_fat *fat, struct jw_choice c, bool input)
{
    switch (c.outcome) {
    case JW_SELECTED_NATIVE: v->native += !input; break;
    case JW_SELECTED_JIT:
        if (input && is_known_text(s, c.entry))
            return;
        if (input)
            s->texts[s->n_texts++] = c.entry->text;
        v->jit++;
        v->embedded_jit += fat->embedded;
        break;
    case JW_SELECTED_BLOCKED: v->blocked++; break;
    case JW_SELECTED_RDC: v->rdc++; return;
    case JW_SELECTED_LTO: *(input ? &v->inputs_lto : &v->lto) += 1; return; /* driver-fact: F96-link-lto */
    case JW_SELECTED_LINKED: v->links++; return;
    case JW_SELECTED_NONE: v->none += !input; return;
    case JW_SELECTED_UNKNOWN: v->unknown_at = v->unknown++ ? v->unknown_at : fat->at; return;
    case JW_SELECTED_STUB: return;
    }
    note_needs(scan, v, s, c);
    if (c.entry->kind == JW_KIND_PTX)
        compile_it(v, s, c.entry);
}

static enum jw_verdict first_that_applies(const struct jw_scan_verdict *v, size_t containers)
{
    if (v->blocked)
        return JW_VERDICT_BLOCKED;
    if (v->links)
        return JW_VERDICT_LINKS;
    if (v->jit)
        return JW_VERDICT_JIT;
    if (v->unknown)
        return JW_VERDICT_UNKNOWN;
    if (v->native)
        return JW_VERDICT_NATIVE;
    if (v->lazy_jit + v->lazy_blocked)
        return JW_VERDICT_LAZY;
    if (v->rdc && !v->none) /* registered modules without code take precedence */
        return JW_VERDICT_RDC;
    return containers ? JW_VERDICT_NONE : JW_VERDICT_NO_CODE;
}

/* The given driver does not support this GPU: it loads nothing. */
static void block_undriven(const struct scan *scan, unsigned sm, struct jw_scan_verdict *v)
{
    enum jw_driver_fit drives = jw_driver_support(scan->branch, sm);

    if (drives == JW_DRIVER_FITS)
        return;
    const struct jw_arch_fact *arch = jw_arch_find(sm);

    v->blocked += v->native + v->jit;
    v->native = v->jit = v->links = v->embedded_jit = 0;
    v->undriven = true;
    v->verdict = JW_VERDICT_BLOCKED;
    v->needs_driver = drives == JW_DRIVER_TOO_OLD && arch ? arch->first_branch : 0;
}

static void check_gpu(const struct scan *scan, const struct jw_image *image, unsigned sm, struct jw_arena *a,
                      struct jw_scan_verdict *v)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);
    struct sources s = { 0 };

    *v = (struct jw_scan_verdict){ 0 };
    const struct scan_judge judge = scan_judge(image, sm, &scan->driver);

    s.texts = jw_alloc((size_t)judge.inputs * sizeof *s.texts);
    for (size_t i = 0; i < image->fats.n; i++) {
        const struct jw_fat *fat = &image->fats.list[i];
        struct jw_choice c = scan_judge_module(&judge, fat);

        if (fat->role == JW_ROLE_LAZY && c.outcome != JW_SELECTED_UNKNOWN)
            count_lazy(v, c);
        else
            count_module(scan, v, &s, fat, c, scan_judge_input(&judge, fat));
    }
    if (judge.results || judge.links) {
        v->inputs = judge.inputs;
        v->inputs_missing = judge.missing;
    }
    v->verdict = first_that_applies(v, image->fats.n);
    v->needs_driver = s.branch && arch && arch->first_branch > s.branch ? arch->first_branch : s.branch;
    if (image->fats.n)
        block_undriven(scan, sm, v);
    keep_sources(&s, a, v);
    jw_free(s.texts);
}

void scan_check(const struct scan *s, const struct jw_image *image, struct jw_arena *a,
                struct jw_scan_file *file)
{
    struct jw_scan_verdict *v = jw_arena_alloc(a, s->o->n_gpus * sizeof *v);

    for (size_t i = 0; i < image->fats.n; i++) {
        enum jw_role role = image->fats.list[i].role;

        file->containers += role == JW_ROLE_CODE;
        file->lazy_containers += role == JW_ROLE_LAZY;
    }
    for (size_t i = 0; i < s->o->n_gpus; i++)
        check_gpu(s, image, s->o->gpus[i].sm, a, &v[i]);
    file->verdicts = v;
    file->n_verdicts = s->o->n_gpus;
    list_rows(image, a, file);
}

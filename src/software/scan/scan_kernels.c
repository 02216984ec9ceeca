/*
 * Whether a file of which most modules have no code for a GPU can run on it.
 *
 * Libraries that are built for one architecture in each module have many modules without code for a GPU, and miss nothing: a module
 * with code for it has the same kernels. In a library that was not built for the GPU the kernels of these modules are nowhere
 * else. Names tell: of a module with machine code, its sections `.text.NAME`.
 *
 * Asked only where more modules lack code than have it. One is unpacked after the other until more kernels' modules are
 * missing than there are modules with code, or all were seen, or what may be unpacked is used up: then nothing is known.
 */
#include "base/buf.h"
#include "base/digest.h"
#include "base/mem.h"
#include "base/sort.h"
#include "formats/elf.h"
#include "formats/fatbin_unpack.h"
#include "software/scan/scan_work.h"

#include <string.h>

enum { MAX_NAMES = 1 << 22, SMALL_PTX = 1024, MANY = 256, FEW = 20 };
#define MAX_UNPACKED ((uint64_t)512 << 20)

/* Kernels of one module; it is unpacked once, however many GPUs ask. */
struct kernels {
    size_t first, n; /* in `names` */
    enum { NOT_SEEN, SEEN, NOT_TOLD } state;
};

struct names {
    uint64_t *list; /* FNV of each */
    size_t n, cap;
};

struct judging {
    struct scan_worker *w;
    const struct jw_source *src;
    const struct jw_image *image;
    struct kernels *of; /* for each container of the image */
    struct names names; /* of all that were unpacked */
    uint64_t left;      /* bytes of modules that may be asked for this GPU */
    struct names have;  /* sorted: kernels that run on it */
};

static bool add_names(const struct jw_buf *cubin, struct names *out, struct jw_err *err)
{
    static const char text[] = ".text.";
    const struct jw_bytes bytes = jw_buf_bytes(cubin);
    const struct jw_source src = jw_source_memory(&bytes);
    const struct jw_elf elf = jw_elf_header(bytes);
    struct jw_arena a = { 0 };
    struct jw_sections sections = { 0 };
    bool ok = elf.ours && elf.machine == JW_EM_CUDA && jw_elf_sections(&src, &elf, &a, &sections, err);

    for (size_t i = 0; ok && i < sections.n; i++) {
        const char *name = sections.list[i].name;

        if (strncmp(name, text, sizeof text - 1) != 0)
            continue;
        ok = jw_grow(&out->list, sizeof *out->list, out->n, &out->cap, MAX_NAMES, err);
        if (ok)
            out->list[out->n++] = jw_fnv1a(JW_FNV_START, name, strlen(name));
    }
    jw_sections_free(&sections);
    jw_arena_free(&a);
    return ok;
}

/* The machine code of a container that is the least to unpack; NULL: it has none. */
static const struct jw_fat_entry *smallest(const struct jw_image *image, const struct jw_fat *fat)
{
    const struct jw_fat_entry *best = NULL;

    for (size_t i = 0; i < fat->n; i++) {
        const struct jw_fat_entry *e = &image->fats.entries[fat->first + i];

        if (e->kind == JW_KIND_ELF && !jw_fat_why_unsafe(e)
            && (!best || jw_fat_plain(e) < jw_fat_plain(best)))
            best = e;
    }
    return best;
}

/* False only for an interruption. */
static bool unpack_kernels(struct judging *j, const struct jw_fat_entry *e, struct kernels *k,
                           struct jw_err *err)
{
    struct jw_buf plain = JW_BUF((size_t)jw_fat_plain(e) + 1);
    struct jw_err why = { 0 };

    k->first = j->names.n;
    k->state = jw_fat_unpack(j->src, e, jw_sink_buf(&plain), &why) && add_names(&plain, &j->names, &why)
                   ? SEEN
                   : NOT_TOLD;
    k->n = j->names.n - k->first;
    jw_buf_free(&plain);
    return jw_not_interrupted(j->w->scan->o->interrupted, err);
}

/* `*out` NULL: its kernels are not known. The limit for unpacking counts for each GPU by itself, so that no
 * answer depends on the other GPUs. False only for an interruption. */
static bool kernels_of(struct judging *j, size_t fat, const struct kernels **out, struct jw_err *err)
{
    const struct jw_fat_entry *e = smallest(j->image, &j->image->fats.list[fat]);
    struct kernels *k = &j->of[fat];

    *out = NULL;
    if (!e || jw_fat_plain(e) > j->left)
        return jw_not_interrupted(j->w->scan->o->interrupted, err);
    j->left -= jw_fat_plain(e);
    if (k->state == NOT_SEEN && !unpack_kernels(j, e, k, err))
        return false;
    *out = k->state == SEEN ? k : NULL;
    return true;
}

static bool is_registered(const struct jw_fat *fat)
{
    return fat->role == JW_ROLE_CODE && fat->n;
}

static struct jw_choice choice_of(const struct judging *j, const struct jw_fat *fat, unsigned sm)
{
    return jw_select(fat, j->image->fats.entries, sm, &j->w->scan->driver);
}

/* True if it runs as it is, compiled, or linked from inputs. */
static bool runs(const struct jw_fat *fat, const struct jw_choice *c, bool links)
{
    return c->outcome == JW_SELECTED_NATIVE || c->outcome == JW_SELECTED_JIT
           || (links && jw_links_result(fat, c));
}

static bool add_kernels(struct judging *j, const struct kernels *k, struct jw_err *err)
{
    for (size_t i = 0; i < k->n; i++) {
        if (!jw_grow(&j->have.list, sizeof *j->have.list, j->have.n, &j->have.cap, MAX_NAMES, err))
            return false;
        j->have.list[j->have.n++] = j->names.list[k->first + i];
    }
    return true;
}

/* The kernels of all modules that run. */
static bool find_those_with_code(struct judging *j, unsigned sm, bool links, bool *known, struct jw_err *err)
{
    j->have.n = 0;
    *known = true;
    for (size_t i = 0; *known && i < j->image->fats.n; i++) {
        const struct jw_fat *fat = &j->image->fats.list[i];
        struct jw_choice c = choice_of(j, fat, sm);
        const struct kernels *k;

        if (!is_registered(fat) || !runs(fat, &c, links))
            continue;
        if (!kernels_of(j, i, &k, err) || (k && !add_kernels(j, k, err)))
            return false;
        *known = k;
    }
    jw_sort(j->have.list, j->have.n, sizeof *j->have.list, jw_by_u64);
    return true;
}

static bool has_all(const struct judging *j, const struct kernels *wanted)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (!jw_find_u64(j->have.list, j->have.n, sizeof *j->have.list, j->names.list[wanted->first + i]))
            return false;
    return true;
}

static bool look_for_twins(struct judging *j, unsigned sm, struct jw_scan_verdict *v, struct jw_err *err)
{
    uint64_t alone = 0, run = jw_scan_can_run(v), seen = 0;
    bool known = true;

    for (size_t i = 0; known && alone <= run && i < j->image->fats.n; i++) {
        const struct jw_fat *fat = &j->image->fats.list[i];
        struct jw_choice c = choice_of(j, fat, sm);
        const struct kernels *wanted;

        if (!is_registered(fat) || c.outcome != JW_SELECTED_NONE || c.stub || runs(fat, &c, v->links))
            continue;
        if (!kernels_of(j, i, &wanted, err))
            return false;
        known = wanted;
        alone += known && !has_all(j, wanted);
        seen++;
    }
    v->mostly_none = known && alone > run;
    v->twins = known && !alone && seen >= v->none;
    return true;
}

/* A large library with code for this GPU in one module of twenty or more chooses its kernels by the GPU, as cuBLASLt
 * and cuDNN do: those of other GPUs have other names, and no program misses them. */
static bool chooses_by_gpu(uint64_t run, uint64_t none)
{
    return run + none >= MANY && none <= run * FEW;
}

bool scan_check_kernels(struct scan_worker *w, const struct scan_subject *subject,
                        const struct jw_image *image, struct jw_scan_file *file, struct jw_err *err)
{
    struct jw_scan_verdict *verdicts = (struct jw_scan_verdict *)file->verdicts;
    struct judging j = { .w = w, .src = &subject->src, .image = image };
    bool ok = true;

    for (size_t i = 0; ok && i < file->n_verdicts; i++) {
        struct jw_scan_verdict *v = &verdicts[i];
        unsigned sm = w->scan->o->gpus[i].sm;
        uint64_t run = jw_scan_can_run(v);
        bool known;

        if (v->undriven || v->blocked || !run || v->none <= run || chooses_by_gpu(run, v->none))
            continue;
        if (!j.of)
            j.of = jw_alloc(image->fats.n * sizeof *j.of);
        j.left = MAX_UNPACKED;
        ok =
            find_those_with_code(&j, sm, v->links, &known, err) && (!known || look_for_twins(&j, sm, v, err));
        if (ok && v->mostly_none)
            v->verdict = JW_VERDICT_NONE;
    }
    jw_free(j.have.list);
    jw_free(j.names.list);
    jw_free(j.of);
    return ok;
}

/* ---- small PTX ---- */

/* Tools leave PTX of a few lines where a file has no kernel; one with a kernel may be as small. One that cannot be
 * read may hold any kernel, and is reported where it is needed. */
static bool is_empty(const struct jw_source *src, const struct jw_fat_entry *e, bool *empty,
                     struct jw_err *err)
{
    struct jw_buf text = JW_BUF(SMALL_PTX);
    struct jw_err why = { 0 };

    *empty = jw_fat_unpack(src, e, jw_sink_buf(&text), &why)
             && jw_find(jw_buf_bytes(&text), JW_BYTES(".entry")) == text.n;
    jw_buf_free(&text);
    if (why.code == JW_E_INTERRUPTED)
        *err = why;
    return why.code != JW_E_INTERRUPTED;
}

bool scan_find_empty(const struct scan *s, const struct scan_subject *subject, struct jw_image *image,
                     struct jw_err *err)
{
    struct jw_fats *f = &image->fats;

    for (size_t i = 0; i < f->n; i++) {
        const struct jw_fat_entry *last = NULL;

        for (size_t k = 0; f->list[i].role != JW_ROLE_LAZY && k < s->o->n_gpus; k++) {
            struct jw_choice c = scan_choose(s, image, &f->list[i], s->o->gpus[k].sm, false);
            const struct jw_fat_entry *e = c.entry;

            if (!e || e == last || e->kind != JW_KIND_PTX || e->header == 0 || jw_fat_plain(e) >= SMALL_PTX
                || (c.outcome != JW_SELECTED_JIT && c.outcome != JW_SELECTED_BLOCKED))
                continue;
            last = e;
            if (!is_empty(&subject->src, e, &f->entries[e - f->entries].empty, err))
                return false;
        }
    }
    return true;
}

#include "software/scan/scan_build.h"

#include "base/mem.h"
#include "facts/cuda_releases.h"
#include "facts/drivers.h"
#include "software/scan/scan_work.h"

#include <stdlib.h>
#include <string.h>

/* More architectures than any toolkit has; PTX sizes are in kB, and `TINY` is too small to count. */
enum { MAX_ENTRIES = 96, KB = 1000, TINY = 100, LEAST_PTX = 1024, MAX_MODULES = 1 << 20 };

/* A group of equal modules: "150t/60,70,90a/90@8.2=560652" is 150 of them, their flags, their machine code, their PTX with its
 * version and the kB of all. The flags are those of scripts/atlas: c relocatable, s a linker's stub, t PTX without a kernel, z zstd. */
struct group {
    size_t n;
    bool relocatable, stub, tiny, zstd;
    struct jw_fat_entry entries[MAX_ENTRIES];
    size_t n_entries;
};

static void take_flags(const char **at, struct group *g)
{
    for (; **at && **at != '/'; (*at)++) {
        g->relocatable |= **at == 'c';
        g->stub |= **at == 's';
        g->tiny |= **at == 't';
        g->zstd |= **at == 'z';
    }
    *at += **at == '/';
}

static void take_entry(const char **at, unsigned kind, struct group *g)
{
    size_t n = strcspn(*at, ",/;@");
    struct jw_fat_entry e = { .kind = (uint16_t)kind,
                              .flags = JW_FAT_64BIT | (g->zstd ? (unsigned)JW_FAT_ZSTD : 0U),
                              .options = g->relocatable ? "-c" : "",
                              .identifier = "",
                              .header = 1 };
    char word[8] = "", *end;

    if (n < sizeof word)
        memcpy(word, *at, n);
    *at += n;
    if (**at == '@') {
        e.major = (uint16_t)strtoul(*at + 1, &end, 10);
        e.minor = (uint16_t)(*end == '.' ? strtoul(end + 1, &end, 10) : 0);
        e.stored = *end == '=' && g->n ? strtoull(end + 1, &end, 10) * KB / g->n : 0;
        *at = end;
    }
    if (kind == JW_KIND_PTX)
        e.stored = g->tiny ? TINY : e.stored > LEAST_PTX ? e.stored : LEAST_PTX;
    if (g->n_entries < MAX_ENTRIES && jw_arch_parse(word, &e.target))
        g->entries[g->n_entries++] = e;
}

static void take_entries(const char **at, unsigned kind, struct group *g)
{
    while (**at && **at != '/' && **at != ';') {
        take_entry(at, kind, g);
        *at += **at == ',';
    }
    *at += **at == '/';
}

static const char *take_group(const char *at, struct group *g)
{
    char *end;

    *g = (struct group){ .n = strtoul(at, &end, 10) };
    at = end;
    take_flags(&at, g);
    take_entries(&at, JW_KIND_ELF, g);
    take_entries(&at, JW_KIND_PTX, g);
    at += strcspn(at, ";");
    return at + (*at == ';');
}

/* ---- containers ---- */

/* All modules of a group are the same container. */
static bool add_group(const struct group *g, struct jw_fats *f, struct jw_err *err)
{
    size_t first = f->n_entries;

    for (size_t i = 0; i < g->n_entries; i++) {
        if (!jw_grow(&f->entries, sizeof *f->entries, f->n_entries, &f->cap_entries, MAX_MODULES, err))
            return false;
        f->entries[f->n_entries++] = g->entries[i];
    }
    for (size_t i = 0; i < g->n; i++) {
        if (!jw_grow(&f->list, sizeof *f->list, f->n, &f->cap, MAX_MODULES, err))
            return false;
        f->list[f->n++] = (struct jw_fat){
            .first = first, .n = g->n_entries, .role = JW_ROLE_CODE, .wrapper = g->stub ? 0 : 1
        };
    }
    return true;
}

static bool containers_of(const struct jw_build *b, struct jw_fats *f, struct jw_err *err)
{
    struct group g;

    for (const char *at = b->code; *at && *b->code != '0';) {
        at = take_group(at, &g);
        if (!add_group(&g, f, err))
            return false;
    }
    return true;
}

/* ---- the driver ---- */

/* The oldest driver that runs programs of its toolkit; NULL: not known. */
static const char *jw_build_least_driver(const struct jw_build *b)
{
    struct jw_cuda_release t;

    if (!b->cuda || !jw_cuda_release_find(b->cuda, &t))
        return NULL;
    return b->system == JW_BUILD_WINDOWS ? t.windows_least : t.linux_least;
}

static bool is_older(const char *driver, const char *least)
{
    struct jw_driver_version have, need;
    struct jw_err ignored;

    if (!driver || !least || !jw_driver_parse(driver, &have, &ignored)
        || !jw_driver_parse(least, &need, &ignored))
        return false;
    if (have.branch != need.branch)
        return have.branch < need.branch;
    return have.minor != need.minor ? have.minor < need.minor : have.patch < need.patch;
}

/* A program of a newer toolkit than the driver serves finds no GPU at all. */
static void block_by_toolkit(const struct jw_build *b, const char *driver, struct jw_scan_verdict *v)
{
    const char *least = jw_build_least_driver(b);

    if (v->undriven || !is_older(driver, least))
        return;
    v->blocked += v->native + v->jit + v->warm;
    v->native = v->jit = v->warm = 0;
    if (v->blocked) {
        v->verdict = JW_VERDICT_BLOCKED;
        v->needs_driver = least;
        v->needs_toolkit = b->cuda;
    }
}

/* Its makers gave the GPU up: what is left for it is code of libraries inside, with which nothing starts. */
static void block_by_report(const struct jw_build *b, unsigned sm, struct jw_scan_verdict *v)
{
    struct jw_report r;

    if (!jw_build_report(b->product, b->number, b->system, b->cuda, sm, JW_REPORT_ENDED, &r))
        return;
    v->none += v->native + v->jit + v->warm + v->blocked;
    v->native = v->jit = v->warm = v->blocked = 0;
    v->verdict = JW_VERDICT_NONE;
}

bool jw_scan_build(const struct jw_build *b, const struct jw_scan_options *o, struct jw_arena *a,
                   struct jw_scan_file *out, struct jw_err *err)
{
    struct scan s = { .o = o };
    struct jw_image image = { 0 };
    bool ok = scan_driver_limits(&s, err) && containers_of(b, &image.fats, err);

    *out = (struct jw_scan_file){ .format = "build", .named = true };
    if (ok) {
        scan_check(&s, &image, a, out);
        for (size_t i = 0; i < o->n_gpus; i++) {
            struct jw_scan_verdict *v = (struct jw_scan_verdict *)&out->verdicts[i];

            block_by_report(b, o->gpus[i].sm, v);
            block_by_toolkit(b, o->driver, v);
        }
    }
    jw_fats_free(&image.fats);
    return ok;
}

/* ---- a build that is ready ---- */

static bool is_ready(const struct jw_build *b, const struct jw_gpu *gpu, const char *driver)
{
    const struct jw_scan_options o = { .gpus = gpu, .n_gpus = 1, .driver = driver };
    struct jw_arena a = { 0 };
    struct jw_scan_file f;
    struct jw_err ignored;
    bool ready = jw_scan_build(b, &o, &a, &f, &ignored) && f.verdicts[0].verdict == JW_VERDICT_NATIVE;

    jw_arena_free(&a);
    return ready;
}

bool jw_build_ready(const struct jw_build *b, const struct jw_gpu *gpu, const char *driver, bool *older,
                    struct jw_build *out)
{
    struct jw_build other;
    bool found = false;

    *older = false;
    for (int side = 1; side >= -1 && !found; side -= 2)
        for (size_t i = 0; jw_build_at(i, &other); i++) {
            if (other.product != b->product || other.system != b->system
                || jw_build_compare(other.number, b->number) != side
                || (found && jw_build_compare(other.number, out->number) != -side)
                || !is_ready(&other, gpu, driver))
                continue;
            *out = other;
            found = true;
            *older = side < 0;
        }
    return found;
}

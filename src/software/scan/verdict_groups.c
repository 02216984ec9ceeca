#include "software/scan/verdict_groups.h"

#include "base/mem.h"
#include "base/sort.h"

#include <string.h>

/* The verdict of several files together: the first that applies to any of them. */
static void add_verdict(struct jw_scan_verdict *sum, const struct jw_scan_verdict *one, bool first)
{
    if (first || one->verdict < sum->verdict)
        sum->verdict = one->verdict;
    sum->native += one->native;
    sum->jit += one->jit;
    sum->blocked += one->blocked;
    sum->none += one->beside ? 0 : one->none;
    sum->unknown += one->unknown;
    sum->links += one->links;
    sum->inputs += one->links ? one->inputs : 0;
    sum->inputs_native += one->inputs_native;
    sum->inputs_missing += one->links ? one->inputs_missing : 0;
    sum->inputs_lto += one->inputs_lto;
    sum->inputs_jit += one->inputs_jit;
    sum->embedded_jit += one->embedded_jit;
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

static bool same_group(const struct jw_verdict_group *g, const struct jw_package *p, enum jw_code_of of)
{
    const char *a = g->version ? g->version : "", *b = p->version ? p->version : "";

    return strcmp(g->name, p->name) == 0 && strcmp(a, b) == 0 && g->of == of;
}

static struct jw_verdict_group *group_for(struct jw_verdict_groups *all, const struct jw_package *p,
                                          enum jw_code_of of, size_t n_gpus, struct jw_arena *a,
                                          struct jw_err *err)
{
    for (size_t i = 0; i < all->n; i++)
        if (same_group(&all->list[i], p, of))
            return &all->list[i];
    if (!jw_grow(&all->list, sizeof *all->list, all->n, &all->cap, 1 << 20, err))
        return NULL;
    struct jw_verdict_group *g = &all->list[all->n];

    *g = (struct jw_verdict_group){ .name = p->name, .version = p->version, .of = of };
    g->sum = jw_arena_alloc(a, n_gpus * sizeof *g->sum);
    all->n++;
    return g;
}

/* NVIDIA's files inside another package belong to NVIDIA's line, because users cannot change them. */
static struct jw_package line_of(const struct jw_verdict_files *f, size_t i)
{
    static const char *const names[] = { [JW_CODE_OF_NVIDIA] = "NVIDIA's own libraries",
                                         [JW_CODE_OF_TOOLS] = "NVIDIA's driver and compilers",
                                         [JW_CODE_OF_TESTS] = "files of packages' own tests" };

    if (!f->by_package)
        return (struct jw_package){ .name = f->report->files[i].path };
    return f->of[i] == JW_CODE_OF_USERS ? f->owners[i] : (struct jw_package){ .name = names[f->of[i]] };
}

/* The order of lines: failures, then compiling, then what the user cannot change. */
unsigned jw_verdict_rank(const struct jw_scan_verdict *v)
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
    case JW_VERDICT_NATIVE: return 5;
    default: return 6;
    }
}

static unsigned worst(const struct jw_verdict_group *g, size_t n_gpus)
{
    unsigned first = 9;

    for (size_t i = 0; i < n_gpus; i++)
        if (jw_verdict_rank(&g->sum[i]) < first)
            first = jw_verdict_rank(&g->sum[i]);
    return first;
}

static int by_worst(const void *a, const void *b)
{
    const struct jw_verdict_group *x = a, *y = b;
    bool users = x->of == JW_CODE_OF_USERS;

    if (users != (y->of == JW_CODE_OF_USERS))
        return users ? -1 : 1;
    if (x->worst != y->worst)
        return x->worst < y->worst ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

bool jw_verdict_groups(const struct jw_verdict_files *files, struct jw_arena *a,
                       struct jw_verdict_groups *out, struct jw_err *err)
{
    *out = (struct jw_verdict_groups){ NULL, 0, 0 };
    for (size_t i = 0; i < files->report->n_files; i++) {
        const struct jw_scan_file *f = &files->report->files[i];
        const struct jw_package p = line_of(files, i);
        struct jw_verdict_group *g = group_for(out, &p, files->of[i], files->n_gpus, a, err);

        if (!g)
            return false;
        for (size_t k = 0; k < files->n_gpus; k++)
            add_verdict(&g->sum[k], &f->verdicts[k], g->files == 0);
        g->files++;
        g->modules += f->containers;
    }
    for (size_t i = 0; i < out->n; i++) {
        struct jw_verdict_group *g = &out->list[i];

        g->worst = worst(g, files->n_gpus);
        for (size_t k = 0; k < files->n_gpus; k++)
            g->bytes += g->sum[k].jit_ptx_bytes;
    }
    jw_sort(out->list, out->n, sizeof *out->list, by_worst);
    return true;
}

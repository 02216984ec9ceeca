#include "software/scan/verdict_groups.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

#include <string.h>

static struct jw_verdict_group *group_for(struct jw_verdict_groups *all, const struct jw_package *p,
                                          size_t n_gpus, struct jw_arena *a, struct jw_err *err)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->list[i].name, p->name) == 0 && all->list[i].of == p->of)
            return &all->list[i];
    if (!jw_grow(&all->list, sizeof *all->list, all->n, &all->cap, 1 << 20, err))
        return NULL;
    struct jw_verdict_group *g = &all->list[all->n];

    *g = (struct jw_verdict_group){ .name = p->name, .of = p->of, .worst = JW_VERDICT_NOTHING };
    g->of_gpu = jw_arena_alloc(a, n_gpus * sizeof(const struct jw_scan_verdict *));
    all->n++;
    return g;
}

/* NVIDIA's files inside another package belong to NVIDIA's line, because users cannot change them. */
static struct jw_package line_of(const struct jw_verdict_files *f, size_t i)
{
    static const char *const names[] = {
        [JW_CODE_OF_NVIDIA] = "NVIDIA's own libraries", [JW_CODE_OF_TOOLS] = "NVIDIA's driver and compilers"
    };

    const struct jw_package owner = f->owners[i];

    return (struct jw_package){ !f->by_package                 ? f->report->files[i].path
                                : owner.of == JW_CODE_OF_USERS ? owner.name
                                                               : names[owner.of],
                                owner.of };
}

static int by_worst(const void *a, const void *b)
{
    const struct jw_verdict_group *x = a, *y = b;
    int of_x = x->worst == JW_VERDICT_NOTHING ? 2 : x->of != JW_CODE_OF_USERS;
    int of_y = y->worst == JW_VERDICT_NOTHING ? 2 : y->of != JW_CODE_OF_USERS;

    if (of_x != of_y)
        return of_x - of_y;
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
        struct jw_verdict_group *g = group_for(out, &p, files->n_gpus, a, err);
        uint64_t most = 0;

        if (!g)
            return false;
        for (size_t k = 0; k < files->n_gpus; k++) {
            if (g->files == 0 || f->verdicts[k].verdict < g->of_gpu[k]->verdict)
                g->of_gpu[k] = &f->verdicts[k];
            g->worst = f->verdicts[k].verdict < g->worst ? f->verdicts[k].verdict : g->worst;
            most = jw_max(most, f->verdicts[k].jit_ptx_bytes);
        }
        g->bytes += most;
        g->files++;
        g->modules += f->containers + f->lazy_containers;
    }
    jw_sort(out->list, out->n, sizeof *out->list, by_worst);
    return true;
}

/* What is there, in numbers: by why it goes, by driver build and GPU. */
#include "cache/prune/prune_groups.h"

#include "cache/prune/prune_save.h"

#include <stdlib.h>
#include <string.h>

static int compare(const struct jw_prune_group *x, const struct jw_prune_group *y)
{
    int d;

    if (x->why != y->why)
        return (x->why == JW_PRUNE_KEEP) != (y->why == JW_PRUNE_KEEP) ? (x->why == JW_PRUNE_KEEP ? 1 : -1)
               : x->why < y->why                                      ? -1
                                                                      : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    d = strcmp(x->stamp, y->stamp);
    return d ? d : strcmp(x->arch, y->arch);
}

static int by_group(const void *a, const void *b)
{
    return compare(a, b);
}

/* Each entry alone, then sorted and joined. What this driver uses is no group unless it goes. */
void prune_group(const struct jw_cache_listing *l, const struct jw_prune_plan *plan, struct jw_arena *a,
                 struct jw_prune_report *out)
{
    struct jw_prune_group *v = jw_arena_alloc(a, (l->n + 1) * sizeof *v);
    size_t n = 0, joined = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];
        const struct jw_prune_build *b = f->damage ? NULL : jw_prune_build_of(plan, f->stamp);
        enum jw_prune_why why = plan->why[i];

        if (why == JW_PRUNE_KEEP && (!b || b->fate == JW_PRUNE_CURRENT || b->fate == JW_PRUNE_UNKNOWN))
            continue;
        v[n++] = (struct jw_prune_group){ .why = why,
                                          .kind = f->damage ? JW_CACHE_OTHER : f->kind,
                                          .stamp = f->damage ? "" : f->stamp,
                                          .arch = f->damage ? "" : f->arch,
                                          .build = b,
                                          .entries = 1,
                                          .bytes = f->size };
    }
    if (n)
        qsort(v, n, sizeof *v, by_group);
    for (size_t i = 0; i < n; i++) {
        if (joined && compare(&v[joined - 1], &v[i]) == 0) {
            v[joined - 1].entries++;
            v[joined - 1].bytes += v[i].bytes;
        } else
            v[joined++] = v[i];
    }
    for (size_t i = 0; i < joined; i++) {
        v[i].stamp = jw_arena_str(a, v[i].stamp); /* the report outlives the listing */
        v[i].arch = jw_arena_str(a, v[i].arch);
        if (v[i].why == JW_PRUNE_DEAD)
            v[i].unsaved = prune_unsavable(v[i].build, v[i].arch, v[i].kind);
    }
    out->groups = v;
    out->n_groups = joined;
}

void prune_sum_up(const struct jw_cache_listing *l, const struct jw_prune_plan *plan,
                  struct jw_prune_report *out)
{
    for (size_t i = 0; i < l->n; i++) {
        struct jw_status_sum *s = &out->whys[plan->why[i]];

        s->entries++;
        s->bytes += l->files[i].size;
        if (plan->why[i] == JW_PRUNE_KEEP)
            continue;
        out->plan.entries++;
        out->plan.bytes += l->files[i].size;
    }
    out->stale = l->missing;
}

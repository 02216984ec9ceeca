#include "cache/prune/prune_plan.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

#include <string.h>

enum {
    DAY_S = 24 * 60 * 60,
    WRITING_S = 60, /* a driver writes an entry in milliseconds; a slower writer has died */
    UNRECORDED_S = DAY_S,
    MAX_BUILDS = 1024 /* entries of further ones are kept */
};

#define NS ((int64_t)1000000000)

const char *const jw_prune_why_names[] = { "keep", "damaged", "outdated", "unindexed", "excess", "all" };
const char *const jw_prune_fate_names[] = { "current", "outdated", "recent", "shared", "real", "unknown" };

struct planning {
    const struct jw_prune_facts *f;
    struct jw_arena *a;
    struct jw_prune_plan *out;
    uint64_t *known, *needed; /* recorded entries, and those of receipts: sorted */
    size_t n_known, n_needed;
};

static int64_t written_at(const struct jw_cache_file *f)
{
    return f->mtime / NS;
}

/* A clock that was set back makes entries younger, never older. */
static bool older(const struct planning *p, const struct jw_cache_file *f, uint64_t seconds)
{
    int64_t age = p->f->now - written_at(f);

    return age > 0 && (uint64_t)age > seconds;
}

/* ---- builds ---- */

const struct jw_prune_build *jw_prune_build_of(const struct jw_prune_plan *p, const char *stamp)
{
    for (size_t i = 0; i < p->n_builds; i++)
        if (strcmp(p->builds[i].stamp, stamp) == 0)
            return &p->builds[i];
    return NULL;
}

const struct jw_prune_build *jw_prune_build_of_file(const struct jw_prune_plan *p,
                                                    const struct jw_cache_file *f)
{
    return f->damage || f->kind != JW_CACHE_CUDA || !*f->stamp ? NULL : jw_prune_build_of(p, f->stamp);
}

static bool add_build(struct planning *p, const struct jw_cache_file *file, struct jw_err *err)
{
    struct jw_prune_build *b;

    for (size_t i = 0; i < p->out->n_builds; i++)
        if (strcmp(p->out->builds[i].stamp, file->stamp) == 0) {
            b = &p->out->builds[i];
            b->used_at = written_at(file) > b->used_at ? written_at(file) : b->used_at;
            return true;
        }
    if (p->out->n_builds == MAX_BUILDS)
        return true;
    b = jw_list_add(p->a, &p->out->builds, &p->out->n_builds, sizeof *b, MAX_BUILDS, err);
    if (!b)
        return false;
    b->stamp = jw_arena_str(p->a, file->stamp);
    b->driver = jw_state_of_stamp(p->f->drivers, file->stamp);
    b->used_at = b->driver ? jw_state_seen_at(b->driver) : 0;
    if (written_at(file) > b->used_at)
        b->used_at = written_at(file);
    return true;
}

static enum jw_prune_fate fate(const struct planning *p, const struct jw_prune_build *b)
{
    const struct jw_prune_facts *f = p->f;

    if (!f->current)
        return JW_PRUNE_UNKNOWN;
    if (strcmp(b->stamp, f->current) == 0)
        return JW_PRUNE_CURRENT;
    if (jw_stamp_simulated(f->current) && !jw_stamp_simulated(b->stamp))
        return JW_PRUNE_REAL;
    if (f->shared)
        return JW_PRUNE_SHARED;
    if (!f->outdated_now && f->now - b->used_at <= (int64_t)JW_PRUNE_OUTDATED_DAYS * DAY_S)
        return JW_PRUNE_RECENT;
    return JW_PRUNE_GONE;
}

static bool decide_builds(struct planning *p, struct jw_err *err)
{
    const struct jw_cache_listing *l = p->f->list;

    for (size_t i = 0; i < l->n; i++)
        if (!l->files[i].damage && l->files[i].kind == JW_CACHE_CUDA && *l->files[i].stamp
            && !add_build(p, &l->files[i], err))
            return false;
    for (size_t i = 0; i < p->out->n_builds; i++)
        p->out->builds[i].fate = fate(p, &p->out->builds[i]);
    return true;
}

/* ---- recorded entries ---- */

static bool is_in(const uint64_t *list, size_t n, uint64_t name)
{
    return jw_find_u64(list, n, sizeof *list, name) != NULL;
}

static void gather_recorded(struct planning *p)
{
    const struct jw_warm_state *m = p->f->memory;
    size_t n = 0;

    for (size_t i = 0; i < m->n_receipts; i++)
        n += m->receipts[i].n_entries;
    p->needed = jw_arena_alloc(p->a, (n + 1) * sizeof *p->needed);
    p->known = jw_arena_alloc(p->a, (n + m->modules.n + 1) * sizeof *p->known);
    for (size_t i = 0; i < m->n_receipts; i++)
        for (size_t k = 0; k < m->receipts[i].n_entries; k++)
            p->needed[p->n_needed++] = p->known[p->n_known++] = m->receipts[i].entries[k].name;
    for (size_t i = 0; i < m->modules.n; i++)
        if (m->modules.list[i].compiled)
            p->known[p->n_known++] = m->modules.list[i].name;
    jw_sort_u64(p->needed, p->n_needed, sizeof *p->needed);
    jw_sort_u64(p->known, p->n_known, sizeof *p->known);
}

/* ---- entry by entry ---- */

static bool is_unindexed(const struct planning *p, const struct jw_cache_file *f)
{
    const struct jw_cache_listing *l = p->f->list;

    return l->index_found && !l->index_damage && !f->indexed && older(p, f, UNRECORDED_S)
           && !is_in(p->known, p->n_known, f->name);
}

static enum jw_prune_why why_remove(const struct planning *p, const struct jw_cache_file *f)
{
    const struct jw_prune_build *b = jw_prune_build_of_file(p->out, f);

    if (f->unread)
        return JW_PRUNE_KEEP;
    if (p->f->all)
        return JW_PRUNE_ALL;
    if (f->damage)
        return older(p, f, WRITING_S) ? JW_PRUNE_DAMAGED : JW_PRUNE_KEEP;
    if (b && b->fate == JW_PRUNE_GONE)
        return JW_PRUNE_OUTDATED;
    return is_unindexed(p, f) ? JW_PRUNE_UNINDEXED : JW_PRUNE_KEEP;
}

/* ---- size ---- */

struct candidate {
    size_t at; /* in the listing */
    unsigned rank;
    size_t inserted; /* position in the index: the driver's order of age */
};

static int by_rank(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->inserted != y->inserted)
        return x->inserted < y->inserted ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static unsigned worth_rank(const struct planning *p, const struct jw_cache_file *f)
{
    const struct jw_prune_build *b = jw_prune_build_of_file(p->out, f);

    if (b && b->fate == JW_PRUNE_RECENT)
        return 0;
    if (!f->indexed && !is_in(p->known, p->n_known, f->name))
        return 1;
    return is_in(p->needed, p->n_needed, f->name) ? 3 : 2;
}

static size_t insertion(const struct jw_ranked *sorted, size_t n, uint64_t hash)
{
    const struct jw_ranked *hit = jw_find_u64(sorted, n, sizeof *sorted, hash);

    return hit ? hit->at : 0;
}

static void shrink(const struct planning *p, struct candidate *v, size_t n, uint64_t total)
{
    jw_sort(v, n, sizeof *v, by_rank);
    for (size_t i = 0; i < n && total > p->f->max; i++) {
        p->out->why[v[i].at] = JW_PRUNE_EXCESS;
        total -= jw_cache_weight(&p->f->list->files[v[i].at].entry);
    }
}

static void decide_size(struct planning *p)
{
    const struct jw_cache_listing *l = p->f->list;
    struct jw_ranked *sorted = jw_rank_u64(l->index.list, l->index.n, sizeof *l->index.list);
    struct candidate *v = jw_alloc((l->n + 1) * sizeof *v);
    uint64_t total = 0;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];

        if (p->out->why[i] != JW_PRUNE_KEEP || f->damage
            || !jw_add(total, jw_cache_weight(&f->entry), &total))
            continue;
        v[n++] = (struct candidate){ i, worth_rank(p, f), insertion(sorted, l->index.n, f->name) };
    }
    shrink(p, v, n, total);
    jw_free(sorted);
    jw_free(v);
}

bool jw_prune_plan(const struct jw_prune_facts *facts, struct jw_arena *a, struct jw_prune_plan *out,
                   struct jw_err *err)
{
    struct planning p = { .f = facts, .a = a, .out = out };
    size_t n = facts->list->n;

    *out = (struct jw_prune_plan){ .why = jw_arena_alloc(a, n * sizeof *out->why + 1) };
    if (!decide_builds(&p, err))
        return false;
    gather_recorded(&p);
    for (size_t i = 0; i < n; i++)
        out->why[i] = why_remove(&p, &facts->list->files[i]);
    if (facts->max != UINT64_MAX)
        decide_size(&p);
    return true;
}

/* Records which package or file an entry comes from, for status. */
#include "prime/prime_work.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

/* NULL: it came from the cache itself. */
static const char *place_origin(const struct jw_place *at)
{
    if (prime_place_is_entry(at))
        return NULL;
    return at->package ? at->package : jw_path_base(at->path);
}

/* NULL: do not record it. Several files may hold the same code: the first recorded one stays. */
static const char *new_origin(const struct prime *p, const struct jw_job *j)
{
    const char *known = j->name ? jw_warm_origin(p->ctx.cache.memory, j->name) : NULL, *first = NULL;

    for (size_t i = 0; j->name && i < j->module.n_places; i++) {
        const char *origin = place_origin(&j->module.places[i]);

        if (origin && known && strcmp(origin, known) == 0)
            return NULL;
        if (!first)
            first = origin;
    }
    return first;
}

static int by_origin(const void *a, const void *b)
{
    const struct prime_owned *x = a, *y = b;
    int order = strcmp(x->origin, y->origin);

    return order ? order : x->name < y->name ? -1 : x->name > y->name;
}

static const struct jw_warm_origin *remembered(const struct jw_warm_state *memory, const char *origin,
                                               const char *build)
{
    for (size_t i = 0; i < memory->n_origins; i++) {
        const struct jw_warm_origin *o = &memory->origins[i];

        if (strcmp(o->origin, origin) == 0 && strcmp(o->build, build) == 0)
            return o;
    }
    return NULL;
}

/* Merges the new jobs of one origin with the recorded ones, because a record replaces the one before it. If the log is
 * full, only the origins are lost. */
static bool merge_origin(struct jw_arena *a, const struct run_ctx *h, const struct prime_owned *v, size_t n,
                         struct jw_err *err)
{
    struct jw_warm_origin o = { .origin = v->origin, .build = prime_build(&h->driver) };
    const struct jw_warm_origin *before = remembered(h->cache.memory, o.origin, o.build);
    size_t old = before ? before->n : 0;
    uint64_t *names = jw_arena_alloc(a, (old + n) * sizeof *names);
    struct jw_err why = { 0 };

    for (size_t i = 0; i < old; i++)
        names[o.n++] = before->names[i];
    for (size_t i = 0; i < n; i++)
        names[o.n++] = v[i].name;
    o.names = names;
    if (jw_warm_add(h->cache.log, &(struct jw_warm_fact){ JW_WARM_ORIGIN, .as.origin = o }, &why)
        || why.code == JW_E_LIMIT)
        return true;
    *err = why;
    return false;
}

bool prime_remember_origins(struct jw_arena *a, const struct run_ctx *h, struct prime_owned *list, size_t n,
                            struct jw_err *err)
{
    size_t end;

    if (n)
        qsort(list, n, sizeof *list, by_origin);
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(list[end].origin, list[i].origin) == 0;)
            end++;
        if (!merge_origin(a, h, &list[i], end - i, err))
            return false;
    }
    return true;
}

bool prime_keep_origins(struct prime *p, struct jw_err *err)
{
    struct prime_owned *list = jw_arena_alloc(p->run->a, p->plan.n_jobs * sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        const char *origin = new_origin(p, &p->plan.jobs[i]);

        if (origin)
            list[n++] = (struct prime_owned){ origin, p->plan.jobs[i].name };
    }
    return prime_remember_origins(p->run->a, &p->ctx, list, n, err);
}

/* Records which package or file an entry comes from, for status and packs. */
#include "prime/prime_work.h"

#include "base/path.h"

#include <string.h>

/* Returns NULL where the module came from the cache itself. */
static const char *place_origin(const struct jw_place *at)
{
    if (prime_place_is_entry(at))
        return NULL;
    return at->package ? at->package : jw_path_base(at->path);
}

/* Returns NULL where nothing is to be recorded. Several files may hold the same code: the first recorded one stays. */
const char *prime_new_origin(const struct prime *p, const struct jw_job *j)
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

bool prime_remember(const struct run_ctx *h, const struct jw_warm_module *m, struct jw_err *err)
{
    return jw_warm_add(h->cache.log, &(struct jw_warm_fact){ JW_WARM_MODULE, .as.module = *m }, err);
}

/* Records the origin. If the log is full, only the origin is lost. */
static bool keep_origin(struct prime *p, const struct jw_job *j, struct jw_err *err)
{
    const char *origin = prime_new_origin(p, j);
    struct jw_warm_module m = jw_warm_recall(p->ctx.cache.log, j->id, j->sm, prime_build(&p->ctx.driver));
    struct jw_err why = { 0 };

    if (!origin || (m.name == j->name && strcmp(m.origin, origin) == 0))
        return true;
    m.name = j->name;
    m.origin = origin;
    if (prime_remember(&p->ctx, &m, &why) || why.code == JW_E_LIMIT)
        return true;
    *err = why;
    return false;
}

/* Records the origins of warm modules; those that this run compiles are recorded when they are. */
bool prime_keep_origins(struct prime *p, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];

        ok = !jw_job_is_warm(j) || keep_origin(p, j, err);
    }
    return ok;
}

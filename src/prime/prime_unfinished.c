/* Remembers what runs were asked to prime and have not finished, from before a receipt is possible until a run comes to
 * the end of it. */
#include "prime/commands/command.h"

#include "base/text.h"
#include "session/blocker.h"

#include <string.h>

static bool keep_left(struct jw_warm_log *log, const struct jw_warm_left *left, struct jw_err *err)
{
    return jw_warm_add(log, &(struct jw_warm_fact){ JW_WARM_LEFT, .as.left = *left }, err);
}

bool prime_remember_targets(const struct run_ctx *h, bool *any, struct jw_err *err)
{
    *any = false;
    if (!h->software.paths.n || !h->cache.log)
        return true;

    struct jw_warm_left left = jw_warm_recall_left(h->cache.log);

    const struct jw_texts targets = prime_target_texts(h->run->a, &h->software);

    for (size_t i = 0; i < targets.n; i++)
        *any |= jw_warm_left_add(&left, targets.items[i], h->run->a);
    return !*any || (keep_left(h->cache.log, &left, err) && jw_warm_sync(h->cache.log, err));
}

/* Remembers the named targets, because a run that is killed or runs out of room or time leaves no receipt. */
bool prime_keep_asked(struct prime *p, struct jw_err *err)
{
    return prime_remember_targets(&p->ctx, &p->asked, err);
}

static bool is_target(const struct jw_texts *targets, const char *asked)
{
    for (size_t i = 0; i < targets->n; i++)
        if (prime_covers(targets->items[i], asked))
            return true;
    return false;
}

bool prime_is_of_a_part(const struct prime *p)
{
    const struct jw_prime_options *o = p->o;

    return o->run || o->profile || o->gpus.n || p->run->session->n_exclude;
}

/* Does the run look for all software, and at all that it finds? */
static bool is_of_all(const struct prime *p)
{
    return !p->o->paths.n && !prime_is_of_a_part(p) && !p->o->trusted_only
           && (!p->o->if_stale || p->o->also_find);
}

/* Remembers that all software was to be primed, once a run without PATH has something to compile. */
bool prime_keep_begun(struct prime *p, struct jw_err *err)
{
    p->begun = p->ctx.cache.log && p->plan.n_todo && is_of_all(p);
    if (!p->begun)
        return true;

    struct jw_warm_left left = jw_warm_recall_left(p->ctx.cache.log);

    return !jw_warm_left_add(&left, PRIME_ALL, p->run->a)
           || (keep_left(p->ctx.cache.log, &left, err) && jw_warm_sync(p->ctx.cache.log, err));
}

/* Drops PRIME_ALL (`all`), and names (`names`): those that this run is about, or with `own` those that it added itself. */
static void drop_targets(struct prime *p, bool all, bool names, bool of_this_run, struct jw_warm_left *left)
{
    const struct jw_warm_left *before = &p->ctx.cache.memory->left;
    const char **kept = jw_arena_alloc(p->run->a, (left->n + 1) * sizeof *kept);
    const struct jw_texts targets = prime_target_texts(p->run->a, &p->ctx.software);
    size_t n = 0;

    for (size_t i = 0; i < left->n; i++) {
        const char *target = left->targets[i];
        bool named =
            of_this_run ? !jw_text_among(target, before->targets, before->n) : is_target(&targets, target);

        if (strcmp(target, PRIME_ALL) == 0 ? !all : !names || !named)
            kept[n++] = target;
    }
    left->targets = kept;
    left->n = n;
}

bool prime_finish_targets(struct prime *p, struct jw_err *err)
{
    if (!p->ctx.cache.log)
        return true;

    const struct jw_warm_left before = jw_warm_recall_left(p->ctx.cache.log);
    struct jw_warm_left left = before;

    drop_targets(p, is_of_all(p), true, false, &left);
    p->asked = p->begun = false;
    return left.n == before.n || keep_left(p->ctx.cache.log, &left, err);
}

/* The cache of a run that another one kept from the lock, or a setting or the cache itself from its begin: the one
 * that is used once that is mended. NULL: the run ended for another reason, or there is no folder of this user for
 * what it leaves. */
static const char *cache_of_refused(const struct prime *p)
{
    const struct prime_cache *c = &p->ctx.cache;
    const struct jw_blocker blocker = jw_session_blocker(p->run->session, c->asked, p->run->a);
    enum jw_end end = p->run->end;
    const char *why;

    if (p->ctx.reads_only || p->o->begin_only || p->o->record || prime_is_background(p)
        || !(end == JW_END_BUSY || end == JW_END_STOPPED || end == JW_END_CANNOT_WRITE)
        || !(c->folder || c->out->forbidden))
        return NULL;
    if (jw_blocker_is_of_path(&blocker)) /* the default place: without the variable */
        return c->asked ? NULL : jw_cachedir_default(p->run->a, &why);
    if (jw_blocker_hides(&blocker))
        return NULL;
    return c->folder ? c->folder : jw_session_cache_of(p->run->session, c->asked)->folder;
}

/* Leaves the named targets to the run that has the lock next, or the command that was to be recorded. */
static void leave_refused(struct prime *p)
{
    struct prime_software *s = &p->ctx.software;
    const char *cache = s->paths.n || p->o->run ? cache_of_refused(p) : NULL;
    struct jw_err ignored;

    if (cache && p->o->run && !p->o->verify_only && !p->o->dry_run)
        prime_leave_command(p, cache);
    if (!cache || !s->paths.n || (!s->n_targets && !prime_choose_targets(&p->ctx, &ignored)))
        return;

    const struct jw_texts targets = prime_target_texts(p->run->a, s);
    const struct jw_warm_left *left = &jw_session_memory(p->run->session, cache)->left;
    bool known = true; /* a run that is started again and again leaves it once */

    for (size_t i = 0; i < targets.n; i++)
        known &= jw_text_among(targets.items[i], left->targets, left->n);
    if (!known)
        (void)!jw_warm_leave(cache, targets.items, targets.n, p->run->a, &ignored);
}

/* True if the run has begun, so that its targets stay remembered. A run that ended by its own decision before
 * it compiled anything, and said why, has not; but one that ended for want of room, of a working driver or of
 * a person to ask has, because it is known then what starts compile. */
static bool has_begun(const struct prime *p)
{
    enum jw_end end = p->run->end;

    return end == JW_END_PARTLY || end == JW_END_TIME || end == JW_END_INTERRUPTED
           || (((end == JW_END_CANNOT_WRITE && !p->refused) || end == JW_END_NO_GPU) && p->plan.n_todo)
           || (end == JW_END_CONSENT && (p->out->counts[JW_JOB_NO_ROOM] || !p->run->ask));
}

void prime_keep_left(struct prime *p, bool ok, enum jw_code code)
{
    const struct jw_prime_report *r = p->out;
    struct jw_err ignored;

    if (!p->ctx.cache.log) {
        if (ok && p->run->ended)
            leave_refused(p);
        return;
    }

    const struct jw_warm_left before = jw_warm_recall_left(p->ctx.cache.log);
    struct jw_warm_left left = before;

    if (p->plan.n_jobs
        || (p->plan.jobs && is_of_all(p))) { /* other runs that plan nothing know nothing of room and GPUs */
        left.need = r->counts[JW_JOB_NO_ROOM] ? r->cache.used + r->need : 0;
        left.hidden = r->counts[JW_JOB_HIDDEN] ? p->ctx.driver.shows : "";
    }
    drop_targets(p, p->begun && ok && p->run->end == JW_END_PARTLY,
                 p->asked && !(ok ? has_begun(p) : code == JW_E_INTERRUPTED), true, &left);
    if (left.n != before.n || left.need != before.need || strcmp(left.hidden, before.hidden) != 0)
        (void)!keep_left(p->ctx.cache.log, &left, &ignored);
}

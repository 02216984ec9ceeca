/* The step that carries entries over. */
#include "prime/carry.h"

#include "base/num.h"
#include "base/sort.h"
#include "cache/change/restamp.h"
#include "os/files/scratch.h"
#include "prime/look_work.h"

#include <string.h>

struct carrying {
    struct jw_prime *p;
    const struct jw_driver_state *from;
    struct jw_job **jobs; /* those that have an old entry, the smallest first */
    size_t n;
};

static int by_size(const void *a, const void *b)
{
    const struct jw_job *x = *(struct jw_job *const *)a;
    const struct jw_job *y = *(struct jw_job *const *)b;

    if (x->old->size != y->old->size)
        return x->old->size < y->old->size ? -1 : 1;
    return memcmp(x->id, y->id, sizeof x->id);
}

/* The driver removes first what was stored first, so the smallest come first.
 * driver-fact: F56-fifo */
static void list_jobs(struct carrying *c)
{
    struct jw_look *look = c->p->look;

    c->jobs = jw_arena_alloc(c->p->run->a, (look->n_jobs + 1) * sizeof *c->jobs);
    for (struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++)
        if (j->old)
            c->jobs[c->n++] = j;
    jw_sort(c->jobs, c->n, sizeof *c->jobs, by_size);
}

/* Chooses what fits: beside the old entries, or in their place if their driver is not on this
 * machine any more. Of the jobs those stay that are chosen. */
static struct restamp_entry *choose_entries(struct carrying *c)
{
    const struct jw_look *look = c->p->look;
    struct restamp_entry *list = jw_arena_alloc(c->p->run->a, (c->n + 1) * sizeof *list);
    uint64_t spare = look->machine->cache.spare;
    uint64_t room = jw_cache_room(look->scope.limit, look->scope.used);
    uint64_t disk = look->seen.free_bytes - jw_min(look->seen.free_bytes, spare);
    bool may_go = !jw_driver_is_here(c->from, c->p->run->a);
    size_t n = 0;

    room = spare ? jw_min(room, disk) : room;
    for (size_t i = 0; i < c->n; i++) {
        struct jw_job *j = c->jobs[i];

        if (!j->old) /* the sample found that it is damaged */
            continue;
        bool fits = j->old->size <= room;

        if (!fits && !may_go)
            break;
        room -= fits ? j->old->size : 0;
        list[n] = (struct restamp_entry){.old = j->old, .name = j->name, .goes = !fits};
        c->jobs[n++] = j;
    }
    c->n = n;
    return list;
}

static bool copy(struct carrying *c, struct jw_err *err)
{
    struct jw_prime *p = c->p;
    struct restamp_entry *list = choose_entries(c);
    struct restamp_cache to = {.folder = p->look->scope.cache,
                               .stamp = p->look->scope.stamp,
                               .spare = jw_spare(p->look->scope.limit),
                               .run = p->run};
    char *work = NULL;
    bool ok = jw_scratch_make(p->hold.work, "carried", p->run->a, &work, err);

    to.work = work;
    ok = ok && restamp_add(&to, list, c->n, err);
    for (size_t i = 0; i < c->n; i++) {
        c->jobs[i]->carried = list[i].added;
        p->added += list[i].added;
    }
    jw_scratch_remove(work);
    return ok;
}

static bool carry(struct carrying *c, struct jw_err *err)
{
    struct jw_prime *p = c->p;
    const char *version = c->from->version ? c->from->version : "unknown";
    const char *differs = NULL;

    if (!jw_scope_ask_driver(p->run, p->look, JW_STRICT, &p->probe, err))
        return false;
    if (p->run->ended)
        return true;
    if (!jw_hold_make_work(&p->hold, err) || !carry_sample(p, c->jobs, c->n, &differs, err))
        return false;
    if (!differs) {
        p->look->seen.carried_from = version;
        return copy(c, err);
    }
    JW_NOTE(p->run,
            "nothing is carried over from driver %s: this driver does not make the same code of %s",
            version, differs);
    return true;
}

/* Nothing is put into a cache that another user can write to, or that cannot be looked into. */
bool prime_carry(struct jw_prime *p, struct jw_err *err)
{
    struct jw_look *look = p->look;
    struct carrying c = {.p = p, .from = look->seen.carries_from};
    uint64_t before = p->added;

    if (!c.from || !p->hold.lock || look->machine->cache.open || look->cache.refusal)
        return true;
    list_jobs(&c);
    bool ok = carry(&c, err);

    look->seen.no_carry = true; /* the rest is compiled */
    for (size_t i = 0; i < look->n_jobs; i++)
        look->jobs[i].old = NULL;
    if (!ok || p->added == before || p->run->ended)
        return ok;
    look->met.filled = true;
    return prime_look_again(p, err);
}

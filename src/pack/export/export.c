#include "pack/export/export_run.h"

#include "base/mem.h"
#include "base/sort.h"
#include "pack/format/pack_name.h"

/* ---- where, for which driver, and what the files have ---- */

/* Did the prime leave something to pack? */
static bool leaves_some(const struct jw_prime *p)
{
    if (p->summary.end == JW_END_CANNOT_WRITE)
        return jw_look_answer(p->look).warm;
    return !p->look->stop && jw_end_leaves_some(p->summary.end);
}

/* Modules that the driver could not compile, or whose compiling nobody agreed to, are not in the
 * packs; the rest is. */
static bool compile(struct export *x, struct jw_err *err)
{
    struct jw_prime_options o = {.form = x->o->dry_run ? JW_PRIME_ANSWER : JW_PRIME_FILES,
                                 .want = x->o->want,
                                 .jobs = jw_session_config(x->run->session)->jobs};
    struct jw_prime *p = &x->out->primed;
    struct jw_run run = jw_run_part(x->run);
    enum jw_end end;

    if (!export_output_takes(x, o.want.gpus.n, err) || !jw_prime(&run, &o, p, err))
        return false;
    jw_run_join(x->run, &run);
    end = p->summary.end;
    x->out->compiled = x->o->dry_run ? JW_END_DONE : end;
    if (x->o->dry_run && p->plan.n_todo)
        return jw_run_done(x->run, JW_END_DONE);
    if (!leaves_some(p))
        return jw_run_end(x->run, end, "%s", run.why ? run.why : "");
    if (run.why)
        JW_NOTE(x->run, "%s", run.why);
    return true;
}

static bool look(struct export *x, struct jw_err *err)
{
    struct jw_prime *p = &x->out->primed;

    if (jw_export_compiles(x->run->session, &x->o->want))
        return compile(x, err);
    p->look = jw_alloc(sizeof *p->look);
    return jw_scope_find(x->run, &x->o->want, &jw_to_look, p->look, err)
           && (x->o->whole || jw_look(x->run, p->look, err));
}

/* ---- which entries ---- */

/* A probe that failed for want of room gives up; else packs need more of this driver. */
static bool end_unproven(struct jw_run *run, struct jw_look *look)
{
    bool ok = jw_end_by_cause(run, look, JW_STRICT);

    if (ok && !run->ended && look->machine->driver.probe_failed)
        ok = jw_end_give_up(run, look);
    if (ok && !run->ended)
        ok = jw_run_end(run, JW_END_NOT_PROVEN, "%s", JW_PACK_UNPROVEN);
    return ok;
}

static bool list_cache(struct export *x, struct jw_err *err)
{
    const struct jw_look *l = x->out->primed.look;
    const struct jw_scope *s = &l->scope;

    x->cache = s->cache;
    const char *damaged = jw_look_facts(l).found.roots_damaged;

    if (damaged)
        JW_NOTE(x->run, "%s", damaged);
    if (!s->stamp || s->level < JW_LEVEL_PLACEABLE)
        return end_unproven(x->run, x->out->primed.look);
    jw_run_show(x->run, x->cache, 0, 0);
    x->n_wanted = l->n_jobs;
    x->wanted = jw_arena_copy(x->run->a, l->jobs, l->n_jobs * sizeof *x->wanted);
    jw_sort_u64(x->wanted, x->n_wanted, sizeof *x->wanted);
    if (!jw_cache_list(x->cache, false, x->run->interrupted, x->run->a, &x->listing, err))
        return false;
    if (x->listing.refused)
        return jw_fail(err, JW_E_IO, "%.200s: %s", x->cache, x->listing.refused);
    for (size_t i = 0; i < x->listing.notes.n; i++)
        JW_NOTE(x->run, "cannot read part of the cache: %s", x->listing.notes.v[i]);
    return true;
}

/* ---- one pack for each architecture ---- */

static bool end_empty(struct export *x)
{
    const struct jw_look *l = x->out->primed.look;
    const struct jw_answer a = jw_look_answer(l);

    x->out->by_look = a.is && !a.modules && !l->met.unnamed;
    if (x->out->by_look)
        return jw_answer_is_well(a.is)
                   ? jw_run_end(x->run, JW_END_NOTHING, "there is nothing to pack")
                   : jw_run_done(x->run, JW_END_EMPTY); /* the answer says why */
    if (x->lost.damaged || (x->lost.missing && x->listing.notes.n))
        return jw_run_end(x->run, JW_END_EMPTY, EXPORT_UNREAD);
    if (!l->roots.n && export_takes_others(x) && !x->o->whole)
        return jw_run_end(x->run, JW_END_EMPTY,
                          "no path and no command is remembered for this cache: name the software");
    if (jw_export_compiles(x->run->session, &x->o->want))
        return jw_run_end(x->run, JW_END_EMPTY, "none of these modules could be compiled");
    return jw_run_end(x->run, JW_END_EMPTY, "the cache %.200s has none of these entries: %s",
                      x->cache,
                      x->run->session->absent_gpus ? "name the software, which export then compiles"
                                                   : "prime first");
}

static bool choose(struct export *x, struct jw_err *err)
{
    const struct jw_look *l = x->out->primed.look;
    const struct jw_scope *s = &l->scope;

    (void)err;
    x->out->packs = jw_arena_alloc(x->run->a, (s->sms.n + 1) * sizeof *x->out->packs);
    for (; x->n_kinds < s->sms.n; x->n_kinds++)
        x->out->packs[x->n_kinds].manifest = (struct jw_pack_manifest){.stamp = s->stamp,
                                                                       .driver = s->version,
                                                                       .compiler = s->code,
                                                                       .sm = s->sms.v[x->n_kinds]};
    export_choose_packs(x);
    if (!x->out->n_packs)
        return end_empty(x);
    bool looked = jw_export_compiles(x->run->session, &x->o->want); /* and said it */

    for (size_t i = 0; !looked && i < l->n_unread; i++)
        JW_NOTE(x->run, "%s: %s", l->unread[i].path, l->unread[i].why);
    x->unread = l->n_unread || jw_look_facts(l).found.roots_damaged;
    x->out->packs[0].missing += x->lost.missing;
    return true;
}

/* ---- the run ---- */

static bool (*const steps[])(struct export *x, struct jw_err *err) = {
    export_find_output, look, list_cache, choose, export_name_packs, export_write,
};

static bool export_step(void *of, size_t at, struct jw_err *err) { return steps[at](of, err); }

/* Where packs were made, a module that is not in the cache is missing in them, and no end. */
static struct jw_summary summarize(const struct export *x)
{
    struct jw_export_report *out = x->out;
    struct jw_summary v = {.end = x->run->end};

    if (!out->primed.look)
        return v;
    v = jw_end_summary(x->run, out->primed.look);
    out->by_look |= out->primed.look->stop != NULL;
    v.end = jw_end_worse(out->compiled, out->by_look ? v.end : x->run->end);
    return v;
}

bool jw_export(struct jw_run *run, const struct jw_export_options *o, struct jw_export_report *out,
               struct jw_err *err)
{
    struct export x = {.o = o, .out = out, .run = run};

    *out = (struct jw_export_report){0};
    bool ok = jw_run_steps(run, JW_COUNT(steps), export_step, &x, err);

    out->summary = summarize(&x);
    jw_cache_listing_free(&x.listing);
    return ok;
}

void jw_export_free(struct jw_export_report *r) { jw_prime_free(&r->primed); }

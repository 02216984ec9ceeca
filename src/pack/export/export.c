#include "pack/export/export_run.h"

#include "base/sort.h"
#include "machine/trust.h"
#include "memory/drivers.h"
#include "pack/format/pack_name.h"
#include "pack/keys/keys.h"

#include <limits.h>
#include <sodium.h>
#include <string.h>

/* ---- where, and for which driver ---- */

/* Entries that are named may be of drivers that are not here any more. */
static bool find_named_cache(struct export *x)
{
    const struct jw_cache_memory *memory = jw_session_memory(x->run->session);

    x->out->look.facts.scope.cache = memory->cache;
    return memory->cache || export_end(x, JW_END_EMPTY, "%s", memory->unusable);
}

static bool find_scope(struct export *x, struct jw_err *err)
{
    const struct jw_scope *s = &x->out->look.facts.scope;

    if (x->o->names)
        return find_named_cache(x);
    if (!jw_look_scope(x->run, &x->o->want,
                       jw_export_compiles(x->o) && !x->o->dry_run ? JW_ASKS_PRIME : JW_ASKS_LOOK,
                       &x->out->look, err))
        return false;
    if (x->run->ended)
        return true;
    if (!s->sms.n)
        return export_end(x, JW_END_NO_GPU, "there is no GPU to pack for; --gpu names one");
    return (s->stamp && s->level >= JW_LEVEL_PLACEABLE)
           || export_end(x, JW_END_NOT_PROVEN, "%s", JW_PACK_UNPROVEN);
}

/* What the driver could not compile, or nobody agreed to, is not in the packs; the rest is. */
static bool compile(struct export *x, struct jw_err *err)
{
    struct jw_prime_options o = { .form = x->o->dry_run ? JW_PRIME_CHECK : JW_PRIME_FILES,
                                  .want = x->o->want,
                                  .jobs = jw_session_config(x->run->session)->jobs };
    struct jw_prime_report *p = &x->out->primed;
    struct jw_run run = *x->run;

    run.wait_s = UINT_MAX; /* for another pack, which may need the same */
    if (!jw_export_compiles(x->o))
        return true;
    if (!export_output_takes(x, x->out->look.facts.scope.sms.n, err) || !jw_prime(&run, &o, p, err))
        return false;
    x->run->notes = run.notes;
    x->out->compiled = x->o->dry_run ? JW_END_DONE : run.end;
    if (x->o->dry_run && p->plan.n_todo)
        return export_end(x, JW_END_DONE, "%s", "");
    if (run.end == JW_END_CANNOT_WRITE ? !p->look->facts.answer.warm
                                       : p->look->stop || !jw_end_leaves_some(run.end))
        return export_end(x, run.end, "%s", run.why ? run.why : "");
    if (run.why)
        JW_NOTE(x->run, "%s", run.why);
    return true;
}

/* ---- which entries ---- */

static bool look(struct export *x, struct jw_err *err)
{
    const struct jw_look *l = &x->out->look;

    if (!x->o->names && !x->o->whole && !jw_look(x->run, &x->o->want, &x->out->look, err))
        return false;
    if (l->facts.found.roots_damaged)
        JW_NOTE(x->run, "%s", l->facts.found.roots_damaged);
    return true;
}

static void sort_wanted(struct export *x)
{
    const struct jw_look *l = &x->out->look;

    x->n_wanted = l->n_jobs + x->o->n_names; /* there are jobs, or names */
    x->wanted = jw_arena_alloc(x->run->a, (x->n_wanted + 1) * sizeof *x->wanted);
    for (size_t i = 0; i < l->n_jobs; i++)
        x->wanted[i] = l->jobs[i];
    for (size_t i = 0; i < x->o->n_names; i++)
        x->wanted[i].name = x->o->names[i];
    jw_sort_u64(x->wanted, x->n_wanted, sizeof *x->wanted);
}

static bool list_cache(struct export *x, struct jw_err *err)
{
    struct jw_cache_listing *l = &x->listing;

    jw_run_show(x->run, x->out->look.facts.scope.cache, 0, 0);
    sort_wanted(x);
    const struct jw_cache_wanted wanted = { x->wanted, x->n_wanted, sizeof *x->wanted };

    if (!(export_takes_others(x)
              ? jw_cache_list(x->out->look.facts.scope.cache, false, x->run->interrupted, x->run->a, l, err)
              : jw_cache_list_some(x->out->look.facts.scope.cache, &wanted, x->run->a, l, err)))
        return false;
    if (l->refused)
        return jw_fail(err, JW_E_IO, "%.200s: %s", x->out->look.facts.scope.cache, l->refused);
    for (size_t i = 0; i < l->notes.n; i++)
        JW_NOTE(x->run, "cannot read part of the cache: %s", l->notes.v[i]);
    for (size_t i = 0; x->o->names && i < x->n_wanted; i++) {
        const struct jw_cache_file *f = jw_cache_file_find(l, x->wanted[i].name);

        if (!f || f->unread)
            return jw_fail(err, JW_E_IO, "%s could not be read, or went meanwhile: run this again",
                           jw_cache_name(x->wanted[i].name).text);
    }
    return true;
}

/* ---- one pack for each kind of machine ---- */

enum { MAX_KINDS = 1024 };

/* The kinds of the entries that are named, where no driver is asked. */
static bool kinds_of_entries(struct export *x, size_t *n, struct jw_err *err)
{
    const struct jw_drivers *met = jw_session_drivers(x->run->session);

    for (size_t i = 0; i < x->listing.n; i++) {
        const struct jw_cache_file *f = &x->listing.files[i];
        size_t at = 0;

        if (f->damage || f->kind != JW_CACHE_CUDA || !f->sm || !jw_cache_stamp_time(f->stamp))
            continue;
        while (at < *n
               && (x->jobs[at].manifest.sm != f->sm || strcmp(x->jobs[at].manifest.stamp, f->stamp) != 0))
            at++;
        if (at < *n)
            continue;
        struct export_job *job = jw_list_add(x->run->a, &x->jobs, n, sizeof *job, MAX_KINDS, err);

        if (!job)
            return false;
        job->manifest = (struct jw_pack_manifest){ .stamp = jw_arena_str(x->run->a, f->stamp),
                                                   .driver = jw_drivers_version(met, f->stamp),
                                                   .sm = f->sm };
    }
    return true;
}

static bool find_kinds(struct export *x, size_t *n, struct jw_err *err)
{
    const struct jw_scope *s = &x->out->look.facts.scope;

    if (x->o->names)
        return kinds_of_entries(x, n, err);
    x->jobs = jw_arena_alloc(x->run->a, (s->sms.n + 1) * sizeof *x->jobs);
    for (; *n < s->sms.n; ++*n)
        x->jobs[*n].manifest =
            (struct jw_pack_manifest){ .stamp = s->stamp, .driver = s->version, .sm = s->sms.v[*n] };
    return true;
}

static bool end_empty(struct export *x, const struct jw_export_pack *lost)
{
    const struct jw_look *l = &x->out->look;
    const struct jw_answer *a = &l->facts.answer;

    if (a->is && !a->modules)
        return export_end(x, jw_answer_is_well(a->is) ? JW_END_NOTHING : JW_END_EMPTY,
                          "there is nothing to pack");
    if (lost->damaged || (lost->missing && x->listing.notes.n))
        return export_end(x, JW_END_EMPTY, EXPORT_UNREAD);
    if (!l->roots.n && export_takes_others(x) && !x->o->whole)
        return export_end(x, JW_END_EMPTY,
                          "no path and no command is remembered for this cache: name the software");
    if (jw_export_compiles(x->o))
        return export_end(x, JW_END_EMPTY, "none of these modules could be compiled");
    return export_end(x, JW_END_EMPTY, "the cache %.200s has none of these entries: %s", l->facts.scope.cache,
                      x->o->want.absent_gpus ? "name the software, which export then compiles"
                                             : "prime first");
}

static bool choose(struct export *x, struct jw_err *err)
{
    struct jw_export_pack lost = { 0 };
    size_t n = 0;

    if (!find_kinds(x, &n, err))
        return false;
    x->out->packs = jw_arena_alloc(x->run->a, (n + 1) * sizeof *x->out->packs);
    for (size_t i = 0; i < n; i++) {
        struct export_job *job = &x->jobs[x->out->n_packs];
        struct jw_export_pack pack = { 0 };

        *job = x->jobs[i];
        export_choose(x, job, &pack);
        lost.damaged += job->n ? 0 : pack.damaged;
        lost.missing += job->n ? 0 : pack.missing;
        if (!job->n)
            continue;
        export_describe(x, job, &pack);
        x->out->packs[x->out->n_packs++] = pack;
    }
    if (!x->out->n_packs)
        return end_empty(x, &lost);
    for (size_t i = 0; i < x->out->look.n_unread; i++)
        JW_NOTE(x->run, "%s", x->out->look.unread[i].why);
    x->out->packs[0].missing += lost.missing;
    return true;
}

/* ---- the run ---- */

static bool (*const steps[])(struct export *x, struct jw_err *err) = {
    export_find_output, find_scope, compile, look, list_cache, choose, export_name_packs, export_write,
};

static bool export_step(void *of, size_t at, struct jw_err *err)
{
    return steps[at](of, err);
}

bool jw_export(struct jw_run *run, const struct jw_export_options *o, struct jw_export_report *out,
               struct jw_err *err)
{
    struct export x = { .o = o, .out = out, .run = run };

    *out = (struct jw_export_report){ 0 };
    jw_run_begin(run);
    bool ok = jw_run_steps(run, JW_COUNT(steps), export_step, &x, err);

    jw_cache_listing_free(&x.listing);
    return ok;
}

bool jw_export_names(struct jw_run run, const uint64_t *names, size_t n, struct jw_export_report *out,
                     struct jw_err *err)
{
    struct jw_minisign_secret key;
    const char *folder = jw_packs_of_user(run.a);
    const struct jw_export_options o = { .names = names, .n_names = n, .output = folder, .key = &key };
    bool ok = (folder || jw_fail(err, JW_E_IO, "there is no folder for this user's packs (HOME is unset?)"))
              && (jw_trust_make(folder, err) || jw_wrap(err, "%s", folder)) && jw_key_own(&key, err)
              && jw_export(&run, &o, out, err);

    if (ok && (run.end > JW_END_EMPTY || (run.end == JW_END_EMPTY && out->n_packs)))
        ok = jw_fail(err, run.end == JW_END_INTERRUPTED ? JW_E_INTERRUPTED : JW_E_IO, "%s",
                     run.why ? run.why : jw_end_names[run.end]);
    jw_export_free(out);
    if (!ok)
        *out = (struct jw_export_report){ 0 };
    sodium_memzero(&key, sizeof key);
    return ok;
}

void jw_export_free(struct jw_export_report *r)
{
    jw_look_free(&r->look);
    jw_prime_free(&r->primed);
}

/* The proof, as prime gives it: fresh processes load what was imported, and compile nothing. */
#include "pack/import/import_work.h"

#include "base/mem.h"

enum { SAMPLE = 16 };

static bool counts(const struct import *im, const struct jw_import_entry *e)
{
    return e->state == JW_IMPORT_IMPORTED || (im->o->verify_all && e->state == JW_IMPORT_PRESENT);
}

/* So many of them, spread over all. */
static bool make_jobs(struct import *im, size_t all, size_t most, struct jw_err *err)
{
    struct jw_job *jobs = jw_arena_alloc(im->a, (most + 1) * sizeof *jobs);
    size_t n = 0, seen = 0, unmade = 0;

    for (size_t i = 0; i < im->out->n_entries && n + unmade < most; i++) {
        bool can = false;

        if (!counts(im, &im->out->entries[i]) || (seen++ * most) / all < n + unmade)
            continue;
        if (prime_interrupted(&im->p))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (!import_module(im, im->p.dir.root, im->out->entries[i].of, &jobs[n], &can, err))
            return false;
        if (can)
            n++;
        else
            unmade++;
    }
    im->p.plan = (struct plan){ .jobs = jobs, .n_jobs = n };
    im->p.out->jobs = jobs;
    im->p.out->n_jobs = n;
    if (unmade)
        prime_note(&im->p, "%zu entr%s could not be tried: the call that made %s cannot be told from %s",
                   unmade, unmade == 1 ? "y" : "ies", unmade == 1 ? "it" : "them",
                   unmade == 1 ? "its key" : "their keys");
    return true;
}

/* What is in the cache stays there, proven or not. */
static bool could_not(struct import *im, const struct jw_err *why, struct jw_err *err)
{
    struct jw_verify_report *v = &im->p.out->verify;

    if (why->code == JW_E_INTERRUPTED) {
        *err = *why;
        return false;
    }
    *v = (struct jw_verify_report){ .why = jw_arena_str(im->a, why->msg) };
    return true;
}

bool import_verify(struct import *im, struct jw_err *err)
{
    size_t all = 0, most;
    struct jw_err why = { 0 };

    for (size_t i = 0; i < im->out->n_entries; i++)
        all += counts(im, &im->out->entries[i]);
    if (im->o->no_verify || !all)
        return true;
    if (im->out->records) { /* the driver would compile it anew, and that would be all that is learned */
        im->p.out->verify.why = "the driver does not find what its index does not name yet";
        return true;
    }
    most = im->o->verify_all || all < SAMPLE ? all : SAMPLE;
    if (!make_jobs(im, all, most, &why) || (im->p.plan.n_jobs && !prime_verify(&im->p, &why)))
        return could_not(im, &why, err);
    im->p.out->counts[JW_JOB_WARM] = all;
    return !im->p.ended || import_end(im, JW_END_INTERRUPTED, "%s", "");
}

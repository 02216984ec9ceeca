#include "pack/import/import_work.h"

#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "pack/store/store.h"

#include <string.h>

/* ---- how a run ends ---- */

/* Ends the run with the reason `why`; `end_if_bad` is the end for invalid data. False for internal errors. */
static bool import_end_by(struct import *im, enum jw_end end_if_bad, const struct jw_err *why,
                          struct jw_err *err)
{
    switch (why->code) {
    case JW_E_FORMAT:
    case JW_E_TRUST:
    case JW_E_LIMIT: return import_end(im, end_if_bad, "%s", why->msg);
    case JW_E_UNFIT: return import_end(im, JW_END_UNFIT, "%s", why->msg);
    default: return jw_run_end_by(im->run, why, err);
    }
}

/*
 * ---- the store: keeps packs of this driver for when the cache is lost, and packs of another one for later ----
 *
 * Signed ones only: a pack without a signature in the store is this user's own, and prime imports it without asking. And
 * only by a key that is trusted for good: prime would refuse one that --trust named for a run.
 */

static bool is_trusted_for_good(const struct import *im)
{
    struct jw_keys_options o = { .conf = jw_session_config(im->run->session) };
    struct jw_trusted_keys keys = { 0 };
    struct jw_err why = { 0 };

    if (im->verdict.kind != JW_PACK_SIGNED || !jw_keys_load(&o, im->run->a, &keys, &why))
        return false;
    for (size_t i = 0; i < keys.n; i++)
        if (memcmp(&keys.v[i].key, &im->verdict.by->key, sizeof keys.v[i].key) == 0)
            return true;
    return false;
}

static bool should_store(const struct import *im)
{
    if (!im->manifest || !im->manifest->n_entries || im->o->dry_run || im->o->no_store
        || !is_trusted_for_good(im))
        return false;
    switch (im->run->end) {
    case JW_END_DONE:
    case JW_END_NOTHING:
    case JW_END_PARTLY:
    case JW_END_NO_GPU: return true;
    case JW_END_UNFIT: return im->out->n_factors && import_fits_later(im->out);
    default: return false;
    }
}

static void store_pack(struct import *im)
{
    const struct jw_pack_manifest *m = im->manifest;
    struct jw_err why = { 0 };

    if (!should_store(im))
        return;
    struct jw_store_add add = { .key = { .stamp = m->stamp, .sm = m->sm, .driver = m->driver },
                                .file = im->pack.name,
                                .bytes = &im->pack.bytes,
                                .digest = im->pack.trailer.digest,
                                .signed_by = im->verdict.beside,
                                .current = im->ctx.driver.probe->state.stamp,
                                .cap = jw_config_store_cap(jw_session_config(im->run->session)) };

    if (!jw_store_add(&add, im->run->a, &why)) {
        JW_NOTE(im->run, "cannot store the pack: %s", why.msg);
        return;
    }
    im->out->stored = add.path;
    im->out->stored_before = add.same;
    for (size_t i = 0; i < add.n_evicted; i++)
        JW_NOTE(im->run, "removed %s from the store to make room", add.evicted[i]);
}

/* ---- the run ---- */

struct step {
    bool (*shared)(struct run_ctx *h, struct jw_err *err); /* with prime */
    bool (*step)(struct import *im, struct jw_err *err);
    bool changes;    /* skip in a dry run */
    bool reads_pack; /* invalid data means that the pack is bad */
};

static const struct step steps[] = {
    { .shared = prime_check_user, .changes = true },
    { .shared = prime_check_variables },
    { .shared = prime_find_cache },
    { .shared = prime_check_lookup },
    { .step = import_open, .reads_pack = true },
    { .step = import_read_manifest, .reads_pack = true },
    { .shared = prime_take_lock, .changes = true },
    { .shared = prime_ask_login },
    { .shared = prime_ask_driver },
    { .step = import_compare },
    { .shared = prime_make_work },
    { .step = import_select },
    { .step = import_check_room },
    { .step = import_look_kit },
    { .step = import_stage, .reads_pack = true },
    { .step = import_audit, .changes = true, .reads_pack = true },
    { .step = import_publish, .changes = true },
    { .step = import_place_kit, .changes = true },
    { .step = import_record_command, .changes = true },
    { .step = import_remember, .changes = true },
    { .step = import_remember_targets, .changes = true },
    { .step = import_verify, .changes = true },
};

static bool import_step(void *of, size_t at, struct jw_err *err)
{
    struct import *im = of;
    const struct step *s = &steps[at];

    if (s->changes && im->o->dry_run)
        return true;
    return s->step ? s->step(im, err) : s->shared(&im->ctx, err);
}

static bool import_failure(void *of, size_t at, const struct jw_err *why, struct jw_err *err)
{
    return import_end_by(of, steps[at].reads_pack ? JW_END_REFUSED : JW_END_CANNOT_WRITE, why, err);
}

static void sum_up(struct import *im)
{
    struct jw_import_report *r = im->out;
    struct jw_next_start_facts f;

    import_count(r);
    r->obstacle = prime_obstacle(&im->ctx);
    r->index = prime_index_trouble(&im->ctx);
    if (!im->run->ended)
        im->run->end = import_end_of(r);
    f = jw_import_facts(r);
    r->next_start = jw_next_start_answer(&f, im->run->a);
    im->run->milliseconds = (jw_time_monotonic_ns() - im->run->began) / 1000000;
}

bool jw_import(struct jw_run *run, const struct jw_import_options *o, struct jw_import_report *out,
               struct jw_err *err)
{
    struct import im = {
        .o = o,
        .out = out,
        .run = run,
        .ctx = { .run = run,
                 .verb = "import",
                 .as_root = o->as_root,
                 .reads_only = o->dry_run,
                 .wait_s = o->wait_s,
                 .cache = { .asked = run->session->cache, .memory = &prime_no_memory, .out = &out->cache },
                 .driver = { .probe = &prime_no_probe, .out = &out->driver },
                 .software = { .paths = o->paths, .all = true } }
    };

    *out =
        (struct jw_import_report){ .run = run, .dry_run = o->dry_run, .driver = { .level = JW_LEVEL_NONE } };
    jw_run_begin(run);
    if (o->yes)
        run->ask = NULL;
    bool ok = jw_run_steps(run, &(struct jw_steps){ JW_COUNT(steps), import_step, import_failure }, &im, err);

    sum_up(&im);
    if (ok)
        store_pack(&im);
    sum_up(&im);
    jw_kit_place_end(im.kit);
    jw_pack_close(&im.pack);
    scan_jobs_free(&im.ctx.software.found);
    prime_close_cache(&im.ctx.cache);
    jw_session_changed(run->session);
    jw_scratch_remove(im.spool);
    return ok;
}

/* The pack into the store: for this driver it is at hand when the cache is lost, for another one until that is here. */
#include "pack/import/import_work.h"

#include "base/mem.h"
#include "pack/store/store.h"

static bool worth_it(const struct import *im)
{
    if (!im->manifest || im->o->dry_run || im->o->no_store)
        return false;
    switch (im->out->end) {
    case JW_END_DONE:
    case JW_END_NOTHING:
    case JW_END_PARTLY:
    case JW_END_NO_GPU: return true;
    case JW_END_UNFIT: return im->out->n_factors && import_of_later_use(im->out);
    default: return false;
    }
}

/* A key that is trusted for some software alone vouches for what was taken, and more is kept than that. */
static const char *who_vouched(const struct import *im)
{
    return import_vouched(im) ? im->verdict.key : NULL;
}

void import_keep(struct import *im)
{
    const struct jw_pack_manifest *m = im->manifest;
    struct jw_err why = { 0 };

    if (!worth_it(im))
        return;
    struct jw_store_add add = {
        .key = { .stamp = m->stamp, .sm = m->sm, .simulated = m->simulated, .driver = m->driver },
        .file = im->pack.name,
        .bytes = &im->pack.bytes,
        .digest = im->pack.trailer.digest,
        .vouched = who_vouched(im),
        .signed_by = im->verdict.beside,
        .current = im->p.probe.state.stamp,
        .cap = jw_config_store_cap(&im->config)
    };

    if (!jw_store_add(&add, im->a, &why)) {
        prime_note(&im->p, "the pack could not be kept in the store: %s", why.msg);
        return;
    }
    im->out->stored = add.path;
    im->out->stored_before = add.same;
    for (size_t i = 0; i < add.n_evicted; i++)
        prime_note(&im->p, "%s made room in the store", add.evicted[i]);
}

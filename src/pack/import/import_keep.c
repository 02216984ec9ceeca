/* The pack into the store: for this driver it is at hand when the cache is lost, for another one until that is here. */
#include "pack/import/import_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "pack/store/store.h"

static bool worth_it(const struct import *im)
{
    if (!im->manifest || im->o->dry_run)
        return false;
    switch (im->out->end) {
    case JW_IMPORT_END_DONE:
    case JW_IMPORT_END_NOTHING:
    case JW_IMPORT_END_PARTLY:
    case JW_IMPORT_END_NO_GPU: return true;
    case JW_IMPORT_END_UNFIT: return im->out->n_factors && import_of_later_use(im->out);
    default: return false;
    }
}

/* The file that a signature came in; NULL: it is in the pack, or there is none. */
static bool signature_of(const struct import *im, const char **out, struct jw_err *err)
{
    struct jw_file_info info;
    struct jw_err ignored;
    struct jw_buf beside = JW_BUF(JW_MAX_PATH);

    *out = im->o->signature;
    if (*out || !im->pack.path || im->verdict.kind == JW_PACK_UNSIGNED)
        return true;
    jw_buf_printf(&beside, "%s.minisig", im->pack.path);
    bool there = jw_file_stat(jw_buf_cstr(&beside), &info, &ignored) && info.kind == JW_FILE_REGULAR;

    *out = there ? jw_arena_str(im->a, jw_buf_cstr(&beside)) : NULL;
    bool ok = jw_buf_ok(&beside, err) && (!there || *out || jw_nomem(err, beside.n));

    jw_buf_free(&beside);
    return ok;
}

bool import_keep(struct import *im, struct jw_err *err)
{
    const struct jw_pack_manifest *m = im->manifest;
    struct jw_err why = { 0 };

    if (!worth_it(im))
        return true;
    struct jw_store_add add = {
        .key = { .stamp = m->stamp, .sm = m->sm, .simulated = m->simulated, .driver = m->driver },
        .file = im->pack.path ? im->pack.path : im->pack.spooled,
        .current = im->p.probe.state.stamp,
        .cap = jw_config_store_cap(&im->config)
    };

    if (!signature_of(im, &add.signature, err))
        return false;
    if (!jw_store_add(&add, im->a, &why))
        return why.code == JW_E_NOMEM
                   ? jw_nomem(err, sizeof add)
                   : prime_note(&im->p, err, "the pack could not be kept in the store: %s", why.msg);
    im->out->stored = add.path;
    im->out->stored_before = add.same;
    for (size_t i = 0; i < add.n_evicted; i++)
        if (!prime_note(&im->p, err, "%s made room in the store", add.evicted[i]))
            return false;
    return true;
}

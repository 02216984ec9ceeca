/* The pack itself: whose it is, and what it says it is for. Nothing is decompressed before the raw bytes are believed. */
#include "pack/import/import_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "cache/status/status.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

/* ---- the raw bytes ---- */

static bool from_pipe(const struct import *im)
{
    return strcmp(im->o->file, "-") == 0;
}

/* What the user named wrongly is his to mend. False. */
static bool as_usage(struct jw_err *err)
{
    if (err->code == JW_E_IO)
        err->code = JW_E_USAGE;
    return false;
}

static bool load_keys(struct import *im, struct jw_err *err)
{
    struct jw_keys_options o = { .conf = &im->config, .files = im->o->trust, .n_files = im->o->n_trust };

    if (!jw_config_load(im->a, &im->config, err))
        return false;
    for (size_t i = 0; i < im->config.warnings.n; i++)
        prime_note(&im->p, "%s", im->config.warnings.v[i]);
    return jw_keys_load(&o, im->a, &im->keys, err) || (im->o->n_trust ? as_usage(err) : false);
}

static bool open_pack(struct import *im, struct jw_err *err)
{
    struct jw_pack_open_options o = { .interrupted = im->o->interrupted };
    const char *state;

    if (!from_pipe(im))
        return jw_pack_open(&im->pack, im->o->file, &o, err) || jw_pack_misnamed(im->o->file, err);
    import_notify(im, "reading the pack from standard input", 0, 0);
    state = jw_state_dir(im->a, err);
    if (!state || !jw_scratch_make(state, "import", im->a, &im->spool, err))
        return false;
    o.spool_dir = im->spool;
    return jw_pack_open(&im->pack, im->o->file, &o, err);
}

static void on_raw(void *ctx, uint64_t done, uint64_t total)
{
    import_notify(ctx, "checking the pack", done, total);
}

static const char *state_of(enum jw_pack_signature kind)
{
    switch (kind) {
    case JW_PACK_UNSIGNED: return "unsigned";
    case JW_PACK_SIGNED: return "trusted";
    case JW_PACK_SIGNED_UNKNOWN: return "unknown";
    default: return "wrong";
    }
}

static void report_signature(struct import *im)
{
    struct jw_pack_verdict *v = &im->verdict;

    im->out->signature = (struct jw_import_signature){ .state = state_of(v->kind),
                                                       .key = v->key[0] ? v->key : NULL,
                                                       .where = v->where };
    if (im->out->signature.key)
        im->out->signature.key = jw_arena_str(im->a, v->key);
    if (v->kind != JW_PACK_SIGNED)
        return;
    im->out->signature.comment = v->comment;
    im->out->signature.from = v->by->from;
    im->out->signature.scoped = v->by->n_origins > 0;
}

bool import_open(struct import *im, struct jw_err *err)
{
    struct jw_pack_check_options o = {
        .signature = im->o->signature, .interrupted = im->o->interrupted, .progress = on_raw, .ctx = im
    };

    im->out->pack = from_pipe(im) ? "standard input" : im->o->file;
    if (!load_keys(im, err) || !open_pack(im, err)
        || (im->o->judge && !im->o->judge(im->o->ctx, &im->pack.file, err)))
        return false;
    im->out->pack_bytes = im->pack.bytes.size;
    if (!jw_pack_check(&im->pack, &im->keys, &o, im->a, &im->verdict, err))
        return false;
    report_signature(im);
    return jw_pack_admit(&im->pack, &im->verdict, im->o->allow_unsigned, err);
}

const struct jw_trusted_key *import_scope(const struct import *im)
{
    const struct jw_pack_verdict *v = &im->verdict;

    return v->kind == JW_PACK_SIGNED && v->by->n_origins ? v->by : NULL;
}

/* Of software that is not here nobody but the signer could say whose it is. */
static bool allow_foreign(const struct import *im, struct jw_err *err)
{
    const struct jw_trusted_key *key = import_scope(im);

    return !im->o->foreign || !key
           || jw_fail(err, JW_E_TRUST,
                      "key %s (%s) is trusted for some software alone, and with --foreign nothing here shows "
                      "whose an entry is: import without --foreign",
                      im->verdict.key, key->from);
}

/* ---- the manifest ---- */

/* "it was made for driver build A, and here is B; for sm_86, and here is sm_90" */
static bool end_unfit(struct import *im)
{
    struct jw_import_report *r = im->out;
    char text[900];
    size_t n = 0;

    for (size_t i = 0; i < r->n_factors && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s, and here is %s", i ? "; " : "",
                              r->factors[i].what, r->factors[i].pack, r->factors[i].here);
    return import_end(im, JW_END_UNFIT, "the pack is for %s", text);
}

static bool compare(struct import *im, const struct import_machine *here)
{
    import_judge_pack(im->manifest, here, im->out);
    return !im->out->n_factors || end_unfit(im);
}

bool import_foresee(struct import *im, struct jw_err *err)
{
    struct import_machine here = { .os = jw_os_name(), .arch = jw_os_arch() };

    if (!allow_foreign(im, err) || !jw_pack_manifest(&im->pack, im->a, &im->manifest, err))
        return false;
    im->out->manifest = im->manifest;
    return jw_pack_covered(&im->verdict, im->manifest, err) && compare(im, &here);
}

/* Below the level of placeable entries nothing is known of what the driver would make of them. */
bool import_compare(struct import *im, struct jw_err *err)
{
    const struct prime *p = &im->p;
    struct import_machine here = { .os = jw_os_name(),
                                   .arch = jw_os_arch(),
                                   .driver_known = p->probe.state.stamp && *p->probe.state.stamp,
                                   .stamp = p->probe.state.stamp,
                                   .driver = p->probe.driver.version,
                                   .simulated = p->probe.driver.simulated,
                                   .sms = p->sms,
                                   .n_sms = p->n_sms };

    (void)err;
    if (!compare(im, &here))
        return false;
    if (im->ended)
        return true;
    if (p->probe.state.level < JW_LEVEL_PLACEABLE)
        return import_end(im, JW_END_UNFIT,
                          "this driver's cache is understood to level %d, %s; packs need level %d, %s: "
                          "jitwarm prime compiles here what the pack holds",
                          (int)p->probe.state.level, jw_level_name(p->probe.state.level),
                          (int)JW_LEVEL_PLACEABLE, jw_level_name(JW_LEVEL_PLACEABLE));
    im->out->entries = jw_arena_alloc(im->a, (im->manifest->n_entries + 1) * sizeof *im->out->entries);
    im->out->n_entries = im->manifest->n_entries;
    for (size_t i = 0; i < im->manifest->n_entries; i++) {
        const struct jw_pack_entry *e = &im->manifest->entries[i];

        im->out->entries[i] = (struct jw_import_entry){
            .of = e,
            .bytes = import_bytes(e),
            .origin = e->origin == JW_PACK_NO_ORIGIN ? NULL : im->manifest->origins[e->origin].name
        };
    }
    return true;
}

/* Entries that are given, as prune saves them: whatever driver made them, for none is asked. */
#include "pack/export/export_run.h"

#include "machine/trust.h"
#include "memory/drivers.h"
#include "pack/format/pack_name.h"
#include "pack/keys/keys.h"

#include <sodium.h>
#include <string.h>

enum { MAX_KINDS = 1024 };

static struct jw_pack_manifest manifest_for(const struct jw_drivers *met,
                                            const struct jw_cache_file *f, struct jw_arena *a)
{
    const struct jw_driver_state *build = jw_drivers_find(met, f->stamp);
    struct jw_pack_manifest m = {.stamp = jw_arena_str(a, f->stamp), .sm = f->sm};

    if (build) {
        m.driver = build->version;
        m.compiler = build->code;
    }
    return m;
}

/* The kinds of machines whose driver made these entries. */
static bool find_kinds(struct export *x, struct jw_err *err)
{
    const struct jw_drivers *met = jw_session_drivers(x->run->session);
    struct jw_export_pack **packs = &x->out->packs;

    for (const struct jw_cache_file *f = x->listing.files; f < x->listing.files + x->listing.n;
         f++) {
        size_t at = 0;

        if (f->damage || f->kind != JW_CACHE_CUDA || !f->sm || !jw_stamp_time(f->stamp))
            continue;
        while (at < x->n_kinds
               && ((*packs)[at].manifest.sm != f->sm
                   || strcmp((*packs)[at].manifest.stamp, f->stamp) != 0))
            at++;
        if (at < x->n_kinds)
            continue;
        struct jw_export_pack *pack =
            jw_list_add(x->run->a, packs, &x->n_kinds, sizeof *pack, MAX_KINDS, err);

        if (!pack)
            return false;
        pack->manifest = manifest_for(met, f, x->run->a);
    }
    return true;
}

static bool save(struct export *x, struct jw_err *err)
{
    if (!export_find_output(x, err) || !find_kinds(x, err))
        return false;
    export_choose_packs(x);
    if (!export_name_packs(x, err) || !export_write(x, err))
        return false;
    for (const struct jw_export_pack *p = x->out->packs; p < x->out->packs + x->out->n_packs; p++)
        if (!p->written || p->missing) /* what could not be read may be nowhere else */
            return jw_fail(err, JW_E_IO, "%.250s: %s", p->path,
                           x->run->why ? x->run->why
                                       : "an entry for it could not be read: run this again");
    return true;
}

bool jw_export_files(const struct jw_run *run, struct jw_cache_file *files, size_t n,
                     struct jw_export_report *out, struct jw_err *err)
{
    struct jw_minisign_secret key;
    struct jw_run part = jw_run_part(run);
    const char *folder = jw_packs_of_user(run->a);
    const struct jw_export_options o = {.whole = true, .output = folder, .key = &key};
    struct export x = {.o = &o,
                       .out = out,
                       .run = &part,
                       .cache = jw_session_memory(run->session)->cache,
                       .signer = &key,
                       .listing = {.files = files, .n = n}};

    *out = (struct jw_export_report){0};
    if (!folder)
        return jw_fail(err, JW_E_IO, "there is no folder for this user's packs (HOME is unset?)");
    if (!jw_trust_make(folder, err))
        return jw_wrap(err, "%s", folder);
    bool ok = jw_key_own(&key, err) && save(&x, err);

    if (!ok)
        *out = (struct jw_export_report){0};
    sodium_memzero(&key, sizeof key);
    return ok;
}

/*
 * Entries that no driver made: code of a toolkit's compiler, under keys that this driver looks for. It could not tell
 * them from its own, so nothing of them comes near the cache before this build of it was seen to run that compiler's
 * code rightly, on this machine: by the canary of the pack itself, or by one of the same compiler before.
 */
#include "pack/import/import_work.h"

#include "base/mem.h"
#include "base/path.h"
#include "driver/probe/forge.h"
#include "driver/probe/probe_forge.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

static bool is_new_forged(const struct jw_import_entry *e)
{
    return e->state == JW_IMPORT_NEW && e->of->made == JW_PACK_FORGED;
}

static const struct jw_pack_entry *find_canary(const struct import *im, uint64_t name)
{
    for (size_t i = 0; i < im->manifest->n_entries; i++)
        if (im->manifest->entries[i].name == name && im->manifest->entries[i].made == JW_PACK_FORGED)
            return &im->manifest->entries[i];
    return NULL;
}

static bool has_forged(const struct import *im)
{
    for (size_t i = 0; i < im->manifest->n_entries; i++)
        if (im->manifest->entries[i].made == JW_PACK_FORGED)
            return true;
    return false;
}

/* No audit can find out what such code is, so that somebody has to vouch for it, or to believe it. */
static const char not_comparable[] =
    "this driver makes other code of its source, and no key that is trusted for everything signed the pack";

/* What speaks against them before anything is tried; NULL: nothing does. */
static const char *objection(const struct import *im)
{
    if (!im->o->forged)
        return "they are taken by jitwarm import alone, and never by themselves";
    if (!im->forged_by)
        return "the pack does not say which compiler made them";
    if (!im->forged_known && !im->canary)
        return "the pack has no test kernel of that compiler, and none was proven here before";
    return im->o->no_audit || import_vouched(im) ? NULL : not_comparable;
}

bool import_look_forged(struct import *im, struct jw_err *err)
{
    const struct jw_pack_manifest *m = im->manifest;
    struct jw_buf key = JW_BUF(0);
    char by[200];
    uint64_t name;

    if (!has_forged(im))
        return true;
    bool ok = forge_canary_key(m->stamp, m->sm, &key, &name, err);

    jw_buf_free(&key);
    if (!ok)
        return false;
    im->canary = find_canary(im, name);
    if (m->compiler) {
        (void)snprintf(by, sizeof by, "%s %s", m->compiler, m->compiler_version);
        im->forged_by = jw_arena_str(im->a, by);
        im->forged_known = jw_forge_known(&im->p.probe.state, im->forged_by, m->sm);
    }
    im->forged_not = objection(im);
    if (!im->forged_not && im->o->dry_run)
        prime_note(&im->p,
                   im->forged_known
                       ? "it holds code of %s, which this driver was seen to run rightly"
                       : "it holds code of %s: it will be imported only when this driver is seen to run "
                         "that rightly, which is tried first",
                   im->forged_by);
    return true;
}

/* All of them stay outside. When nothing else is to be imported, that is the end. */
static bool leave_them(struct import *im, const char *why)
{
    for (size_t i = 0; i < im->out->n_entries; i++)
        if (is_new_forged(&im->out->entries[i])) {
            im->out->entries[i].state = JW_IMPORT_UNPROVEN;
            im->out->entries[i].why = why;
        }
    import_count(im->out);
    return import_tell_unproven(im, why);
}

static bool report_not_comparable(struct import *im)
{
    const struct jw_import_report *r = im->out;

    prime_advise(&im->p,
                 "the same command with --no-audit takes it, if you trust the code of the person who gave "
                 "you the pack");
    if (!r->counts[JW_IMPORT_NEW] && !r->counts[JW_IMPORT_PRESENT])
        return import_end(im, JW_END_REFUSED,
                          "the pack holds code of %s, which cannot be audited: %s; nothing was imported",
                          im->forged_by, not_comparable);
    prime_note(&im->p, "entries with code of %s stay outside, for they cannot be audited: %s", im->forged_by,
               not_comparable);
    return true;
}

bool import_tell_unproven(struct import *im, const char *why)
{
    const struct jw_import_report *r = im->out;
    const char *by = im->forged_by ? im->forged_by : "a compiler that is not the driver's";

    if (why == not_comparable)
        return report_not_comparable(im);
    prime_advise(&im->p, "jitwarm prime PATH   (compiles here what the pack holds)");
    if (!r->counts[JW_IMPORT_NEW] && !r->counts[JW_IMPORT_PRESENT])
        return import_end(
            im, JW_END_UNFIT,
            "the pack holds code of %s, and it is not proven that this driver runs such code rightly: %s; "
            "nothing was imported",
            by, why);
    prime_note(&im->p,
               "entries with code of %s stay outside, for it is not proven that this driver runs such code "
               "rightly: %s",
               by, why);
    return true;
}

bool import_prove(struct import *im, struct jw_err *err)
{
    const char *why = NULL;
    bool any = false;

    for (size_t i = 0; i < im->out->n_entries; i++)
        any |= is_new_forged(&im->out->entries[i]);
    if (!any)
        return true;
    if (!im->forged_known) {
        struct jw_forge_probe o = { .canary =
                                        jw_path_join(im->a, im->staged, jw_cache_name(im->canary->name).text),
                                    .name = im->canary->name,
                                    .sm = im->manifest->sm,
                                    .compiler = im->forged_by,
                                    .driver = im->p.o->driver,
                                    .exe = im->p.o->exe,
                                    .interrupted = im->o->interrupted };

        import_notify(im, "trying the compiler's test kernel", 0, 0);
        if (!jw_forge_prove(&o, &im->p.probe, im->a, &why, err))
            return false;
    }
    if (why)
        return leave_them(im, why);
    prime_note(&im->p,
               "this is code of %s, which this driver %s; a fix in the driver's own "
               "compiler does not reach it: jitwarm carry --renew compiles it anew, jitwarm carry --undo "
               "takes it away",
               im->forged_by,
               jw_probe_played(&im->p.probe)
                   ? "takes; phantom runs no kernel, so that it runs rightly is not proven"
                   : "was seen to run rightly");
    return true;
}

/* Known by its payload, from the header of the file that is to go in; written before it goes in. */
bool import_note_made(struct import *im, const struct jw_pack_entry *e, const char *path, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_cache_entry entry;
    uint8_t head[JW_CACHE_HEADER];
    size_t got = 0;
    bool ok = jw_file_open(&f, path, err) && jw_file_read(&f, 0, head, sizeof head, &got, err)
              && jw_cache_entry_read((struct jw_bytes){ head, got }, jw_pack_entry_bytes(e), &entry, err);
    struct jw_warm_ledger m = { .name = e->name,
                                .bytes = import_bytes(e),
                                .payload = ok ? entry.payload_hash : 0,
                                .made = e->made == JW_PACK_FORGED ? JW_MADE_FORGED : JW_MADE_IMPORTED,
                                .build = im->p.probe.driver.build ? im->p.probe.driver.build : "",
                                .stamp = e->made == JW_PACK_FORGED ? im->forged_by : "",
                                .when = jw_time_unix() };

    jw_file_close(&f);
    return ok && jw_warm_add_made(im->p.log, &m, err);
}

/* Imports several packs: those that fit this machine, one after another. */
#include "pack/import/import_check.h"

#include "base/compiler.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "pack/file/pack_read.h"

struct picking {
    const struct jw_run *run;
    const struct jw_import_options *o;
    struct jw_import_set *out;
    struct import_machine machine;
};

/* ---- which files ---- */

static bool add_file(struct jw_arena *a, struct jw_import_files *out, const char *path, struct jw_err *err)
{
    const char **slot = jw_list_add(a, &out->v, &out->n, sizeof *slot, JW_MAX_LISTED, err);

    if (slot)
        *slot = path;
    return slot != NULL;
}

bool jw_import_list(const char *path, struct jw_arena *a, struct jw_import_files *out, struct jw_err *err)
{
    struct jw_notes notes = { 0 };

    if (!jw_is_folder(path))
        return add_file(a, out, path, err);
    const struct jw_listing names = jw_listing_read(path, "*.tar.zst", a, &notes);

    if (notes.n)
        return jw_fail(err, JW_E_IO, "%s", notes.v[0]);
    for (size_t i = 0; i < names.n; i++)
        if (!add_file(a, out, jw_path_join(a, path, names.names[i]), err))
            return false;
    return out->n || jw_fail(err, JW_E_USAGE, "%s has no pack (*.tar.zst)", path);
}

/* ---- which of them fit ---- */

bool import_ask_machine(struct jw_session *s, struct import_machine *out, struct jw_err *err)
{
    const struct jw_probe_report *probe;
    uint16_t *sms;

    if (!jw_session_driver(s, &probe, err))
        return false;
    sms = jw_arena_alloc(s->a, (probe->n_devices + 1) * sizeof *sms);
    for (size_t i = 0; i < probe->n_devices; i++)
        sms[i] = probe->devices[i].sm;
    *out = (struct import_machine){ .os = jw_os_name(),
                                    .arch = jw_os_arch(),
                                    .driver_known = probe->state.stamp && *probe->state.stamp,
                                    .stamp = probe->state.stamp,
                                    .driver = probe->driver.version,
                                    .sms = sms,
                                    .n_sms = probe->n_devices };
    return true;
}

bool import_fits(const struct import_machine *here, const char *file, struct jw_arena *a)
{
    struct jw_import_report factors = { 0 };
    struct jw_pack_peeked seen = { .bytes = 0 };
    struct jw_err ignored;

    if (!jw_pack_peek(file, NULL, a, &seen, &ignored))
        return true;
    import_compare_pack(&seen.manifest, here, &factors);
    return !factors.n_factors;
}

/* ---- one after another ---- */

unsigned jw_import_rank(enum jw_end e)
{
    static const enum jw_end order[] = { JW_END_NOTHING, JW_END_DONE,       JW_END_PARTLY,
                                         JW_END_STOPPED, JW_END_UNFIT,      JW_END_CONSENT,
                                         JW_END_BUSY,    JW_END_NO_GPU,     JW_END_CANNOT_WRITE,
                                         JW_END_REFUSED, JW_END_INTERRUPTED };
    unsigned i = 0;

    while (i < JW_COUNT(order) && order[i] != e)
        i++;
    return i;
}

/* The same would happen to the packs that are left. */
static bool stops_all(enum jw_end e)
{
    return e == JW_END_STOPPED || e == JW_END_BUSY || e == JW_END_NO_GPU || e == JW_END_CANNOT_WRITE
           || e == JW_END_INTERRUPTED;
}

static bool import_one(struct picking *p, const char *file, struct jw_err *err)
{
    struct jw_import_report *r = &p->out->packs[p->out->n];
    struct jw_import_options o = *p->o;
    struct jw_run *run = jw_arena_copy(p->run->a, p->run, sizeof *run);

    o.file = file;
    o.entries_only = true;
    if (!jw_import(run, &o, r, err))
        return false;
    if (!p->out->n++ || jw_import_rank(run->end) > jw_import_rank(p->out->end))
        p->out->end = run->end;
    return true;
}

bool jw_import_all(const struct jw_run *run, const struct jw_import_options *o,
                   const struct jw_import_files *files, struct jw_import_set *out, struct jw_err *err)
{
    struct picking p = { .run = run, .o = o, .out = out };

    *out = (struct jw_import_set){ .end = JW_END_UNFIT,
                                   .packs = jw_arena_alloc(run->a, (files->n + 1) * sizeof *out->packs),
                                   .skipped = jw_arena_alloc(run->a, (files->n + 1) * sizeof *out->skipped) };
    if (!import_ask_machine(run->session, &p.machine, err))
        return false;
    for (size_t i = 0; i < files->n && !stops_all(out->end); i++)
        if (!import_fits(&p.machine, files->v[i], run->a))
            out->skipped[out->n_skipped++] = files->v[i];
        else if (!import_one(&p, files->v[i], err))
            return false;
    return true;
}

#include "pack/import/import_run.h"

#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/paths.h"
#include "pack/format/pack_name.h"
#include "prime/remember.h"

/* ---- the machine, and the right to change its cache ---- */

bool import_scope(struct import *im, struct jw_err *err)
{
    if (im->here)
        return true;
    im->here = &im->out->look.facts.scope;
    bool ok = jw_scope_find(im->run, &im->o->want, im->o->dry_run ? JW_ASKS_LOOK : JW_ASKS_PRIME,
                            &im->out->look, err)
              && (im->run->ended || im->o->dry_run || !im->out->look.facts.state.unusable
                  || jw_end_give_up(im->run, &im->out->look));

    jw_sound_load(im->out->look.memory, &im->out->look.a, &im->out->look.sound);
    im->out->look.facts.asked.verb = "import";
    im->out->look.facts.asked.words = im->o->words;
    return ok;
}

bool import_begin_changes(struct import *im, struct jw_err *err)
{
    struct jw_hold *h = im->hold;

    return (h->lock || (jw_hold_lock(h, im->out->look.memory, err) && jw_hold_repair(h, err)))
           && (im->run->ended || jw_hold_make_work(h, err));
}

/* ---- one after another ---- */

/* The reason of a single pack is the run's; several have their own, each beside its name, and those
 * of sources are notes. */
static void end_with_worst(struct import *im)
{
    const struct jw_import_pack *worst = NULL;

    for (const struct jw_import_pack *p = im->out->packs; p < im->out->packs + im->out->n_packs;
         p++) {
        if (!worst || jw_end_worse(p->end, worst->end) != worst->end)
            worst = p;
        if (im->o->wanted && p->why)
            JW_NOTE(im->run, "not imported: %s: %s", p->path, p->why);
    }
    if (im->out->unfit)
        jw_run_end(im->run, JW_END_UNFIT, "%s", im->out->unfit);
    else if (worst)
        jw_run_end(im->run, worst->end, "%s",
                   im->out->n_packs == 1 && !im->o->wanted && worst->why ? worst->why : "");
}

/* Says where the named software stands after the import. It is a root from here on, as with
 * prime. */
static bool look_at_paths(struct import *im, struct jw_err *err)
{
    struct jw_look *l = &im->out->named;

    if (!im->o->want.paths.n)
        return true;
    if (!jw_scope_find(im->run, &im->o->want, JW_ASKS_LOOK, l, err) || !jw_look(im->run, l, err))
        return false;
    return !im->hold->lock || im->run->ended
           || jw_remember_paths(im->run, l, im->o->want.paths, err);
}

static bool take(struct import *im, const char *file, struct jw_err *err)
{
    struct jw_import_pack *pack =
        jw_list_add(im->run->a, &im->out->packs, &im->out->n_packs, sizeof *pack, SIZE_MAX, err);

    return pack && import_pack(im, file, pack, err);
}

/* When all packs were taken. */
static bool finish(struct import *im, struct jw_err *err)
{
    /* If the only file was refused, nothing changes, and nothing is said about the software. */
    bool read = im->here && (im->kind != IMPORT_FILE || im->out->packs->end != JW_END_REFUSED);
    bool names =
        im->o->want.paths.n && !im->o->dry_run; /* whose list changes, even if no entry is added */

    if (!im->run->ended && (im->n_added || (names && read)) && !import_begin_changes(im, err))
        return false;
    if (im->run->ended)
        return true;
    if (!import_prove(im, err) || (read && !look_at_paths(im, err)))
        return false;
    if (!im->run->ended)
        end_with_worst(im);
    return true;
}

/* One at a time: each file is deleted before the next one comes, and in between others may change
 * the cache. */
static bool import_brought(struct import *im, struct jw_err *err)
{
    struct jw_import_report *out = im->out;
    struct jw_err why = { 0 };
    const char *file;
    bool came = true;

    if (!import_scope(im, err))
        return false;
    while (!im->run->ended && (came = im->o->bring(im->o->ctx, &file, &why)) && file) {
        if (!take(im, file, err))
            return false;
        out->packs[out->n_packs - 1].path = jw_path_base(file);
        jw_hold_end(&im->own);
        (void)!jw_file_remove(file, JW_IGNORED);
    }
    if ((came || out->added) && !finish(im, err))
        return false;
    if (!came && (jw_pass(err, why) || out->added))
        (void)jw_wrap(err, "%s, then",
                      JW_N(out->added, "entry was imported", "entries were imported"));
    return came && (im->run->ended || jw_run_done(im->run, JW_END_NOTHING));
}

/* ---- a folder ---- */

bool import_has(struct jw_look *l, const struct jw_cache_lookup *cache, uint64_t name,
                bool *refused)
{
    struct jw_file_info info;

    if (!jw_cache_lookup_finds(cache, name, &info))
        return false;
    const struct jw_sound_entry *known = jw_sound_of(&l->sound, name, jw_cache_identity(&info));

    *refused = known && known->refused;
    return jw_cache_is_whole(jw_cache_entry_path(cache->folder, name, &l->a), name, 0, known, &info,
                             JW_IGNORED);
}

static bool is_wanted(const struct jw_import_options *o, uint64_t name)
{
    return jw_find_u64(o->wanted, o->n_wanted, sizeof *o->wanted, name) != NULL;
}

bool jw_import_needs(const struct jw_import_options *o, struct jw_look *l,
                     const struct jw_cache_lookup *cache, uint64_t name)
{
    bool refused;

    return o->wanted ? is_wanted(o, name) : !import_has(l, cache, name, &refused);
}

/* True: the pack is skipped, by what it says of itself before anything is verified. One that prime
 * takes must name a trusted key and have a wanted entry; one that a person named must only be for
 * this machine. A false manifest keeps its own pack out, and does no more. */
static bool passes_over(struct import *im, const char *path)
{
    struct jw_arena a = { 0 }; /* manifests of a folder could together be larger than all memory */
    struct jw_pack_peeked seen;
    struct jw_err why = { 0 };
    const char *unfit;
    bool ok = jw_pack_peek(path, im->o->wanted ? &im->keys : NULL, &a, &seen, &why);
    bool fits = !ok || import_fits(&seen.manifest, im->here, &a, &unfit);
    bool over =
        !fits || (!ok && why.code == JW_E_TRUST); /* else the import says where it is no pack */

    if (!fits && !im->out->passed_over++)
        im->out->passed_first = jw_arena_printf(im->run->a, "%s: %s", jw_path_base(path), unfit);
    if (fits && over)
        JW_NOTE(im->run, "not imported: %s: %s", path, why.msg);
    if (im->o->wanted && !over && ok) {
        over = true;
        for (size_t i = 0; i < seen.manifest.n_entries && over; i++)
            over = !is_wanted(im->o, seen.manifest.entries[i].name);
    }
    jw_arena_free(&a);
    return over;
}

/* Packs that prime finds by itself may be among many for other machines: those whose name says so
 * are not read. */
static bool is_named_for_others(const struct import *im, const char *name)
{
    bool others = im->o->wanted;

    for (size_t i = 0; others && i < im->here->sms.n; i++) {
        const struct jw_pack_kind kind = jw_pack_kind(NULL, im->here->stamp, im->here->sms.v[i]);

        others = jw_pack_names_other(name, &kind);
    }
    return others;
}

static bool import_folder(struct import *im, struct jw_err *err)
{
    struct jw_texts notes = { 0 };
    const char *folder = im->o->from;
    struct jw_arena *a = im->run->a;
    const struct jw_listing names = jw_listing_read(folder, "*" JW_PACK_ENDING, a, &notes);
    bool ok = true;

    if (notes.n)
        return jw_fail(err, JW_E_USAGE, "%s", notes.v[0]);
    if (!import_scope(im, err))
        return false;
    for (size_t i = 0; ok && !im->run->ended && i < names.n; i++) {
        const char *path = jw_path_join(a, folder, names.names[i]);

        ok = jw_not_interrupted(im->run->interrupted, err)
             && (is_named_for_others(im, names.names[i]) || passes_over(im, path)
                 || take(im, path, err));
    }
    if (!names.n)
        im->out->unfit = jw_arena_printf(a, "%s has no pack (*" JW_PACK_ENDING ")", folder);
    else if (!im->out->n_packs && im->out->passed_first)
        im->out->unfit = jw_arena_printf(a, "no pack of %s fits this machine: %s", folder,
                                         im->out->passed_first);
    return ok && finish(im, err);
}

/* ---- the run ---- */

static bool import_from(struct import *im, struct jw_err *err)
{
    if (im->kind == IMPORT_BROUGHT)
        return import_brought(im, err);
    if (im->kind == IMPORT_FOLDER)
        return import_folder(im, err);
    return take(im, im->o->from, err) && finish(im, err);
}

static bool end_by(struct import *im, const struct jw_err *why, struct jw_err *err)
{
    if (why->code == JW_E_TRUST || why->code == JW_E_FORMAT /* of keys */)
        return jw_run_end(im->run, jw_end_of(why->code), "%s", why->msg);
    return jw_run_end_by(im->run, why, err);
}

bool jw_import(struct jw_run *run, const struct jw_import_options *o, struct jw_import_report *out,
               struct jw_err *err)
{
    struct import im = { .o = o, .out = out, .run = run };
    struct jw_err why = { 0 };

    im.kind = !o->from ? IMPORT_BROUGHT : jw_is_folder(o->from) ? IMPORT_FOLDER : IMPORT_FILE;
    im.own = (struct jw_hold){ .run = run };
    im.hold = o->hold ? o->hold : &im.own;
    bool ok = (jw_keys_load(o->trust, jw_session_config(run->session), run->a, &im.keys, &why)
               && import_from(&im, &why))
              || end_by(&im, &why, err);

    jw_hold_end(&im.own);
    out->look.facts.found.needed = out->needed; /* the look of the sample has none */
    out->look.facts.found.filled = out->named.facts.found.filled = out->added > 0;
    return ok;
}

void jw_import_free(struct jw_import_report *r)
{
    jw_look_free(&r->look);
    jw_look_free(&r->named);
}

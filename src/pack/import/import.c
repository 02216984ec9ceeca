#include "pack/import/import_run.h"

#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "machine/paths.h"
#include "pack/format/pack_name.h"
#include "prime/remember.h"

/* ---- the machine, the keys, and the right to change its cache ---- */

/* Two causes end a prime only where something has to be compiled, and each import. */
static bool stop_if_nothing_may_be_added(struct jw_run *run, struct jw_look *look)
{
    if (look->machine->state.unusable)
        return jw_end_because(run, look, &jw_causes[JW_CAUSE_cache_state]);
    if (look->machine->cache.open)
        return jw_end_because(run, look, &jw_causes[JW_CAUSE_cache_open]);
    return true;
}

bool jw_import_scope(struct jw_run *run, const struct jw_want *want, bool dry_run,
                     struct jw_look *look, struct jw_err *err)
{
    const struct jw_purpose *purpose = dry_run ? &jw_to_try : &jw_to_prime;

    if (!jw_scope_find(run, want, purpose, look, err))
        return false;
    jw_sound_load(look->memory, run->a, &look->sound);
    return run->ended || stop_if_nothing_may_be_added(run, look);
}

bool jw_import_begin(struct jw_import *im, struct jw_run *run, const struct jw_look *look,
                     struct jw_hold *hold, const struct jw_import_terms *terms, struct jw_err *err)
{
    const struct jw_config *config = jw_session_config(run->session);

    *im = (struct jw_import){.run = run, .look = look, .terms = *terms};
    im->own = (struct jw_hold){.run = run};
    im->hold = hold ? hold : &im->own;
    return jw_keys_load(terms->trust, config, run->a, &im->keys, err);
}

bool import_begin_changes(struct jw_import *im, struct jw_err *err)
{
    struct jw_hold *h = im->hold;

    if (!h->lock && (!jw_hold_lock(h, im->look->memory, err) || !jw_hold_repair(h, err)))
        return false;
    return im->run->ended || jw_hold_make_work(h, err);
}

void jw_import_pause(struct jw_import *im) { jw_hold_end(&im->own); }

void jw_import_end(struct jw_import *im) { jw_hold_end(&im->own); }

/* ---- which packs are taken ---- */

bool import_has(const struct jw_import *im, const struct jw_cache_lookup *cache, uint64_t name,
                bool *refused)
{
    struct jw_file_info info;

    if (!jw_cache_lookup_finds(cache, name, &info))
        return false;
    const struct jw_sound_entry *known =
        jw_sound_of(&im->look->sound, name, jw_cache_identity(&info));
    const char *path = jw_cache_entry_path(cache->folder, name, im->run->a);

    *refused = known && known->refused;
    return jw_cache_is_whole(path, name, 0, known, &info, JW_IGNORED);
}

static const struct jw_import_wanted *find_wanted(const struct jw_import_filter *f, uint64_t name)
{
    return jw_find_u64(f->wanted, f->n_wanted, sizeof *f->wanted, name);
}

bool import_is_wanted(const struct jw_import_filter *f, uint64_t name)
{
    const struct jw_import_wanted *w = find_wanted(f, name);

    return w && !w->taken;
}

void import_took(const struct jw_import_filter *f, uint64_t name)
{
    const struct jw_import_wanted *w = find_wanted(f, name);

    if (w)
        f->wanted[w - f->wanted].taken = true;
}

bool import_may_want(const struct jw_import_filter *f, uint64_t name, uint64_t key_size)
{
    if (!f->other_builds)
        return import_is_wanted(f, name);
    return jw_find_u64(f->key_sizes, f->n_wanted, sizeof *f->key_sizes, key_size) != NULL;
}

bool jw_import_needs(const struct jw_import *im, const struct jw_import_filter *filter,
                     const struct jw_cache_lookup *cache, uint64_t name, uint64_t key_size)
{
    bool refused;

    return filter->only_wanted ? import_may_want(filter, name, key_size)
                               : !import_has(im, cache, name, &refused);
}

static bool has_wanted(const struct jw_import_filter *f, const struct jw_pack_manifest *m)
{
    for (const struct jw_pack_entry *e = m->entries; e < m->entries + m->n_entries; e++)
        if (import_may_want(f, e->name, e->key_bytes))
            return true;
    return false;
}

/* A pack whose name says that it is for another kind of machine is not even opened, if nobody
 * named it: there may be many. */
static bool is_named_for_others(const struct jw_import *im, const char *path)
{
    const struct jw_scope *here = &im->look->scope;
    const char *name = jw_path_base(path);

    for (size_t i = 0; i < here->sms.n; i++) {
        const struct jw_pack_kind kind = jw_pack_kind(here->code, here->stamp, here->sms.v[i]);
        const struct jw_pack_kind build = jw_pack_kind(NULL, here->stamp, here->sms.v[i]);

        if (!jw_pack_names_other(name, &kind) || !jw_pack_names_other(name, &build))
            return false;
    }
    return here->sms.n > 0;
}

/* Is all of it in the cache already, by what it says of itself? Then nothing of it would be added,
 * whoever signed it, and its bytes need not be read. */
static bool is_there(const struct jw_import *im, const struct jw_cache_lookup *cache,
                     const struct jw_pack_manifest *m)
{
    bool refused;

    for (size_t i = 0; i < m->n_entries; i++) {
        uint64_t name = m->entries[i].name;

        if (!jw_find_u64(cache->index.list, cache->index.n, sizeof *cache->index.list, name)
            || !import_has(im, cache, name, &refused) || refused)
            return false;
    }
    return true;
}

/* Adds a pack of which nothing was taken. Of its manifest, which is read for a moment, the report
 * needs no lists. */
static bool add_there(struct jw_import *im, const char *path, const struct jw_pack_manifest *m,
                      struct jw_err *err)
{
    struct jw_arena *a = im->run->a;
    struct jw_pack_manifest *kept = jw_arena_alloc(a, sizeof *kept);
    struct jw_import_pack *pack =
        jw_list_add(a, &im->packs, &im->n_packs, sizeof *pack, SIZE_MAX, err);

    if (!pack)
        return false;
    *kept = *m;
    kept->os = jw_arena_str(a, m->os);
    kept->arch = jw_arena_str(a, m->arch);
    kept->stamp = jw_arena_str(a, m->stamp);
    kept->driver = m->driver ? jw_arena_str(a, m->driver) : NULL;
    kept->entries = NULL;
    kept->software = NULL;
    kept->n_software = 0;
    *pack = (struct jw_import_pack){
        .path = path, .manifest = kept, .there = m->n_entries, .end = JW_END_NOTHING};
    return true;
}

static void pass_over(struct jw_import *im, const char *path, const char *unfit)
{
    if (!im->passed_over++)
        im->passed_first = jw_arena_printf(im->run->a, "%s: %s", jw_path_base(path), unfit);
}

/* Asks the filter, by what the pack says of itself. A false manifest keeps its own pack out, and
 * does no more. One that cannot be read is taken: the import then says why it is no pack. */
static bool ask_filter(struct jw_import *im, const char *path,
                       const struct jw_import_filter *filter, struct jw_arena *a, bool *taken,
                       struct jw_err *err)
{
    const struct jw_trusted_keys *keys = filter->only_wanted ? &im->keys : NULL;
    struct jw_pack_peeked seen;
    struct jw_err why = {0};
    const char *unfit;

    *taken = false;
    if (filter->only_wanted && is_named_for_others(im, path))
        return true;
    if (!jw_pack_peek(path, keys, a, &seen, &why)) {
        if (why.code == JW_E_TRUST)
            JW_NOTE(im->run, "not imported: %s: %s", path, why.msg);
        *taken = why.code != JW_E_TRUST;
        return true;
    }
    enum import_fit fit = import_fits(&seen.manifest, &im->look->scope, a, &unfit);

    if (fit == IMPORT_UNFIT) {
        pass_over(im, path, unfit);
        return true;
    }
    if (filter->only_wanted && filter->other_builds != (fit == IMPORT_SAME_COMPILER))
        return true;
    if (filter->cache && is_there(im, filter->cache, &seen.manifest))
        return add_there(im, path, &seen.manifest, err);
    *taken = !filter->only_wanted || has_wanted(filter, &seen.manifest);
    return true;
}

bool jw_import_take(struct jw_import *im, const char *file, const struct jw_import_filter *filter,
                    struct jw_err *err)
{
    struct jw_arena a = {0}; /* manifests of many packs could together be larger than all memory */
    bool taken = true;
    bool ok = !filter || ask_filter(im, file, filter, &a, &taken, err);

    jw_arena_free(&a);
    if (!ok || !taken)
        return ok;
    struct jw_import_pack *pack =
        jw_list_add(im->run->a, &im->packs, &im->n_packs, sizeof *pack, SIZE_MAX, err);

    return pack && import_pack(im, file, filter, pack, err);
}

static bool take_files(struct jw_import *im, const char *folder, const struct jw_listing *names,
                       const struct jw_import_filter *filter, struct jw_err *err)
{
    for (size_t i = 0; i < names->n; i++) {
        const char *path = jw_path_join(im->run->a, folder, names->names[i]);

        if (im->run->ended)
            return true;
        if (!jw_not_interrupted(im->run->interrupted, err)
            || !jw_import_take(im, path, filter, err))
            return false;
    }
    return true;
}

bool jw_import_folder(struct jw_import *im, const char *folder,
                      const struct jw_import_filter *filter, struct jw_err *err)
{
    struct jw_texts notes = {0};
    struct jw_arena *a = im->run->a;
    struct jw_cache_lookup cache;
    struct jw_import_filter mine = *filter;
    const struct jw_listing names = jw_listing_read(folder, "*" JW_PACK_ENDING, a, &notes);

    if (notes.n)
        return jw_fail(err, JW_E_USAGE, "%s", notes.v[0]);
    if (!jw_cache_lookup_open(im->look->scope.cache, a, &cache, err))
        return false;
    if (!mine.only_wanted) /* what is wanted is not there */
        mine.cache = &cache;
    bool ok = take_files(im, folder, &names, &mine, err);

    jw_cache_lookup_close(&cache);
    if (!names.n)
        im->unfit = jw_arena_printf(a, "%s has no pack (*" JW_PACK_ENDING ")", folder);
    else if (!im->n_packs && im->passed_first)
        im->unfit =
            jw_arena_printf(a, "no pack of %s fits this machine: %s", folder, im->passed_first);
    return ok;
}

/* ---- the end ---- */

/* Did each pack turn out to be damaged or not trusted? Then nothing changes, and nothing is said
 * about the software. */
static bool refused_all(const struct jw_import *im)
{
    for (size_t i = 0; i < im->n_packs; i++)
        if (im->packs[i].end != JW_END_REFUSED)
            return false;
    return im->n_packs > 0;
}

/* Says where the named software stands after the import. It is a root from here on, as with
 * prime. */
static bool look_at_paths(struct jw_import *im, struct jw_look *look, struct jw_err *err)
{
    if (!look->want.paths.n || refused_all(im))
        return true;
    look->purpose = jw_to_look; /* what is cold now is prime's to compile */
    if (!jw_look(im->run, look, err))
        return false;
    if (im->terms.dry_run || im->run->ended)
        return true;
    return jw_remember_paths(im->run, look, look->want.paths, err);
}

/* For the causes. */
static void tell_causes(const struct jw_import *im, struct jw_look *look)
{
    struct jw_look_seen *seen = &look->seen;

    look->met.filled = im->n_added > 0;
    seen->lacked_limit = im->limit_needed;
    seen->lacked_bytes = jw_max(im->left_bytes, im->disk_needed);
    if (im->disk_needed)
        seen->free_bytes = im->disk_free;
}

/* The reason of a single pack is the run's; several have their own, each beside its name. */
static bool end_with_worst(struct jw_import *im)
{
    const struct jw_import_pack *worst = im->packs;

    if (im->unfit)
        return jw_run_end(im->run, JW_END_UNFIT, "%s", im->unfit);
    if (!worst)
        return jw_run_done(im->run, JW_END_NOTHING);
    for (const struct jw_import_pack *p = im->packs; p < im->packs + im->n_packs; p++)
        if (p->end > worst->end)
            worst = p;
    return jw_run_end(im->run, worst->end, "%s", im->n_packs == 1 && worst->why ? worst->why : "");
}

bool jw_import_finish(struct jw_import *im, struct jw_look *look, struct jw_err *err)
{
    struct jw_run *run = im->run;
    bool remembers = look->want.paths.n && !refused_all(im);

    if (run->ended)
        return true;
    if (!im->terms.dry_run && (im->n_added || remembers) && !import_begin_changes(im, err))
        return false;
    if (run->ended)
        return true;
    if (!import_prove(im, look, err) || !look_at_paths(im, look, err))
        return false;
    tell_causes(im, look);
    if (im->disk_needed && !run->ended)
        return jw_end_because(run, look, &jw_causes[JW_CAUSE_cache_disk_full]);
    return run->ended || end_with_worst(im);
}

struct jw_summary jw_import_summary(const struct jw_import *im)
{
    struct jw_summary v = jw_end_summary(im->run, im->look);
    bool fits = im->run->end != JW_END_UNFIT;

    /* A dry run looks before the entries are in: that they lack is no cause. */
    if (im->terms.dry_run && jw_look_answer(im->look).is == JW_COLD) {
        v.end = im->run->end;
        v.cause = fits ? NULL : v.cause;
    }
    if (im->sample.done && !jw_is_proven(&im->sample))
        v.end = jw_end_worse(v.end, JW_END_PARTLY);
    return v;
}

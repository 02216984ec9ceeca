/* Selects the entries to import: those of software here, not in the cache yet, that fit under its limit. */
#include "pack/import/import_work.h"

#include "base/command.h"
#include "base/text.h"
#include "os/files/tree.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

/* ---- what is in the cache ---- */

/* Reads every byte. An entry that cannot be read counts as missing; publishing reports the reason. */
static bool is_valid_here(const struct jw_tree *dir, uint64_t name)
{
    struct jw_cache_name text = jw_cache_name(name); /* "4/2/3e06b9e6ec62aa" */
    struct jw_tree first = JW_TREE_CLOSED, folder = JW_TREE_CLOSED;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    struct jw_cache_entry entry;
    struct jw_err ignored = { 0 };
    bool found = false;

    text.text[1] = text.text[3] = '\0';
    bool ok = jw_tree_enter(dir, text.text, false, &first, &found, &ignored) && found
              && jw_tree_enter(&first, text.text + 2, false, &folder, &found, &ignored) && found
              && jw_tree_open_file(&folder, text.text + 4, JW_TREE_READ, &f, &found, &ignored) && found
              && jw_file_info(&f, &info, &ignored);
    struct jw_source bytes = jw_file_source(&f, info.size);

    ok = ok && jw_cache_entry_check(&bytes, name, &entry, &ignored);
    jw_file_close(&f);
    jw_tree_close(&folder);
    jw_tree_close(&first);
    return ok;
}

static bool find_present(struct import *im, struct jw_err *err)
{
    const struct jw_cache_listing *l = &im->ctx.cache.listing;
    const char *path = im->ctx.cache.folder;
    struct jw_tree folder = JW_TREE_CLOSED;
    bool ok = true;

    im->wants.present = jw_arena_alloc(im->run->a, im->manifest->n_entries + 1);
    if (!l->found || l->refused)
        return true;
    if (!jw_tree_open(&folder, path, err))
        return jw_wrap(err, "%s", path);
    for (size_t i = 0; ok && i < im->manifest->n_entries; i++) {
        const struct jw_cache_file *f = jw_cache_file_find(l, im->manifest->entries[i].name);

        ok = jw_not_interrupted(im->run->interrupted, err);
        if (ok && f && jw_cache_is_found(l, f))
            im->wants.present[i] = is_valid_here(&folder, f->name);
    }
    jw_tree_close(&folder);
    return ok;
}

/* ---- the software here ---- */

static void collect_modules(struct import *im)
{
    const struct scan_jobs *t = &im->ctx.software.found;
    struct import_wants *w = &im->wants;

    w->modules = jw_arena_alloc(im->run->a, (t->n + 1) * sizeof *w->modules);
    for (size_t i = 0; i < t->n; i++)
        if (t->list[i].sm == im->manifest->sm && t->list[i].name)
            w->modules[w->n_modules++] = t->list[i].name;
}

/* An import that takes all searches for no software. */
static bool read_cache(struct import *im, struct jw_err *err)
{
    struct prime_cache *c = &im->ctx.cache;

    c->memory = jw_session_memory_now(im->run->session, c->folder);
    return jw_cachedir_walk(c->folder, false, im->run->interrupted, im->run->a, &c->listing, err);
}

static bool find_modules(struct import *im, struct jw_err *err)
{
    struct prime_software *s = &im->ctx.software;
    struct prime_reuse reuse = { .all = !s->paths.n };

    prime_load_memory(&im->ctx);
    if (!prime_choose_targets(&im->ctx, err) || (!s->paths.n && !prime_find_software(&im->ctx, err)))
        return false;
    prime_notify(im->run, JW_PHASE_LOOK, NULL);
    if (prime_read_software(&im->ctx, err) && prime_read_cache(&im->ctx, &reuse, err))
        return true;
    if (err->code == JW_E_FORMAT) /* of a path that the user named, not of the pack */
        err->code = JW_E_USAGE;
    return false;
}

/* ---- room ---- */

static void count_used(struct import *im)
{
    const struct jw_cache_listing *l = &im->ctx.cache.listing;
    uint64_t sum = 0;

    for (size_t i = 0; i < l->n; i++)
        sum += l->files[i].damage ? 0 : jw_cache_weight(&l->files[i].entry);
    im->out->cache.used = l->index_found && !l->index_damage ? l->index.total : sum;
}

static void choose_new(struct import *im)
{
    uint64_t limit = im->out->cache.limit.bytes, used = im->out->cache.used;
    struct import_wants *w = &im->wants;

    w->everything = import_wants_all(im);
    w->room = limit > used ? limit - used : 0;
    import_check_entries(w, im->out);
    import_count(im->out);
}

bool import_select(struct import *im, struct jw_err *err)
{
    if (!(import_wants_all(im) ? read_cache(im, err) : find_modules(im, err)))
        return false;
    if (im->ctx.cache.listing.refused)
        return jw_fail(err, JW_E_IO, "%s: %s", im->ctx.cache.folder, im->ctx.cache.listing.refused);
    collect_modules(im);
    if (!find_present(im, err))
        return false;
    prime_note_index(&im->ctx);
    count_used(im);
    choose_new(im);
    return true;
}

/* In whole blocks. */
static uint64_t disk_bytes(const struct import *im)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < im->out->n_entries; i++)
        if (im->out->entries[i].state == JW_IMPORT_NEW)
            sum += (jw_pack_entry_bytes(im->out->entries[i].of) / BLOCK + 1) * BLOCK;
    return sum;
}

static bool end_full(struct import *im, uint64_t need)
{
    prime_advise_room(&im->ctx, im->out->need, true);
    return import_end(im, JW_END_CANNOT_WRITE,
                      "not enough disk space: %s needed, %s free in %s (%s stay reserved)", JW_SIZE(need),
                      JW_SIZE(im->out->cache.free_disk), im->ctx.cache.folder,
                      JW_SIZE(im->out->cache.spare_disk));
}

/* Asks the user unless --yes was given. Ends the run if the user refuses or there is no terminal. */
static void ask_for_less(struct import *im)
{
    const struct jw_cache_here *c = &im->out->cache;
    char question[512];

    (void)snprintf(question, sizeof question,
                   "%s needed, but the cache can grow by %s only: %llu of %zu entries do not fit; import the "
                   "others?",
                   JW_SIZE(im->out->need), JW_SIZE(c->limit.bytes > c->used ? c->limit.bytes - c->used : 0),
                   (unsigned long long)im->out->counts[JW_IMPORT_NO_ROOM], im->out->n_entries);
    if (im->o->yes || (im->run->ask && im->run->ask(im->run->ctx, question, false)))
        return;
    if (!im->run->ask)
        JW_ADVISE(im->run, "%s   # imports what fits", jw_run_again(im->run, "--yes"));
    import_end(im, JW_END_CONSENT, "%s", question);
}

#define COMMAND(im, ...) JW_COMMAND((im)->run->a, jw_os_is_windows(), __VA_ARGS__)

static void advise_software(struct import *im)
{
    const char *line;

    if (im->out->counts[JW_IMPORT_FOREIGN] < im->out->n_entries || im->o->paths.n || !im->out->n_entries)
        return;
    if (strcmp(im->o->file, "-") == 0) {
        JW_NOTE(im->run, "the same command with --everything takes all entries, and with the folder of the "
                         "pack's software those that it needs");
        return;
    }
    line = COMMAND(im, "jitwarm", "import", im->o->file, im->o->allow_unsigned ? "--allow-unsigned" : NULL);
    for (size_t i = 0; i < im->o->trust.n; i++)
        line = jw_arena_printf(im->run->a, "%s %s", line, COMMAND(im, "--trust", im->o->trust.items[i]));
    if (im->run->session->cache)
        line = jw_arena_printf(im->run->a, "%s %s", line, COMMAND(im, "--cache", im->run->session->cache));
    JW_ADVISE(im->run, "%s%s --everything   # or the folder of the pack's software in place of --everything",
              line, im->o->as_root ? " --as-root" : "");
}

/* At a terminal prime offers to raise the limit. --yes does not answer that question. */
static void offer_limit(struct import *im)
{
    const char *otherwise =
        jw_arena_printf(im->run->a, "%s of %s entries do not fit", JW_NUM(im->out->counts[JW_IMPORT_NO_ROOM]),
                        JW_NUM(im->out->n_entries));

    if (prime_offer_limit(&im->ctx, im->out->need, false, otherwise))
        choose_new(im);
}

bool import_check_room(struct import *im, struct jw_err *err)
{
    uint64_t need = disk_bytes(im), free = im->out->cache.free_disk;

    (void)err;
    advise_software(im);
    if (im->out->counts[JW_IMPORT_NO_ROOM] && !im->o->dry_run)
        offer_limit(im);
    if (im->out->counts[JW_IMPORT_NO_ROOM])
        prime_advise_room(&im->ctx, im->out->need, false);
    if (need && free != UINT64_MAX && need + im->out->cache.spare_disk > free)
        return end_full(im, need);
    if (im->out->counts[JW_IMPORT_NO_ROOM] && !im->o->dry_run && !im->ctx.cache.limit_stays)
        ask_for_less(im);
    return true;
}

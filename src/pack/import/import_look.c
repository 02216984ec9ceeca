/* What is in the cache already, what is of software here, and whether there is room for the rest. */
#include "pack/import/import_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/tree.h"
#include "prime/prime_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE_DISK = 64 << 20, BLOCK = 4096 };

/* ---- what is there ---- */

/* Every byte of it. */
static bool check_file(const struct jw_tree *folder, const char *name, uint64_t hash, bool *sound,
                       struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    struct jw_cache_entry ignored;
    bool found = false;

    if (!jw_tree_open_file(folder, name, JW_TREE_READ, &f, &found, err))
        return false;
    bool ok = !found || jw_file_info(&f, &info, err);
    struct jw_source bytes = jw_file_source(&f, info.size);

    *sound = ok && found && jw_cache_entry_check(&bytes, hash, &ignored, err);
    jw_file_close(&f);
    return *sound || (ok && !found);
}

/* An entry that cannot be read, or makes no sense, is not there: publish says what is the matter with its place. */
/* Is the entry there, and sound? What cannot be read is not. */
static bool look_at(const struct jw_tree *root, uint64_t name)
{
    struct jw_cache_name text = jw_cache_name(name);
    struct jw_tree first = JW_TREE_CLOSED, home = JW_TREE_CLOSED;
    struct jw_err why = { 0 };
    bool found = false, sound = false;

    text.text[1] = text.text[3] = '\0';
    if (!jw_tree_enter(root, text.text, false, &first, &found, &why)
        || (found && !jw_tree_enter(&first, text.text + 2, false, &home, &found, &why))
        || (found && !check_file(&home, text.text + 4, name, &sound, &why)))
        sound = false;
    jw_tree_close(&home);
    jw_tree_close(&first);
    return sound;
}

static bool find_present(struct import *im, struct jw_err *err)
{
    const struct jw_cache_listing *l = &im->p.listing;
    struct jw_tree root = JW_TREE_CLOSED;
    bool ok = true;

    im->present = jw_arena_alloc(im->a, im->manifest->n_entries + 1);
    if (!l->found || l->refused)
        return true;
    if (!jw_tree_open(&root, im->p.dir.root, err))
        return jw_wrap(err, "%s", im->p.dir.root);
    for (size_t i = 0; ok && i < im->manifest->n_entries; i++) {
        const struct jw_cache_file *f = jw_cache_file_find(l, im->manifest->entries[i].name);

        if (prime_interrupted(&im->p))
            ok = jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        else if (f && !f->damage && f->indexed && f->recorded == f->entry.key_size + f->entry.payload_size)
            im->present[i] = look_at(&root, f->name);
    }
    jw_tree_close(&root);
    return ok;
}

/* ---- whose software ---- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The package that this machine's records give the file to, else the file's own name. NULL: no file asks for it. */
static const char *owner_of(const struct target *t)
{
    if (prime_place_is_entry(&t->place))
        return NULL;
    return t->place.package ? t->place.package : jw_path_base(t->place.path);
}

static void collect_modules(struct import *im)
{
    const struct targets *t = &im->p.found;
    const struct jw_trusted_key *scope = import_scope(im);

    im->modules = jw_arena_alloc(im->a, (t->n + 1) * sizeof *im->modules);
    im->covered = jw_arena_alloc(im->a, (t->n + 1) * sizeof *im->covered);
    for (size_t i = 0; i < t->n; i++) {
        if (t->list[i].sm != im->manifest->sm || !t->list[i].key.name)
            continue;
        im->modules[im->n_modules++] = t->list[i].key.name;
        if (scope && jw_key_covers(scope, owner_of(&t->list[i])))
            im->covered[im->n_covered++] = t->list[i].key.name;
    }
    if (im->n_modules)
        qsort(im->modules, im->n_modules, sizeof *im->modules, by_value);
    if (im->n_covered)
        qsort(im->covered, im->n_covered, sizeof *im->covered, by_value);
}

/* NULL: what is in the cache asks for it, and no file. */
static const char *who_asks(const struct import *im, uint64_t name)
{
    const struct targets *t = &im->p.found;

    for (size_t i = 0; i < t->n; i++)
        if (t->list[i].key.name == name && owner_of(&t->list[i]))
            return owner_of(&t->list[i]);
    return NULL;
}

static void report_beyond(struct import *im)
{
    const struct jw_trusted_key *key = import_scope(im);

    for (size_t i = 0; i < im->out->n_entries; i++) {
        struct jw_import_entry *e = &im->out->entries[i];
        struct jw_buf text = JW_BUF(JW_MAX_SENTENCE);
        const char *who = e->state == JW_IMPORT_BEYOND ? who_asks(im, e->of->name) : NULL;

        if (e->state != JW_IMPORT_BEYOND)
            continue;
        jw_buf_printf(&text, "%s asks for it here, and key %s (%s) is not trusted for that",
                      who ? who : "software that is no more here", im->verdict.key, key->from);
        e->why = jw_arena_str(im->a, jw_buf_cstr(&text));
        jw_buf_free(&text);
    }
}

/* Of any software: none has to be looked for, unless the user names some. */
static bool look_at_cache(struct import *im, struct jw_err *err)
{
    struct prime *p = &im->p;

    return jw_warm_load(p->dir.root, p->a, &p->memory, err)
           && jw_cachedir_walk(p->dir.root, false, p->o->interrupted, p->a, &p->listing, err);
}

/* That a path of the user's makes no sense is no fault of the pack's. */
static bool look_at_software(struct import *im, struct jw_err *err)
{
    if (!prime_choose_targets(&im->p, err))
        return false;
    if (prime_look(&im->p, err))
        return true;
    if (err->code == JW_E_FORMAT)
        err->code = JW_E_USAGE;
    return false;
}

/* ---- room ---- */

static void count_used(struct import *im)
{
    const struct jw_cache_listing *l = &im->p.listing;
    uint64_t sum = 0;

    for (size_t i = 0; i < l->n; i++)
        sum += l->files[i].damage ? 0 : l->files[i].entry.key_size + l->files[i].entry.payload_size;
    im->p.out->used = l->index_found && !l->index_damage ? l->index.total : sum;
}

static void judge_entries(struct import *im)
{
    uint64_t limit = im->p.out->limit, used = im->p.out->used;
    struct import_wants w = { .present = im->present,
                              .modules = im->modules,
                              .n_modules = im->n_modules,
                              .covered = im->covered,
                              .n_covered = im->n_covered,
                              .scoped = import_scope(im) != NULL,
                              .foreign = im->o->foreign,
                              .forged = !im->forged_not,
                              .canary = im->canary ? im->canary->name : 0,
                              .room = im->o->force   ? UINT64_MAX
                                      : limit > used ? limit - used
                                                     : 0 };

    import_judge_entries(&w, im->out);
    import_count(im->out);
    im->p.out->need = im->out->need;
}

static void note_force(struct import *im)
{
    const struct jw_prime_report *r = im->p.out;

    if (!im->o->force || r->used + im->out->need <= r->limit)
        return;
    prime_note(&im->p, "--force: the cache will hold more than its limit, so that the driver removes the "
                       "oldest entries when it compiles the next time");
    prime_advise_room(&im->p, false);
}

bool import_look(struct import *im, struct jw_err *err)
{
    if (!(im->o->foreign ? look_at_cache(im, err) : look_at_software(im, err)))
        return false;
    if (im->p.listing.refused)
        return jw_fail(err, JW_E_IO, "%s: %s", im->p.dir.root, im->p.listing.refused);
    collect_modules(im);
    if (!find_present(im, err))
        return false;
    prime_note_index(&im->p);
    if (!import_look_forged(im, err))
        return false;
    count_used(im);
    judge_entries(im);
    report_beyond(im);
    if (im->forged_not && im->out->counts[JW_IMPORT_UNPROVEN])
        import_tell_unproven(im, im->forged_not);
    note_force(im);
    return true;
}

/* ---- may it be less? ---- */

/* On the disk, in whole blocks. */
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
    prime_advise_room(&im->p, true);
    return import_end(im, JW_END_CANNOT_WRITE,
                      "%s are needed, and the disk of %s has %s free, of which 64 MiB are left to others",
                      JW_SIZE(need), im->p.dir.root, JW_SIZE(im->p.out->free_disk));
}

static void ask_for_less(struct import *im)
{
    const struct jw_prime_report *r = im->p.out;
    char question[512];

    (void)snprintf(question, sizeof question,
                   "%s are needed, and the cache may grow by %s: %llu of %zu entries would stay outside; "
                   "import the others?",
                   JW_SIZE(im->out->need), JW_SIZE(r->limit > r->used ? r->limit - r->used : 0),
                   (unsigned long long)im->out->counts[JW_IMPORT_NO_ROOM], im->out->n_entries);
    import_ask(im, im->o->yes, question, "what fits");
}

static void advise_software(struct import *im)
{
    if (im->out->counts[JW_IMPORT_FOREIGN] + im->out->counts[JW_IMPORT_CANARY] >= im->out->n_entries
        && !im->o->n_paths)
        prime_advise(&im->p, "jitwarm import FILE PATH   (PATH: where the software is that it is for)");
}

bool import_consent(struct import *im, struct jw_err *err)
{
    uint64_t need = disk_bytes(im), free = im->p.out->free_disk;

    (void)err;
    advise_software(im);
    /* A person at a terminal is asked the question of prime. --yes answers other questions. */
    if (im->out->counts[JW_IMPORT_NO_ROOM] && !im->o->dry_run && prime_offer_limit(&im->p))
        judge_entries(im);
    if (im->out->counts[JW_IMPORT_NO_ROOM])
        prime_advise_room(&im->p, false);
    if (need && free != UINT64_MAX && need + SPARE_DISK > free)
        return end_full(im, need);
    if (im->out->counts[JW_IMPORT_NO_ROOM] && !im->o->dry_run)
        ask_for_less(im);
    return true;
}

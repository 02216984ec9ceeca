#include "fleet/pull.h"

#include "base/path.h"
#include "base/text.h"
#include "fleet/receipt.h"
#include "machine/run.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/files/tree.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "prime/prime_steps.h"

#include <stdio.h>
#include <string.h>

struct pull {
    const struct jw_pull_options *o;
    struct jw_arena *a;
    struct jw_pull_report *out;
    struct jw_run run;    /* for questions before the first import */
    const char *obstacle; /* as prime_obstacle */
    struct jw_remote *from;
    const char *folder;  /* of receipts */
    const char *staging; /* for downloads: `folder`, or `own` while another pull uses that */
    char *scratch;       /* temporary folder; or NULL */
    struct jw_file lock;
    struct ahead *ahead;
    struct jw_cache_lookup cache; /* as it was before the first import */
};

/* Downloads the next layer while one is imported. While the thread runs, only it uses the remote. */
struct ahead {
    struct pull *p;
    const struct jw_oci_item *item; /* NULL: no download */
    struct jw_thread *thread;
    struct jw_lock *lock;
    struct jw_run run; /* of the remote */
    atomic_bool halt;
    atomic_ullong at; /* bytes received */
    bool ok, done;
    const char *path;
    struct jw_err err;
};

/* ---- which manifest ---- */

static bool note_is(const struct jw_oci_note *notes, size_t n, const char *key, const char *value)
{
    const char *got = jw_oci_note(notes, n, key);

    return got ? strcmp(got, value) == 0 : !*value;
}

static bool fits_machine(const struct pull *p, uint16_t sm, const struct jw_oci_note *notes, size_t n)
{
    const struct jw_fleet_machine *m = &p->out->machine;
    char number[8], system[40];

    (void)snprintf(number, sizeof number, "%u", (unsigned)sm);
    (void)snprintf(system, sizeof system, "%s-%s", jw_os_name(), jw_os_arch());
    return note_is(notes, n, JW_OCI_STAMP, m->stamp) && note_is(notes, n, JW_OCI_SM, number)
           && note_is(notes, n, JW_OCI_SYSTEM, system);
}

static bool read_manifest(struct pull *p, const struct jw_oci_item *item, struct jw_oci_doc *doc,
                          struct jw_err *err)
{
    bool found;

    if (!jw_remote_oci(p->from, item->digest, p->a, doc, NULL, &found, err))
        return false;
    if (!found || doc->is_index)
        return jw_fail(err, JW_E_NET, "%.200s: a manifest named in the index is missing", p->o->ref->text);
    return true;
}

/* If none fits, `*found` is false and `k->missing` says why. */
static bool find_manifest(struct pull *p, struct jw_pull_kind *k, struct jw_oci_doc *doc, bool *found,
                          struct jw_err *err)
{
    struct jw_oci_doc top = { 0 };

    if (!jw_remote_oci(p->from, k->tag, p->a, &top, NULL, found, err))
        return false;
    if (!*found) {
        k->missing = jw_arena_printf(p->a, "tag %.128s does not exist", k->tag);
        return true;
    }
    for (size_t i = 0; top.is_index && i < top.n; i++)
        if (strcmp(top.items[i].media, JW_OCI_MANIFEST) == 0
            && fits_machine(p, k->sm, top.items[i].notes, top.items[i].n_notes)) {
            k->digest = top.items[i].digest;
            return read_manifest(p, &top.items[i], doc, err);
        }
    *found = false;
    k->missing = jw_arena_printf(p->a, "%.128s has packs only for other drivers or GPUs", k->tag);
    return true;
}

/* ---- layers ---- */

/* Adds import's report. Replaces the temporary file's name in messages by the software's. */
static void add_import(struct pull *p, struct jw_pull_layer *l, const char *file,
                       const struct jw_import_report *r)
{
    const char *why = r->run->why && jw_text_starts(r->run->why, file) ? r->run->why + strlen(file) : NULL;

    l->state = JW_PULL_IMPORTED;
    l->end = r->run->end;
    l->why = why           ? jw_arena_printf(p->a, "the pack of %.100s%s", l->software, why)
             : r->run->why ? jw_arena_str(p->a, r->run->why)
                           : NULL;
    l->key = r->signature.key && r->signature.state && strcmp(r->signature.state, "trusted") == 0
                 ? jw_arena_str(p->a, r->signature.key)
                 : NULL;
    l->is_unsigned = r->signature.state && strcmp(r->signature.state, "unsigned") == 0;
    for (size_t i = 0; i < JW_IMPORT_STATES; i++) {
        l->counts[i] = r->counts[i];
        p->out->counts[i] += r->counts[i];
        p->out->bytes[i] += r->bytes[i];
    }
    if (jw_import_rank(r->run->end) > jw_import_rank(p->out->end)) {
        p->out->end = r->run->end;
        p->out->why = l->why;
    }
    if (r->kit_skipped)
        jw_note(
            &p->out->notes, p->a,
            "%.80s: %s of other caches stay in the pack: they are programs, and come by file alone (jitwarm "
            "import PACK)",
            l->software, JW_N(r->kit_skipped, "file", "files"));
    for (size_t i = 0; i < r->n_factors; i++)
        jw_note(&p->out->notes, p->a, "%.80s: the pack has %s %s, this machine has %s", l->software,
                r->factors[i].what, r->factors[i].pack, r->factors[i].machine);
}

enum { ABANDONED_DAYS = 7 };

static bool is_layer_file(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".part") == 0 || strcmp(dot, ".pack") == 0);
}

/* Removes downloads that no pull continued for a week. */
static void remove_abandoned(struct pull *p, struct jw_tree *t)
{
    int64_t before = (jw_time_unix() - (int64_t)ABANDONED_DAYS * 24 * 3600) * 1000000000;
    struct jw_file_info info;
    struct jw_dir *dir = NULL;
    struct jw_entry entry;
    struct jw_err ignored;
    bool more;

    if (jw_dir_open(&dir, p->folder, &ignored))
        while (jw_dir_next(dir, &entry, &more, &ignored) && more)
            if (entry.type == JW_ENTRY_FILE && is_layer_file(entry.name)
                && jw_tree_stat(t, entry.name, &info, &ignored) && info.kind == JW_FILE_REGULAR
                && info.mtime < before)
                (void)!jw_tree_remove(t, entry.name, &ignored);
    jw_dir_close(dir);
}

/* If two pulls run at once, also on two machines with a shared home, the second uses a temporary folder. */
static bool find_staging(struct pull *p, struct jw_err *err)
{
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_err ignored;
    bool found, taken = false;

    p->staging = p->folder;
    if (jw_tree_open(&t, p->folder, &ignored)
        && jw_tree_open_file(&t, "lock", JW_TREE_MAKE, &p->lock, &found, &ignored)
        && jw_filelock_take_mark(p->lock.handle, true, 0, &taken, &ignored) && taken)
        remove_abandoned(p, &t);
    jw_tree_close(&t);
    if (taken)
        return true;
    if (!jw_scratch_make(p->folder, "pull", p->a, &p->scratch, err))
        return false;
    p->staging = p->scratch;
    return true;
}

static void remove_layer(struct pull *p, const char *name)
{
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_err ignored;

    if (jw_tree_open(&t, p->staging, &ignored))
        (void)!jw_tree_remove(&t, name, &ignored);
    jw_tree_close(&t);
}

static bool import_layer(struct pull *p, struct jw_pull_layer *l, const char *file, struct jw_err *err)
{
    struct jw_import_options o = *p->o->import;
    struct jw_import_report r = { 0 };
    struct jw_arena a = { 0 };
    struct jw_run run = *p->o->run;

    run.a = &a;
    o.file = file;
    o.pulled = p->o->ref->text;
    o.no_store = true;
    o.entries_only = true;
    bool ok = jw_import(&run, &o, &r, err);

    if (ok)
        add_import(p, l, file, &r);

    if (ok && p->folder && !o.dry_run && (run.end == JW_END_DONE || run.end == JW_END_NOTHING))
        fleet_receipt_write(p->folder, l->digest, p->out->cache.folder, &r, p->a);
    jw_arena_free(&a);
    /* After a partial import the next pull may need the rest of it. */
    if (p->o->ref->kind != JW_REF_FOLDER && (!ok || run.end != JW_END_PARTLY))
        remove_layer(p, jw_path_base(file));
    return ok;
}

static void on_bytes(void *ctx, const struct jw_progress *p)
{
    atomic_store(&((struct ahead *)ctx)->at, p->done);
}

static void fetch_ahead(void *ctx)
{
    struct ahead *f = ctx;

    f->ok = f->p->from->ops->get(f->p->from, f->item, f->p->staging, &f->path, &f->err);
    jw_lock_take(f->lock);
    f->done = true;
    jw_lock_wake_all(f->lock);
    jw_lock_drop(f->lock);
}

static void begin_fetch(struct ahead *f, const struct jw_oci_item *item)
{
    f->item = item;
    f->ok = f->done = false;
    f->err = (struct jw_err){ 0 };
    atomic_store(&f->at, 0);
    f->run.interrupted = &f->halt;
    if (!jw_thread_start(&f->thread, fetch_ahead, f, &f->err)) {
        f->thread = NULL;
        fetch_ahead(f);
    }
}

/* Waits for the download, if there is one, and reports its progress from this thread. */
static bool end_fetch(struct ahead *f, struct jw_err *err)
{
    const struct jw_run *run = f->p->o->run;
    struct jw_err ignored;

    if (!f->item)
        return true;
    jw_lock_take(f->lock);
    while (!f->done) {
        jw_lock_wait(f->lock, 50);
        if (!jw_run_goes_on(run, &ignored))
            atomic_store(&f->halt, true);
        if (!atomic_load(&f->halt))
            jw_run_show(run, "fetching a layer", atomic_load(&f->at), f->item->size);
    }
    jw_lock_drop(f->lock);
    jw_thread_join(f->thread);
    f->thread = NULL;
    f->item = NULL;
    f->run.interrupted = run->interrupted;
    if (!f->ok)
        *err = f->err;
    return f->ok;
}

static bool is_wanted(struct pull *p, const struct jw_oci_item *item)
{
    return strcmp(item->media, JW_OCI_PACK) == 0
           && !fleet_receipt_holds(p->folder, item->digest, &p->cache, p->a);
}

static bool take_layer(struct pull *p, const struct jw_oci_doc *doc, size_t i, struct jw_pull_layer *l,
                       struct jw_err *err)
{
    const struct jw_oci_item *item = &doc->items[i];

    l->digest = item->digest;
    l->size = item->size;
    l->software = jw_oci_note(item->notes, item->n_notes, JW_OCI_ORIGIN);
    l->software = l->software ? l->software : "unknown";
    p->out->layers++;
    if (fleet_receipt_holds(p->folder, item->digest, &p->cache, p->a)) {
        l->state = JW_PULL_HERE;
        return true;
    }
    if (p->o->import->dry_run)
        return true;
    if (p->ahead->item != item) {
        struct jw_err unwanted;

        (void)!end_fetch(p->ahead, &unwanted);
        begin_fetch(p->ahead, item);
    }
    if (!end_fetch(p->ahead, err))
        return false;
    const char *path = p->ahead->path;

    p->out->fetched++;
    p->out->bytes_fetched += item->size;
    while (++i < doc->n && (!is_wanted(p, &doc->items[i]) || strcmp(doc->items[i].digest, l->digest) == 0)) {
    }
    if (i < doc->n)
        begin_fetch(p->ahead, &doc->items[i]);
    return import_layer(p, l, path, err);
}

/* Stops at the first layer that is refused. */
static bool take_layers(struct pull *p, struct jw_pull_kind *k, const struct jw_oci_doc *doc,
                        struct jw_err *err)
{
    k->layers = jw_arena_alloc(p->a, (doc->n + 1) * sizeof *k->layers);
    for (size_t i = 0; i < doc->n && jw_import_rank(p->out->end) <= jw_import_rank(JW_END_PARTLY); i++)
        if (strcmp(doc->items[i].media, JW_OCI_PACK) == 0 && !take_layer(p, doc, i, &k->layers[k->n++], err))
            return false;
    return true;
}

static void cancel_fetch(struct ahead *f)
{
    struct jw_err ignored;

    atomic_store(&f->halt, true);
    (void)!end_fetch(f, &ignored);
    jw_lock_free(f->lock);
}

/* ---- the run ---- */

/* Runs the checks of an import first, so that nothing is downloaded in vain. */
static bool look_first(struct pull *p, struct jw_err *err)
{
    static bool (*const steps[])(struct run_ctx *, struct jw_err *) = { prime_check_variables,
                                                                        prime_find_cache, prime_check_lookup,
                                                                        prime_ask_login, prime_check_user };
    struct jw_driver_here driver = { .version = p->out->machine.driver };
    struct run_ctx h = {
        .run = &p->run,
        .verb = "pull",
        .as_root = p->o->import->as_root,
        .reads_only = p->o->import->dry_run,
        .same_login = p->o->same_login,
        .cache = { .asked = p->run.session->cache, .memory = &prime_no_memory, .out = &p->out->cache },
        .driver = { .probe = &prime_no_probe, .out = &driver }
    };

    for (size_t i = 0; i < JW_COUNT(steps) - h.reads_only && !p->run.ended; i++)
        if (!steps[i](&h, err))
            return false;
    if (p->run.ended) {
        p->out->end = p->run.end;
        p->out->why = p->run.why;
        p->out->advice = p->run.advice;
    }
    p->obstacle = prime_obstacle(&h);
    return p->run.ended || jw_cache_lookup_open(p->out->cache.folder, p->a, &p->cache, err);
}

static bool pull_kind(struct pull *p, uint16_t sm, struct jw_err *err)
{
    struct jw_pull_kind *k = &p->out->kinds[p->out->n++];
    struct jw_oci_doc doc = { 0 };
    bool found;

    k->sm = sm;
    k->tag = p->o->ref->tag ? p->o->ref->tag : jw_fleet_tag(&p->out->machine, sm, p->a, err);
    if (!k->tag || !find_manifest(p, k, &doc, &found, err))
        return false;
    p->out->missing += !found;
    return !found || take_layers(p, k, &doc, err);
}

bool jw_pull_fits_none(const struct jw_pull_report *r)
{
    return r->n && r->missing == r->n;
}

/* Why not all layers were looked at; NULL: they were. */
static const char *why_not_all(const struct pull *p)
{
    const struct jw_pull_report *r = p->out;
    const char *why = r->end == JW_END_DONE || r->end == JW_END_NOTHING ? NULL : r->why;

    for (size_t i = 0; i < r->n && !why; i++) {
        why = r->kinds[i].missing;
        for (size_t k = 0; k < r->kinds[i].n && !why; k++)
            why = r->kinds[i].layers[k].state == JW_PULL_NEW ? "not all is downloaded" : NULL;
    }
    return why                            ? why
           : r->counts[JW_IMPORT_FOREIGN] ? "not all of its software was found here"
           : r->counts[JW_IMPORT_IMPORTED] && p->o->import->no_verify ? "what was imported is not verified"
                                                                      : NULL;
}

/* Its layers alone are asked for: whether programs load more is the question of a prime. */
static void sum_up(struct pull *p)
{
    struct jw_pull_report *r = p->out;
    struct jw_next_start_facts f = { .asked = JW_BESIDE_A_PACK | JW_ASKED_MODULES | JW_ASKED_SETTINGS
                                              | JW_ASKED_PLACE | JW_ASKED_LIMIT,
                                     .warm = r->counts[JW_IMPORT_IMPORTED] + r->counts[JW_IMPORT_PRESENT],
                                     .setting = r->end == JW_END_STOPPED ? r->why : NULL,
                                     .obstacle = p->obstacle,
                                     .stored = r->cache.used + r->bytes[JW_IMPORT_IMPORTED],
                                     .limit = r->cache.limit,
                                     .forbidden = r->cache.forbidden };

    for (unsigned i = 0; i < JW_IMPORT_STATES; i++)
        f.modules += i == JW_IMPORT_FOREIGN ? 0 : r->counts[i];
    if ((f.obstacle || jw_next_start_is_over(&f)) && (r->end == JW_END_DONE || r->end == JW_END_NOTHING)) {
        r->end = JW_END_PARTLY;
        r->why = jw_next_start_answer(&f, p->a).why;
    }
    f.unasked = why_not_all(p);
    r->next_start = jw_next_start_answer(&f, p->a);
}

bool jw_pull(const struct jw_pull_options *o, struct jw_arena *a, struct jw_pull_report *out,
             struct jw_err *err)
{
    struct jw_session *s = o->run->session;
    struct jw_remote_options remote = o->net;
    struct jw_arena net = { 0 }; /* of the remote, which the download thread uses */
    struct ahead ahead = { .lock = jw_lock_new(),
                           .run = {
                               .interrupted = o->run->interrupted, .progress = on_bytes, .ctx = &ahead } };
    struct pull p = { .o = o, .a = a, .out = out, .run = *o->run, .lock = JW_FILE_CLOSED, .ahead = &ahead };
    uint64_t began = jw_time_monotonic_ns();

    remote.ref = o->ref;
    remote.run = &ahead.run;
    ahead.p = &p;

    *out = (struct jw_pull_report){ .end = JW_END_NOTHING };
    p.run.a = a;
    jw_run_begin(&p.run);
    p.folder = fleet_folder(a, err);
    bool ok = p.folder && find_staging(&p, err);

    ok = ok && jw_fleet_machine(s, NULL, 0, &out->machine, err) && look_first(&p, err);
    if (ok && !p.run.ended) {
        out->kinds = jw_arena_alloc(a, out->machine.n_sms * sizeof *out->kinds);
        ok = jw_remote_open(&remote, &net, &p.from, err);
    }
    for (size_t i = 0; ok && !p.run.ended && i < out->machine.n_sms
                       && jw_import_rank(out->end) <= jw_import_rank(JW_END_PARTLY);
         i++)
        ok = pull_kind(&p, out->machine.sms[i], err);
    cancel_fetch(&ahead);
    out->answered = p.from && p.from->answered;
    if (p.from)
        p.from->ops->close(p.from);
    jw_arena_free(&net);
    jw_cache_lookup_close(&p.cache);
    jw_scratch_remove(p.scratch);
    jw_file_close(&p.lock);

    sum_up(&p);
    out->milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    return ok;
}

#include "pack/prune/prune.h"

#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/change/prune_remove.h"
#include "os/files/disk.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <string.h>

enum { WRITING_S = 60 /* a driver writes an entry in milliseconds; a slower writer has died */ };

#define NS ((int64_t)1000000000)

const char *const jw_prune_why_names[] = {[JW_PRUNE_KEEP] = "keep",
                                          [JW_PRUNE_DAMAGED] = "damaged",
                                          [JW_PRUNE_OLD] = "old",
                                          [JW_PRUNE_ALL] = "all"};
JW_ROW_FOR_EACH(jw_prune_why_names, JW_PRUNE_WHYS, 4);

/* The tests' simulated driver never makes entries of a real one old. */
static bool is_old(const struct jw_prune_facts *facts, const struct jw_cache_file *f)
{
    if (f->kind != JW_CACHE_CUDA || !*f->stamp || !facts->n_here || facts->shared)
        return false;
    if (jw_stamp_simulated(facts->here[0]->stamp) && !jw_stamp_simulated(f->stamp))
        return false;
    for (size_t i = 0; i < facts->n_here; i++)
        if (strcmp(facts->here[i]->stamp, f->stamp) == 0)
            return false;
    return true;
}

enum jw_prune_why jw_prune_why_of(const struct jw_prune_facts *facts, const struct jw_cache_file *f)
{
    if (f->unread)
        return JW_PRUNE_KEEP;
    if (facts->all)
        return JW_PRUNE_ALL;
    if (f->damage) /* a clock that was set back makes it younger, never older */
        return facts->now - f->mtime / NS > WRITING_S ? JW_PRUNE_DAMAGED : JW_PRUNE_KEEP;
    return is_old(facts, f) ? JW_PRUNE_OLD : JW_PRUNE_KEEP;
}

struct pruning {
    const struct jw_prune_options *o;
    struct jw_run *run;
    struct jw_prune_report *out;
    const struct jw_cache_memory *memory;
    struct jw_hold hold; /* without a lock: a dry run */
    struct jw_prune_facts facts;
    struct jw_cache_listing list;
    enum jw_prune_why *why; /* of each file of the listing */
    uint64_t linked;        /* behind a link, and kept */
    struct prune_victim *victims;
    size_t n_victims;
};

/* ---- where ---- */

/* A cache that other users own or may write to is not changed: links in it may lead anywhere. */
static bool find_cache(struct pruning *p, struct jw_err *err)
{
    struct jw_folder folder = JW_FOLDER_CLOSED;

    p->memory = jw_session_memory(p->run->session);
    p->out->cache = p->memory->cache;
    if (!p->out->cache)
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s", p->memory->unusable);
    if (jw_is_absent(p->out->cache))
        return jw_run_end(p->run, JW_END_NOTHING, "%s does not exist", p->out->cache);
    bool ok = jw_folder_open(&folder, p->out->cache, err)
              && (!p->o->act || publish_check_owner(&folder, err));

    jw_folder_close(&folder);
    return ok || jw_wrap(err, "%s", p->out->cache);
}

static bool take_lock(struct pruning *p, struct jw_err *err)
{
    return !p->o->act || (jw_hold_lock(&p->hold, p->memory, err) && jw_hold_repair(&p->hold, err));
}

/* ---- what is there ---- */

static bool read_cache(struct pruning *p, struct jw_err *err)
{
    jw_run_show(p->run, "reading the cache", 0, 0);
    if (!jw_cache_list(p->out->cache, true, p->run->interrupted, p->run->a, &p->list, err))
        return false;
    if (p->list.refused)
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s: %s", p->out->cache, p->list.refused);
    for (size_t i = 0; i < p->list.notes.n; i++)
        JW_NOTE(p->run, "%s", p->list.notes.v[i]);
    return true;
}

/* Notes a build that programs load here. `opaque`: the library of one whose entries jitwarm cannot
 * read. */
static void note_build(struct pruning *p, const struct jw_driver_state *d, size_t *n,
                       const char **opaque)
{
    if (d->level == JW_LEVEL_OPAQUE)
        *opaque = d->library ? d->library : d->build;
    if (d->stamp && !p->o->all)
        p->facts.here[(*n)++] = d;
}

/* The driver of this environment, which is asked where its build is new, and all others whose
 * library is on this machine. Before the index is looked at, also with --whole-cache: one whose
 * files cannot be read may have another kind. */
static bool find_builds(struct pruning *p, struct jw_err *err)
{
    struct jw_session *s = p->run->session;
    const struct jw_drivers *met = jw_session_drivers(s);
    const struct jw_driver_state *known = jw_session_driver_file(s)->known;
    const struct jw_probe_report *asked = NULL;
    struct jw_err why = {0};
    const char *opaque = NULL;
    size_t n = 0;

    p->facts.here = jw_arena_alloc(p->run->a, (met->n + 1) * sizeof *p->facts.here);
    if (!known && !p->o->all && jw_session_probe(s, &asked, &why))
        known = &asked->state;
    if (why.code == JW_E_INTERRUPTED)
        return jw_pass(err, why);
    if (known)
        note_build(p, known, &n, &opaque);
    for (size_t i = 0; i < met->n; i++)
        if (jw_driver_is_here(&met->v[i], p->run->a))
            note_build(p, &met->v[i], &n, &opaque);
    if (opaque)
        return jw_run_end(
            p->run, JW_END_CANNOT_WRITE,
            "jitwarm cannot read the entries of %s, so it removes none: delete %s yourself", opaque,
            p->out->cache);
    p->facts.n_here =
        known && known->stamp ? n : 0; /* else nothing shows which builds are wanted */
    if (!p->facts.n_here && !p->o->all)
        JW_NOTE(p->run,
                "the driver of this machine is not known: entries of all driver builds are kept");
    return true;
}

/* ---- the plan ---- */

static void add(struct jw_prune_sum *sum, uint64_t bytes)
{
    sum->entries++;
    sum->bytes += bytes;
}

static int by_group(const void *a, const void *b)
{
    const struct jw_prune_group *x = a;
    const struct jw_prune_group *y = b;
    int order = (int)x->why - (int)y->why;

    order = order ? order : strcmp(x->stamp, y->stamp);
    order = order ? order : strcmp(x->arch, y->arch);
    order = order ? order : strcmp(x->version, y->version);
    return order ? order : (int)x->kind - (int)y->kind;
}

/* Borrows the texts of a whole one. */
static struct jw_prune_group group_of(const struct jw_cache_file *f, enum jw_prune_why why)
{
    struct jw_prune_group g = {why, f->kind, f->stamp, f->version, f->arch, {1, f->size}};

    if (f->damage) {
        g.kind = JW_CACHE_OTHER;
        g.stamp = g.version = g.arch = "";
    }
    return g;
}

struct jw_prune_group *jw_prune_groups(const struct jw_cache_listing *l,
                                       const enum jw_prune_why *why, struct jw_arena *a, size_t *n)
{
    struct jw_prune_group *v = jw_arena_alloc(a, (l->n + 1) * sizeof *v);
    size_t all = 0;

    *n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (why ? why[i] != JW_PRUNE_KEEP : !l->files[i].damage)
            v[all++] = group_of(&l->files[i], why ? why[i] : JW_PRUNE_KEEP);
    jw_sort(v, all, sizeof *v, by_group);
    for (size_t i = 0; i < all; i++) {
        if (*n && by_group(&v[*n - 1], &v[i]) == 0) {
            add(&v[*n - 1].sum, v[i].sum.bytes);
            continue;
        }
        v[*n] = v[i];
        v[*n].stamp = jw_arena_str(a, v[i].stamp);
        v[*n].version = jw_arena_str(a, v[i].version);
        v[(*n)++].arch = jw_arena_str(a, v[i].arch);
    }
    return v;
}

static void note_kept(struct pruning *p)
{
    if (p->out->young)
        JW_NOTE(p->run,
                "%s less than a minute old, and may still be being written: try again in a minute",
                JW_N(p->out->young, "damaged entry is", "damaged entries are"));
    if (p->facts.shared && p->facts.n_here)
        JW_NOTE(p->run, "the cache may be on a network disk: entries of other drivers are kept for "
                        "other machines");
}

static struct jw_prune_sum kept_of(const struct pruning *p, const char *stamp)
{
    struct jw_prune_sum kept = {0};

    for (size_t i = 0; i < p->list.n; i++)
        if (p->why[i] == JW_PRUNE_KEEP && jw_text_same(p->list.files[i].stamp, stamp))
            add(&kept, p->list.files[i].size);
    return kept;
}

/* Entries of another build than this environment's, which programs that load its library find. */
static void note_builds(struct pruning *p)
{
    for (size_t i = 1; i < p->facts.n_here; i++) {
        const struct jw_driver_state *d = p->facts.here[i];
        const struct jw_prune_sum kept = kept_of(p, d->stamp);

        if (kept.entries && !jw_text_same(d->stamp, p->facts.here[0]->stamp))
            JW_NOTE(p->run,
                    "kept: %s of driver %s (%s), whose library is here (%s); prune --whole-cache "
                    "deletes all entries",
                    JW_N(kept.entries, "entry", "entries"),
                    d->version ? d->version : jw_stamp_text(d->stamp).text, JW_SIZE(kept.bytes),
                    d->library);
    }
}

/* Behind a link nothing is removed. */
static bool is_linked(const struct pruning *p, uint64_t name)
{
    const char *entry = jw_cache_entry_path(p->out->cache, name, p->run->a);
    const char *folder = jw_path_dir(p->run->a, entry);

    return jw_is_link(entry) || jw_is_link(folder) || jw_is_link(jw_path_dir(p->run->a, folder));
}

static bool make_plan(struct pruning *p, struct jw_err *err)
{
    const struct jw_cache_listing *l = &p->list;
    struct jw_disk disk = {.kind = JW_DISK_LOCAL};

    (void)err;
    p->facts.now = jw_time_unix();
    p->facts.shared =
        !jw_disk_look(p->out->cache, &disk, JW_IGNORED) || disk.kind == JW_DISK_NETWORK;
    p->why = jw_arena_alloc(p->run->a, (l->n + 1) * sizeof *p->why);
    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];

        p->why[i] = jw_prune_why_of(&p->facts, f);
        p->out->young += f->damage && !f->unread && p->why[i] == JW_PRUNE_KEEP;
        if (p->why[i] != JW_PRUNE_KEEP && is_linked(p, f->name)) {
            p->why[i] = JW_PRUNE_KEEP;
            p->linked++;
        }
        add(&p->out->before, f->size);
        if (p->why[i] != JW_PRUNE_KEEP)
            add(&p->out->plan, f->size);
    }
    p->out->groups = jw_prune_groups(l, p->why, p->run->a, &p->out->n_groups);
    p->out->stale = l->missing;
    note_kept(p);
    note_builds(p);
    return true;
}

/* ---- doing it ---- */

static bool save(struct pruning *p, struct jw_err *err)
{
    struct jw_cache_file *files = jw_arena_alloc(p->run->a, (p->list.n + 1) * sizeof *files);
    size_t n = 0;

    for (size_t i = 0; i < p->list.n; i++)
        if (p->why[i] != JW_PRUNE_KEEP && !p->list.files[i].damage)
            files[n++] = p->list.files[i];
    if (!p->o->save || !n)
        return true;
    if (!jw_export_files(p->run, files, n, &p->out->saved, err))
        return jw_wrap(err,
                       "nothing was removed, because it could not be saved as a pack (--no-pack)");
    p->out->not_saved = n - jw_min(n, p->out->saved.entries); /* NVRTC's may be in several packs */
    return true;
}

static void list_victims(struct pruning *p)
{
    const struct jw_cache_listing *l = &p->list;
    struct prune_victim *v = jw_arena_alloc(p->run->a, (l->n + l->missing + 1) * sizeof *v);
    size_t n = 0;
    size_t max = l->n + l->missing;

    for (size_t i = 0; i < l->n; i++)
        if (p->why[i] != JW_PRUNE_KEEP)
            v[n++] = (struct prune_victim){.name = l->files[i].name, .file = &l->files[i]};
    for (size_t i = 0; l->missing && i < l->index.n && n < max; i++)
        if (!jw_cache_file_find(l, l->index.list[i].hash))
            v[n++] = (struct prune_victim){.name = l->index.list[i].hash};
    jw_sort_u64(v, n, sizeof *v);
    p->victims = v;
    p->n_victims = n;
}

static bool report_end(struct pruning *p, const struct prune_removed *r)
{
    if (r->locked)
        return jw_run_end(p->run, JW_END_PARTLY, "%s/index: %s; the remaining entries were kept",
                          p->out->cache, r->locked);
    if (r->refused)
        return jw_run_end(p->run, JW_END_PARTLY, "%llu could not be removed; the first: %s",
                          (unsigned long long)r->refused, r->why.msg);
    if (r->changed)
        return jw_run_end(p->run, JW_END_PARTLY, "what changed meanwhile stays: %s",
                          JW_N(r->changed, "entry", "entries"));
    if (p->linked)
        return jw_run_end(p->run, JW_END_PARTLY, "what lies behind a link stays: %s",
                          JW_N(p->linked, "entry", "entries"));
    return jw_run_done(p->run, JW_END_DONE);
}

/* Removes the folders that are empty now; the driver makes them again. driver-fact:
 * F32-delete-is-safe */
static void drop_folders(const struct pruning *p)
{
    for (size_t i = 0; i < p->n_victims; i++) {
        const char *entry = jw_cache_entry_path(p->out->cache, p->victims[i].name, p->run->a);
        const char *folder = jw_path_dir(p->run->a, entry);

        if (!p->victims[i].gone)
            continue;
        (void)jw_remove_empty_dir(folder, JW_IGNORED);
        (void)jw_remove_empty_dir(jw_path_dir(p->run->a, folder), JW_IGNORED);
    }
}

static bool remove_victims(struct pruning *p, struct jw_err *err)
{
    struct publish_folder folder = {.path = p->out->cache, .open = JW_FOLDER_CLOSED};
    struct prune_removed r = {0};
    bool ok = jw_folder_open(&folder.open, p->out->cache, err);

    jw_run_show(p->run, "removing", 0, 0);
    ok = ok && prune_remove(&folder, p->victims, p->n_victims, p->run->interrupted, &r, err);
    drop_folders(p);
    p->out->removed = (struct jw_prune_sum){r.files, r.bytes};
    jw_folder_close(&folder.open);
    return ok && report_end(p, &r);
}

static bool carry_out(struct pruning *p, struct jw_err *err)
{
    if (!p->out->plan.entries && !p->out->stale)
        return jw_run_done(p->run, JW_END_NOTHING);
    if (!p->o->act)
        return jw_run_done(p->run, JW_END_LISTED);
    if (p->list.index_trouble != JW_INDEX_WHOLE)
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s/index: %s; nothing was removed",
                          p->out->cache,
                          p->list.index_damage ? p->list.index_damage : "is missing");
    list_victims(p);
    return save(p, err) && remove_victims(p, err);
}

static bool (*const steps[])(struct pruning *p, struct jw_err *err) = {
    find_cache, find_builds, take_lock, read_cache, make_plan, carry_out};

/* Whatever fails, nothing can be removed. */
static bool prune_step(void *of, size_t at, struct jw_err *err)
{
    bool ok = steps[at](of, err);

    if (!ok)
        jw_err_becomes_all(err, JW_E_IO);
    return ok;
}

bool jw_prune(struct jw_run *run, const struct jw_prune_options *o, struct jw_prune_report *out,
              struct jw_err *err)
{
    struct pruning p = {
        .o = o, .run = run, .out = out, .hold = {.run = run}, .facts = {.all = o->all}};

    *out = (struct jw_prune_report){0};
    run->end = JW_END_NOTHING;
    bool ok = jw_run_steps(run, JW_COUNT(steps), prune_step, &p, err);

    jw_hold_end(&p.hold);
    jw_cache_listing_free(&p.list);
    return ok;
}

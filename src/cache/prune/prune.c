#include "cache/prune/prune.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/change/prune_remove.h"
#include "cache/place/cachedir.h"
#include "cache/place/listing.h"
#include "machine/listing.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "pack/file/pack_write.h"
#include "pack/store/store.h"

#include <stdlib.h>
#include <string.h>

struct saving {
    const struct prune_saving *s;
    struct jw_arena *a;
    struct jw_pack_entry *entries;
    struct jw_pack_manifest manifest;
    char *work; /* a folder in the store */
};

/* Entries that came from others are not saved to the store: an unsigned pack there counts as this user's own,
 * and prime imports it without an audit and without a record of its origin. */
#define FOREIGN "imported from packs that no trusted key signed"

static bool is_foreign(const struct jw_warm_state *memory, const struct jw_cache_file *f)
{
    return !f->damage && jw_warm_imported(memory, f->name, f->entry.payload_hash);
}

/* Why entries of this group cannot be saved as a pack, or NULL. */
static const char *prune_unsavable(const struct jw_prune_group *g)
{
    if (!g->sm)
        return "packs have no name for that architecture";
    if (!g->build || !g->build->driver)
        return "jitwarm never probed that driver here";
    if (g->build->driver->level < JW_LEVEL_PLACEABLE)
        return "jitwarm knew too little about that driver";
    return g->foreign == g->entries ? FOREIGN : NULL;
}

/* ---- whole entries ---- */

/* Checks every byte. A damaged entry is removed without being saved. */
static bool prune_whole(const struct publish_folder *folder, const struct jw_cache_file *file, bool *whole,
                        struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_cache_entry entry;
    struct jw_err why = { 0 };

    *whole = publish_open(folder, file->name, &f, &why);
    if (*whole) {
        struct jw_source source = jw_file_source(&f, file->size);

        *whole = jw_cache_entry_check(&source, file->name, &entry, &why);
    }
    jw_file_close(&f);
    if (*whole || why.code == JW_E_FORMAT || why.code == JW_E_LIMIT)
        return true;
    *err = why;
    return false;
}

/* ---- the manifest ---- */

/* Drops the names of origins if a pack may not hold them. */
static bool fill_manifest(struct saving *v, struct jw_err *err)
{
    const struct prune_saving *s = v->s;
    const struct jw_driver_state *d = s->build->driver;
    struct jw_pack_origin *of = jw_arena_alloc(v->a, (s->n + 1) * sizeof *of);
    struct jw_err why = { 0 };

    v->entries = jw_arena_alloc(v->a, (s->n + 1) * sizeof *v->entries);
    for (size_t i = 0; i < s->n; i++) {
        of[i].name = jw_warm_origin(s->memory, s->files[i]->name);
        v->entries[i] = (struct jw_pack_entry){ .name = s->files[i]->name,
                                                .key_bytes = s->files[i]->entry.key_size,
                                                .payload_bytes = s->files[i]->entry.payload_size };
    }
    v->manifest = (struct jw_pack_manifest){ .tool = JITWARM_VERSION,
                                             .os = jw_os_name(),
                                             .arch = jw_os_arch(),
                                             .driver = d->version,
                                             .stamp = s->build->stamp,
                                             .sm = s->sm,
                                             .entries = v->entries,
                                             .n_entries = s->n };
    jw_pack_origins(of, v->a, v->entries, s->n, &v->manifest);
    if (jw_pack_manifest_check(&v->manifest, &why))
        return true;
    memset(of, 0, s->n * sizeof *of);
    jw_pack_origins(of, v->a, v->entries, s->n, &v->manifest);
    return jw_pack_manifest_check(&v->manifest, err);
}

/* ---- the bytes ---- */

static bool read_entry_bytes(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err)
{
    const struct saving *v = ctx;
    struct jw_file f = JW_FILE_CLOSED;
    size_t got = 0;
    bool ok = publish_open(v->s->folder, v->entries[entry].name, &f, err)
              && jw_file_read(&f, 0, dst, n, &got, err)
              && (got == n || jw_fail(err, JW_E_FORMAT, "shrank meanwhile"));

    jw_file_close(&f);
    return ok;
}

static bool write_pack(struct saving *v, const char *path, struct jw_err *err)
{
    const struct jw_run run = jw_session_run(v->s->session);
    struct jw_pack_write_options o = { .run = &run };
    struct jw_pack_content from = { .read = read_entry_bytes, .ctx = v };
    struct jw_pack_written written;
    struct jw_out out;
    bool ok = jw_out_open(&out, path, JW_OUT_NEW, err)
              && jw_pack_write(jw_out_sink(&out), &v->manifest, v->entries, from, &o, &written, err);

    return jw_out_close(&out, ok, err) || jw_wrap(err, "%s", path);
}

static bool put_in_store(struct saving *v, const char *file, const char **path, struct jw_err *err)
{
    struct jw_store_add add = { .key = { v->manifest.stamp, v->manifest.sm, v->manifest.driver },
                                .file = file,
                                .take = true,
                                .current = v->s->current,
                                .cap = jw_config_store_cap(jw_session_config(v->s->session)) };

    if (!jw_store_add(&add, v->a, err))
        return false;
    *path = add.path;
    for (size_t i = 0; i < add.n_evicted; i++)
        jw_note(v->s->notes, v->a, "removed %s from the store to make room", add.evicted[i]);
    return true;
}

bool prune_save(const struct prune_saving *s, const char **path, struct jw_err *err)
{
    struct jw_arena *a = s->session->a;
    struct saving v = { .s = s, .a = a };
    const char *file = NULL;
    bool ok = fill_manifest(&v, err) && jw_store_work(a, &v.work, err);

    if (ok) {
        file = jw_path_join(a, v.work, "pack");
        ok = write_pack(&v, file, err) && put_in_store(&v, file, path, err);
    }
    jw_scratch_remove(v.work);
    return ok;
}

/* ---- the report, in numbers ---- */

static int compare_prune_groups(const struct jw_prune_group *x, const struct jw_prune_group *y)
{
    int d;

    if (x->why != y->why)
        return (x->why == JW_PRUNE_KEEP) != (y->why == JW_PRUNE_KEEP) ? (x->why == JW_PRUNE_KEEP ? 1 : -1)
               : x->why < y->why                                      ? -1
                                                                      : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    d = strcmp(x->stamp, y->stamp);
    return d ? d : strcmp(x->arch, y->arch);
}

static int by_group(const void *a, const void *b)
{
    return compare_prune_groups(a, b);
}

/* Sorts the entries and joins them to groups. Kept modules of this driver are in none. */
static void prune_group(const struct jw_cache_listing *l, const struct jw_prune_plan *plan,
                        const struct jw_warm_state *memory, struct jw_arena *a, struct jw_prune_report *out)
{
    struct jw_prune_group *v = jw_arena_alloc(a, (l->n + 1) * sizeof *v);
    size_t n = 0, joined = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];
        const struct jw_prune_build *b = jw_prune_build_of_file(plan, f);
        bool other_compiler = !f->damage && f->kind != JW_CACHE_CUDA;
        enum jw_prune_why why = plan->why[i];

        if (why == JW_PRUNE_KEEP && !other_compiler
            && (!b || b->fate == JW_PRUNE_CURRENT || b->fate == JW_PRUNE_UNKNOWN))
            continue;
        v[n++] = (struct jw_prune_group){ .why = why,
                                          .kind = f->damage ? JW_CACHE_OTHER : f->kind,
                                          .stamp = f->damage ? "" : f->stamp,
                                          .arch = f->damage ? "" : f->arch,
                                          .sm = f->sm,
                                          .build = b,
                                          .entries = 1,
                                          .bytes = f->size,
                                          .foreign = is_foreign(memory, f) };
    }
    jw_sort(v, n, sizeof *v, by_group);
    for (size_t i = 0; i < n; i++) {
        if (joined && compare_prune_groups(&v[joined - 1], &v[i]) == 0) {
            v[joined - 1].entries++;
            v[joined - 1].bytes += v[i].bytes;
            v[joined - 1].foreign += v[i].foreign;
        } else
            v[joined++] = v[i];
    }
    for (size_t i = 0; i < joined; i++) {
        v[i].stamp = jw_arena_str(a, v[i].stamp); /* the report outlives the listing */
        v[i].arch = jw_arena_str(a, v[i].arch);
        if (v[i].why == JW_PRUNE_OUTDATED)
            v[i].unsaved = prune_unsavable(&v[i]);
    }
    out->groups = v;
    out->n_groups = joined;
}

static void prune_sum_up(const struct jw_cache_listing *l, const struct jw_prune_plan *plan,
                         struct jw_prune_report *out)
{
    for (size_t i = 0; i < l->n; i++) {
        jw_status_add(&out->whys[plan->why[i]], l->files[i].size);
        if (plan->why[i] != JW_PRUNE_KEEP)
            jw_status_add(&out->plan, l->files[i].size);
    }
    out->stale = l->missing;
}

struct pruning {
    const struct jw_prune_options *o;
    struct jw_run *run;
    struct jw_prune_report *out;
    struct jw_cachedir dir;
    struct jw_warm_log *log; /* NULL: a dry run */
    const struct jw_warm_state *memory;
    struct jw_cache_listing list;
    struct jw_prune_plan plan;
    struct prune_victim *victims;
    size_t n_victims;
};

/* ---- how it ends ---- */

static bool end_prune_by(struct pruning *p, const struct jw_err *why)
{
    if (why->code == JW_E_INTERRUPTED)
        return jw_run_end(p->run, JW_END_INTERRUPTED, "%s", "");
    return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s", why->msg);
}

static void note_prune(struct pruning *p, const char *text)
{
    jw_note(&p->run->notes, p->run->a, "%s", text);
}

static void progress(const struct pruning *p, const char *what)
{
    if (p->run->progress)
        p->run->progress(p->run->ctx, &(struct jw_progress){ .what = what });
}

/* ---- where ---- */

/* Nothing is there: of a home that is no folder, or another one each time, that is why. */
static bool end_without_cache(struct pruning *p)
{
    const struct jw_cachedir *d = &p->dir;
    const char *home = d->folder_from.value ? NULL : jw_env_home(p->run->a);

    for (size_t i = 0; i < d->notes.n; i++)
        note_prune(p, d->notes.v[i]);
    if (home && jw_path_absolute(home) && !jw_is_folder(home))
        JW_NOTE(p->run, "the home folder %s %s", home, jw_why_no_folder(home));
    return jw_run_end(p->run, JW_END_NOTHING, "%s", "");
}

static bool find_cache(struct pruning *p, struct jw_err *err)
{
    struct jw_cachedir *d = &p->dir;
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_err why = { 0 };

    *d = *jw_session_cache(p->run->session);
    if (!d->folder)
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s",
                          d->notes.n ? d->notes.v[0] : "the system names no folder for the driver's cache");
    p->out->cache = d->folder;
    if (!jw_file_stat(d->folder, &info, &why))
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s: %s", d->folder, why.msg);
    if (info.kind == JW_FILE_NONE)
        return end_without_cache(p);
    if (info.kind != JW_FILE_DIR)
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s: is not a folder", d->folder);
    p->out->exists = true;
    if (!jw_real_path(d->folder, p->run->a, &d->folder, err))
        return jw_wrap(err, "%s", d->folder);
    p->out->cache = d->folder;
    return true;
}

/* A cache that other users own or may write to is not changed: links in it may lead anywhere. */
static bool check_owner(struct pruning *p, struct jw_err *err)
{
    struct jw_tree folder = JW_TREE_CLOSED;
    bool ok = !p->o->act || (jw_tree_open(&folder, p->dir.folder, err) && publish_check_owner(&folder, err));

    jw_tree_close(&folder);
    return ok || jw_wrap(err, "%s", p->dir.folder);
}

static bool repair_index(struct pruning *p, struct jw_err *err)
{
    struct index_repair repaired;

    progress(p, "checking the index");
    if (!prune_repair(p->dir.folder, p->log, p->run->interrupted, &repaired, err))
        return false;
    if (repaired.done)
        jw_note(&p->run->notes, p->run->a,
                "the index was damaged (%s): it was rebuilt from %llu whole entries", repaired.damage,
                (unsigned long long)repaired.records);
    return true;
}

static bool take_lock(struct pruning *p, struct jw_err *err)
{
    struct jw_warm_holder holder = { 0 };

    if (!p->o->act)
        return true;
    (void)jw_session_memory(p->run->session, p->dir.folder); /* read once: the lock knows it then */
    if (!jw_session_lock(p->run->session, p->dir.folder, &p->log, &holder, err))
        return false;
    if (!p->log && holder.pid)
        return jw_run_end(p->run, JW_END_BUSY,
                          "another jitwarm (process %lu) is at work on %s; try again when it is done",
                          holder.pid, p->dir.folder);
    if (!p->log)
        return jw_run_end(p->run, JW_END_BUSY, "another jitwarm is at work on %s", p->dir.folder);
    return repair_index(p, err);
}

/* ---- what is there ---- */

static void note_own_cache(struct pruning *p, const struct jw_warm_command *c)
{
    jw_note(&p->run->notes, p->run->a, "%.100s uses a cache of its own, %s: prune that by its name (--cache)",
            c->key, c->cache);
}

/* Each is pruned by its name alone: another program's settings decide there. */
static void note_own_caches(struct pruning *p)
{
    for (size_t i = 0; !p->run->session->cache && i < p->memory->n_commands; i++) {
        const struct jw_warm_command *c = &p->memory->commands[i];
        size_t first = 0;

        while (*c->cache && strcmp(p->memory->commands[first].cache, c->cache) != 0)
            first++;
        if (*c->cache && first == i)
            note_own_cache(p, c);
    }
}

static bool read_cache(struct pruning *p, struct jw_err *err)
{
    struct jw_prune_report *out = p->out;

    progress(p, "reading the cache");
    p->memory = jw_session_memory_now(p->run->session, p->dir.folder);
    if (!jw_cachedir_walk(p->dir.folder, p->o->damaged, p->run->interrupted, p->run->a, &p->list, err))
        return false;
    if (p->list.refused)
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s: %s", p->dir.folder, p->list.refused);
    out->looked = true;
    out->index_damage = p->list.index_damage; /* in the arena */
    out->index_lost = p->list.index_lost;
    for (size_t i = 0; i < p->list.notes.n; i++)
        note_prune(p, p->list.notes.v[i]);
    for (size_t i = 0; i < p->list.n; i++)
        jw_status_add(&out->before, p->list.files[i].size);
    note_own_caches(p);
    return true;
}

static bool has_builds(const struct pruning *p)
{
    for (size_t i = 0; i < p->list.n; i++)
        if (!p->list.files[i].damage && p->list.files[i].kind == JW_CACHE_CUDA && *p->list.files[i].stamp)
            return true;
    return false;
}

static const char *unusable(const struct jw_probe_report *r)
{
    const char *why = jw_probe_why_no_driver(r);

    return why ? why : r->unproven ? r->unproven : "its cache entries do not name its build";
}

/* Asks the driver itself: it may be newer than the one that was probed last, and its entries must not count as
 * outdated. */
static bool ask_driver(struct pruning *p, struct jw_err *err)
{
    const struct jw_probe_report *r;
    struct jw_prune_report *out = p->out;
    struct jw_err why = { 0 };

    if (p->o->all || !has_builds(p))
        return true;
    progress(p, "asking the driver");
    if (!jw_session_driver(p->run->session, &r, &why)) {
        if (why.code != JW_E_DRIVER && why.code != JW_E_IO) {
            *err = why;
            return false;
        }
        out->unasked = jw_arena_str(p->run->a, why.msg);
        return true;
    }
    out->driver_version = r->driver.version;
    out->build = r->driver.build && *r->driver.build ? r->driver.build : NULL;
    if (!r->broken && r->driver.init_result == 0)
        out->stamp = r->state.stamp;
    out->asked = out->stamp != NULL;
    out->unasked = out->asked ? NULL : unusable(r);
    return true;
}

/* Groups of which all entries are such say it themselves. */
static void note_foreign(struct pruning *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->out->n_groups; i++)
        if (p->out->groups[i].why == JW_PRUNE_OUTDATED && !p->out->groups[i].unsaved)
            n += p->out->groups[i].foreign;
    if (n && !p->o->no_pack)
        jw_note(&p->run->notes, p->run->a, "%s not saved with the others: " FOREIGN,
                JW_N(n, "outdated entry is", "outdated entries are"));
}

/* Doctor and status send people here for such an entry: a note says why it stays. */
static void note_young(struct pruning *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->list.n; i++)
        n += p->list.files[i].damage && !p->list.files[i].unread && p->plan.why[i] == JW_PRUNE_KEEP;
    if (n)
        jw_note(&p->run->notes, p->run->a,
                "%s less than a minute old, and may still be being written: try again in a minute",
                JW_N(n, "damaged entry is", "damaged entries are"));
}

static bool make_plan(struct pruning *p, struct jw_err *err)
{
    struct jw_err ignored;
    struct jw_disk disk = { .kind = JW_DISK_LOCAL };
    struct jw_prune_facts facts = { .list = &p->list,
                                    .drivers = jw_session_drivers(p->run->session),
                                    .memory = p->memory,
                                    .current = p->out->stamp,
                                    .now = jw_time_unix(),
                                    .outdated_now = p->o->outdated,
                                    .all = p->o->all,
                                    .max = p->o->max_size ? p->o->max_size : UINT64_MAX };

    facts.shared = !jw_disk_look(p->dir.folder, &disk, &ignored) || disk.kind == JW_DISK_NETWORK;
    if (!jw_prune_plan(&facts, p->run->a, &p->plan, err))
        return false;
    p->out->builds = p->plan.builds;
    p->out->n_builds = p->plan.n_builds;
    prune_sum_up(&p->list, &p->plan, p->out);
    prune_group(&p->list, &p->plan, p->memory, p->run->a, p->out);
    note_foreign(p);
    note_young(p);
    return true;
}

/* ---- saving ---- */

static bool in_group(const struct pruning *p, size_t i, const struct jw_prune_group *g)
{
    const struct jw_cache_file *f = &p->list.files[i];

    return p->plan.why[i] == g->why && f->kind == g->kind && strcmp(f->stamp, g->stamp) == 0
           && strcmp(f->arch, g->arch) == 0;
}

static bool save_group(struct pruning *p, const struct publish_folder *folder, struct jw_prune_group *g,
                       struct jw_err *err)
{
    const struct jw_cache_file **files = jw_arena_alloc(p->run->a, (g->entries + 1) * sizeof(const void *));
    struct prune_saving s = { .folder = folder,
                              .memory = p->memory,
                              .current = p->out->stamp,
                              .files = files,
                              .build = g->build,
                              .sm = g->sm,
                              .notes = &p->run->notes,
                              .session = p->run->session };

    for (size_t i = 0; i < p->list.n; i++) {
        bool whole = false;

        if (!in_group(p, i, g) || is_foreign(p->memory, &p->list.files[i]))
            continue;
        if (!prune_whole(folder, &p->list.files[i], &whole, err))
            return false;
        if (whole)
            files[s.n++] = &p->list.files[i];
    }
    if (!s.n)
        g->unsaved = g->foreign ? "damaged, or " FOREIGN : "all of them are damaged";
    return g->unsaved || prune_save(&s, &g->pack, err);
}

/* Groups that can never be saved are removed without. If saving fails now, nothing is removed. */
static void save_outdated(struct pruning *p)
{
    struct publish_folder folder = { .path = p->dir.folder, .tree = JW_TREE_CLOSED };
    struct jw_err why = { 0 };
    bool ok = true;

    for (size_t i = 0; ok && !p->o->no_pack && i < p->out->n_groups; i++) {
        struct jw_prune_group *g = &p->out->groups[i];

        if (g->why != JW_PRUNE_OUTDATED || g->unsaved)
            continue;
        progress(p, "saving outdated entries as a pack");
        ok = (folder.tree.handle != -1 || jw_tree_open(&folder.tree, p->dir.folder, &why))
             && save_group(p, &folder, g, &why);
    }
    jw_tree_close(&folder.tree);
    if (!ok && why.code == JW_E_INTERRUPTED)
        end_prune_by(p, &why);
    else if (!ok)
        jw_run_end(
            p->run, JW_END_CANNOT_WRITE,
            "nothing was removed: the outdated entries could not be saved as a pack: %s; --no-pack deletes "
            "them without saving",
            why.msg);
}

/* ---- doing it ---- */

static void list_victims(struct pruning *p)
{
    const struct jw_cache_listing *l = &p->list;
    struct prune_victim *v = jw_arena_alloc(p->run->a, (l->n + l->missing + 1) * sizeof *v);
    size_t n = 0, max = l->n + l->missing;

    for (size_t i = 0; i < l->n; i++)
        if (p->plan.why[i] != JW_PRUNE_KEEP)
            v[n++] = (struct prune_victim){ .name = l->files[i].name, .file = &l->files[i] };
    for (size_t i = 0; l->missing && i < l->index.n && n < max; i++)
        if (!jw_cache_file_find(l, l->index.list[i].hash))
            v[n++] = (struct prune_victim){ .name = l->index.list[i].hash };
    jw_sort_u64(v, n, sizeof *v);
    p->victims = v;
    p->n_victims = n;
}

/* A program would not have found it. */
static bool was_lost(const struct pruning *p, const struct prune_victim *v)
{
    return !v->file || v->file->damage || !jw_cache_is_found(&p->list, v->file);
}

static bool forget_those(struct pruning *p, bool lost, struct jw_err *err)
{
    uint64_t *names = jw_arena_alloc(p->run->a, (p->n_victims + 1) * sizeof *names);
    size_t n = 0;

    for (size_t i = 0; i < p->n_victims; i++)
        if (p->victims[i].gone && was_lost(p, &p->victims[i]) == lost)
            names[n++] = p->victims[i].name;
    return !n || jw_warm_forget(p->log, names, n, lost, err);
}

static bool forget_removed(struct pruning *p, struct jw_err *err)
{
    return forget_those(p, true, err) && forget_those(p, false, err);
}

static bool report_end(struct pruning *p, const struct prune_removed *r)
{
    if (r->locked)
        return jw_run_end(p->run, JW_END_PARTLY, "%s/index: %s; the remaining entries were kept",
                          p->dir.folder, r->locked);
    if (r->refused == 1)
        return jw_run_end(p->run, JW_END_PARTLY, "one entry could not be removed: %s", r->why.msg);
    if (r->refused)
        return jw_run_end(p->run, JW_END_PARTLY, "%llu entries could not be removed; the first: %s",
                          (unsigned long long)r->refused, r->why.msg);
    return jw_run_end(p->run, JW_END_DONE, "%s", "");
}

/* However it ends, it drops the records of removed entries and restores the index. */
static bool remove_victims(struct pruning *p, struct jw_err *err)
{
    struct publish_folder folder = { .path = p->dir.folder, .tree = JW_TREE_CLOSED };
    struct prune_removed r = { 0 };
    struct index_repair repaired;
    struct jw_err later = { 0 };
    bool ok = jw_tree_open(&folder.tree, p->dir.folder, err);

    progress(p, "removing");
    ok = ok && prune_remove(&folder, p->log, p->victims, p->n_victims, p->run->interrupted, &r, err);
    if (!ok)
        (void)!prune_repair(p->dir.folder, p->log, NULL, &repaired, &later);
    p->out->removed = (struct jw_status_sum){ r.files, r.bytes };
    p->out->records_removed = r.records;
    p->out->changed = r.changed;
    p->out->longest_lock_us = r.longest_lock_ns / 1000;
    jw_tree_close(&folder.tree);
    later = (struct jw_err){ 0 };
    if (!forget_removed(p, &later))
        jw_note_failure(&p->run->notes, p->run->a, &later,
                        "the records of removed entries could not be updated");
    return ok && report_end(p, &r);
}

static bool carry_out(struct pruning *p, struct jw_err *err)
{
    if (!p->out->plan.entries && !p->out->stale)
        return jw_run_end(p->run, JW_END_NOTHING, "%s", "");
    if (!p->o->act)
        return jw_run_end(p->run, JW_END_LISTED, "%s", "");
    if (p->out->index_damage || p->out->index_lost)
        return jw_run_end(p->run, JW_END_CANNOT_WRITE, "%s/index is damaged: nothing was removed",
                          p->dir.folder);
    if (p->o->planned)
        p->o->planned(p->run->ctx, p->out);
    save_outdated(p);
    if (p->run->ended)
        return true;
    list_victims(p);
    return remove_victims(p, err);
}

static bool (*const steps[])(struct pruning *p, struct jw_err *err) = { find_cache, check_owner, take_lock,
                                                                        read_cache, ask_driver,  make_plan,
                                                                        carry_out };

static bool prune_step(void *of, size_t at, struct jw_err *err)
{
    return steps[at](of, err);
}

static bool prune_failure(void *of, size_t at, const struct jw_err *why, struct jw_err *err)
{
    (void)at;
    (void)err;
    return end_prune_by(of, why);
}

bool jw_prune(struct jw_run *run, const struct jw_prune_options *o, struct jw_prune_report *out,
              struct jw_err *err)
{
    struct pruning p = { .o = o, .run = run, .out = out };

    *out = (struct jw_prune_report){ .run = run };
    jw_run_begin(run);
    run->end = JW_END_NOTHING;

    bool ok = jw_run_steps(run, &(struct jw_steps){ JW_COUNT(steps), prune_step, prune_failure }, &p, err);

    if (p.log)
        jw_session_changed(run->session);
    jw_warm_close(p.log);
    jw_cache_listing_free(&p.list);
    return ok;
}

/* ---- status --repair ---- */

/* Holds jitwarm's lock on the cache; rebuilding takes the driver's own. */
static bool repair(struct jw_session *s, const char *folder, struct jw_repair *out, struct jw_err *err)
{
    struct jw_warm_log *log = NULL;
    struct jw_warm_holder holder = { 0 };
    bool ok = jw_session_lock(s, folder, &log, &holder, err);

    if (ok && !log) {
        out->end = JW_END_BUSY;
        out->why = "another jitwarm is at work on this cache; try again when it is done";
    } else if (ok) {
        ok = prune_repair(folder, log, s->interrupted, &out->repaired, err)
             && (out->repaired.needed || !out->repaired.damage[0]
                 || jw_fail(err, JW_E_IO, "%s/index: %.250s", folder, out->repaired.damage));
        out->end = out->repaired.done ? JW_END_DONE : JW_END_NOTHING;
    }
    jw_warm_close(log);
    return ok;
}

bool jw_cache_repair(struct jw_session *s, struct jw_repair *out, struct jw_err *err)
{
    const char *folder = jw_session_cache(s)->folder;
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_err why = { 0 };

    *out = (struct jw_repair){ .end = JW_END_NOTHING };
    if (!folder || (jw_file_stat(folder, &info, &why) && info.kind == JW_FILE_NONE))
        return true; /* no cache, no index */
    if (why.code == JW_OK && info.kind != JW_FILE_DIR)
        (void)jw_fail(&why, JW_E_IO, "%s: is not a folder", folder);
    if (why.code == JW_OK && repair(s, folder, out, &why))
        return true;
    if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    }
    out->end = JW_END_CANNOT_WRITE;
    out->why = jw_arena_str(s->a, why.msg);
    return true;
}

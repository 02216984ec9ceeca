#include "cache/clear/clear.h"

#include "base/path.h"
#include "cache/prune/prune.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/scratch.h"

#include <string.h>

enum { DIGEST = 32 };

/* Files of one cache's folder (its lock is removed last), and of the state folder. */
static const char *const in_root[] = { "warm.log",     "progress",     "stop",
                                       "index.backup", "warm.log.new", "progress.new" };
static const char *const in_state[] = { "startup.log", "startup.log.1", "startup.log.lock" };
static const char *const temporary[] = { "probe", "plan", "import", "export" };

struct clearing {
    const struct jw_clear_options *o;
    struct jw_run *run;
    struct jw_clear_report *out;
    bool busy;
};

/* What could not be removed, and why. */
static void note_left(struct clearing *c, struct jw_err *why, const char *path)
{
    jw_err_wrap(why, "%s", path);
    jw_note(&c->run->notes, c->run->a, "%s", why->msg);
}

static void end_as(struct clearing *c, enum jw_end how, const char *why)
{
    jw_run_end(c->run, how, "%s", why ? why : "");
}

/* ---- files by name ---- */

/* True: the file was removed, or would be. */
static bool remove_file(struct clearing *c, const struct jw_tree *t, const char *dir, const char *name)
{
    struct jw_file_info info;
    struct jw_err why = { 0 };
    bool ok = jw_tree_stat(t, name, &info, &why);

    if (ok && info.kind == JW_FILE_NONE)
        return false;
    if (ok && info.kind != JW_FILE_REGULAR)
        ok = jw_fail(&why, JW_E_FORMAT, "is not a regular file; skipped");
    ok = ok && (!c->o->act || jw_tree_remove(t, name, &why));
    if (ok)
        c->out->state_bytes += info.size;
    else
        note_left(c, &why, jw_path_join(c->run->a, dir, name));
    return ok;
}

/* How many. */
static uint64_t remove_named(struct clearing *c, const struct jw_tree *t, const char *dir,
                             const char *const *names, size_t n)
{
    uint64_t gone = 0;

    for (size_t i = 0; i < n; i++)
        gone += remove_file(c, t, dir, names[i]);
    return gone;
}

/* ---- records of caches ---- */

static bool is_digest(const char *name)
{
    return strlen(name) == DIGEST && strspn(name, "0123456789abcdef") == DIGEST;
}

/* `*mine`: no other process works on this cache; holds the lock from now on. */
static bool hold_root(struct clearing *c, const struct jw_tree *t, struct jw_file *lock, bool *mine,
                      struct jw_err *why)
{
    bool found = false;

    *mine = true;
    if (!jw_tree_open_file(t, "lock", JW_TREE_CHANGE, lock, &found, why))
        return false;
    if (found && !jw_filelock_take_mark(lock->handle, true, 0, mine, why))
        return false;
    c->busy |= !*mine;
    return true;
}

static void clear_root(struct clearing *c, const struct jw_tree *roots, const char *dir, const char *name)
{
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_file lock = JW_FILE_CLOSED;
    struct jw_err why = { 0 };
    const char *path = jw_path_join(c->run->a, dir, name);
    bool found = false, mine = false;

    if (!jw_tree_enter(roots, name, false, &t, &found, &why)
        || (found && !hold_root(c, &t, &lock, &mine, &why))) {
        jw_tree_close(&t);
        note_left(c, &why, path);
        return;
    }
    if (mine)
        (void)remove_named(c, &t, path, in_root, JW_COUNT(in_root));
    jw_file_close(&lock);
    if (mine)
        (void)remove_file(c, &t, path, "lock");
    jw_tree_close(&t);
    c->out->roots += mine;
    if (mine && c->o->act)
        jw_sys_rmdir(path);
}

/* ---- folders of the state folder ---- */

static void clear_all_roots(struct clearing *c, const struct jw_tree *t, const char *dir,
                            const struct jw_listing *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (is_digest(names->names[i]))
            clear_root(c, t, dir, names->names[i]);
}

static void clear_drivers(struct clearing *c, const struct jw_tree *t, const char *dir,
                          const struct jw_listing *names)
{
    c->out->drivers += remove_named(c, t, dir, names->names, names->n);
}

/* Calls `clear` for what matches `pattern` in the folder `name`. */
static void clear_folder(struct clearing *c, const struct jw_tree *state, const char *name,
                         const char *pattern,
                         void (*clear)(struct clearing *c, const struct jw_tree *t, const char *dir,
                                       const struct jw_listing *names))
{
    const char *dir = jw_path_join(c->run->a, c->out->state_dir, name);
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_listing names;
    struct jw_err why = { 0 };
    bool found = false;

    if (!jw_tree_enter(state, name, false, &t, &found, &why)) {
        note_left(c, &why, dir);
    } else if (found) {
        names = jw_listing_read(dir, pattern, c->run->a, &c->run->notes);
        clear(c, &t, dir, &names);
    }
    jw_tree_close(&t);
    if (found && c->o->act)
        jw_sys_rmdir(dir);
}

/* ---- the rest of the state folder ---- */

/* Temporary folders of processes that have ended. */
static void clear_temporary(struct clearing *c)
{
    const struct jw_listing names = jw_listing_read(c->out->state_dir, "*", c->run->a, &c->run->notes);

    for (size_t i = 0; i < names.n; i++)
        for (size_t k = 0; k < JW_COUNT(temporary); k++) {
            struct jw_scratch_owner owner;
            const char *path = jw_path_join(c->run->a, c->out->state_dir, names.names[i]);

            if (!jw_scratch_owner(names.names[i], temporary[k], &owner) || owner.system != jw_sys_system()
                || jw_sys_process_alive(owner.pid))
                continue;
            if (c->o->act)
                jw_scratch_remove(path);
            c->out->others++;
        }
}

static void clear_state(struct clearing *c)
{
    struct jw_tree state = JW_TREE_CLOSED;
    struct jw_file_info info;
    struct jw_err why = { 0 };

    c->out->state_dir = jw_state_dir(c->run->a, &why);
    if (!c->out->state_dir || !jw_file_stat(c->out->state_dir, &info, &why)) {
        jw_note(&c->run->notes, c->run->a, "%s", why.msg);
        return;
    }
    if (info.kind == JW_FILE_NONE)
        return;
    if (!jw_trust_believe(c->out->state_dir, "folder", c->run->a, &why)
        || !jw_tree_open(&state, c->out->state_dir, &why)) {
        note_left(c, &why, c->out->state_dir);
        return;
    }
    clear_folder(c, &state, "roots", "*", clear_all_roots);
    clear_folder(c, &state, "drivers", "*.record", clear_drivers);
    c->out->others += remove_named(c, &state, c->out->state_dir, in_state, JW_COUNT(in_state));
    clear_temporary(c);
    jw_tree_close(&state);
    if (c->o->act)
        jw_sys_rmdir(c->out->state_dir);
}

/* ---- store and cache ---- */

static bool clear_store(struct clearing *c, struct jw_err *err)
{
    struct jw_store store;

    if (!jw_store_load(c->run->a, &store, err))
        return false;
    c->out->store_dir = store.dir;
    if (store.refused) {
        jw_note(&c->run->notes, c->run->a, "%s%s%s", store.dir ? store.dir : "", store.dir ? ": " : "",
                store.refused);
        return true;
    }
    jw_store_clear(&store, c->o->act, c->run->a, &c->out->store);
    if (c->out->store.why)
        jw_note(&c->run->notes, c->run->a, "%s", c->out->store.why);
    return true;
}

static bool clear_cache(struct clearing *c, bool *stop, struct jw_err *err)
{
    struct jw_prune_options o = {
        .cache = c->o->cache, .everything = true, .no_pack = true, .max_size = UINT64_MAX, .act = c->o->act
    };
    struct jw_run run = { .a = c->run->a, .interrupted = c->run->interrupted };
    struct jw_prune_report r;

    *stop = false;
    if (!c->o->cache_too)
        return true;
    if (!jw_prune(&run, &o, &r, err))
        return false;
    c->out->root = r.root;
    c->out->cache = c->o->act ? r.removed : r.plan;
    *stop = run.end == JW_END_BUSY || run.end == JW_END_INTERRUPTED || run.end == JW_END_CANNOT_WRITE;
    if (*stop) {
        end_as(c, run.end, run.why);
        return true;
    }
    if (run.end == JW_END_PARTLY)
        JW_NOTE(c->run, "%s", run.why);
    return true;
}

/* ---- all of it ---- */

static bool any_removed(const struct jw_clear_report *r)
{
    return r->drivers || r->roots || r->others || r->store.packs || r->cache.entries;
}

static void end_clear(struct clearing *c)
{
    const struct jw_clear_report *out = c->out;

    if (c->busy)
        end_as(c, JW_END_BUSY,
               "another jitwarm is at work on one of your caches. jitwarm status shows which; jitwarm prime "
               "--stop ends it");
    else if (c->run->notes.n)
        end_as(c, c->o->act ? JW_END_PARTLY : JW_END_LISTED,
               c->o->act ? "some of it could not be removed" : NULL);
    else
        end_as(c, !any_removed(out) ? JW_END_NOTHING : c->o->act ? JW_END_DONE : JW_END_LISTED, NULL);
}

bool jw_clear(struct jw_run *run, const struct jw_clear_options *o, struct jw_clear_report *out,
              struct jw_err *err)
{
    struct clearing c = { .o = o, .run = run, .out = out };
    bool stop;

    *out = (struct jw_clear_report){ .run = run };
    jw_run_begin(run);
    if (!clear_cache(&c, &stop, err))
        return false;
    if (stop)
        return true;
    clear_state(&c);
    if (!clear_store(&c, err))
        return false;
    end_clear(&c);
    return true;
}

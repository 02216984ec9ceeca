#include "setup/uninstall/forget.h"

#include "base/bytes.h"
#include "base/fields.h"
#include "base/path.h"
#include "cache/memory/state.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/scratch.h"

#include <string.h>

enum { DIGEST = 32, WALK = 16 };

/* Files of one cache's folder (its lock is removed last), and of the state folder. */
static const char *const in_root[] = { "warm.log",     "progress",     "stop",
                                       "index.backup", "warm.log.new", "progress.new" };
static const char *const in_state[] = { "packs-seen", "packs-seen.new" };
static const char *const temporary[] = { "probe",        "dry-run",    "import", "export",
                                         "driver-files", "driver-run", "push",   "list" };

struct forgetting {
    bool act;
    struct jw_run *run;
    struct jw_forget_report *out;
    bool busy;
};

/* What could not be removed, and why. */
static void note_left(struct forgetting *c, struct jw_err *why, const char *path)
{
    jw_err_wrap(why, "%s", path);
    jw_note(&c->run->notes, c->run->a, "%s", why->msg);
}

static void end_as(struct forgetting *c, enum jw_end how, const char *why)
{
    jw_run_end(c->run, how, "%s", why ? why : "");
}

/* ---- files by name ---- */

/* True: the file was removed, or would be. */
static bool remove_file(struct forgetting *c, const struct jw_tree *t, const char *dir, const char *name)
{
    struct jw_file_info info;
    struct jw_err why = { 0 };
    bool ok = jw_tree_stat(t, name, &info, &why);

    if (ok && info.kind == JW_FILE_NONE)
        return false;
    if (ok && info.kind != JW_FILE_REGULAR)
        ok = jw_fail(&why, JW_E_FORMAT, "is not a regular file; skipped");
    ok = ok && (!c->act || jw_tree_remove(t, name, &why));
    if (ok)
        c->out->state_bytes += info.size;
    else
        note_left(c, &why, jw_path_join(c->run->a, dir, name));
    return ok;
}

/* How many. */
static uint64_t remove_named(struct forgetting *c, const struct jw_tree *t, const char *dir,
                             const char *const *names, size_t n)
{
    uint64_t gone = 0;

    for (size_t i = 0; i < n; i++)
        gone += remove_file(c, t, dir, names[i]);
    return gone;
}

/* ---- records of caches ---- */

static bool is_digest(const char *name, size_t n)
{
    return strlen(name) == n && strspn(name, "0123456789abcdef") == n;
}

/* `*mine`: no other process works on this cache; holds the lock from now on. */
static bool hold_root(struct forgetting *c, const struct jw_tree *t, struct jw_file *lock, bool *mine,
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

/* A log that holds its first record alone, which names the cache: made by one who only took the lock. */
static bool is_empty_log(const struct jw_tree *t)
{
    struct jw_file log = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    struct jw_err ignored;
    uint8_t length[4];
    size_t got = 0;
    bool found = false;
    bool ok = jw_tree_open_file(t, "warm.log", JW_TREE_READ, &log, &found, &ignored) && found
              && jw_file_info(&log, &info, &ignored)
              && jw_file_read(&log, 0, length, sizeof length, &got, &ignored) && got == sizeof length;

    jw_file_close(&log);
    return ok && info.size == (uint64_t)jw_le32(length) + JW_RECORD_FRAME;
}

static void forget_root(struct forgetting *c, const struct jw_tree *roots, const char *dir, const char *name)
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
    bool counts = mine && !is_empty_log(&t);

    if (mine) {
        const struct jw_listing kept = jw_listing_read(path, "*.kept", c->run->a, &c->run->notes);

        (void)remove_named(c, &t, path, in_root, JW_COUNT(in_root));
        (void)remove_named(c, &t, path, kept.names, kept.n);
    }
    jw_file_close(&lock);
    if (mine)
        (void)remove_file(c, &t, path, "lock");
    jw_tree_close(&t);
    c->out->roots += counts;
    if (mine && c->act)
        jw_sys_rmdir(path);
}

/* ---- folders of the state folder ---- */

static void forget_all_roots(struct forgetting *c, const struct jw_tree *t, const char *dir,
                             const struct jw_listing *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (is_digest(names->names[i], DIGEST))
            forget_root(c, t, dir, names->names[i]);
}

static void forget_drivers(struct forgetting *c, const struct jw_tree *t, const char *dir,
                           const struct jw_listing *names)
{
    c->out->drivers += remove_named(c, t, dir, names->names, names->n);
}

static void forget_sources(struct forgetting *c, const struct jw_tree *t, const char *dir,
                           const struct jw_listing *names)
{
    c->out->others += remove_named(c, t, dir, names->names, names->n);
}

/* What the search for software remembers of folders. */
static void forget_walks(struct forgetting *c, const struct jw_tree *t, const char *dir,
                         const struct jw_listing *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (is_digest(names->names[i], WALK))
            c->out->others += remove_file(c, t, dir, names->names[i]);
}

/* Calls `forget` for what matches `pattern` in the folder `name`. */
static void forget_folder(struct forgetting *c, const struct jw_tree *state, const char *name,
                          const char *pattern,
                          void (*forget)(struct forgetting *c, const struct jw_tree *t, const char *dir,
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
        forget(c, &t, dir, &names);
    }
    jw_tree_close(&t);
    if (found && c->act)
        jw_sys_rmdir(dir);
}

/* ---- the rest of the state folder ---- */

/* Temporary folders of processes that have ended. */
static void remove_temporary(struct forgetting *c)
{
    const struct jw_listing names = jw_listing_read(c->out->state_dir, "*", c->run->a, &c->run->notes);

    for (size_t i = 0; i < names.n; i++)
        for (size_t k = 0; k < JW_COUNT(temporary); k++) {
            struct jw_scratch_owner owner;
            const char *path = jw_path_join(c->run->a, c->out->state_dir, names.names[i]);

            if (!jw_scratch_owner(names.names[i], temporary[k], &owner) || owner.system != jw_sys_system()
                || jw_sys_process_alive(owner.pid))
                continue;
            if (c->act)
                jw_scratch_remove(path);
            c->out->others++;
        }
}

static void forget_state(struct forgetting *c)
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
    forget_folder(c, &state, "roots", "*", forget_all_roots);
    forget_folder(c, &state, "drivers", "*.record", forget_drivers);
    forget_folder(c, &state, JW_STATE_SOURCES, "*.ptx", forget_sources);
    forget_folder(c, &state, "walks", "*", forget_walks);
    c->out->others += remove_named(c, &state, c->out->state_dir, in_state, JW_COUNT(in_state));
    remove_temporary(c);
    jw_tree_close(&state);
    if (c->act)
        jw_sys_rmdir(c->out->state_dir);
}

/* ---- store ---- */

static bool remove_packs(struct forgetting *c, struct jw_err *err)
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
    jw_store_clear(&store, c->act, c->run->a, &c->out->store);
    if (c->out->store.why)
        jw_note(&c->run->notes, c->run->a, "%s", c->out->store.why);
    return true;
}

/* ---- all of it ---- */

static bool any_removed(const struct jw_forget_report *r)
{
    return r->drivers || r->roots || r->others || r->store.packs;
}

static void end_forget(struct forgetting *c)
{
    const struct jw_forget_report *out = c->out;

    if (c->busy)
        end_as(c, JW_END_BUSY,
               "another jitwarm is at work on one of your caches; jitwarm status shows which");
    else if (c->run->notes.n)
        end_as(c, c->act ? JW_END_PARTLY : JW_END_LISTED, c->act ? "some of it could not be removed" : NULL);
    else
        end_as(c, !any_removed(out) ? JW_END_NOTHING : c->act ? JW_END_DONE : JW_END_LISTED, NULL);
}

bool jw_forget(struct jw_run *run, bool act, struct jw_forget_report *out, struct jw_err *err)
{
    struct forgetting c = { .act = act, .run = run, .out = out };

    *out = (struct jw_forget_report){ .run = run };
    jw_run_begin(run);
    forget_state(&c);
    if (!remove_packs(&c, err))
        return false;
    end_forget(&c);
    return true;
}

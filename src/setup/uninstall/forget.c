#include "setup/uninstall/forget.h"

#include "base/bytes.h"
#include "base/fields.h"
#include "base/path.h"
#include "cache/memory/state_folder.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "pack/kit/kit.h"

#include <string.h>

enum { DIGEST = 32, MAX_DEPTH = 16 };

struct forgetting {
    bool act;
    struct jw_run *run;
    struct jw_forget_report *out;
    bool busy;
};

/* The files that could not be removed, and why. */
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
static uint64_t remove_matching(struct forgetting *c, const struct jw_tree *t, const char *dir,
                                const char *pattern)
{
    const struct jw_listing names = jw_listing_read(dir, pattern, c->run->a, &c->run->notes);
    uint64_t gone = 0;

    for (size_t i = 0; i < names.n; i++)
        gone += remove_file(c, t, dir, names.names[i]);
    return gone;
}

/* ---- records of caches ---- */

static bool is_digest(const char *name, size_t n)
{
    return strlen(name) == n && strspn(name, "0123456789abcdef") == n;
}

/* `*mine`: no other process works in this folder; holds the lock from now on. */
static bool hold_lock(struct forgetting *c, const struct jw_tree *t, struct jw_file *lock, bool *mine,
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

static void forget_cache(struct forgetting *c, const struct jw_tree *roots, const char *dir, const char *name)
{
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_file lock = JW_FILE_CLOSED;
    struct jw_err why = { 0 };
    const char *path = jw_path_join(c->run->a, dir, name);
    bool found = false, mine = false;

    if (!jw_tree_enter(roots, name, false, &t, &found, &why)
        || (found && !hold_lock(c, &t, &lock, &mine, &why))) {
        jw_tree_close(&t);
        note_left(c, &why, path);
        return;
    }
    bool counts = mine && !is_empty_log(&t);

    for (unsigned i = 0; mine && i < jw_state_n_cache_files; i++)
        (void)remove_matching(c, &t, path, jw_state_cache_files[i]);
    if (mine && c->act)
        jw_out_sweep(path);
    jw_file_close(&lock);
    if (mine)
        (void)remove_file(c, &t, path, "lock");
    jw_tree_close(&t);
    c->out->roots += counts;
    if (mine && c->act)
        jw_sys_rmdir(path);
}

static void forget_caches(struct forgetting *c, const struct jw_tree *t, const char *dir)
{
    const struct jw_listing names = jw_listing_read(dir, "*", c->run->a, &c->run->notes);

    for (size_t i = 0; i < names.n; i++)
        if (is_digest(names.names[i], DIGEST))
            forget_cache(c, t, dir, names.names[i]);
}

/* ---- the other places of the state folder ---- */

static uint64_t bytes_below(const char *folder, unsigned depth, struct jw_arena *a)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err ignored;
    bool more = true;
    uint64_t sum = 0;

    if (!depth || !jw_dir_open(&dir, folder, &ignored))
        return 0;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        const char *path = jw_path_join(a, folder, e.name);
        struct jw_file_info info;

        if (e.type == JW_ENTRY_DIR)
            sum += bytes_below(path, depth - 1, a);
        else if (e.type == JW_ENTRY_FILE && jw_file_stat(path, &info, &ignored))
            sum += info.size;
    }
    jw_dir_close(dir);
    return sum;
}

/* A folder of jitwarm's own with all that is in it, unless someone works there. */
static void forget_tree(struct forgetting *c, const struct jw_tree *t, const char *dir)
{
    struct jw_file lock = JW_FILE_CLOSED;
    struct jw_err why = { 0 };
    bool mine = false;

    bool known = hold_lock(c, t, &lock, &mine, &why);

    if (!known)
        note_left(c, &why, jw_path_join(c->run->a, dir, "lock"));
    jw_file_close(&lock);
    if (!known || !mine || c->busy)
        return;
    c->out->state_bytes += bytes_below(dir, MAX_DEPTH, c->run->a);
    c->out->others++;
    if (c->act)
        jw_scratch_remove(dir);
}

static void forget_files(struct forgetting *c, const struct jw_tree *t, const char *dir,
                         const struct jw_state_row *row)
{
    uint64_t *count = row == &jw_state_rows[JW_STATE_DRIVERS] ? &c->out->drivers : &c->out->others;

    *count += remove_matching(c, t, dir, row->files);
    if (c->act)
        jw_out_sweep(dir);
}

static void forget_folder(struct forgetting *c, const struct jw_tree *state, const struct jw_state_row *row)
{
    const char *dir = jw_path_join(c->run->a, c->out->state_dir, row->name);
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_err why = { 0 };
    bool found = false;

    if (!jw_tree_enter(state, row->name, false, &t, &found, &why))
        note_left(c, &why, dir);
    else if (found && row->form == JW_STATE_OF_CACHES)
        forget_caches(c, &t, dir);
    else if (found && row->form == JW_STATE_TREE)
        forget_tree(c, &t, dir);
    else if (found)
        forget_files(c, &t, dir, row);
    jw_tree_close(&t);
    if (found && c->act)
        jw_sys_rmdir(dir);
}

/* Folders of processes that have ended. */
static void forget_scratch(struct forgetting *c, const char *folder, const char *name)
{
    const struct jw_listing names =
        jw_listing_read(folder, jw_arena_printf(c->run->a, "%s-*", name), c->run->a, &c->run->notes);

    for (size_t i = 0; i < names.n; i++) {
        const char *path = jw_path_join(c->run->a, folder, names.names[i]);

        if (!jw_scratch_abandoned(path, names.names[i], name))
            continue;
        if (c->act)
            jw_scratch_remove(path);
        c->out->others++;
    }
}

/* Removes what a killed import left in other caches; the rest there is not jitwarm's. */
static void forget_staged(struct forgetting *c)
{
    size_t n;
    const struct jw_known_kit *roots = jw_kit_known(c->run->a, &n);

    for (size_t i = 0; i < n; i++)
        forget_scratch(c, roots[i].path, JW_KIT_STAGED);
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
    if (!jw_trust_check_own(c->out->state_dir, "folder", c->run->a, &why)
        || !jw_tree_open(&state, c->out->state_dir, &why)) {
        note_left(c, &why, c->out->state_dir);
        return;
    }
    for (size_t i = 0; i < JW_STATE_PLACES; i++) {
        const struct jw_state_row *row = &jw_state_rows[i];

        if (row->form == JW_STATE_SCRATCH)
            forget_scratch(c, c->out->state_dir, row->name);
        else if (row->form == JW_STATE_FILE)
            c->out->others += remove_file(c, &state, c->out->state_dir, row->name);
        else
            forget_folder(c, &state, row);
    }
    if (c->act)
        jw_out_sweep(c->out->state_dir);
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
    forget_staged(&c);
    if (!remove_packs(&c, err))
        return false;
    end_forget(&c);
    return true;
}

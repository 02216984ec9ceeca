#include "memory/cache_memory.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <string.h>

enum {
    LOCK_TRIES = 5,
    PATIENCE_MS = 100 /* a program that asks for the holder locks the file for a moment */
};

bool jw_cache_memory_find(const char *cache, struct jw_arena *a, struct jw_cache_memory *out,
                          struct jw_err *err)
{
    struct jw_err why = { 0 };
    const char *caches = jw_state_own(JW_STATE_CACHES, a, &why);

    *out = (struct jw_cache_memory){ 0 };
    if (!jw_real_path(cache, a, &out->cache, err))
        return jw_wrap(err, "%s", cache);
    out->dir = jw_path_join(a, caches ? caches : "/dev/null",
                            jw_state_file_name(out->cache, a)); /* nothing is stored below this path */
    if (!caches || !jw_state_check(out->dir, a, &why))
        out->unusable = jw_arena_str(a, why.msg);
    return true;
}

static bool make_folder(const struct jw_cache_memory *f, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    bool ok = f->unusable ? jw_fail(err, JW_E_IO, "%s", f->unusable)
                          : (jw_state_make(jw_path_dir(&a, f->dir), &a, err) && jw_trust_make(f->dir, err))
                                || jw_wrap(err, "%s", f->dir);

    jw_arena_free(&a);
    return ok;
}

/* ---- its files ---- */

bool jw_cache_memory_load(const struct jw_cache_memory *f, const struct jw_memory_file *file,
                          struct jw_arena *a, void *of, bool *found, struct jw_err *err)
{
    const char *path = f->unusable ? NULL : jw_path_join(a, f->dir, file->name);
    bool there = false;

    memset(of, 0, file->size);
    bool ok = !path || jw_trust_load(path, file->kind, file->fields, a, of, &there, err)
              || jw_wrap(err, "%s", path);

    if (!ok)
        memset(of, 0, file->size);
    if (found)
        *found = ok && there;
    return ok;
}

bool jw_cache_memory_save(const struct jw_cache_memory *f, const struct jw_memory_file *file, const void *of,
                          struct jw_err *err)
{
    struct jw_arena a = { 0 };
    bool ok = make_folder(f, err)
              && (jw_trust_save(jw_path_join(&a, f->dir, file->name), file->kind, file->fields, of, err)
                  || jw_wrap(err, "%s/%s", f->dir, file->name));

    jw_arena_free(&a);
    return ok;
}

/* ---- the lock ---- */

struct jw_cache_lock {
    struct jw_arena a;
    const char *path, *progress;
    struct jw_file file;
    bool held;
    struct jw_lock_holder me;
};

#define H struct jw_lock_holder
static const struct jw_field holder_fields[] = {
    JW_FIELD_UP_TO(H, pid, UINT32_MAX),
    JW_FIELD_UP_TO(H, since, INT64_MAX),
    JW_FIELD_UP_TO(H, progress.phase, JW_PHASE_VERIFY),
    JW_FIELD(H, progress.done),
    JW_FIELD(H, progress.total),
    JW_FIELD(H, progress.failed),
    JW_FIELD(H, progress.seconds),
    JW_FIELD(H, progress.eta),
    { 0 },
};
static const struct jw_memory_file progress = { "progress", JW_RECORD_PROGRESS, holder_fields, sizeof(H) };

/* The holder is unknown for a moment, between taking the lock and writing the name. */
static void read_holder(const struct jw_cache_memory *f, struct jw_lock_holder *out)
{
    struct jw_arena a = { 0 };

    (void)!jw_cache_memory_load(f, &progress, &a, out, NULL, JW_IGNORED);
    jw_arena_free(&a);
}

const char *jw_lock_holder_text(const struct jw_lock_holder *h, const char *cache, struct jw_arena *a)
{
    int64_t ago = jw_time_unix() - h->since;

    if (!h->pid)
        return jw_arena_printf(a, "another jitwarm is using %s", cache);
    return jw_arena_printf(a, "another jitwarm (process %lu, for %s now) is using %s", h->pid,
                           JW_TENTHS(ago > 0 ? (double)ago : 0), cache);
}

/* Asks by a read lock, which blocks only a writer, and a writer tries again. */
bool jw_cache_lock_ask(const struct jw_cache_memory *f, bool *held, struct jw_lock_holder *holder,
                       struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_file lock = JW_FILE_CLOSED;
    bool found = false, taken = false, ok = true;

    *holder = (struct jw_lock_holder){ 0 };
    if (!f->unusable) {
        const char *path = jw_path_join(&a, f->dir, "lock");

        ok = (jw_file_open_existing(&lock, path, &found, err)
              && (!found || jw_filelock_take(lock.handle, JW_LOCK_MARK, 0, &taken, err)))
             || jw_wrap(err, "%s", path);
    }
    *held = ok && found && !taken;
    if (*held)
        read_holder(f, holder);
    jw_file_close(&lock);
    jw_arena_free(&a);
    return ok;
}

bool jw_cache_lock_any(struct jw_arena *a, struct jw_lock_holder *holder)
{
    struct jw_texts unread = { 0 };
    const char *caches = jw_state_own(JW_STATE_CACHES, a, JW_IGNORED);
    struct jw_listing names = jw_listing_read(caches ? caches : "", JW_STATE_NAMES, a, &unread);
    bool held = false;

    for (size_t i = 0; i < names.n && !held; i++) {
        const struct jw_cache_memory f = { .dir = jw_path_join(a, caches, names.names[i]) };

        held = jw_cache_lock_ask(&f, &held, holder, JW_IGNORED) && held;
    }
    return held;
}

/* If the holder ends between the two questions, both are asked again. */
static bool take_or_ask(struct jw_cache_lock *l, const struct jw_cache_memory *f,
                        struct jw_lock_holder *holder, struct jw_err *err)
{
    bool alive = false;

    if (!jw_file_make(&l->file, l->path, err))
        return jw_wrap(err, "%s", l->path);
    for (unsigned i = 0; i < LOCK_TRIES && !l->held && !alive; i++) {
        if (!jw_filelock_take(l->file.handle, JW_LOCK_MARK | JW_LOCK_WRITE, PATIENCE_MS, &l->held, err))
            return jw_wrap(err, "%s", l->path);
        if (!l->held && !jw_cache_lock_ask(f, &alive, holder, err))
            return false;
    }
    return true;
}

bool jw_cache_lock(const struct jw_cache_memory *f, struct jw_cache_lock **out, struct jw_lock_holder *holder,
                   struct jw_err *err)
{
    struct jw_cache_lock *l;

    *out = NULL;
    *holder = (struct jw_lock_holder){ 0 };
    if (!make_folder(f, err))
        return false;
    l = jw_alloc(sizeof *l);
    *l = (struct jw_cache_lock){ .file = JW_FILE_CLOSED, .me = { jw_process_id(), jw_time_unix(), { 0 } } };
    l->path = jw_path_join(&l->a, f->dir, "lock");
    l->progress = jw_path_join(&l->a, f->dir, progress.name);

    bool ok = take_or_ask(l, f, holder, err);

    if (ok && l->held && jw_cache_lock_write_progress(l, &l->me.progress, err)) {
        *out = l;
        return true;
    }
    ok = ok && !l->held;
    jw_cache_unlock(l);
    return ok;
}

void jw_cache_unlock(struct jw_cache_lock *l)
{
    if (!l)
        return;
    if (l->held)
        (void)!jw_file_remove(l->progress, JW_IGNORED);
    jw_file_close(&l->file);
    jw_arena_free(&l->a);
    jw_free(l);
}

bool jw_cache_lock_write_progress(struct jw_cache_lock *l, const struct jw_progress *now, struct jw_err *err)
{
    struct jw_buf record = JW_BUF(JW_MAX_STATE);

    l->me.progress = *now;
    jw_record_put(&record, progress.kind, progress.fields, &l->me);

    bool ok = (jw_buf_ok(&record, err)
               && jw_file_put(l->progress, JW_OUT_REPLACE | JW_OUT_PRIVATE | JW_OUT_FAST,
                              jw_buf_bytes(&record), err))
              || jw_wrap(err, "%s", l->progress);

    jw_buf_free(&record);
    return ok;
}

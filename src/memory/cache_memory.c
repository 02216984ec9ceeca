#include "memory/cache_memory.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <string.h>

enum {
    LOCK_TRIES = 5,
    PATIENCE_MS = 100 /* a program that asks for the holder locks the file for a moment */
};

static bool separates(const char *path, char c) { return c == '/' || c == jw_path_separator(path); }

/* Does the path have a component that is empty, "." or ".."? */
static bool is_roundabout(const char *path)
{
    for (const char *at = path; *at; at++) {
        size_t dots = strspn(at + 1, ".");
        char behind = at[1 + dots];

        if (!separates(path, *at) || dots > 2)
            continue;
        if (!behind && dots)
            return true;
        if (behind && separates(path, behind) && (at > path || dots || behind == '/'))
            return true;
    }
    return false;
}

bool jw_named_path(const char *path, struct jw_arena *a, const char **out, struct jw_err *err)
{
    const char *here = "/";
    size_t n;

    if (!jw_path_absolute(path)) {
        if (!jw_real_path(".", a, &here, err))
            return false;
        while (path[0] == '.' && separates(here, path[1]))
            path += 2;
        path = *path && strcmp(path, ".") != 0 ? jw_path_join(a, here, path) : here;
    }
    for (n = strlen(path); n > 1 && separates(path, path[n - 1]) && path[n - 2] != ':';)
        n--;
    *out = jw_arena_text(a, path, n);
    return !is_roundabout(*out) || jw_real_path(*out, a, out, err);
}

/* The folder in `caches` for a cache. Windows takes either separator, and either case. */
static const char *folder_of(const char *caches, const char *cache, struct jw_arena *a)
{
    char *key = jw_arena_str(a, cache);

    for (char *at = key; jw_os_is_windows() && *at; at++)
        *at = (char)(*at == '/' ? '\\' : *at >= 'A' && *at <= 'Z' ? *at + 'a' - 'A' : *at);
    return jw_path_join(a, caches, jw_state_file_name(key, a));
}

bool jw_cache_memory_find(const char *cache, struct jw_arena *a, struct jw_cache_memory *out,
                          struct jw_err *err)
{
    struct jw_err why = {0};
    const char *named;
    const char *own = jw_state_own(JW_STATE_CACHES, a, &why);
    const char *caches = own ? own : "/dev/null"; /* nothing is stored below this path */

    *out = (struct jw_cache_memory){0};
    if (!jw_named_path(cache, a, &named, err) || !jw_real_path(cache, a, &out->cache, err))
        return jw_wrap(err, "%s", cache);
    out->dir = folder_of(caches, named, a);
    out->lock = folder_of(caches, out->cache, a);
    if (!own || !jw_state_check(out->dir, a, &why) || !jw_state_check(out->lock, a, &why))
        out->unusable = jw_arena_str(a, why.msg);
    return true;
}

static bool make_folder(const struct jw_cache_memory *f, const char *folder, struct jw_err *err)
{
    struct jw_arena a = {0};

    if (f->unusable)
        return jw_fail(err, JW_E_IO, "%s", f->unusable);
    bool ok = jw_state_make(jw_path_dir(&a, folder), &a, err) && jw_trust_make(folder, err);

    jw_arena_free(&a);
    return ok || jw_wrap(err, "%s", folder);
}

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

bool jw_cache_memory_save(const struct jw_cache_memory *f, const struct jw_memory_file *file,
                          const void *of, struct jw_err *err)
{
    struct jw_arena a = {0};
    bool ok =
        make_folder(f, f->dir, err)
        && (jw_trust_save(jw_path_join(&a, f->dir, file->name), file->kind, file->fields, of, err)
            || jw_wrap(err, "%s/%s", f->dir, file->name));

    jw_arena_free(&a);
    return ok;
}

struct jw_cache_lock {
    struct jw_arena a;
    const char *path, *holder;
    struct jw_file file;
    bool held;
};

#define H struct jw_lock_holder
static const struct jw_field holder_fields[] = {
    JW_FIELD_UP_TO(H, pid, UINT32_MAX),
    JW_FIELD_UP_TO(H, since, INT64_MAX),
    JW_FIELD(H, system),
    {0},
};
static const struct jw_memory_file holder_file = {"holder", JW_RECORD_HOLDER, holder_fields,
                                                  sizeof(H)};

const char *jw_lock_holder_text(const struct jw_lock_holder *h, const char *cache,
                                struct jw_arena *a)
{
    int64_t ago = jw_time_unix() - h->since;

    if (!h->pid)
        return jw_arena_printf(a, "another jitwarm is using %s", cache);
    return jw_arena_printf(a, "another jitwarm (process %lu, for %s now) is using %s", h->pid,
                           JW_TENTHS(ago > 0 ? (double)ago : 0), cache);
}

/* Asks by a read lock, which blocks only a writer, and a writer tries again. Between taking the
 * lock and writing its record the holder is unknown for a moment. */
bool jw_cache_lock_ask(const struct jw_cache_memory *f, bool *held, struct jw_lock_holder *holder,
                       struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_file lock = JW_FILE_CLOSED;
    bool found = false;
    bool taken = false;
    bool ok = true;

    *holder = (struct jw_lock_holder){0};
    if (!f->unusable) {
        const char *path = jw_path_join(&a, f->lock, "lock");

        ok = (jw_file_open_existing(&lock, path, &found, err)
              && (!found || jw_filelock_take(lock.handle, JW_LOCK_MARK, 0, &taken, err)))
             || jw_wrap(err, "%s", path);
    }
    *held = ok && found && !taken;
    if (*held)
        (void)!jw_cache_memory_load(&(struct jw_cache_memory){.dir = f->lock}, &holder_file, &a,
                                    holder, NULL, JW_IGNORED);
    holder->pid = holder->system == jw_boot_id() ? holder->pid : 0;
    jw_file_close(&lock);
    jw_arena_free(&a);
    return ok;
}

bool jw_cache_lock_any(struct jw_arena *a, struct jw_lock_holder *holder)
{
    const char *caches = jw_state_own(JW_STATE_CACHES, a, JW_IGNORED);
    struct jw_listing names = jw_listing_read(caches ? caches : "", JW_STATE_NAMES, a, NULL);
    bool held = false;

    for (size_t i = 0; i < names.n; i++) {
        const struct jw_cache_memory f = {.lock = jw_path_join(a, caches, names.names[i])};

        if (jw_cache_lock_ask(&f, &held, holder, JW_IGNORED) && held)
            return true;
    }
    return false;
}

static bool write_holder(struct jw_cache_lock *l, struct jw_err *err)
{
    const struct jw_lock_holder me = {jw_process_id(), jw_time_unix(), jw_boot_id()};
    struct jw_buf record = JW_BUF_IN(&l->a, JW_MAX_STATE);

    jw_record_put(&record, holder_file.kind, holder_file.fields, &me);
    return jw_file_put(l->holder, JW_OUT_REPLACE | JW_OUT_PRIVATE | JW_OUT_FAST,
                       jw_buf_bytes(&record), err)
           || jw_wrap(err, "%s", l->holder);
}

/* `*alive`: another process has it. */
static bool take_or_ask(const struct jw_cache_memory *f, struct jw_cache_lock *l, bool *alive,
                        struct jw_lock_holder *holder, struct jw_err *err)
{
    if (!jw_filelock_take(l->file.handle, JW_LOCK_MARK | JW_LOCK_WRITE, PATIENCE_MS, &l->held, err))
        return jw_wrap(err, "%s", l->path);
    return l->held || jw_cache_lock_ask(f, alive, holder, err);
}

/* If the holder ends between the two questions, both are asked again. */
bool jw_cache_lock(const struct jw_cache_memory *f, struct jw_cache_lock **out,
                   struct jw_lock_holder *holder, struct jw_err *err)
{
    struct jw_cache_lock *l;
    bool alive = false;

    *out = NULL;
    *holder = (struct jw_lock_holder){0};
    if (!make_folder(f, f->lock, err))
        return false;
    l = jw_alloc(sizeof *l);
    *l = (struct jw_cache_lock){.file = JW_FILE_CLOSED};
    l->path = jw_path_join(&l->a, f->lock, "lock");
    l->holder = jw_path_join(&l->a, f->lock, holder_file.name);

    bool ok = jw_file_make(&l->file, l->path, err) || jw_wrap(err, "%s", l->path);

    for (unsigned i = 0; i < LOCK_TRIES; i++) {
        ok = ok && take_or_ask(f, l, &alive, holder, err);
        if (!ok || l->held || alive)
            break;
    }
    if (ok && l->held && write_holder(l, err)) {
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
        (void)!jw_file_remove(l->holder, JW_IGNORED);
    jw_file_close(&l->file);
    jw_arena_free(&l->a);
    jw_free(l);
}

#include "machine/runlog.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/trust.h"
#include "os/files/append.h"
#include "os/files/file.h"

#include <string.h>

enum { PATIENCE_MS = 2000 };

struct files {
    const char *path;
    struct jw_buf old, lock;
};

static bool name_files(struct files *f, const char *path, struct jw_err *err)
{
    *f = (struct files){ path, JW_BUF(JW_MAX_PATH), JW_BUF(JW_MAX_PATH) };
    jw_buf_printf(&f->old, "%s.1", path);
    jw_buf_printf(&f->lock, "%s.lock", path);
    return jw_buf_ok(&f->old, err) && jw_buf_ok(&f->lock, err);
}

static void free_files(struct files *f)
{
    jw_buf_free(&f->old);
    jw_buf_free(&f->lock);
}

static bool make_folder(const char *path, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    const char *folder = jw_path_dir(&a, path);
    bool ok = true;

    ok = ok
         && ((jw_trust_make(folder, err) && jw_trust_believe(folder, "folder", &a, err))
             || jw_wrap(err, "%s", folder));
    jw_arena_free(&a);
    return ok;
}

/* Renames a full file to PATH.1. */
static bool make_room(struct files *f, struct jw_append *log, size_t n, struct jw_err *err)
{
    if (log->size + n <= JW_RUNLOG_FULL || !log->size)
        return true;
    return jw_append_become(log, f->path, jw_buf_cstr(&f->old), false, err)
           && jw_append_open(log, f->path, err);
}

static bool add(struct files *f, struct jw_bytes lines, struct jw_err *err)
{
    struct jw_append log = JW_APPEND_CLOSED;
    bool ok = jw_append_open(&log, f->path, err) && make_room(f, &log, lines.n, err)
              && jw_append_write(&log, lines.p, lines.n, err);

    jw_append_close(&log);
    return ok || jw_wrap(err, "%s", f->path);
}

/* A separate lock file, because the log itself is renamed. */
bool jw_runlog_add(const char *path, struct jw_bytes lines, struct jw_err *err)
{
    struct jw_append lock = JW_APPEND_CLOSED;
    struct files f;
    bool taken = false, ok = name_files(&f, path, err) && make_folder(path, err);

    ok = ok
         && ((jw_append_open(&lock, jw_buf_cstr(&f.lock), err)
              && jw_filelock_take_mark(lock.handle, true, PATIENCE_MS, &taken, err))
             || jw_wrap(err, "%s", jw_buf_cstr(&f.lock)));
    if (ok && !taken)
        ok = jw_fail(err, JW_E_IO, "%s: another process has held it for %d seconds", jw_buf_cstr(&f.lock),
                     PATIENCE_MS / 1000);
    ok = ok && add(&f, lines, err);
    jw_append_close(&lock);
    free_files(&f);
    return ok;
}

bool jw_runlog_read(const char *path, struct jw_buf *out, struct jw_err *err)
{
    struct files f;
    bool found, ok = name_files(&f, path, err) && jw_file_slurp(jw_buf_cstr(&f.old), out, &found, err)
                     && jw_file_slurp(path, out, &found, err);

    free_files(&f);
    return ok || jw_wrap(err, "%s", path);
}

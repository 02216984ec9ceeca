#include "os/files/file.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/work.h"
#include "os/files/at.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/sys.h"

#include <string.h>

enum { SLURP_STEP = 16384, NAP_MS = 5, TEMP_TRIES = 1000 };

bool jw_file_change_shows(const struct jw_file_info *info, int64_t now)
{
    enum { SECOND = 1000000000 };
    int64_t last = info->mtime > info->ctime ? info->mtime : info->ctime;

    return info->ctime % SECOND && last < now - JW_FILE_TICK_NS;
}

bool jw_file_read(struct jw_file *f, uint64_t at, void *dst, size_t n, size_t *got,
                  struct jw_err *err)
{
    *got = 0;
    if (jw_sys_fault(err))
        return false;
    while (*got < n) {
        size_t part;

        if (at >= INT64_MAX)
            break;
        size_t max = (size_t)jw_min(n - *got, (uint64_t)INT64_MAX - at);

        if (!jw_sys_read(f->handle, at, (uint8_t *)dst + *got, max, &part, err))
            return false;
        jw_work_add(JW_WORK_READS, 1);
        jw_work_add(JW_WORK_BYTES_READ, part);
        if (part == 0) /* the end of the file */
            break;
        at += part;
        *got += part;
    }
    return true;
}

/* In parts: in a virtual machine, with Linux 6.18, 2.6 MB at once took four times as long. */
bool jw_sys_write_all(intptr_t handle, uint64_t at, const void *p, size_t n, struct jw_err *err)
{
    enum { PART = 128 << 10 };
    const uint8_t *from = p;

    for (size_t part; n; from += part, n -= part) {
        if (!jw_sys_write(handle, at, from, (size_t)jw_min(n, PART), &part, err))
            return false;
        jw_work_add(JW_WORK_BYTES_WRITTEN, part);
        at += at == JW_SYS_NEXT ? 0 : part;
    }
    return true;
}

bool jw_file_write(struct jw_file *f, uint64_t at, const void *p, size_t n, struct jw_err *err)
{
    return !jw_sys_fault(err) && jw_sys_write_all(f->handle, at, p, n, err);
}

static bool pull_file(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    size_t got;

    if (!jw_file_read(ctx, at, dst, n, &got, err))
        return false;
    return got == n || jw_fail(err, JW_E_IO, "the file shrank while it was read");
}

struct jw_source jw_file_source(struct jw_file *f, uint64_t size)
{
    return (struct jw_source){
        .size = size, .pull = pull_file, .ctx = f, .prefetch = jw_sys_prefetch};
}

bool jw_file_read_all(struct jw_file *f, struct jw_buf *out, struct jw_err *err)
{
    uint8_t step[SLURP_STEP];
    uint64_t at = 0;
    size_t got;

    do {
        if (!jw_file_read(f, at, step, sizeof step, &got, err))
            return false;
        jw_buf_add(out, step, got);
        at += got;
    } while (got == sizeof step && !out->bad);
    return jw_buf_ok(out, err);
}

bool jw_file_open(struct jw_file *f, const char *path, struct jw_err *err)
{
    *f = JW_FILE_CLOSED;
    return !jw_sys_fault(err)
           && jw_at_open(NULL, path, JW_AT_SPARSE, &f->handle, NULL, err) == JW_AT_DONE;
}

bool jw_file_open_existing(struct jw_file *f, const char *path, bool *found, struct jw_err *err)
{
    struct jw_err why = {0};

    *found = jw_file_open(f, path, &why);
    return *found || jw_sys_is_not_found(why.os) || jw_pass(err, why);
}

bool jw_file_make(struct jw_file *f, const char *path, struct jw_err *err)
{
    *f = JW_FILE_CLOSED;
    return !jw_sys_fault(err)
           && jw_at_open(NULL, path, JW_AT_WRITE | JW_AT_MAKE | JW_AT_PRIVATE, &f->handle, NULL,
                         err)
                  == JW_AT_DONE;
}

bool jw_file_stat(const char *path, struct jw_file_info *info, struct jw_err *err)
{
    *info = (struct jw_file_info){.kind = JW_FILE_NONE};
    jw_work_add(JW_WORK_FILES_ASKED, 1);
    return !jw_sys_fault(err) && jw_at_stat(NULL, path, 0, info, err);
}

bool jw_is_link(const char *path)
{
    struct jw_file_info info;

    return jw_at_stat(NULL, path, JW_AT_STRICT, &info, JW_IGNORED) && info.kind == JW_FILE_LINK;
}

void jw_file_close(struct jw_file *f)
{
    if (f->handle != -1)
        (void)!jw_sys_close(f->handle, JW_IGNORED);
    f->handle = -1;
}

bool jw_file_slurp(const char *path, struct jw_buf *out, bool *found, struct jw_err *err)
{
    struct jw_file f;
    bool ok =
        jw_file_open_existing(&f, path, found, err) && (!*found || jw_file_read_all(&f, out, err));

    jw_file_close(&f);
    return ok;
}

bool jw_file_read_part(const char *path, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    size_t got = 0;
    bool ok = jw_file_open(&f, path, err) && jw_file_read(&f, at, dst, n, &got, err)
              && (got == n || jw_fail(err, JW_E_FORMAT, "it ends early"));

    jw_file_close(&f);
    return ok;
}

/* DIR/.jw-SYSTEM-PID-N.tmp: beside the target, because a rename must not cross file systems. */
static bool temp_name(const char *path, unsigned n, char **temp, struct jw_err *err)
{
    struct jw_buf name = JW_BUF(JW_MAX_PATH);

    jw_buf_add(&name, path, (size_t)(jw_path_base(path) - path));
    jw_buf_printf(&name, JW_TEMP_BEGIN "-%08lx-%lu-%u" JW_TEMP_END, (unsigned long)jw_boot_id(),
                  jw_process_id(), n);
    *temp = name.bad ? NULL : jw_strdup(jw_buf_cstr(&name));
    bool ok = jw_buf_ok(&name, err);
    jw_buf_free(&name);
    return ok;
}

/* Fails early if jw_out_close would have to refuse, and never replaces a device. */
static bool target_fits(const char *path, unsigned how, struct jw_err *err)
{
    struct jw_file_info info;

    if (!*jw_path_base(path))
        return jw_fail(err, JW_E_IO, *path ? "is a folder" : "the name is empty");
    if (!jw_file_stat(path, &info, err))
        return false;
    if (info.kind == JW_FILE_DIR)
        return jw_fail(err, JW_E_IO, "is a folder");
    if (info.kind == JW_FILE_NONE && jw_is_link(path))
        return jw_fail(err, JW_E_IO, "is a link to nothing");
    if (info.kind != JW_FILE_NONE && !(how & JW_OUT_REPLACE))
        return jw_fail(err, JW_E_IO, "already exists");
    return info.kind != JW_FILE_OTHER || jw_fail(err, JW_E_IO, "is not a regular file");
}

/* The target of a link; of anything else the path itself. */
static bool target_of(const char *path, char **target, struct jw_err *err)
{
    struct jw_arena a = {0};
    const char *real = path;
    bool ok = !jw_is_link(path) || jw_real_path(path, &a, &real, err);

    *target = ok ? jw_strdup(real) : NULL;
    jw_arena_free(&a);
    return ok;
}

static bool create_temp(struct jw_out *out, struct jw_err *err)
{
    unsigned how = JW_AT_WRITE | JW_AT_NEW | (out->how & JW_OUT_PRIVATE ? JW_AT_PRIVATE : 0);

    for (unsigned n = 0; n < TEMP_TRIES; n++) {
        if (!temp_name(out->path, n, &out->temp, err))
            return false;

        struct jw_err why = {0};
        enum jw_at at = jw_at_open(NULL, out->temp, how, &out->handle, NULL, &why);

        if (at == JW_AT_DONE)
            return true;
        jw_free(out->temp);
        out->temp = NULL;
        if (at != JW_AT_TAKEN)
            return jw_pass(err, why);
    }
    return jw_fail(err, JW_E_IO, "too many temporary files are left beside it");
}

bool jw_out_open(struct jw_out *out, const char *path, unsigned how, struct jw_err *err)
{
    *out = (struct jw_out){.handle = -1, .how = how};
    if (jw_sys_fault(err) || !target_fits(path, how, err))
        return false;
    if (target_of(path, &out->path, err) && create_temp(out, err))
        return true;
    return jw_out_close(out, false, err);
}

bool jw_out_write(struct jw_out *out, const void *p, size_t n, struct jw_err *err)
{
    return !jw_sys_fault(err) && jw_sys_write_all(out->handle, JW_SYS_NEXT, p, n, err);
}

static bool put_out(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    return jw_out_write(ctx, p, n, err);
}

struct jw_sink jw_out_sink(struct jw_out *out) { return (struct jw_sink){put_out, out}; }

/* Makes a rename to `path` last. The folder may be writable, but not readable. */
static bool sync_folder(const char *path, struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_folder t;
    bool ok = jw_at_enter(NULL, jw_path_dir(&a, path), 0, &t, NULL, JW_IGNORED) != JW_AT_DONE
              || jw_at_sync(&t, err);

    jw_folder_close(&t);
    jw_arena_free(&a);
    return ok;
}

static bool give_name(struct jw_out *out, struct jw_err *err)
{
    bool lasting = !(out->how & JW_OUT_FAST);

    if (jw_sys_fault(err) || (lasting && !jw_file_sync(&(struct jw_file){out->handle}, err)))
        return false;

    intptr_t handle = out->handle;

    out->handle = -1;
    if (!jw_sys_close(handle, err)
        || jw_at_rename(NULL, out->temp, NULL, out->path, out->how & JW_OUT_REPLACE, err)
               != JW_AT_DONE)
        return false;
    jw_free(out->temp);
    out->temp = NULL;
    return !lasting || sync_folder(out->path, err);
}

void jw_sys_remove(const char *path) { (void)!jw_at_remove(NULL, path, false, JW_IGNORED); }

bool jw_file_remove(const char *path, struct jw_err *err)
{
    return jw_folder_remove(NULL, path, err);
}

bool jw_out_close(struct jw_out *out, bool ok, struct jw_err *err)
{
    ok = ok && give_name(out, err);
    if (out->temp) {
        jw_file_close(&(struct jw_file){out->handle});
        jw_sys_remove(out->temp);
    }
    jw_free(out->temp);
    jw_free(out->path);
    *out = (struct jw_out){.handle = -1};
    return ok;
}

bool jw_file_put(const char *path, unsigned how, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_out out;
    bool ok = jw_out_open(&out, path, how, err) && jw_out_write(&out, bytes.p, bytes.n, err);

    return jw_out_close(&out, ok, err);
}

static bool make_dirs(struct jw_arena *a, const char *path, struct jw_err *err)
{
    const char *above = jw_path_dir(a, path);
    struct jw_file_info info;
    struct jw_err why = {0};

    if (!jw_at_stat(NULL, path, 0, &info, err))
        return false;
    if (info.kind != JW_FILE_NONE)
        return info.kind == JW_FILE_DIR || jw_fail(err, JW_E_IO, "is not a folder");
    if (strcmp(above, path) == 0)
        return jw_fail(err, JW_E_IO, "no such drive or server");
    if (!make_dirs(a, above, err))
        return false;

    return jw_at_mkdir(NULL, path, false, &why) == JW_AT_DONE
           || (jw_at_stat(NULL, path, 0, &info, err)
               && info.kind == JW_FILE_DIR) /* made meanwhile */
           || jw_pass(err, why);
}

bool jw_make_dirs(const char *path, struct jw_err *err)
{
    if (jw_sys_fault(err))
        return false;
    if (!*path)
        return jw_fail(err, JW_E_IO, "the name is empty");

    struct jw_arena a = {0};
    bool ok = make_dirs(&a, path, err);

    jw_arena_free(&a);
    return ok;
}

bool jw_filelock_take(intptr_t handle, unsigned how, unsigned retry_ms, bool *taken,
                      struct jw_err *err)
{
    uint64_t end = jw_time_after_ms(retry_ms);

    *taken = false;
    if (jw_sys_fault(err))
        return false;
    while (jw_at_lock(handle, how, taken, err)) {
        if (*taken || jw_time_monotonic_ns() >= end)
            return true;
        jw_time_sleep_ms(NAP_MS);
    }
    return false;
}

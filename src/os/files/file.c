#include "os/files/file.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "os/files/dir.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/sys.h"

#include <string.h>

enum {
    SLURP_STEP = 16384,
    NAP_MS = 5,
    TEMP_TRIES = 1000,
    TEMP_STEM = 200 /* bytes of the target's name in the temporary name; file names have at most 255 */
};

#define TEMP_BEGIN ".jw"
#define TEMP_END ".tmp"

bool jw_file_change_shows(const struct jw_file_info *info, int64_t now)
{
    enum { SECOND = 1000000000 };
    int64_t step = info->mtime % SECOND || info->ctime % SECOND ? JW_FILE_TICK_NS : 2 * (int64_t)SECOND;

    return (info->mtime > info->ctime ? info->mtime : info->ctime) < now - step;
}

static bool pull_file(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    size_t got;

    if (!jw_file_read(ctx, at, dst, n, &got, err))
        return false;
    return got == n || jw_fail(err, JW_E_IO, "the file shrank while it was read");
}

static void fetch_file(void *ctx, uint64_t at, uint64_t n)
{
    jw_file_prefetch(ctx, at, n);
}

struct jw_source jw_file_source(struct jw_file *f, uint64_t size)
{
    return (struct jw_source){ .size = size, .pull = pull_file, .ctx = f, .prefetch = fetch_file };
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

bool jw_file_open_existing(struct jw_file *f, const char *path, bool *found, struct jw_err *err)
{
    struct jw_err why = { 0 };

    *found = jw_file_open(f, path, &why);
    if (*found || jw_sys_is_not_found(why.os))
        return true;
    *err = why;
    return false;
}

bool jw_file_slurp(const char *path, struct jw_buf *out, bool *found, struct jw_err *err)
{
    struct jw_file f;
    bool ok = jw_file_open_existing(&f, path, found, err) && (!*found || jw_file_read_all(&f, out, err));

    jw_file_close(&f);
    return ok;
}

/* Length of the folder part of a path, with its separator. */
static size_t folder_length(const char *path)
{
    size_t n = strlen(path);

    while (n && !jw_sys_separator(path[n - 1]))
        n--;
    return n;
}

/* The length of the part of a file's name that its temporary files share; no UTF-8 character is cut. */
static size_t stem_length(const char *name)
{
    size_t n = strlen(name);

    if (n <= TEMP_STEM)
        return n;
    for (n = TEMP_STEM; n && ((uint8_t)name[n] & 0xc0) == 0x80;)
        n--;
    return n;
}

/* DIR/.NAME.jw-SYSTEM-PID-N.tmp: beside the target, because a rename must not cross file systems. */
static bool temp_name(const char *path, unsigned n, char **temp, struct jw_err *err)
{
    struct jw_buf name = JW_BUF(JW_MAX_PATH);
    size_t folder = folder_length(path), stem = stem_length(path + folder);

    jw_buf_add(&name, path, folder);
    jw_buf_text(&name, ".");
    jw_buf_add(&name, path + folder, stem);
    jw_buf_printf(&name, TEMP_BEGIN "-%08lx-%lu-%u" TEMP_END, (unsigned long)jw_sys_system(), jw_process_id(),
                  n);
    *temp = name.bad ? NULL : jw_strdup(jw_buf_cstr(&name));
    bool ok = jw_buf_ok(&name, err);
    jw_buf_free(&name);
    return ok;
}

static bool is_abandoned_temp(const char *folder, const char *name)
{
    struct jw_buf owner = JW_BUF(JW_MAX_PATH), path = JW_BUF(JW_MAX_PATH);
    const char *begin = name[0] == '.' && jw_text_ends(name, TEMP_END) ? strstr(name, TEMP_BEGIN "-") : NULL;

    for (const char *next = begin; next; next = strstr(next + 1, TEMP_BEGIN "-"))
        begin = next;
    if (begin)
        jw_buf_add(&owner, begin, strlen(begin) - strlen(TEMP_END));
    jw_buf_printf(&path, "%s/%s", folder, name);
    bool yes = begin && !owner.bad && !path.bad
               && jw_scratch_abandoned(jw_buf_cstr(&path), jw_buf_cstr(&owner), TEMP_BEGIN);

    jw_buf_free(&owner);
    jw_buf_free(&path);
    return yes;
}

void jw_out_sweep(const char *folder)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err ignored;
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool more = true;

    if (!jw_dir_open(&dir, folder, &ignored))
        return;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        if (e.type != JW_ENTRY_FILE || !is_abandoned_temp(folder, e.name))
            continue;
        jw_buf_clear(&path);
        jw_buf_printf(&path, "%s/%s", folder, e.name);
        if (!path.bad)
            jw_sys_remove(jw_buf_cstr(&path));
    }
    jw_buf_free(&path);
    jw_dir_close(dir);
}

/* Fails early if jw_out_close would have to refuse, and never replaces a device. */
static bool target_fits(const char *path, unsigned how, struct jw_err *err)
{
    struct jw_file_info info;

    if (!path[folder_length(path)])
        return jw_fail(err, JW_E_IO, *path ? "is a folder" : "the name is empty");
    if (!jw_file_stat(path, &info, err))
        return false;
    if (info.kind == JW_FILE_DIR)
        return jw_fail(err, JW_E_IO, "is a folder");
    if (info.kind != JW_FILE_NONE && !(how & JW_OUT_REPLACE))
        return jw_fail(err, JW_E_IO, "already exists");
    return info.kind != JW_FILE_OTHER || jw_fail(err, JW_E_IO, "is not a regular file");
}

static bool create_temp(struct jw_out *out, struct jw_err *err)
{
    for (unsigned n = 0; n < TEMP_TRIES; n++) {
        char *temp = NULL;
        bool taken = false;

        if (!temp_name(out->path, n, &temp, err))
            return false;
        if (!jw_sys_create(temp, out->how & JW_OUT_PRIVATE, &out->handle, &taken, err)) {
            jw_free(temp);
            return false;
        }
        if (!taken) {
            out->temp = temp;
            return true;
        }
        jw_free(temp);
    }
    return jw_fail(err, JW_E_IO, "too many temporary files are left beside it");
}

bool jw_out_open(struct jw_out *out, const char *path, unsigned how, struct jw_err *err)
{
    *out = (struct jw_out){ .handle = -1, .how = how };
    if (jw_sys_fault(err) || !target_fits(path, how, err))
        return false;
    if (jw_sys_resolve(path, &out->path, err) && create_temp(out, err))
        return true;
    return jw_out_close(out, false, err);
}

bool jw_out_write(struct jw_out *out, const void *p, size_t n, struct jw_err *err)
{
    return !jw_sys_fault(err) && jw_sys_write(out->handle, p, n, err);
}

static bool put_out(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    return jw_out_write(ctx, p, n, err);
}

struct jw_sink jw_out_sink(struct jw_out *out)
{
    return (struct jw_sink){ put_out, out };
}

/* Makes a rename to `path` last. */
static bool jw_file_sync_folder(const char *path, struct jw_err *err)
{
    char *folder = jw_strdup(path);

    folder[folder_length(path)] = '\0';

    bool ok = jw_sys_sync_folder(*folder ? folder : ".", err);

    jw_free(folder);
    return ok;
}

static bool give_name(struct jw_out *out, struct jw_err *err)
{
    bool lasting = !(out->how & JW_OUT_FAST);

    if (jw_sys_fault(err) || (lasting && !jw_sys_sync(out->handle, err)))
        return false;

    intptr_t handle = out->handle;

    out->handle = -1;
    if (!jw_sys_close(handle, err) || !jw_sys_rename(out->temp, out->path, out->how & JW_OUT_REPLACE, err))
        return false;
    jw_free(out->temp);
    out->temp = NULL;
    return !lasting || jw_file_sync_folder(out->path, err);
}

void jw_sys_remove(const char *path)
{
    struct jw_err ignored;

    (void)!jw_sys_unlink(path, &ignored);
}

bool jw_file_remove(const char *path, struct jw_err *err)
{
    return !jw_sys_fault(err) && jw_sys_unlink(path, err);
}

bool jw_out_close(struct jw_out *out, bool ok, struct jw_err *err)
{
    struct jw_err ignored;

    ok = ok && give_name(out, err);
    if (out->temp) {
        if (out->handle != -1)
            (void)!jw_sys_close(out->handle, &ignored);
        jw_sys_remove(out->temp);
    }
    jw_free(out->temp);
    jw_free(out->path);
    *out = (struct jw_out){ .handle = -1 };
    return ok;
}

bool jw_file_put(const char *path, unsigned how, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_out out;
    bool ok = jw_out_open(&out, path, how, err) && jw_out_write(&out, bytes.p, bytes.n, err);

    return jw_out_close(&out, ok, err);
}

/* Goes up until a folder exists or can be created, cutting `part` at separators, then down again. */
static bool make_part(char *part, const char *path, struct jw_err *err)
{
    size_t n = strlen(path), at = n;
    bool no_parent = false;

    for (;;) {
        if (!jw_sys_mkdir(part, &no_parent, err))
            return false;
        if (!no_parent)
            break;
        while (at && !jw_sys_separator(part[at - 1]))
            at--;
        if (at <= 1)
            return jw_fail(err, JW_E_IO, "no such folder to make it in");
        part[--at] = '\0';
    }
    while ((at = strlen(part)) < n) {
        part[at] = path[at];
        if (!jw_sys_mkdir(part, &no_parent, err))
            return false;
        if (no_parent)
            return jw_fail(err, JW_E_IO, "its folder vanished");
    }
    return true;
}

bool jw_make_dirs(const char *path, struct jw_err *err)
{
    if (jw_sys_fault(err))
        return false;
    if (!*path)
        return jw_fail(err, JW_E_IO, "the name is empty");

    char *part = jw_strdup(path);
    bool ok = make_part(part, path, err);

    jw_free(part);
    return ok;
}

/* `mark`: other processes can read the file on Windows, too. */
static bool take_lock(intptr_t handle, bool write, bool mark, unsigned retry_ms, bool *taken,
                      struct jw_err *err)
{
    uint64_t end = jw_time_after_ms(retry_ms);

    *taken = false;
    if (jw_sys_fault(err))
        return false;
    while (jw_sys_lock(handle, write, mark, taken, err)) {
        if (*taken || jw_time_monotonic_ns() >= end)
            return true;
        jw_time_sleep_ms(NAP_MS);
    }
    return false;
}

bool jw_filelock_take(intptr_t handle, bool write, unsigned retry_ms, bool *taken, struct jw_err *err)
{
    return take_lock(handle, write, false, retry_ms, taken, err);
}

bool jw_filelock_take_mark(intptr_t handle, bool write, unsigned retry_ms, bool *taken, struct jw_err *err)
{
    return take_lock(handle, write, true, retry_ms, taken, err);
}

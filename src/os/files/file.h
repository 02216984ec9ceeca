/* Files, read and written by position. All paths are UTF-8.
 *
 * Only regular files can be opened, and opening never blocks: a pipe, a device or a folder is an
 * error. Errors do not name the file (the caller does, with jw_wrap); they carry `err->os`. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "base/source.h"
#include "jitwarm/err.h"

#include <stdatomic.h>

/* Identifies a file: two names of one file have equal ids. */
struct jw_file_id {
    uint64_t volume, node;
};

static inline bool jw_file_same(struct jw_file_id a, struct jw_file_id b)
{
    return a.volume == b.volume && a.node == b.node;
}

enum jw_file_kind {
    JW_FILE_NONE,
    JW_FILE_REGULAR,
    JW_FILE_DIR,
    JW_FILE_LINK, /* only where links are not followed */
    JW_FILE_OTHER
};

struct jw_file_info {
    enum jw_file_kind kind;
    uint64_t size;
    int64_t mtime; /* nanoseconds since 1970 */
    /* the same, of the last change of content, name or rights: no program can set it back */
    int64_t ctime;
    struct jw_file_id id;
    uint32_t mode; /* permissions and set-id bits; Windows: 0 */
};

/* True if, as far as its data show, nobody wrote to the file (or made or removed a name in the
 * folder) since `was`. The volume's number does not count: containers and NFS have another one at
 * each mount, and two images may have the same. */
static inline bool jw_file_unchanged(const struct jw_file_info *was, const struct jw_file_info *now)
{
    return was->kind == now->kind && was->size == now->size && was->mtime == now->mtime
           && was->ctime == now->ctime && was->id.node == now->id.node;
}

/* Would a later change show: was the last one so long before `now` (jw_time_unix_ns) that the next
 * one gets another time? Never if the change time has no part of a second: in an image (squashfs,
 * ISO, ext4 of a reproducible build) its maker set it. */
bool jw_file_change_shows(const struct jw_file_info *info, int64_t now);

struct jw_file {
    intptr_t handle; /* JW_FILE_CLOSED when not open */
};

#define JW_FILE_CLOSED ((struct jw_file){-1})

bool jw_file_open(struct jw_file *f, const char *path, struct jw_err *err) JW_MUST;
/* A missing file: true, and `*found` is false. */
bool jw_file_open_existing(struct jw_file *f, const char *path, bool *found,
                           struct jw_err *err) JW_MUST;
/* Opens a file of jitwarm for reading and writing; makes a missing one, for this user alone. */
bool jw_file_make(struct jw_file *f, const char *path, struct jw_err *err) JW_MUST;
bool jw_file_info(const struct jw_file *f, struct jw_file_info *info, struct jw_err *err) JW_MUST;
/* Follows links. A missing file is no error: kind JW_FILE_NONE, and true. */
bool jw_file_stat(const char *path, struct jw_file_info *info, struct jw_err *err) JW_MUST;
bool jw_is_link(const char *path); /* whatever it leads to */

/* Reads `n` bytes, or fewer at the end of the file. */
bool jw_file_read(struct jw_file *f, uint64_t at, void *dst, size_t n, size_t *got,
                  struct jw_err *err) JW_MUST;

/* Opens the file, reads exactly `n` bytes, and closes it. JW_E_FORMAT: it ends early. */
bool jw_file_read_part(const char *path, uint64_t at, void *dst, size_t n,
                       struct jw_err *err) JW_MUST;

/* A source over `f`, which must outlive it. A short read fails: the file shrank. */
struct jw_source jw_file_source(struct jw_file *f, uint64_t size);

void jw_file_close(struct jw_file *f); /* accepts a closed one */

/* Writes all of it, in parts. */
bool jw_sys_write_all(intptr_t handle, uint64_t at, const void *p, size_t n,
                      struct jw_err *err) JW_MUST;
/* Writes in place, to a file that is open for writing. A failed write may have written a part. */
bool jw_file_write(struct jw_file *f, uint64_t at, const void *p, size_t n,
                   struct jw_err *err) JW_MUST;

bool jw_file_truncate(struct jw_file *f, uint64_t size, struct jw_err *err) JW_MUST;
/* After it, content and size survive a power cut. */
bool jw_file_sync(struct jw_file *f, struct jw_err *err) JW_MUST;
/* Starts writing to the disk in the background, so that a later sync waits less. */
void jw_file_start_writing(const struct jw_file *f);

/* Appends the content of a small open file to `out`, up to its maximum. */
bool jw_file_read_all(struct jw_file *f, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* Appends the content of a small file to `out`, up to its maximum. `*found` false: it is
 * missing. */
bool jw_file_slurp(const char *path, struct jw_buf *out, bool *found, struct jw_err *err) JW_MUST;

/* How a file is written; any of these together. */
enum jw_out_how {
    JW_OUT_NEW = 0,     /* a name that is taken is an error: JW_E_IO, "already exists" */
    JW_OUT_REPLACE = 1, /* a regular file of that name is replaced */
    JW_OUT_PRIVATE = 2, /* mode 0600; on Windows an access list with this user alone */
    JW_OUT_FAST = 4     /* not synced: after a power cut it may be missing, or empty */
};

/* Writes a whole file: jw_out_open creates a temporary file beside `path`, and jw_out_close gives
 * it the name if `ok`, else removes it. Other programs see the old content or the new one. Links
 * are followed. If only the folder could not be synced, the new file stays. */
struct jw_out {
    intptr_t handle;
    char *path, *temp;
    unsigned how;
};

bool jw_out_open(struct jw_out *out, const char *path, unsigned how, struct jw_err *err) JW_MUST;
bool jw_out_write(struct jw_out *out, const void *p, size_t n, struct jw_err *err) JW_MUST;
struct jw_sink jw_out_sink(struct jw_out *out);
/* Gives `ok`, or false if the file could not get its name. Accepts a closed and a zeroed one. */
bool jw_out_close(struct jw_out *out, bool ok, struct jw_err *err);

/* All of these steps, for bytes in memory. */
bool jw_file_put(const char *path, unsigned how, struct jw_bytes bytes, struct jw_err *err) JW_MUST;

bool jw_file_remove(const char *path, struct jw_err *err) JW_MUST; /* true if it does not exist */

/* Removes the temporary files that killed processes left in this folder: those of this system at
 * once, those of another one that shares the folder when they are a day old. */
void jw_out_sweep(const char *folder);

/* As mkdir -p, mode 0755 & ~umask. */
bool jw_make_dirs(const char *path, struct jw_err *err) JW_MUST;

/* From now on standard input is this file, pipe or device. Does not wait for a writer. */
bool jw_stdin_take(const char *path, struct jw_err *err) JW_MUST;

/* Reads up to `n` bytes of standard input, as soon as there are any; `*got` 0: end of input.
 * JW_E_INTERRUPTED: `*interrupted` (may be NULL) was set meanwhile. */
bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted,
                   struct jw_err *err) JW_MUST;

enum jw_filelock_how {
    JW_LOCK_READ = 0,
    JW_LOCK_WRITE = 1, /* needs a file that is open for writing */
    JW_LOCK_MARK = 2   /* with either: other processes can read the locked file on Windows, too */
};

/* Locks a whole open file, with the kind of lock that NVIDIA's driver uses. Linux: a record lock of
 * the open file description: it conflicts with fcntl(F_SETLK), and closing another descriptor of
 * the file does not drop it. Windows: LockFileEx over the whole range; a mark is on bytes far
 * behind the end, which excludes both kinds. driver-fact: F40-record-locks, F41-ofd-excludes,
 * F46-windows-lock
 *
 * `handle` is that of a jw_file. Retries for `retry_ms`. If another process still holds the lock:
 * true, and `*taken` is false. */
bool jw_filelock_take(intptr_t handle, unsigned how, unsigned retry_ms, bool *taken,
                      struct jw_err *err) JW_MUST;
bool jw_filelock_drop(intptr_t handle, struct jw_err *err) JW_MUST; /* closing the file does, too */

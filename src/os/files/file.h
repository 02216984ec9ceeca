/*
 * Files by position. Paths are UTF-8 everywhere above this line.
 *
 * Opening never blocks and gives nothing but a regular file: a pipe, a device or a folder is refused with
 * a sentence. Errors do not name the file (the caller does, by jw_wrap); they carry `err->os`.
 */
#ifndef OS_FILES_FILE_H
#define OS_FILES_FILE_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/source.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two names of one file have equal ids. */
struct jw_file_id {
    uint64_t volume, node;
};

enum jw_file_kind { JW_FILE_NONE, JW_FILE_REGULAR, JW_FILE_DIR, JW_FILE_OTHER };

struct jw_file_info {
    enum jw_file_kind kind;
    uint64_t size;
    int64_t mtime; /* nanoseconds since 1970 */
    struct jw_file_id id;
};

struct jw_file {
    intptr_t handle; /* JW_FILE_CLOSED when not open */
    uint64_t bytes_read;
};

#define JW_FILE_CLOSED ((struct jw_file){ -1, 0 })

bool jw_file_open(struct jw_file *f, const char *path, struct jw_err *err) JW_MUST;
bool jw_file_info(const struct jw_file *f, struct jw_file_info *info, struct jw_err *err) JW_MUST;
/* Follows links. Absence is an answer: kind JW_FILE_NONE, and true. */
bool jw_file_stat(const char *path, struct jw_file_info *info, struct jw_err *err) JW_MUST;

/* Up to `n` bytes; fewer only at the end. One thread at a time per jw_file, for it counts what it reads. */
bool jw_file_read(struct jw_file *f, uint64_t at, void *dst, size_t n, size_t *got,
                  struct jw_err *err) JW_MUST;

/* A source over `f`, which must outlive it; a short read is "the file shrank while it was read". */
struct jw_source jw_file_source(struct jw_file *f, uint64_t size);

void jw_file_close(struct jw_file *f); /* accepts a closed one */

/* In place, of a file that is open to be changed (os/files/tree.h). A write that fails may have written a part. */
bool jw_file_write(struct jw_file *f, uint64_t at, const void *p, size_t n, struct jw_err *err) JW_MUST;
bool jw_file_cut(struct jw_file *f, uint64_t size, struct jw_err *err) JW_MUST;
bool jw_file_sync(struct jw_file *f,
                  struct jw_err *err) JW_MUST; /* its bytes and its size outlive a power cut */
/* What was written sets out for the disk while the caller goes on, so that a later sync has less to wait for. Promises
 * nothing. */
void jw_file_push(const struct jw_file *f);

/* The whole of a small file that is open, appended; the maximum of `out` holds. */
bool jw_file_read_all(struct jw_file *f, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* The whole of a small file, appended; the maximum of `out` holds. None there: `found` false, and true. */
bool jw_file_slurp(const char *path, struct jw_buf *out, bool *found, struct jw_err *err) JW_MUST;

/*
 * A new file. jw_out_open writes to a temporary name beside `path`; jw_out_commit syncs it and gives it its
 * name, and refuses with JW_E_IO ("already exists") when `replace` is false and the name is taken
 * (jw_out_open does so too, so that no work is lost on it); jw_out_close without commit removes it. A link is
 * followed, and what is there but is not a regular file is never replaced. A commit that fails only in
 * syncing the folder leaves the file in its place.
 */
struct jw_out {
    intptr_t handle;
    char *path, *temp;
    bool replace;
};

bool jw_out_open(struct jw_out *out, const char *path, bool replace, struct jw_err *err) JW_MUST;
bool jw_out_write(struct jw_out *out, const void *p, size_t n, struct jw_err *err) JW_MUST;
struct jw_sink jw_out_sink(struct jw_out *out);
bool jw_out_commit(struct jw_out *out, struct jw_err *err) JW_MUST;
void jw_out_close(struct jw_out *out); /* accepts a zeroed one */

bool jw_make_dirs(const char *path, struct jw_err *err) JW_MUST; /* like mkdir -p: mode 0777 & ~umask */

/* Makes a file this user's alone, whatever the folder that it lies in says: mode 0600; Windows: a list of rights that has this user alone, and takes none from its folder. A file system that keeps
 * no rights leaves it as it is. The error does not name the file. */
bool jw_own_file(const char *path, struct jw_err *err) JW_MUST;

/* Standard input as bytes, in order: up to `n`, as soon as there are any; `*got` 0: it has ended. JW_E_INTERRUPTED: `*interrupted` (NULL: never) was
 * set while we waited. */
bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted,
                   struct jw_err *err) JW_MUST;

/*
 * Record locks on a whole file that is open: the kind that other programs honour, too. Linux: a record lock
 * that belongs to the open file description, so that closing another descriptor of the file does not drop it,
 * and that conflicts with those of fcntl(F_SETLK). Windows: LockFileEx over the whole range. driver-fact:
 * F40-record-locks, F41-ofd-excludes, F46-windows-lock
 *
 * `handle` of a jw_file or a jw_out; to lock for writing it must be open for writing. Tries again for
 * `retry_ms`; somebody else still having it is an answer: `*taken` false, and true.
 */
bool jw_filelock_take(intptr_t handle, bool write, unsigned retry_ms, bool *taken,
                      struct jw_err *err) JW_MUST;

/*
 * The same for a file whose content others are to read meanwhile, which the kind above forbids on Windows: there
 * it is a mark far behind the end. The two kinds exclude each other.
 */
bool jw_filelock_take_mark(intptr_t handle, bool write, unsigned retry_ms, bool *taken,
                           struct jw_err *err) JW_MUST;

bool jw_filelock_drop(intptr_t handle, struct jw_err *err) JW_MUST; /* closing the file drops both kinds */

#endif

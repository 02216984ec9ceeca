/*
 * Record locks on a whole file that is open: the kind that other programs honour, too. Linux: a record lock
 * that belongs to the open file description, so that closing another descriptor of the file does not drop it,
 * and that conflicts with those of fcntl(F_SETLK). Windows: LockFileEx over the whole range. driver-fact:
 * F40-record-locks, F41-ofd-excludes, F46-windows-lock
 */
#ifndef OS_FILES_LOCK_H
#define OS_FILES_LOCK_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
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

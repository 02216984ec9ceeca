/* A text log of our own that many short-lived processes add lines to, and that never grows past two files of a size. */
#ifndef MACHINE_RUNLOG_H
#define MACHINE_RUNLOG_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

enum { JW_RUNLOG_FULL = 128 << 10 };

/*
 * `lines` at the end of `path`, in one write. When that would make the file larger than JW_RUNLOG_FULL, it becomes
 * PATH.1 first, over the one that has that name. The folder is made when it is missing, and must be nobody else's.
 */
bool jw_runlog_add(const char *path, struct jw_bytes lines, struct jw_err *err) JW_MUST;

/* PATH.1 and then PATH, appended; what is missing is empty. */
bool jw_runlog_read(const char *path, struct jw_buf *out, struct jw_err *err) JW_MUST;

#endif

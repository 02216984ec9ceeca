/* A log file for many short-lived processes, limited to two files of a fixed size. */
#ifndef MACHINE_RUNLOG_H
#define MACHINE_RUNLOG_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

enum { JW_RUNLOG_FULL = 128 << 10 };

/*
 * Appends `lines` to `path` in one write. A file that would grow beyond JW_RUNLOG_FULL is first renamed to PATH.1.
 * Creates a missing folder; refuses a folder that other users can change.
 */
bool jw_runlog_add(const char *path, struct jw_bytes lines, struct jw_err *err) JW_MUST;

/* Appends PATH.1 and then PATH to `out`. Missing files count as empty. */
bool jw_runlog_read(const char *path, struct jw_buf *out, struct jw_err *err) JW_MUST;

#endif

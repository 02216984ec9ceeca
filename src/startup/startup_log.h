/*
 * The log of prime --background: startup.log in the state folder, renamed to startup.log.1 when it is full. One line
 * for each run that had nothing to do, two for others:
 *
 *   2026-11-20T15:40:12Z <tab> began|an end of prime <tab> exit code <tab> milliseconds <tab> what it did <tab> PID@START
 */
#ifndef STARTUP_STARTUP_LOG_H
#define STARTUP_STARTUP_LOG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_startup_run {
    int64_t when; /* seconds since 1970: when the line was written */
    unsigned long pid;
    const char *start; /* of that process, as in os/process/process.h */
    const char *end;   /* "began", or as jw_end_name */
    unsigned exit;
    uint64_t milliseconds;
    const char *what; /* a sentence, or "" */
    bool began;       /* it has not ended, as far as the log says */
};

/* Appends a line; control characters become \xNN. */
void jw_startup_write_line(struct jw_buf *out, const struct jw_startup_run *run);

/* The last run of a log; texts live in `a`. Skips invalid lines. */
void jw_startup_last_run(struct jw_bytes log, struct jw_arena *a, struct jw_startup_run *out, bool *found);

/* ---- the files, each limited to a fixed size, for many short-lived processes ---- */

enum { JW_RUNLOG_FULL = 128 << 10 };

/*
 * Appends `lines` to `path` in one write. A file that would grow beyond JW_RUNLOG_FULL is first renamed to PATH.1.
 * Creates a missing folder; refuses a folder that other users can change.
 */
bool jw_runlog_add(const char *path, struct jw_bytes lines, struct jw_err *err) JW_MUST;

/* Appends PATH.1 and then PATH to `out`. Missing files count as empty. */
bool jw_runlog_read(const char *path, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* Its path, or NULL. */
const char *jw_startup_log_path(struct jw_arena *a, struct jw_err *err);

bool jw_startup_log_add(const struct jw_startup_run *run, struct jw_err *err) JW_MUST;
bool jw_startup_log_read(struct jw_arena *a, struct jw_startup_run *out, bool *found,
                         struct jw_err *err) JW_MUST;

#endif

/*
 * The log of runs that nobody watches (prime --background): startup.log in the state folder, and startup.log.1, which it
 * becomes when it is full. A line for each run that had nothing to do, two for one that had:
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
    const char *start; /* of that process, as os/process/process.h tells it apart from a later one */
    const char *end;   /* "began", or as jw_end_name */
    unsigned exit;
    uint64_t milliseconds;
    const char *what; /* a sentence; "" none */
    bool began;       /* it began, and nothing says that it ended */
};

/* Appends the line; what could break it is shown as \xNN. */
void jw_startup_write_line(struct jw_buf *out, const struct jw_startup_run *run);

/* The last run that a log tells of; texts live in `a`. Lines that make no sense are passed over. `*found` false: there is
 * none. */
void jw_startup_last_run(struct jw_bytes log, struct jw_arena *a, struct jw_startup_run *out, bool *found);

/* ---- the file ---- */

/* Where it is; NULL with a sentence when the system names no folder. */
const char *jw_startup_log_path(struct jw_arena *a, struct jw_err *err);

bool jw_startup_log_add(const struct jw_startup_run *run, struct jw_err *err) JW_MUST;
bool jw_startup_log_read(struct jw_arena *a, struct jw_startup_run *out, bool *found,
                         struct jw_err *err) JW_MUST;

#endif

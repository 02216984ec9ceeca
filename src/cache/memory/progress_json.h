/*
 * status.json: the progress of a running prime. One object, times in seconds:
 *
 *   { "schema": "jitwarm.progress/1", "pid": 4711, "started": 1790000000,
 *     "phase": "look" | "ask-driver" | "compile" | "verify", "at": "/opt/app/lib.so" or null,
 *     "done": 41, "total": 143, "failed": 0, "done_bytes": 108000000, "total_bytes": 266000000,
 *     "seconds": 63.250, "eta_seconds": 72.000 or null, "late_seconds": 0.000,
 *     "slots": [ { "what": "libggml-cuda.so: flash_attn", "ptx_bytes": 12400000, "seconds": 38.100 } ],
 *     "slowest": { "what": "libggml-cuda.so: mul_mat_q", "seconds": 58.000 } or null }
 */
#ifndef CACHE_MEMORY_PROGRESS_JSON_H
#define CACHE_MEMORY_PROGRESS_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/rows.h"
#include "jitwarm/prime.h"

struct jw_progress_who {
    unsigned long pid;
    int64_t started; /* seconds since 1970 */
};

struct jw_progress_record {
    struct jw_progress_who who;
    struct jw_prime_progress now; /* `finished` is NULL */
};

const char *jw_prime_phase_name(enum jw_prime_phase phase); /* "compile" */

bool jw_progress_write(struct jw_buf *out, const struct jw_progress_who *who,
                       const struct jw_prime_progress *p, struct jw_err *err) JW_MUST;

/* All fields but the schema, of struct jw_progress_record. */
extern const struct jw_row jw_progress_rows[];

/* The result lives in `a`. Missing or wrong fields are JW_E_FORMAT; unknown fields are ignored. */
bool jw_progress_read(struct jw_bytes text, struct jw_arena *a, struct jw_progress_record *out,
                      struct jw_err *err) JW_MUST;

#endif

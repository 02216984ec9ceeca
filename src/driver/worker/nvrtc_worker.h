/*
 * NVRTC, at arm's length. This process never loads it: a child of our own program does (protocol:
 * driver/worker/proto.h). One that crashes, hangs, exits or prints costs the child.
 */
#ifndef DRIVER_WORKER_NVRTC_WORKER_H
#define DRIVER_WORKER_NVRTC_WORKER_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_nvrtc_library {
    const char *path; /* of the file that was loaded, links resolved; "" when the loader does not say */
    unsigned major, minor;
    const uint16_t *archs; /* 86: those that it compiles for, as it tells them */
    size_t n_archs;        /* 0: older than 11.2, which do not say */
    bool simulated;        /* it carries the marker of the project's own simulated NVRTC */
};

struct jw_nvrtc_worker_options {
    const char *library;            /* an absolute path, or a file name for the loader ("libnvrtc.so.13") */
    const char *exe;                /* NULL: this program */
    unsigned timeout_ms;            /* for the start, and for each compilation; 0: 60 s and 30 min */
    const atomic_bool *interrupted; /* NULL: never. Once it is set, waiting ends with JW_E_INTERRUPTED */
};

struct jw_nvrtc_worker;

/*
 * Starts a child and waits for its word about the library. False: JW_E_DRIVER, with a sentence that names
 * it, when it cannot be loaded, is no NVRTC, crashes or hangs; another code when there is no such child to
 * be had. On Linux the child dies with the calling thread.
 */
bool jw_nvrtc_worker_start(struct jw_nvrtc_worker **out, const struct jw_nvrtc_worker_options *o,
                           struct jw_err *err) JW_MUST;
const struct jw_nvrtc_library *jw_nvrtc_worker_library(const struct jw_nvrtc_worker *w);

struct jw_nvrtc_job {
    const char *name;       /* of the source, in messages, and in names that NVRTC makes */
    struct jw_bytes source; /* at most JW_MAX_CU_SOURCE, without a NUL */
    const char *const *options;
    size_t n_options;
};

struct jw_nvrtc_result {
    unsigned code; /* nvrtcResult; 0: there is PTX */
    char name[64]; /* "NVRTC_ERROR_COMPILATION" */
    bool log_cut;  /* it said more than JW_MAX_RTC_LOG bytes */
    unsigned milliseconds;
};

/* Appends the PTX, and what NVRTC said; both as it gave them. A source that does not compile is a result.
 * False when the child did not come to an answer; it is used up then. */
bool jw_nvrtc_worker_compile(struct jw_nvrtc_worker *w, const struct jw_nvrtc_job *job, struct jw_buf *ptx,
                             struct jw_buf *log, struct jw_nvrtc_result *out, struct jw_err *err) JW_MUST;

void jw_nvrtc_worker_stop(struct jw_nvrtc_worker *w); /* ends the child; accepts NULL */

#endif

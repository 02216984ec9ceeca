/* NVRTC in a child process, so that a crash or a hang of the library only ends the child. Protocol:
 * driver/worker/proto.h. */
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
    const char *path; /* of the loaded file, links resolved; "" unknown */
    unsigned major, minor;
    const uint16_t *archs; /* that it compiles for: 86 */
    size_t n_archs;        /* 0: unknown (before 11.2) */
};

struct jw_nvrtc_worker_options {
    const char *library;            /* an absolute path, or a file name for the loader ("libnvrtc.so.13") */
    const char *exe;                /* NULL: this program */
    unsigned timeout_ms;            /* for the start, and for each compilation; 0: 60 s and 30 min */
    const atomic_bool *interrupted; /* set: waiting ends with JW_E_INTERRUPTED; NULL: never */
};

struct jw_nvrtc_worker;

/*
 * Starts a child and waits until it reports the library. Fails with JW_E_DRIVER when the library cannot be loaded, is
 * no NVRTC, crashes or hangs; with another code when no child can be started. On Linux the child dies with the calling
 * thread.
 */
bool jw_nvrtc_worker_start(struct jw_nvrtc_worker **out, const struct jw_nvrtc_worker_options *o,
                           struct jw_err *err) JW_MUST;
const struct jw_nvrtc_library *jw_nvrtc_worker_library(const struct jw_nvrtc_worker *w);

struct jw_nvrtc_job {
    const char *name;       /* of the source, for messages and generated names */
    struct jw_bytes source; /* at most JW_MAX_CU_SOURCE; without a NUL */
    const char *const *options;
    size_t n_options;
};

struct jw_nvrtc_result {
    unsigned code; /* nvrtcResult; 0: PTX was made */
    char name[64]; /* "NVRTC_ERROR_COMPILATION" */
};

/* Appends the PTX and the log, unchanged; the log is cut at JW_MAX_RTC_LOG bytes. A source that does not compile is a result, not an error.
 * False: the child gave no answer and cannot be used again. */
bool jw_nvrtc_worker_compile(struct jw_nvrtc_worker *w, const struct jw_nvrtc_job *job, struct jw_buf *ptx,
                             struct jw_buf *log, struct jw_nvrtc_result *out, struct jw_err *err) JW_MUST;

void jw_nvrtc_worker_stop(struct jw_nvrtc_worker *w); /* ends the child; accepts NULL */

#endif

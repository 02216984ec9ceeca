/* NVRTC in a child process, which compiles one source and ends: a crash or a hang of the library only ends the child. The
 * records that it sends: driver/worker/proto.h. */
#ifndef DRIVER_WORKER_NVRTC_WORKER_H
#define DRIVER_WORKER_NVRTC_WORKER_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "formats/arch.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>

struct jw_nvrtc_job {
    const char *library; /* an absolute path, or a file name for the loader ("libnvrtc.so.13") */
    const char *source;  /* an absolute path; its folder is searched for headers */
    const char *digest;  /* hex, BLAKE2b-256 of its text: another text is not compiled */
    struct jw_arch target;
    bool older;                     /* an older architecture will do: its PTX runs on newer GPUs */
    unsigned driver_cuda;           /* 13010: newer PTX is of no use here; 0: not known */
    unsigned timeout_ms;            /* of the start, and of the compilation; 0: 60 s and 30 min */
    const atomic_bool *interrupted; /* set: waiting ends with JW_E_INTERRUPTED; NULL: never */
};

enum jw_nvrtc_end {
    JW_NVRTC_MADE,
    JW_NVRTC_REFUSED, /* the source does not compile, or cannot be read */
    JW_NVRTC_UNFIT,   /* the library does not compile for the target, or not for this driver */
    JW_NVRTC_BROKEN,  /* it cannot be loaded, crashed or hung */
    JW_NVRTC_ENDS
};

struct jw_nvrtc_answer {
    enum jw_nvrtc_end end;
    enum jw_code code;     /* of REFUSED */
    unsigned major, minor; /* of the library; 0.0: it was not loaded */
    struct jw_arch target; /* of MADE */
    char why[384];         /* of the others, a clause */
};

/* Reads a source, without UTF-8's mark at its start. */
bool jw_nvrtc_source(const char *path, struct jw_buf *out, uint8_t digest[JW_DIGEST],
                     struct jw_err *err) JW_MUST;

/* Appends the PTX of MADE, and the log of MADE and REFUSED, unchanged; the log is cut at JW_MAX_RTC_LOG bytes. False:
 * interrupted, or no child could be started. On Linux the child dies with the calling thread. */
bool jw_nvrtc_run(const struct jw_nvrtc_job *job, struct jw_buf *ptx, struct jw_buf *log,
                  struct jw_nvrtc_answer *out, struct jw_err *err) JW_MUST;

#endif

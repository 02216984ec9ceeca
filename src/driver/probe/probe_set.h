/* The modules of the probe: one small kernel in every form in which frameworks hand PTX to the driver. */
#ifndef DRIVER_PROBE_PROBE_SET_H
#define DRIVER_PROBE_PROBE_SET_H

#include "base/buf.h"
#include "driver/worker/worker.h"
#include "jitwarm/err.h"

#include <stdbool.h>

enum { JW_PROBE_MAX = 8 };

struct probe_module {
    const char *what;    /* "plain text", "container packed with zstd" */
    const char *file;    /* its name in the probe's folder */
    const char *options; /* as stored; "" none */
    bool text, optional; /* optional: a driver of this version may yet refuse it */
    unsigned nuls;       /* behind the PTX in the key of its entry */
    struct jw_buf ptx;   /* what is compiled, without a NUL */
    struct jw_buf image; /* what the driver is given */
};

/* The canary as text: its kernel is named after `k`, and adds `n`. Two of one `k` are alike but for what they compute. */
bool jw_probe_canary(struct jw_buf *out, unsigned cuda_version, unsigned k, unsigned n,
                     struct jw_err *err) JW_MUST;

/* The modules that a driver of this CUDA version can compile; the last one is for the placing test and
 * differs from all others. */
bool jw_probe_set_make(struct probe_module set[JW_PROBE_MAX], size_t *n, unsigned cuda_version,
                       struct jw_err *err) JW_MUST;
void jw_probe_set_drop(struct probe_module set[JW_PROBE_MAX], size_t *n, size_t at); /* one of them */
void jw_probe_set_free(struct probe_module set[JW_PROBE_MAX]);

#endif

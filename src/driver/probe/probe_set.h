/* The modules of the probe: a small kernel in every form in which frameworks pass PTX to the
 * driver. */
#pragma once

#include "base/buf.h"
#include "jitwarm/err.h"

enum { JW_PROBE_MAX = 8 };

struct probe_module {
    const char *what;    /* "plain text", "container packed with zstd" */
    const char *file;    /* file name in the probe's folder */
    const char *options; /* as the container stores them; "": none */
    bool text;
    unsigned nuls;       /* after the PTX in its key */
    struct jw_buf ptx;   /* without a NUL */
    struct jw_buf image; /* the bytes for the driver */
};

/* Makes the modules that a driver of this CUDA version can compile. The last one is for the placing
 * test. */
bool probe_set_make(struct probe_module set[JW_PROBE_MAX], size_t *n, unsigned cuda_version,
                    struct jw_err *err) JW_MUST;
void probe_set_free(struct probe_module set[JW_PROBE_MAX]);

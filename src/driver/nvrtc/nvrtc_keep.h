/* PTX that NVRTC made of .cu files, kept in a folder, so that one file stays one file for prime. */
#ifndef DRIVER_NVRTC_NVRTC_KEEP_H
#define DRIVER_NVRTC_NVRTC_KEEP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "jitwarm/err.h"
#include "software/find/toolkit_find.h"

#include <stdbool.h>

/* The PTX of a source depends on this alone. */
struct jw_nvrtc_asked {
    const char *folder; /* absolute: another has other headers */
    const char *name;   /* "k.cu" */
    const char *arch;   /* as asked for */
    unsigned driver_cuda;
    uint8_t source[JW_DIGEST];
    const struct jw_toolkit_places *libraries; /* one of them makes it */
    bool by_loader; /* one that the loader finds, which may be another one tomorrow */
};

/* Its file in `folder`: HEX-NAME.ptx; in `a`. */
const char *jw_nvrtc_kept_path(struct jw_arena *a, const char *folder, const struct jw_nvrtc_asked *asked);

/* Tells whether the source alone decides the PTX: it includes no header, which might have changed. */
bool jw_nvrtc_stands_alone(struct jw_bytes source);

/* Appends the kept PTX. False: there is none that can be read. */
bool jw_nvrtc_kept(const char *path, struct jw_buf *ptx);

/* Keeps the PTX in its folder, which is made if necessary. A file that holds it already stays as it is, so that
 * the ledger knows it. Removes what was kept JW_NVRTC_KEPT_DAYS ago. */
enum { JW_NVRTC_KEPT_DAYS = 90 };
bool jw_nvrtc_keep(const char *path, struct jw_bytes ptx, struct jw_arena *a, struct jw_err *err) JW_MUST;

#endif

/* PTX that NVRTC made, kept in the state folder, so that the next prime of the same source finds the same file. */
#ifndef DRIVER_NVRTC_NVRTC_KEEP_H
#define DRIVER_NVRTC_NVRTC_KEEP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "driver/worker/nvrtc_worker.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

/* The file in `folder` for this source, its name, the options and the NVRTC library: HEX-NAME.ptx; in `a`. */
const char *jw_nvrtc_kept_path(struct jw_arena *a, const char *folder, const struct jw_nvrtc_job *job,
                               const struct jw_nvrtc_library *lib);

/* Whether the source alone decides the PTX: it includes no header, which might have changed. */
bool jw_nvrtc_stands_alone(struct jw_bytes source);

/* Appends the kept PTX. False: there is none that can be read. */
bool jw_nvrtc_kept(const char *path, struct jw_buf *ptx);

/* Keeps the PTX in its folder, which is made if necessary. A file that holds it already stays as it is, so that a
 * receipt of it holds. Removes what was kept JW_NVRTC_KEPT_DAYS ago. */
enum { JW_NVRTC_KEPT_DAYS = 90 };
bool jw_nvrtc_keep(const char *path, struct jw_bytes ptx, struct jw_arena *a, struct jw_err *err) JW_MUST;

#endif

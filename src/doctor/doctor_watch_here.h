/* A watch of this machine's driver, which explains events by the driver's files and its cache. */
#ifndef DOCTOR_DOCTOR_WATCH_HERE_H
#define DOCTOR_DOCTOR_WATCH_HERE_H

#include "doctor/doctor_watch.h"
#include "jitwarm/gpu.h"
#include "session/session.h"

enum { JW_WATCH_GPUS = 16 };

struct jw_watch_here {
    struct jw_session *session;
    const char *driver; /* its version; NULL: unknown */
    struct jw_gpu gpus[JW_WATCH_GPUS];
    size_t n_gpus;
};

/* Fills in the fields of `out` about this machine; the caller sets the duration and the callbacks. `here` must live as
 * long as the watch. */
bool jw_watch_here(struct jw_session *s, struct jw_watch_here *here, struct jw_compile_watch *out,
                   struct jw_err *err) JW_MUST;

#endif

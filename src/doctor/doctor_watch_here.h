/* A watch of this machine's driver, with what its files and its cache say of what is seen. */
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

/* Fills in what of `out` is this machine's; the caller says how long, and who is told. `here` must live as long as the
 * watch. */
bool jw_watch_here(struct jw_session *s, struct jw_watch_here *here, struct jw_compile_watch *out,
                   struct jw_err *err) JW_MUST;

#endif

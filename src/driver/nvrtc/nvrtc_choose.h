/* Which of this machine's NVRTC libraries is to compile. */
#ifndef DRIVER_NVRTC_NVRTC_CHOOSE_H
#define DRIVER_NVRTC_NVRTC_CHOOSE_H

#include "base/arena.h"
#include "base/compiler.h"
#include "driver/worker/nvrtc_worker.h"
#include "formats/arch.h"
#include "jitwarm/err.h"
#include "software/find/toolkit_find.h"

#include <stdbool.h>
#include <stddef.h>

/* What a library can do for a target. */
enum jw_nvrtc_fit {
    JW_FIT_NONE,   /* nothing that runs there */
    JW_FIT_UNTOLD, /* it is too old to say what it knows */
    JW_FIT_OLDER,  /* an older architecture, whose PTX every newer GPU takes */
    JW_FIT_EXACTLY
};

struct jw_nvrtc_offer {
    enum jw_nvrtc_fit fit;
    struct jw_target target; /* that it would compile for */
    bool too_new; /* into PTX that the driver here does not compile: an older library's is worth more */
};

/* What is to be compiled for. */
struct jw_nvrtc_wish {
    struct jw_target target;
    unsigned driver_cuda; /* 13010, as the driver tells it; 0: not known, and no library is too new */
};

struct jw_nvrtc_offer jw_nvrtc_offer(const struct jw_nvrtc_library *lib, struct jw_nvrtc_wish wish);

/* Is `a`, of library `la`, to be taken rather than `b`? */
bool jw_nvrtc_better(struct jw_nvrtc_offer a, const struct jw_nvrtc_library *la, struct jw_nvrtc_offer b,
                     const struct jw_nvrtc_library *lb);

/* A place that was looked at, and what came of it. */
struct jw_nvrtc_tried {
    const char *path, *how;
    unsigned major, minor; /* 0.0: it did not tell */
    const char *outcome;   /* "used", "not needed: ...", or why not, as a sentence */
};

struct jw_nvrtc_choice {
    struct jw_nvrtc_worker *worker; /* NULL: none can be used; the caller's to stop */
    const struct jw_toolkit_place *place;
    struct jw_nvrtc_offer offer;
    struct jw_nvrtc_tried *tried; /* one for each place */
    size_t n_tried;
};

/*
 * Asks the places, each in a process of its own, but those that by their names cannot be better: one whose
 * PTX the driver compiles goes before all others, an exact one before an older architecture, then the
 * newest. A library that crashes or hangs is one that cannot be used. False only when none can be asked:
 * interrupted, no worker to be had.
 */
bool jw_nvrtc_choose(const struct jw_toolkit_places *places, struct jw_nvrtc_wish wish,
                     const struct jw_nvrtc_worker_options *o, struct jw_arena *a, struct jw_nvrtc_choice *out,
                     struct jw_err *err) JW_MUST;

#endif

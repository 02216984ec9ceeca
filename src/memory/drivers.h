/* What is remembered of each build of the driver: its probe level (drivers/DIGEST.record). Lost: probed again. */
#ifndef MEMORY_DRIVERS_H
#define MEMORY_DRIVERS_H

#include "base/arena.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

const char *jw_level_name(enum jw_level l); /* "placeable"; "none" */

struct jw_driver_state {
    const char *build; /* identity of the library: worker.h */
    /* of the library that it compiled with (driver/probe/driver_known.h); NULL: not known */
    const char *compiler;
    const char *stamp;   /* as in keys; NULL below level 1 */
    const char *version; /* "580.126.09" or NULL */
    const char *library; /* its file, or NULL */
    enum jw_level level;
    const char *why;           /* the next level was not proven: a clause; NULL: it was, or is not known */
    bool compiles_absent;      /* it compiled the same code for a GPU that is not here */
    int64_t proven_at, met_at; /* seconds since 1970: by a probe; when this build was last found here */
    double slowness; /* modules take so many times as long here as facts/compile_time.h says; 0: not known */
};

bool jw_driver_save(const struct jw_driver_state *s, struct jw_err *err);
/* Changes this alone in what is remembered by now: the build may have been probed again since it was read. */
bool jw_driver_save_slowness(const char *build, double slowness, struct jw_err *err) JW_MUST;

struct jw_drivers {
    struct jw_driver_state *v; /* last found first, real ones before simulated ones */
    size_t n;
};

/* All recorded drivers. Without a state folder the list is empty. */
void jw_drivers_load(struct jw_arena *a, struct jw_drivers *out);

/* The one with this stamp, or NULL. */
const struct jw_driver_state *jw_drivers_of_stamp(const struct jw_drivers *all, const char *stamp);

#endif

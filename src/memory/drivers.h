/* What is remembered of each driver build: its probe level (drivers/DIGEST.record). If it is lost,
 * the driver is probed again. */
#pragma once

#include "base/arena.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"

const char *jw_level_name(enum jw_level l); /* "placeable"; "none" */

struct jw_driver_state {
    const char *build; /* identity of libcuda (driver/worker/worker.h) */
    /* identity of the library that it compiles with (driver/probe/driver_known.h); NULL: unknown */
    const char *compiler;
    /* the code of that library (driver/worker/compiler_code.h); NULL: it has none, or it was
     * exchanged under this build, whose entries may then be of either */
    const char *code;
    /* what it made of the probe's modules (driver/probe/probe_check.h); NULL: not known, as of
     * a build that is known from a pack alone */
    const char *probe_payload;
    const char *stamp;   /* as in the keys of its entries; NULL below level 1 */
    const char *version; /* "580.126.09" or NULL */
    const char *library; /* path of libcuda, or NULL */
    enum jw_level level;
    /* a clause: why the next level is not proven; NULL: it is, or nothing is known */
    const char *why;
    bool compiles_absent; /* it compiled the same code for a GPU that is not here */
    /* seconds since 1970: when it was probed; when it was last found here */
    int64_t proven_at, met_at;
    double slowness; /* modules take so many times as long here as facts/compile_time.h says; 0:
                        unknown */
};

bool jw_driver_save(const struct jw_driver_state *s, struct jw_err *err) JW_MUST;
/* Changes only the slowness in the file as it is now: the build may have been probed again since it
 * was read. */
bool jw_driver_save_slowness(const char *build, double slowness, struct jw_err *err) JW_MUST;

struct jw_drivers {
    struct jw_driver_state *v; /* the last met first, and real drivers before simulated ones */
    size_t n;
};

/* Reads the records of all drivers; none without a state folder. */
void jw_drivers_load(struct jw_arena *a, struct jw_drivers *out);

/* The one with this identity, or NULL, which may be unknown; NULL: there is none. */
const struct jw_driver_state *jw_drivers_of_build(const struct jw_drivers *all, const char *build);

/* The first of these with this stamp; NULL: none is known. */
const struct jw_driver_state *jw_drivers_find(const struct jw_drivers *all, const char *stamp);

/* Returns the version of the driver with this stamp; NULL: none is known. */
const char *jw_drivers_version(const struct jw_drivers *all, const char *stamp);

/* Do these builds compile with one compiler, which they call alike? Then entries of one may be
 * carried over to the other (prime/carry.h). In doubt they do not. */
bool jw_drivers_compile_alike(const struct jw_driver_state *old, const struct jw_driver_state *now);

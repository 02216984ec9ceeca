/* What jitwarm remembers between runs: $JITWARM_STATE, else $XDG_STATE_HOME/jitwarm or %LOCALAPPDATA%\jitwarm\state. */
#ifndef CACHE_MEMORY_STATE_H
#define CACHE_MEMORY_STATE_H

#include "base/arena.h"
#include "jitwarm/err.h"
#include "machine/list.h"

#include <stdbool.h>
#include <stdint.h>

/* The state folder, or NULL with a sentence when the system names none. Not made by asking. */
const char *jw_state_dir(struct jw_arena *a, struct jw_err *err);

/*
 * How far this machine's driver was understood, proven by the probe and remembered per libcuda build
 * (drivers/BUILD.json).
 */
enum jw_level {
    JW_LEVEL_NONE = -1,   /* not even level 0: no driver, or nothing appeared */
    JW_LEVEL_OPAQUE,      /* files appeared in the root */
    JW_LEVEL_READABLE,    /* all parse, and hold the PTX that we fed */
    JW_LEVEL_PREDICTABLE, /* every name was computed beforehand */
    JW_LEVEL_PLACEABLE,   /* entries that we put there are found by a fresh process, and nothing is added */
    JW_LEVEL_CARRYABLE,
    JW_LEVEL_FORGEABLE
};

const char *jw_level_name(enum jw_level l); /* "placeable"; "none" */

/* How fast this driver compiles for one architecture, on this machine. */
struct jw_compile_rate {
    uint16_t sm;
    double base_s, per_byte_s;
    uint64_t modules; /* that it was learned from */
};

/* A compiler whose code this build was seen to run rightly, for one architecture. */
struct jw_forged_proof {
    const char *compiler; /* "ptxas 13.0.88" */
    uint16_t sm;
    int64_t proven_at;
};

enum { JW_MAX_RATES = 32, JW_MAX_FORGED = 64 };

struct jw_driver_state {
    const char *build;   /* identity of the library: worker.h */
    const char *stamp;   /* as it stands in keys; NULL below level 1 */
    const char *version; /* "580.126.09" or NULL */
    const char *library; /* the file that it was met in; NULL: an older jitwarm met it */
    enum jw_level level;
    bool simulated;
    bool siblings;               /* it was seen to compile, for another GPU than is here, what that makes */
    int64_t proven_at;           /* seconds since 1970 */
    int64_t met_at;              /* when this build was last found here; 0: not since it was proven */
    const char *const *evidence; /* sentences: how each level was proven, or why the next one was not */
    size_t n_evidence;
    const struct jw_compile_rate *rates;
    size_t n_rates;
    const struct jw_forged_proof *forged;
    size_t n_forged;
};

/* `*found` false: this build was never probed, or what is remembered is damaged (then a sentence is in `*why`). */
bool jw_state_load_driver(const char *build, struct jw_arena *a, struct jw_driver_state *out, bool *found,
                          const char **why, struct jw_err *err);
bool jw_state_save_driver(const struct jw_driver_state *s, struct jw_err *err);

struct jw_driver_states {
    struct jw_driver_state *v; /* the one met last comes first, real ones before simulated ones */
    size_t n;
    struct jw_notes notes; /* what is remembered but cannot be read */
};

/* All that are remembered. A state folder that is not there, or that the system does not name, is an empty list. */
bool jw_state_list_drivers(struct jw_arena *a, struct jw_driver_states *out, struct jw_err *err);

#endif

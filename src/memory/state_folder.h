/* The state folder: $JITWARM_STATE, else $XDG_STATE_HOME/jitwarm or %LOCALAPPDATA%\jitwarm\state.
 * Everything that jitwarm keeps is in one of its places. Work folders of runs have a name with
 * JW_WORK_FOLDER, so that uninstall leaves nothing behind. */
#pragma once

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

enum jw_state_place {
    JW_STATE_CACHES,      /* what is remembered of each cache (memory/cache_memory) */
    JW_STATE_DRIVERS,     /* the level of each driver build (memory/drivers) */
    JW_STATE_LEDGER,      /* the modules of files (memory/ledger) */
    JW_STATE_SOURCES,     /* PTX of .cu files (driver/nvrtc/nvrtc_compile) */
    JW_STATE_ABSENT_GPUS, /* the cache of GPUs that are not here */
    JW_STATE_PLACES
};

extern const char *const jw_state_names[JW_STATE_PLACES];

/* The path of the state folder, trusted or not; NULL with an error. */
const char *jw_state_path(struct jw_arena *a, struct jw_err *err);

/* The path of the state folder. NULL with an error, also if another user could write to it or
 * exchange it: then it is neither read nor written. Does not create it. */
const char *jw_state_dir(struct jw_arena *a, struct jw_err *err);

/* The path of a place in the state folder, or NULL with an error, as above. Does not create it. */
const char *jw_state_own(enum jw_state_place place, struct jw_arena *a, struct jw_err *err);

/* Is this place missing, or this user's alone? */
bool jw_state_check(const char *folder, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* A file name for this text: the first 32 hex digits of its BLAKE2b-256. */
const char *jw_state_file_name(const char *text, struct jw_arena *a);
#define JW_STATE_NAMES "????????????????????????????????" /* a pattern for such names */

/* Creates a place for this user alone. */
bool jw_state_make(const char *folder, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Creates a work folder of this run, in the state folder, or among temporary files if that cannot
 * be used. The caller removes it with jw_scratch_remove. */
bool jw_state_scratch(struct jw_arena *a, char **path, struct jw_err *err) JW_MUST;

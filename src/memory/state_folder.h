/*
 * The state folder: $JITWARM_STATE, else $XDG_STATE_HOME/jitwarm or %LOCALAPPDATA%\jitwarm\state. All that jitwarm keeps or
 * works on there is a row of one table, so that uninstall leaves nothing behind.
 */
#ifndef MEMORY_STATE_FOLDER_H
#define MEMORY_STATE_FOLDER_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

enum jw_state_place {
    JW_STATE_CACHES,      /* what is remembered of each cache (memory/cache_folder) */
    JW_STATE_DRIVERS,     /* the level of each driver build (memory/drivers) */
    JW_STATE_LEDGER,      /* the modules of files (memory/ledger) */
    JW_STATE_SOURCES,     /* PTX of .cu files (driver/nvrtc/nvrtc_compile) */
    JW_STATE_ABSENT_GPUS, /* the cache of GPUs that are not here */

    /* Folders of one run, which the next run removes when that one died (os/files/scratch). */
    JW_STATE_PROBE,
    JW_STATE_DRY_RUN,
    JW_STATE_IMPORT,
    JW_STATE_EXPORT,
    JW_STATE_PUSH,
    JW_STATE_DRIVER_FILES,
    JW_STATE_WORK, /* beside JW_STATE_ABSENT_GPUS, as beside any cache */
    JW_STATE_PLACES
};

enum jw_state_form {
    JW_STATE_FOLDER, /* it goes as a whole */
    JW_STATE_SCRATCH /* folders NAME-SYSTEM-PID-N */
};

struct jw_state_row {
    const char *name;
    enum jw_state_form form;
};

extern const struct jw_state_row jw_state_rows[JW_STATE_PLACES];

/* The state folder, or NULL with an error. Does not create it. */
const char *jw_state_dir(struct jw_arena *a, struct jw_err *err);

/* The path of a place in it, or NULL with an error. Does not create it. */
const char *jw_state_path(enum jw_state_place place, struct jw_arena *a, struct jw_err *err);

/* The same; NULL, too, where another user could write there: who can, can say anything about drivers, files and caches. */
const char *jw_state_own(enum jw_state_place place, struct jw_arena *a, struct jw_err *err);

/* The name of a file or folder that is remembered for this text: the first 32 hex digits of its BLAKE2b-256. */
const char *jw_state_name(const char *text, struct jw_arena *a);
#define JW_STATE_NAMES "????????????????????????????????" /* a pattern for them */

/* Makes it, for this user alone. */
bool jw_state_make(const char *folder, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Makes a folder of this run (JW_STATE_SCRATCH), among temporary files where the state folder cannot be used. The caller removes it with jw_scratch_remove. */
bool jw_state_scratch(enum jw_state_place place, struct jw_arena *a, char **path, struct jw_err *err) JW_MUST;

#endif

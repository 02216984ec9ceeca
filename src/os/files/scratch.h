/* Private temporary folders. Their names carry the process and the system that made them, so that
 * the next run can remove those that a dead process left behind. */
#pragma once

#include "base/arena.h"
#include "jitwarm/err.h"

/* The prefix of a run's work folder, in the state folder or a cache, for jw_scratch_sweep. */
#define JW_WORK_FOLDER "jitwarm-work"

/* Creates the folder PARENT/PREFIX-SYSTEM-PID-N, and a missing PARENT, of mode 0700. */
bool jw_scratch_make(const char *parent, const char *prefix, struct jw_arena *a, char **path,
                     struct jw_err *err) JW_MUST;

/* Removes the abandoned folders with such names, in a folder that no other user can change. */
void jw_scratch_sweep(const char *parent, const char *prefix);

/* Creates a folder of mode 0700; true if it already exists. Its parent must exist. */
bool jw_make_private_dir(const char *path, struct jw_err *err) JW_MUST;

/* A symbolic one. Linux. */
bool jw_make_link(const char *path, const char *target, struct jw_err *err) JW_MUST;

bool jw_remove_empty_dir(const char *path, struct jw_err *err);

/* Removes the folder and its content, as far as possible; links are not followed. Accepts NULL. */
void jw_scratch_remove(const char *path);

/*
 * Folders of our own that nobody else may read, and that do not outlive us: their names say which process
 * of which system made them, and the next run removes those of processes that are gone.
 */
#ifndef OS_FILES_SCRATCH_H
#define OS_FILES_SCRATCH_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A new empty folder PARENT/PREFIX-SYSTEM-PID-N, mode 0700, whose path lives in `a`. PARENT is made when it
 * is missing, 0700 too. What dead processes left beside it under the same prefix is removed first. */
bool jw_scratch_make(const char *parent, const char *prefix, struct jw_arena *a, char **path,
                     struct jw_err *err) JW_MUST;

/* A folder of mode 0700; true when it is there already. Its parents must exist. */
bool jw_make_private_dir(const char *path, struct jw_err *err) JW_MUST;

/* FOLDER/NAME leads to `target`. Linux. */
bool jw_scratch_link(const char *folder, const char *name, const char *target, struct jw_err *err) JW_MUST;

/* The folder with all that is in it; links are removed, never followed. What cannot be removed stays. Accepts
 * NULL. */
void jw_scratch_remove(const char *path);

struct jw_scratch_owner {
    uint32_t system; /* where process numbers mean the same: one boot, one container */
    unsigned long pid;
};

/* From a name that jw_scratch_make gave. */
bool jw_scratch_owner(const char *name, const char *prefix, struct jw_scratch_owner *out);

/* ---- a level below: one file per system ---- */

bool jw_sys_mkdir_private(const char *path, bool *taken,
                          struct jw_err *err) JW_MUST; /* `taken` and true: it exists */
bool jw_sys_link(const char *path, const char *target, struct jw_err *err) JW_MUST; /* symbolic */
void jw_sys_rmdir(const char *path);
bool jw_sys_process_alive(unsigned long pid);
uint32_t jw_sys_system(void); /* of jw_scratch_owner: ours */

#endif

/* Reads, writes and removes the files of systemd's user manager (Linux) and tasks of the Task Scheduler (Windows). */
#ifndef STARTUP_SYSTEM_STARTUP_HOST_H
#define STARTUP_SYSTEM_STARTUP_HOST_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_startup_host {
    bool systemd;          /* this machine runs systemd */
    const char *systemctl; /* absolute, if this user's manager is running; else NULL */
    const char *units;     /* folder of this user's units, or NULL */
    const char *packs;     /* folder for packs of all users; may be missing */
    const char *user;      /* SID; Windows only */
    const char *programs;  /* Windows: folders that only administrators may change, each ended by \n */
};

/* `sysroot`: "" but in tests. */
bool jw_startup_look(const char *sysroot, struct jw_arena *a, struct jw_startup_host *out,
                     struct jw_err *err) JW_MUST;

/* ---- names (Linux) ---- */

/* The target of a link, or NULL. */
bool jw_startup_read_link(const char *path, struct jw_arena *a, const char **to, struct jw_err *err) JW_MUST;
/* Replaces an existing link. */
bool jw_startup_make_link(const char *path, const char *to, struct jw_err *err) JW_MUST;
bool jw_startup_remove_link(const char *path, struct jw_err *err) JW_MUST; /* may be missing */
/* Keeps a folder that is not empty. */
bool jw_startup_remove_folder(const char *path, struct jw_err *err) JW_MUST;
/* Sets the mode: 0644 for a file, 0755 for a folder. */
bool jw_startup_for_all(const char *path, bool folder, struct jw_err *err) JW_MUST;

/* Checks that only root or administrators may change this program and the folders above it; else `*why`. */
bool jw_startup_safe_for_all(const char *exe, const struct jw_startup_host *host, struct jw_arena *a,
                             const char **why, struct jw_err *err) JW_MUST;

/* True if a Windows program is below one of these folders. Pure. */
bool jw_startup_in_programs(const char *exe, const char *folders);

/* ---- tasks (Windows) ---- */

struct jw_startup_task {
    bool found, enabled, running;
    const char *xml;  /* or NULL */
    bool ran;         /* ever */
    int64_t last_run; /* seconds since 1970 */
    uint32_t result;  /* of that: an exit code, or an HRESULT */
};

bool jw_startup_task_look(const char *name, struct jw_arena *a, struct jw_startup_task *out,
                          struct jw_err *err) JW_MUST;
bool jw_startup_task_put(const char *name, const char *xml, bool everybody, struct jw_err *err) JW_MUST;
bool jw_startup_task_remove(const char *name, struct jw_err *err) JW_MUST;
bool jw_startup_task_run(const char *name, struct jw_err *err) JW_MUST;

#endif

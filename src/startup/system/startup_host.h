/*
 * What starts programs by itself on this machine: systemd's manager of a user on Linux, the Task Scheduler on
 * Windows. What they are given is made elsewhere (startup/startup_text.h); here it is put in its place, read and taken away.
 */
#ifndef STARTUP_SYSTEM_STARTUP_HOST_H
#define STARTUP_SYSTEM_STARTUP_HOST_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_startup_host {
    bool systemd;          /* this machine runs under it */
    const char *systemctl; /* absolute; of a user whose manager answers now; else NULL */
    const char *units;     /* where this user's units belong; NULL: the system names no folder */
    const char *packs;     /* a folder for packs of all users; need not be there */
    const char *user;      /* SID; Windows only */
    const char *
        programs; /* Windows: the folders that only administrators write, one after the other, each ended by \n */
};

/* `sysroot`: where the system's own files are looked for, "" but in tests. */
bool jw_startup_look(const char *sysroot, struct jw_arena *a, struct jw_startup_host *out,
                     struct jw_err *err) JW_MUST;

/* ---- names (Linux) ---- */

/* Where the link `path` leads, as it is written; NULL: no link is there. */
bool jw_startup_read_link(const char *path, struct jw_arena *a, const char **to, struct jw_err *err) JW_MUST;
/* Made beside and renamed, over a link that is there. */
bool jw_startup_make_link(const char *path, const char *to, struct jw_err *err) JW_MUST;
bool jw_startup_remove_link(const char *path, struct jw_err *err) JW_MUST; /* absence is fine */
/* Only when it is empty; else it stays, and that is fine. */
bool jw_startup_remove_folder(const char *path, struct jw_err *err) JW_MUST;
/* A file (0644) or folder (0755) of the system, whatever the umask is. */
bool jw_startup_for_all(const char *path, bool folder, struct jw_err *err) JW_MUST;

/* May nobody but root (an administrator) change this program: itself, or a folder above it? Else a sentence in `*why`. */
bool jw_startup_safe_for_all(const char *exe, const struct jw_startup_host *host, struct jw_arena *a,
                             const char **why, struct jw_err *err) JW_MUST;

/* Is a Windows program below one of these folders (each ended by \n)? Pure. */
bool jw_startup_in_programs(const char *exe, const char *folders);

/* ---- tasks (Windows) ---- */

struct jw_startup_task {
    bool found, enabled, running;
    const char *xml;  /* as Windows tells it; NULL: it does not */
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

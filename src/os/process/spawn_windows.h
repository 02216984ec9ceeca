/* Starting child processes, shared by process_windows.c and child_windows.c. */
#ifndef OS_PROCESS_SPAWN_WINDOWS_H
#define OS_PROCESS_SPAWN_WINDOWS_H

#include "os/process/process.h"
#include "os/sys_windows.h"

struct jw_spawn {
    const wchar_t *exe;
    wchar_t *line, *environment; /* NULL: this process's */
    HANDLE streams[3];           /* standard input, output, error */
    HANDLE inherited[3];         /* the child inherits only these handles */
};

void jw_spawn_drop(HANDLE *h);      /* NULL stays NULL */
HANDLE jw_spawn_null(DWORD access); /* inheritable; NULL on failure */
/* An environment block: this process's with the edits, or the edits alone if `bare`. Free it with jw_free. */
bool jw_spawn_environment(const struct jw_child_edit *edits, size_t n, bool bare, wchar_t **out,
                          struct jw_err *err) JW_MUST;
/* A job that kills its processes when it is closed; `also`: more JOB_OBJECT_LIMIT_ flags. */
bool jw_spawn_job(HANDLE *job, DWORD also, struct jw_err *err);
/* Resumes a suspended process, after adding it to the job: it can start nothing outside the job. */
bool jw_spawn_resume(const PROCESS_INFORMATION *made, HANDLE job, HANDLE *process, struct jw_err *err);
bool jw_spawn_create(struct jw_spawn *b, HANDLE job, HANDLE *process, struct jw_err *err);

#endif

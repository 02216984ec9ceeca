/* How a child process begins here; process_windows.c and child_windows.c differ in what they say to it. */
#ifndef OS_PROCESS_BIRTH_WINDOWS_H
#define OS_PROCESS_BIRTH_WINDOWS_H

#include "os/process/process.h"
#include "os/sys_windows.h"

struct jw_birth {
    const wchar_t *exe;
    wchar_t *line, *environment; /* NULL: ours */
    HANDLE streams[3];           /* standard input, output, error */
    HANDLE inherited[3];         /* only these, whatever else in this process may be inheritable */
};

void jw_birth_drop(HANDLE *h);      /* NULL stays NULL */
HANDLE jw_birth_null(DWORD access); /* inheritable; NULL where it fails */
/* A block made of ours and the edits, or of the edits alone when it is `bare`; to be freed with jw_free. */
bool jw_birth_environment(const struct jw_child_edit *edits, size_t n, bool bare, wchar_t **out,
                          struct jw_err *err) JW_MUST;
/* A job that kills what is left in it when it is closed; `also`: more of JOB_OBJECT_LIMIT_. */
bool jw_birth_job(HANDLE *job, DWORD also, struct jw_err *err);
/* One that was made suspended: into the job first, so that it cannot start anything outside of it. */
bool jw_birth_resume(const PROCESS_INFORMATION *made, HANDLE job, HANDLE *process, struct jw_err *err);
bool jw_birth_create(struct jw_birth *b, HANDLE job, HANDLE *process, struct jw_err *err);

#endif

/* How a child process begins here; process_windows.c and child_windows.c differ in what they say to it. */
#ifndef OS_BIRTH_WINDOWS_H
#define OS_BIRTH_WINDOWS_H

#include "os/sys_windows.h"

struct jw_birth {
    const wchar_t *exe;
    wchar_t *line, *environment; /* NULL: ours */
    HANDLE streams[3];           /* standard input, output, error */
    HANDLE inherited[3];         /* only these, whatever else in this process may be inheritable */
};

void jw_birth_drop(HANDLE *h);      /* NULL stays NULL */
HANDLE jw_birth_null(DWORD access); /* inheritable; NULL where it fails */
/* A job that kills what is left in it when it is closed. */
bool jw_birth_job(HANDLE *job, struct jw_err *err);
/* Suspended until it is in the job, so that it cannot start anything outside of it. */
bool jw_birth_create(struct jw_birth *b, HANDLE job, HANDLE *process, struct jw_err *err);

#endif

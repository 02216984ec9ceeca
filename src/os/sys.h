/* What the shared files of this layer ask of the system, a level below the verbs. Not for other layers. */
#ifndef OS_SYS_H
#define OS_SYS_H

#include "base/compiler.h"
#include "base/fault.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sentence of a system error (errno, GetLastError()), kept in err->os. False. */
bool jw_sys_fail(struct jw_err *err, long code);

/* Is this the error of a name that is not there? */
bool jw_sys_absent(long code);

/* The fault point that every verb starts with: true when this one is to fail. */
static inline bool jw_sys_fault(struct jw_err *err)
{
    return jw_fault_here() && !jw_fail(err, JW_E_IO, "injected failure");
}

bool jw_sys_separator(char c); /* between the components of a path; the colon of a drive counts */
unsigned long jw_sys_pid(void);

/* For jw_out. Create: `taken` and true when the name exists. Resolve: where a link leads, else a copy. */
bool jw_sys_create(const char *path, intptr_t *handle, bool *taken, struct jw_err *err) JW_MUST;
bool jw_sys_resolve(const char *path, char **real, struct jw_err *err) JW_MUST;
bool jw_sys_write(intptr_t handle, const void *p, size_t n, struct jw_err *err) JW_MUST;
bool jw_sys_sync(intptr_t handle, struct jw_err *err) JW_MUST;
bool jw_sys_close(intptr_t handle, struct jw_err *err) JW_MUST;
bool jw_sys_rename(const char *from, const char *to, bool replace, struct jw_err *err) JW_MUST;
bool jw_sys_sync_folder(const char *folder, struct jw_err *err) JW_MUST;
void jw_sys_remove(const char *path);

/* One folder; true if it is there already. `no_parent` and true: what it should lie in is missing. */
bool jw_sys_mkdir(const char *path, bool *no_parent, struct jw_err *err) JW_MUST;

#endif

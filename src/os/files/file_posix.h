/* Shared by the POSIX files of this room: names below a folder's descriptor, and waiting for input. */
#ifndef OS_FILES_FILE_POSIX_H
#define OS_FILES_FILE_POSIX_H

#include "os/files/file.h"

#include <sys/stat.h>

struct jw_file_info jw_file_info_of(const struct stat *st);

/* As openat; never blocks, and no program inherits it. */
int jw_file_openat(int folder, const char *name, int flags, mode_t mode);
bool jw_file_peek_at(int folder, const char *name, void *head, size_t n, size_t *got,
                     struct jw_file_info *info, struct jw_err *err) JW_MUST;
bool jw_file_open_at(struct jw_file *f, int folder, const char *path, struct jw_err *err) JW_MUST;

/* A rename that replaces nothing; EEXIST in err->os. */
bool jw_file_rename_new(int from, const char *name, int to, const char *new_name, struct jw_err *err) JW_MUST;

/* A signal restarts a read, but always ends a poll, which so notices Ctrl-C: JW_E_INTERRUPTED. The timeout of the poll
 * covers a signal between the check of the flag and the poll. `interrupted` may be NULL. */
bool jw_file_await_input(int in, const atomic_bool *interrupted, struct jw_err *err) JW_MUST;

/* The system call: the C library has it from 2.28 on, Ubuntu 18.04 has 2.27. */
int jw_sys_renameat2(int from, const char *name, int to, const char *new_name, unsigned flags);

#endif

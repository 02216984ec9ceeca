/* Between file_posix.c, dir_posix.c and tree_posix.c: names below a folder's descriptor. */
#ifndef OS_FILES_FILE_POSIX_H
#define OS_FILES_FILE_POSIX_H

#include "os/files/file.h"

#include <sys/stat.h>

struct jw_file_info jw_file_info_of(const struct stat *st);

bool jw_file_peek_at(int folder, const char *name, void *head, size_t n, size_t *got,
                     struct jw_file_info *info, struct jw_err *err) JW_MUST;
bool jw_file_open_at(struct jw_file *f, int folder, const char *path, struct jw_err *err) JW_MUST;

/* A rename that replaces nothing; EEXIST in err->os. */
bool jw_file_rename_new(int from, const char *name, int to, const char *new_name, struct jw_err *err) JW_MUST;

/* The system call: the C library has it from 2.28 on, Ubuntu 18.04 has 2.27. */
int jw_sys_renameat2(int from, const char *name, int to, const char *new_name, unsigned flags);

#endif

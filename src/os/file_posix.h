/* Between file_posix.c and dir_posix.c: opening below a folder's descriptor. */
#ifndef OS_FILE_POSIX_H
#define OS_FILE_POSIX_H

#include "os/file.h"

bool jw_file_peek_at(int folder, const char *name, void *head, size_t n, size_t *got,
                     struct jw_file_info *info, struct jw_err *err) JW_MUST;
bool jw_file_open_at(struct jw_file *f, int folder, const char *path, struct jw_err *err) JW_MUST;

#endif

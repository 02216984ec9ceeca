/* Between file_posix.c and dir_posix.c: opening below a folder's descriptor. */
#ifndef OS_FILE_POSIX_H
#define OS_FILE_POSIX_H

#include "os/file.h"

bool jw_file_open_at(struct jw_file *f, int folder, const char *path, struct jw_err *err) JW_MUST;

#endif

/* Between file_windows.c and dir_windows.c: opening by a name that is wide and absolute already. */
#ifndef OS_FILES_FILE_WINDOWS_H
#define OS_FILES_FILE_WINDOWS_H

#include "os/files/file.h"

#include <wchar.h>

bool jw_file_open_wide(struct jw_file *f, const wchar_t *wide, struct jw_err *err) JW_MUST;

#endif

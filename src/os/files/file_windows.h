/* Shared by the Windows files of this room. */
#ifndef OS_FILES_FILE_WINDOWS_H
#define OS_FILES_FILE_WINDOWS_H

#include "os/files/file.h"

#include <windows.h>

/* `links`: the handle is that of a link itself. Pipes, consoles and raw disks are JW_FILE_OTHER. */
bool jw_win_handle_info(HANDLE h, bool links, struct jw_file_info *info, struct jw_err *err) JW_MUST;

#endif

/* Shared by the Windows files of this room. */
#pragma once

#include "os/files/folder.h"

#include <windows.h>

/* Opens what is there, of any kind. `link`: a link itself. INVALID_HANDLE_VALUE: see `err`. */
HANDLE jw_win_open(const struct jw_folder *t, const char *name, DWORD access, bool link,
                   struct jw_err *err);

/* `links`: the handle is that of a link itself. Pipes, consoles and raw disks are JW_FILE_OTHER. */
bool jw_win_handle_info(HANDLE h, bool links, struct jw_file_info *info,
                        struct jw_err *err) JW_MUST;

/* Between the Windows files of this layer. */
#ifndef OS_SYS_WINDOWS_H
#define OS_SYS_WINDOWS_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <wchar.h>
#include <windows.h>

/*
 * What a W function takes for a UTF-8 path, to be freed with jw_free: absolute, with backslashes, with the
 * prefix for long names where it is needed or `always`. A reserved device name is refused as not a regular
 * file.
 */
bool jw_win_path(const char *path, bool always, wchar_t **out, struct jw_err *err) JW_MUST;

/* Somebody has it open and lets nobody rename or remove it. Where MoveFileExW stumbles over such a file, it
 * says that access is denied. */
bool jw_win_held(const wchar_t *path);

/* The value of a variable, appended in UTF-8; false when it is unset. */
bool jw_win_env(const char *name, struct jw_buf *out);

#endif

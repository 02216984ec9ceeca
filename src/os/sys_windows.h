/* Shared by files for Windows: of this room, and of others that call the system. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <wchar.h>
#include <windows.h>

/* Fails with what GetLastError() says. */
bool jw_win_fail(struct jw_err *err);

/* The wide path for a UTF-8 path: absolute, with backslashes, with the prefix for long names if
 * needed or `always`. A reserved device name is refused. Free it with jw_free. */
bool jw_win_path(const char *path, bool always, wchar_t **out, struct jw_err *err) JW_MUST;

enum { JW_WIN_UNITS = 32768 }; /* no path and no variable has more */

#define JW_WIN_SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

union jw_win_user {
    TOKEN_USER token;
    uint8_t room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
};

/* This user's SID, in `user`, which it points into. False: the system does not say. */
bool jw_win_user(union jw_win_user *user, struct jw_err *err) JW_MUST;

/* An access list for this user alone, without inheritance. A folder's also has the system and
 * administrators, and its content inherits it. LocalFree frees what lpSecurityDescriptor, which may
 * be NULL, points to. */
bool jw_win_owner(SECURITY_ATTRIBUTES *owner, bool folder, struct jw_err *err) JW_MUST;

/* Appends the path of a loaded library; NULL: of this program. */
bool jw_win_module(HMODULE module, struct jw_buf *path, struct jw_err *err) JW_MUST;

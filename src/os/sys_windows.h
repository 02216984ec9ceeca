/* Shared by the Windows files of this room. */
#ifndef OS_SYS_WINDOWS_H
#define OS_SYS_WINDOWS_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>
#include <windows.h>

/*
 * The wide path for a UTF-8 path: absolute, with backslashes, with the prefix for long names if needed or `always`. A
 * reserved device name is refused as not a regular file. Free it with jw_free.
 */
bool jw_win_path(const char *path, bool always, wchar_t **out, struct jw_err *err) JW_MUST;

/* Whether another program has the file open without sharing it for deletion. MoveFileExW reports such a file as "access
 * denied". */
bool jw_win_held(const wchar_t *path);

/* An access list for this user alone, without inheritance. A folder's also has the system and administrators, and its
 * content inherits it. The pointers in it point into it: do not copy it. */
struct jw_win_own {
    SECURITY_ATTRIBUTES attributes;
    SECURITY_DESCRIPTOR descriptor;
    union {
        ACL acl;
        uint8_t room[sizeof(ACL) + 3 * (sizeof(ACCESS_ALLOWED_ACE) + SECURITY_MAX_SID_SIZE)];
    } list;
    union {
        TOKEN_USER user;
        uint8_t room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } user;
};

bool jw_win_own(struct jw_win_own *o, bool folder); /* false: this user is unknown to the system */

/* Appends a variable's value in UTF-8; false: unset. */
bool jw_win_env(const char *name, struct jw_buf *out);

#endif

/* Between the Windows files of this layer. */
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
 * What a W function takes for a UTF-8 path, to be freed with jw_free: absolute, with backslashes, with the
 * prefix for long names where it is needed or `always`. A reserved device name is refused as not a regular
 * file.
 */
bool jw_win_path(const char *path, bool always, wchar_t **out, struct jw_err *err) JW_MUST;

/* Somebody has it open and lets nobody rename or remove it. Where MoveFileExW stumbles over such a file, it
 * says that access is denied. */
bool jw_win_held(const wchar_t *path);

/* Rights of this user alone, which take none from the folder above; a folder's are those of the system and administrators, too,
 * and of what is made in it. What it points to lies in it. */
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

bool jw_win_own(struct jw_win_own *o, bool folder); /* false: the system does not say who this user is */

/* The value of a variable, appended in UTF-8; false when it is unset. */
bool jw_win_env(const char *name, struct jw_buf *out);

#endif

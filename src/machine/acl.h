/*
 * Finds out who can change a file, from its Windows security descriptor in self-relative form (MS-DTYP 2.4.6). Pure,
 * and tested on every system.
 *
 *   u8 revision 1    u8    u16 control    u32 owner    u32 group    u32 list of audits    u32 list of rights     offsets; 0: none
 *   list   u8 revision    u8    u16 size    u16 entries    u16       then the entries
 *   entry  u8 kind    u8 flags    u16 size    u32 rights    SID      some kinds: u32 which, 16 bytes each, before the SID
 *   SID    u8 revision 1    u8 n <= 15    u48 authority, big-endian    n times u32
 *
 * This user, administrators, the system and TrustedInstaller always have access and do not count. CREATOR OWNER is the
 * owner.
 */
#ifndef MACHINE_ACL_H
#define MACHINE_ACL_H

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { JW_ACL_WRITERS = 8, JW_SID_TEXT = 200 };

struct jw_acl {
    struct jw_bytes owner; /* n == 0: this user, or an account that always has access */
    /* other accounts, without duplicates; the first JW_ACL_WRITERS */
    struct jw_bytes writers[JW_ACL_WRITERS];
    size_t n;
    bool open; /* no access list: everybody has full access */
};

/* The question about a file or folder. */
enum jw_acl_ask {
    JW_ACL_CHANGE, /* users who can change it, its content, or files created in it later */
    JW_ACL_MOVE,   /* users who can replace it or a folder above it; adding a folder does not count */
    JW_ACL_ROOT    /* the same for the root of a drive, which cannot be replaced */
};

/* `user`: the SID of this user. The result borrows from `descriptor`. */
bool jw_acl_check(struct jw_bytes descriptor, enum jw_acl_ask ask, struct jw_bytes user, struct jw_acl *out,
                  struct jw_err *err) JW_MUST;

/* "S-1-5-32-545"; false: not a SID. */
bool jw_sid_text(struct jw_bytes sid, char out[JW_SID_TEXT]) JW_MUST;

#endif

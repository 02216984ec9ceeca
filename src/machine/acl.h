/*
 * Who else may change a file, by the list of rights that Windows keeps of it: pure, of the bytes of a self-relative security descriptor
 * (MS-DTYP 2.4.6), so that it is tried everywhere.
 *
 *   u8 revision 1    u8    u16 control    u32 owner    u32 group    u32 list of audits    u32 list of rights     offsets; 0: none
 *   list   u8 revision    u8    u16 size    u16 entries    u16       then the entries
 *   entry  u8 kind    u8 flags    u16 size    u32 rights    SID      some kinds: u32 which, 16 bytes each, before the SID
 *   SID    u8 revision 1    u8 n <= 15    u48 authority, big-endian    n times u32
 *
 * This user, administrators, the system, and Windows' own installer can do all anyway; a right of CREATOR OWNER is the owner's.
 */
#ifndef MACHINE_ACL_H
#define MACHINE_ACL_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { JW_ACL_WRITERS = 8, JW_SID_TEXT = 200 };

struct jw_acl {
    struct jw_bytes owner;                   /* n == 0: this user, or one who can do all anyway */
    struct jw_bytes writers[JW_ACL_WRITERS]; /* others, each once; more than there is room for are left out */
    size_t n;
    bool open; /* there is no list: whoever comes may do all */
};

/* What is asked of a file or folder. */
enum jw_acl_ask {
    JW_ACL_CHANGE, /* who may change it, what is in it, or what is made in it later? */
    JW_ACL_MOVE, /* who could put another one in its place, or in that of a folder in it? To add one is no harm there */
    JW_ACL_ROOT /* the same of the root of a drive, which nobody can move */
};

/* `user`: the SID of this user. The slices are those of `descriptor`. */
bool jw_acl_judge(struct jw_bytes descriptor, enum jw_acl_ask ask, struct jw_bytes user, struct jw_acl *out,
                  struct jw_err *err) JW_MUST;

/* "S-1-5-32-545"; false: these bytes are no SID. */
bool jw_sid_text(struct jw_bytes sid, char out[JW_SID_TEXT]) JW_MUST;

/* "every user" of a group that anybody may be in, whose name is another one in each language; else NULL. */
const char *jw_sid_crowd(struct jw_bytes sid);

/* The command that leaves `path` to this user, with what is in it. */
const char *jw_acl_mend(const struct jw_acl *acl, const char *path, struct jw_arena *a);

#endif

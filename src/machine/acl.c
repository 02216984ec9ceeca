#include "machine/acl.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum {
    HEAD = 20,
    LIST_HEAD = 8,
    ENTRY_HEAD = 8,
    SID_HEAD = 8,
    MAX_PARTS = 15,
    HAS_LIST = 0x0004, /* flag in `control` */
    TO_FILES = 0x01,   /* entry flags: inherited by new files and folders */
    TO_FOLDERS = 0x02,
    ONLY_INHERITED = 0x08 /* does not apply to the folder itself */
};

/* Change the list, take ownership, all of a kind. */
enum { RULE = 0x40000 | 0x80000 | 0x10000000, DELETE_BELOW = 0x40, DELETE_IT = 0x10000 };

/* Rights that allow a change. Write and append count only where the question asks for them. */
static const uint32_t counts[] = {
    [JW_ACL_CHANGE] = RULE | DELETE_BELOW | DELETE_IT | 0x2 | 0x4 | 0x40000000,
    [JW_ACL_MOVE] = RULE | DELETE_BELOW | DELETE_IT,
    [JW_ACL_ROOT] = RULE | DELETE_BELOW,
};

/* The part from `at`; beyond the end is a format error. */
static bool from(struct jw_bytes b, size_t at, size_t least, struct jw_bytes *out, struct jw_err *err)
{
    if (at > b.n || least > b.n - at)
        return jw_fail(err, JW_E_FORMAT, "a list of rights that ends in the middle");
    *out = (struct jw_bytes){ b.p + at, b.n - at };
    return true;
}

/* The SID at the start of `b`, without trailing bytes. */
static bool sid_of(struct jw_bytes b, struct jw_bytes *out, struct jw_err *err)
{
    if (!from(b, 0, SID_HEAD, out, err))
        return false;
    if (b.p[0] != 1 || b.p[1] > MAX_PARTS)
        return jw_fail(err, JW_E_FORMAT, "a list of rights with an account that has no number");
    if (!from(b, 0, SID_HEAD + 4U * b.p[1], out, err))
        return false;
    out->n = SID_HEAD + 4U * b.p[1];
    return true;
}

static bool same_sid(struct jw_bytes a, struct jw_bytes b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

bool jw_sid_text(struct jw_bytes sid, char out[JW_SID_TEXT])
{
    struct jw_err ignored = { 0 };
    uint64_t authority = 0;
    int n;

    if (!sid_of(sid, &sid, &ignored))
        return false;
    for (size_t i = 2; i < SID_HEAD; i++)
        authority = authority << 8 | sid.p[i];
    n = snprintf(out, JW_SID_TEXT, "S-1-%llu", (unsigned long long)authority);
    for (size_t at = SID_HEAD; at < sid.n; at += 4)
        n += snprintf(out + n, (size_t)(JW_SID_TEXT - n), "-%lu", (unsigned long)jw_le32(sid.p + at));
    return true;
}

static bool is_account(struct jw_bytes sid, const char *text)
{
    char account[JW_SID_TEXT];

    return jw_sid_text(sid, account) && strcmp(account, text) == 0;
}

/* An account of a domain or machine by its fixed relative id. */
static bool is_of_domain(struct jw_bytes sid, const char *end)
{
    char account[JW_SID_TEXT];
    size_t n;

    if (!jw_sid_text(sid, account) || strncmp(account, "S-1-5-21-", 9) != 0)
        return false;
    n = strlen(account);
    return n > strlen(end) && strcmp(account + n - strlen(end), end) == 0;
}

/* Accounts that always have access: SYSTEM, Administrators, TrustedInstaller, domain administrators. */
static bool can_do_all(struct jw_bytes sid)
{
    static const char installer[] = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";

    return is_account(sid, "S-1-5-18") || is_account(sid, "S-1-5-32-544") || is_account(sid, installer)
           || is_of_domain(sid, "-512") || is_of_domain(sid, "-519");
}

/* CREATOR OWNER and OWNER RIGHTS: the owner is checked separately. */
static bool is_owner_itself(struct jw_bytes sid)
{
    return is_account(sid, "S-1-3-0") || is_account(sid, "S-1-3-4");
}

/* ---- the list ---- */

struct entry {
    bool allows, denies;
    uint32_t rights;
    struct jw_bytes sid;
};

/* Kinds: 0 and 1 allow and deny; 9 and 10 do so with a condition; 5, 6, 11 and 12 for an object type. Others (audit,
 * label, compound) give no access. */
static bool read_right(struct jw_bytes e, enum jw_acl_ask ask, struct entry *out, struct jw_err *err)
{
    static const uint16_t allowing = 1 << 0 | 1 << 5 | 1 << 9 | 1 << 11, denying = 1 << 1 | 1 << 6;
    static const uint16_t of_object = 1 << 5 | 1 << 6 | 1 << 11;
    unsigned kind = e.p[0], flags = e.p[1];
    size_t at = ENTRY_HEAD;
    struct jw_bytes rest;

    *out = (struct entry){ .allows = kind < 16 && allowing >> kind & 1,
                           .denies = kind < 16 && denying >> kind & 1 };
    /* Inherit-only entries apply to files created later. An inherit-only deny does not deny here. */
    if (flags & ONLY_INHERITED) {
        out->allows = out->allows && ask == JW_ACL_CHANGE && flags & (TO_FILES | TO_FOLDERS);
        out->denies = false;
    }
    if (!out->allows && !out->denies)
        return true;
    if (!from(e, 0, ENTRY_HEAD, &rest, err))
        return false;
    out->rights = jw_le32(e.p + 4);
    if (of_object >> kind & 1) {
        if (!from(e, ENTRY_HEAD, 4, &rest, err))
            return false;
        at += 4 + 16U * ((rest.p[0] & 1U) + (rest.p[0] >> 1 & 1U));
    }
    return from(e, at, SID_HEAD, &rest, err) && sid_of(rest, &out->sid, err);
}

struct checking {
    enum jw_acl_ask ask;
    struct jw_bytes user;
    struct jw_acl *out;
    struct entry denied[JW_ACL_WRITERS]; /* a deny entry counts only for the entries after it */
    size_t n_denied;
};

static bool known(const struct jw_acl *acl, struct jw_bytes sid)
{
    for (size_t i = 0; i < acl->n; i++)
        if (same_sid(acl->writers[i], sid))
            return true;
    return false;
}

static void check_right(struct checking *j, const struct entry *e)
{
    uint32_t rights = e->rights;

    if (e->denies && j->n_denied < JW_ACL_WRITERS)
        j->denied[j->n_denied++] = *e;
    if (!e->allows)
        return;
    for (size_t i = 0; i < j->n_denied; i++)
        if (same_sid(j->denied[i].sid, e->sid) || is_account(j->denied[i].sid, "S-1-1-0"))
            rights &= ~j->denied[i].rights;
    if (rights & counts[j->ask] && !same_sid(e->sid, j->user) && !can_do_all(e->sid)
        && !is_owner_itself(e->sid) && !known(j->out, e->sid) && j->out->n < JW_ACL_WRITERS)
        j->out->writers[j->out->n++] = e->sid;
}

static bool check_list(struct checking *j, struct jw_bytes list, struct jw_err *err)
{
    struct jw_bytes rest;
    size_t at = LIST_HEAD, entries = jw_le16(list.p + 4);

    if (!from(list, 0, jw_le16(list.p + 2), &rest, err))
        return false;
    list.n = jw_le16(list.p + 2);
    for (size_t i = 0; i < entries; i++) {
        struct entry e;
        size_t size;

        if (!from(list, at, 4, &rest, err))
            return false;
        size = jw_le16(rest.p + 2);
        if (size < 4 || size > rest.n)
            return jw_fail(err, JW_E_FORMAT, "a list of rights that ends in the middle");
        if (!read_right((struct jw_bytes){ rest.p, size }, j->ask, &e, err))
            return false;
        check_right(j, &e);
        at += size;
    }
    return true;
}

bool jw_acl_check(struct jw_bytes d, enum jw_acl_ask ask, struct jw_bytes user, struct jw_acl *out,
                  struct jw_err *err)
{
    struct checking j = { .ask = ask, .user = user, .out = out };
    struct jw_bytes part;

    *out = (struct jw_acl){ 0 };
    if (!from(d, 0, HEAD, &part, err))
        return false;
    if (d.p[0] != 1)
        return jw_fail(err, JW_E_FORMAT, "a list of rights of a kind that is not known");
    if (jw_le32(d.p + 4)) {
        if (!from(d, jw_le32(d.p + 4), SID_HEAD, &part, err) || !sid_of(part, &part, err))
            return false;
        if (!same_sid(part, user) && !can_do_all(part))
            out->owner = part;
    }
    out->open = !(jw_le16(d.p + 2) & HAS_LIST) || !jw_le32(d.p + 16);
    return out->open || (from(d, jw_le32(d.p + 16), LIST_HEAD, &part, err) && check_list(&j, part, err));
}

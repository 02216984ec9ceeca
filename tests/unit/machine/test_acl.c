/* Who may change a file, by lists of rights that are put together here byte by byte, as Windows hands them out. */
#include "machine/acl.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 2048, ALLOW = 0, DENY = 1, ALLOW_OBJECT = 5, ALLOW_IF = 9, AUDIT = 2 };
enum { TO_FILES = 1, TO_FOLDERS = 2, ONLY_BELOW = 8, INHERITED = 16 };

#define READ 0x1200a9U
#define CHANGE 0x1301bfU
#define ALL 0x1f01ffU
#define USER "S-1-5-21-1-2-3-1001"
#define BOB "S-1-5-21-1-2-3-1002"
#define INSTALLER "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

struct descriptor {
    uint8_t p[ROOM];
    size_t n, list; /* `list`: where it begins */
};

/* "S-1-5-32-545" to bytes; the number of them. */
static size_t put_sid(uint8_t *to, const char *text)
{
    char *end = NULL;
    unsigned long long authority;
    size_t n = 8;

    CHECK(strncmp(text, "S-1-", 4) == 0);
    authority = strtoull(text + 4, &end, 10);
    to[0] = 1;
    to[1] = 0;
    for (size_t i = 0; i < 6; i++)
        to[2 + i] = (uint8_t)(authority >> (8 * (5 - i)));
    while (*end == '-') {
        jw_put32(to + n, (uint32_t)strtoul(end + 1, &end, 10));
        n += 4;
        to[1]++;
    }
    return n;
}

static struct jw_bytes sid(const char *text)
{
    static uint8_t room[4][128];
    static unsigned turn;
    uint8_t *to = room[turn++ % 4];

    return (struct jw_bytes){ to, put_sid(to, text) };
}

/* Without a list, until an entry is added. */
static struct descriptor owned_by(const char *owner)
{
    struct descriptor d = { .p = { 1 }, .n = 20 };

    jw_put16(d.p + 2, 0x8004); /* in one piece, with a list */
    jw_put32(d.p + 4, 20);
    d.n += put_sid(d.p + d.n, owner);
    return d;
}

static void add_raw(struct descriptor *d, unsigned kind, unsigned flags, const uint8_t *body, size_t n)
{
    if (!d->list) {
        d->list = d->n;
        jw_put32(d->p + 16, (uint32_t)d->n);
        memset(d->p + d->n, 0, 8);
        d->p[d->n] = 2;
        d->n += 8;
    }
    d->p[d->n] = (uint8_t)kind;
    d->p[d->n + 1] = (uint8_t)flags;
    jw_put16(d->p + d->n + 2, (uint16_t)(4 + n));
    memcpy(d->p + d->n + 4, body, n);
    d->n += 4 + n;
    jw_put16(d->p + d->list + 2, (uint16_t)(d->n - d->list));
    jw_put16(d->p + d->list + 4, (uint16_t)(jw_le16(d->p + d->list + 4) + 1));
}

static void add(struct descriptor *d, unsigned kind, unsigned flags, uint32_t rights, const char *who)
{
    uint8_t body[256];

    jw_put32(body, rights);
    add_raw(d, kind, flags, body, 4 + put_sid(body + 4, who));
}

/* What a folder has that Windows made below the user's profile. */
static struct descriptor usual(void)
{
    struct descriptor d = owned_by(USER);

    add(&d, ALLOW, TO_FILES | TO_FOLDERS | INHERITED, ALL, "S-1-5-18");
    add(&d, ALLOW, TO_FILES | TO_FOLDERS | INHERITED, ALL, "S-1-5-32-544");
    add(&d, ALLOW, TO_FILES | TO_FOLDERS | INHERITED, ALL, USER);
    return d;
}

static struct jw_acl checked(const struct descriptor *d)
{
    struct jw_acl acl;
    struct jw_err err = { 0 };

    CHECK_OK(jw_acl_check((struct jw_bytes){ d->p, d->n }, JW_ACL_CHANGE, sid(USER), &acl, &err), err);
    return acl;
}

/* The accounts, with blanks between; "" for none. */
static const char *writers(const struct descriptor *d)
{
    static char text[1024];
    struct jw_acl acl = checked(d);

    text[0] = '\0';
    for (size_t i = 0; i < acl.n; i++) {
        char one[JW_SID_TEXT];

        CHECK(jw_sid_text(acl.writers[i], one));
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", one);
    }
    return text;
}

TEST(what_windows_makes_below_a_profile_is_the_users)
{
    struct descriptor d = usual();
    struct jw_acl acl = checked(&d);

    CHECK(acl.n == 0 && acl.owner.n == 0 && !acl.open);
}

/* The root of another drive hands this to all that is made below it. */
TEST(what_is_made_below_another_drive_is_every_users)
{
    struct descriptor d = owned_by(USER);

    add(&d, ALLOW, INHERITED | TO_FILES | TO_FOLDERS, ALL, "S-1-5-32-544");
    add(&d, ALLOW, INHERITED | TO_FILES | TO_FOLDERS, ALL, "S-1-5-18");
    add(&d, ALLOW, INHERITED | TO_FILES | TO_FOLDERS, CHANGE, "S-1-5-11");
    add(&d, ALLOW, INHERITED | TO_FILES | TO_FOLDERS, READ, "S-1-5-32-545");
    CHECK_TEXT(writers(&d), "S-1-5-11");
}

static size_t movers(const struct descriptor *d, enum jw_acl_ask ask)
{
    struct jw_acl acl;
    struct jw_err err = { 0 };

    CHECK(jw_acl_check((struct jw_bytes){ d->p, d->n }, ask, sid(USER), &acl, &err));
    return acl.n;
}

/* C:\ProgramData lets every user add files and folders, C:\ hands a right to change on to what is made in it: neither lets one move
 * what is another's. Where everybody may do all, or change a folder on the way, he can. */
TEST(folders_above_are_asked_who_could_move_what_is_in_them)
{
    struct descriptor data = usual(), cache = usual(), open = usual(), way = usual();

    add(&data, ALLOW, TO_FOLDERS, 0x116, "S-1-5-32-545");
    add(&cache, ALLOW, 0, 0x4, "S-1-5-11");
    add(&cache, ALLOW, TO_FILES | TO_FOLDERS | ONLY_BELOW, CHANGE, "S-1-5-11");
    add(&open, ALLOW, 0, ALL, "S-1-1-0");
    add(&way, ALLOW, 0, CHANGE, "S-1-5-11");
    CHECK(movers(&data, JW_ACL_CHANGE) == 1 && movers(&data, JW_ACL_MOVE) == 0);
    CHECK(movers(&cache, JW_ACL_CHANGE) == 1 && movers(&cache, JW_ACL_ROOT) == 0);
    CHECK(movers(&open, JW_ACL_MOVE) == 1 && movers(&open, JW_ACL_ROOT) == 1);
    CHECK(movers(&way, JW_ACL_MOVE) == 1 && movers(&way, JW_ACL_ROOT) == 0);
}

TEST(those_who_can_do_all_anyway_are_fine)
{
    static const char *const fine[] = { USER,      "S-1-5-18", "S-1-5-32-544",       INSTALLER,
                                        "S-1-3-0", "S-1-3-4",  "S-1-5-21-9-8-7-512", "S-1-5-21-9-8-7-519" };
    static const char *const not_fine[] = { BOB,
                                            "S-1-1-0",
                                            "S-1-5-11",
                                            "S-1-5-19",
                                            "S-1-5-32-545",
                                            "S-1-5-32-551",
                                            "S-1-5-21-9-8-7-513",
                                            "S-1-5-21-9-8-7-1512",
                                            "S-1-5-80-1-2-3-4-5",
                                            "S-1-15-2-1" };

    for (size_t i = 0; i < JW_COUNT(fine); i++) {
        struct descriptor d = owned_by(fine[i][4] == '3' ? USER : fine[i]);

        add(&d, ALLOW, 0, ALL, fine[i]);
        CHECK_TEXT(writers(&d), "");
        CHECK(checked(&d).owner.n == 0);
    }
    for (size_t i = 0; i < JW_COUNT(not_fine); i++) {
        struct descriptor d = owned_by(not_fine[i]);

        add(&d, ALLOW, 0, ALL, not_fine[i]);
        CHECK_TEXT(writers(&d), not_fine[i]);
        CHECK(checked(&d).owner.n > 0);
    }
}

/* Each right by which a file could be changed or exchanged counts; reading, and what only marks a file, does not. */
TEST(each_right_by_itself)
{
    static const uint32_t change[] = { 0x2, 0x4, 0x40, 0x10000, 0x40000, 0x80000, 0x40000000, 0x10000000 };
    static const uint32_t harmless[] = { 0x1,   0x8,     0x10,     0x20,       0x80,
                                         0x100, 0x20000, 0x100000, 0x80000000, READ };

    for (size_t i = 0; i < JW_COUNT(change); i++) {
        struct descriptor d = usual();

        add(&d, ALLOW, 0, change[i], BOB);
        CHECK_TEXT(writers(&d), BOB);
    }
    for (size_t i = 0; i < JW_COUNT(harmless); i++) {
        struct descriptor d = usual();

        add(&d, ALLOW, 0, harmless[i], BOB);
        CHECK_TEXT(writers(&d), "");
    }
}

TEST(what_only_children_inherit_counts_for_a_folder)
{
    struct descriptor d = usual();

    add(&d, ALLOW, ONLY_BELOW, ALL, BOB); /* nothing inherits it */
    CHECK_TEXT(writers(&d), "");
    add(&d, ALLOW, ONLY_BELOW | TO_FILES, ALL, "S-1-3-0");
    CHECK_TEXT(writers(&d), "");
    add(&d, ALLOW, ONLY_BELOW | TO_FILES, ALL, BOB);
    CHECK_TEXT(writers(&d), BOB);
}

TEST(what_was_denied_before_is_taken_away)
{
    struct descriptor d = usual(), e = usual(), f = usual(), g = usual();

    add(&d, DENY, 0, ALL, BOB);
    add(&d, ALLOW, 0, ALL, BOB);
    CHECK_TEXT(writers(&d), "");
    add(&e, ALLOW, 0, ALL, BOB); /* too late */
    add(&e, DENY, 0, ALL, BOB);
    CHECK_TEXT(writers(&e), BOB);
    add(&f, DENY, ONLY_BELOW | TO_FILES, ALL, BOB); /* not here */
    add(&f, ALLOW, 0, ALL, BOB);
    CHECK_TEXT(writers(&f), BOB);
    add(&g, DENY, 0, 0x2, "S-1-1-0"); /* a part: what is left is enough */
    add(&g, ALLOW, 0, 0x2, BOB);
    CHECK_TEXT(writers(&g), "");
    add(&g, ALLOW, 0, 0x6, BOB);
    CHECK_TEXT(writers(&g), BOB);
}

TEST(other_kinds_of_entries)
{
    struct descriptor d = usual();
    uint8_t body[128] = { 0 };
    size_t n;

    add(&d, AUDIT, 0, ALL, BOB);
    add(&d, 17, 0, ALL, "S-1-16-8192"); /* a label */
    CHECK_TEXT(writers(&d), "");
    add(&d, ALLOW_IF, 0, ALL, BOB);
    CHECK_TEXT(writers(&d), BOB);
    d = usual();
    jw_put32(body, ALL);
    jw_put32(body + 4, 3); /* two kinds of objects before the account */
    n = 8 + 32;
    add_raw(&d, ALLOW_OBJECT, 0, body, n + put_sid(body + n, BOB));
    CHECK_TEXT(writers(&d), BOB);
}

TEST(no_list_lets_everybody_and_an_empty_one_nobody)
{
    struct descriptor d = owned_by(USER);

    CHECK(checked(&d).open);
    jw_put16(d.p + 2, 0x8000);
    CHECK(checked(&d).open);
    d = usual();
    d.n = d.list + 8;
    jw_put16(d.p + d.list + 2, 8);
    jw_put16(d.p + d.list + 4, 0);
    CHECK(!checked(&d).open && checked(&d).n == 0);
}

TEST(each_account_once_and_no_more_than_there_is_room_for)
{
    struct descriptor d = usual();
    char who[64];

    add(&d, ALLOW, 0, ALL, BOB);
    add(&d, ALLOW, 0, ALL, BOB);
    CHECK_NUM(checked(&d).n, 1);
    for (unsigned i = 0; i < 2 * JW_ACL_WRITERS; i++) {
        (void)snprintf(who, sizeof who, "S-1-5-21-1-2-3-%u", 2000 + i);
        add(&d, ALLOW, 0, ALL, who);
    }
    CHECK_NUM(checked(&d).n, JW_ACL_WRITERS);
}

/* Every shorter one, and every single byte another: an answer or a sentence, never a byte too far. */
TEST(damaged_ones)
{
    struct descriptor d = usual();
    struct jw_acl acl;

    add(&d, ALLOW, 0, CHANGE, BOB);
    for (size_t n = 0; n < d.n; n++) {
        struct jw_err err = { 0 };
        uint8_t *copy = malloc(n + 1); /* so that a sanitizer sees the end */

        CHECK(copy != NULL);
        memcpy(copy, d.p, n);
        CHECK(!jw_acl_check((struct jw_bytes){ copy, n }, JW_ACL_CHANGE, sid(USER), &acl, &err));
        CHECK_NUM(err.code, JW_E_FORMAT);
        free(copy);
    }
    for (size_t at = 0; at < d.n; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct jw_err err = { 0 };
            struct descriptor bad = d;

            bad.p[at] ^= (uint8_t)(1U << bit);
            CHECK(jw_acl_check((struct jw_bytes){ bad.p, bad.n }, JW_ACL_CHANGE, sid(USER), &acl, &err)
                  || err.msg[0]);
        }
}

TEST(accounts_as_text)
{
    static const uint8_t bad[] = { 1, 16, 0, 0, 0, 0, 0, 5 };
    char text[JW_SID_TEXT];

    CHECK(jw_sid_text(sid(INSTALLER), text));
    CHECK_TEXT(text, INSTALLER);
    CHECK(!jw_sid_text((struct jw_bytes){ bad, sizeof bad }, text));
    CHECK(!jw_sid_text((struct jw_bytes){ bad, 3 }, text));
}

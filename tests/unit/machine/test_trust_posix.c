#include "base/path.h"
#include "check.h"
#include "machine/trust.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_ARENA(links_of_this_user_lead_to_a_safe_place)
{
    static const char *const links[][2] = {{"absolute", ""},
                                           {"relative", "real"},
                                           {"twice", "relative/../absolute"},
                                           {"circle", "circle"}};
    static const char *const ways[] = {"absolute/new/folder", "relative/home/",
                                       "twice/home/../home"};
    const char *real = tree_dir(a, "real/home"), *at;
    struct jw_trust t;

    set_variable("HOME", tree_path(a, ""));
    for (size_t i = 0; i < JW_COUNT(links); i++)
        CHECK(symlink(*links[i][1] ? links[i][1] : jw_path_dir(a, real), tree_path(a, links[i][0]))
              == 0);
    for (size_t i = 0; i < JW_COUNT(ways); i++) {
        memset(&t, 0x59, sizeof t);
        CHECK_OK(jw_trust_check_place(tree_path(a, ways[i]), a, &at, &t, &err), err);
        CHECK(!at);
    }
    CHECK_REFUSED(jw_trust_check_place(tree_path(a, "circle/home"), a, &at, &t, &err), err,
                  "in a circle");
}

TEST_ARENA(a_file_that_is_larger_than_jitwarm_makes_it)
{
    enum { MOST = 1 << 15 };
    const char *path = tree_bytes(a, "large", jw_arena_alloc(a, 2 * MOST), 2 * MOST);
    struct jw_bytes bytes;
    bool found = true;

    CHECK_REFUSED(jw_trust_slurp(path, MOST, a, &bytes, &found, &err), err,
                  "larger than jitwarm makes it");
    CHECK(!found && !bytes.n);
}

/* Makes this the list of accounts, or of groups, of this process. */
static void lists(const char *list, const char *text)
{
    const char *file = scratch(jw_path_base(list));

    (void)umount2(list, MNT_DETACH);
    scratch_write(file, text);
    CHECK(mount(file, list, NULL, MS_BIND, NULL) == 0);
}

static void ask_of_members(void)
{
    static const char user[] = "root:x:0:0::/:/bin/sh\npi:x:4001:4001::/:/bin/sh\n";
    struct jw_arena a = {0};
    const char *file = tree_file(&a, "key.pub", "");
    struct jw_trust t;
    struct jw_err err = {0};

    if (!mount_at(scratch("apart"), ""))
        _exit(77);
    CHECK(chown(file, 4001, 4001) == 0 && chmod(file, 0664) == 0);
    lists("/etc/group", "pi:x:4001:\n");
    lists("/etc/passwd", user);
    CHECK_OK(jw_trust_read(file, &a, &t, &err), err);
    CHECK(!t.writers);
    lists("/etc/passwd", jw_arena_printf(&a, "%slabm:x:4002:4001::/:/bin/sh\n", user));
    CHECK_OK(jw_trust_read(file, &a, &t, &err), err);
    CHECK_TEXT(t.writers, "group pi");
    jw_arena_free(&a);
}

/* As with a directory of accounts in which a group has the name of its head. */
TEST(a_member_by_its_primary_group_alone_is_one) { in_child("ask_of_members", ask_of_members); }

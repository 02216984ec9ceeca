#include "base/path.h"
#include "check.h"
#include "machine/paths.h"
#include "machine/whoami.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

TEST_ARENA(this_process)
{
    struct jw_whoami w;

    jw_whoami("/no-such-root", a, &w);
    CHECK(!w.home || jw_path_absolute(w.home));
}

#ifndef _WIN32

#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whose cache it is, by what the system's user database and sudo say. */

static struct jw_whoami ask(struct jw_arena *a)
{
    struct jw_whoami w = {0};

    jw_whoami(scratch("root"), a, &w);
    return w;
}

TEST_ARENA(root_for_somebody)
{
    struct jw_whoami w;

    if (geteuid() != 0 || !getpwnam("nobody"))
        SKIP("only root acts for others");
    CHECK(setenv("SUDO_USER", "nobody", 1) == 0);
    w = ask(a);
    CHECK_TEXT(w.behind, "nobody");
    CHECK_TEXT(w.behind_home, getpwnam("nobody")->pw_dir);
    CHECK(setenv("SUDO_USER", "root", 1) == 0); /* root in a shell of root's */
    CHECK(ask(a).behind == NULL);
    CHECK(setenv("SUDO_USER", "no-such-user-here", 1) == 0);
    CHECK(ask(a).behind == NULL);
    CHECK(unsetenv("SUDO_USER") == 0 && setenv("PKEXEC_UID", "65534", 1) == 0);
    if (getpwuid(65534))
        CHECK_TEXT(ask(a).behind, getpwuid(65534)->pw_name);
    CHECK(unsetenv("PKEXEC_UID") == 0);
    CHECK(ask(a).behind == NULL);
}

/* The way to a home may have links, as /home of a cluster; below it a link may lead to anybody's
 * folder. */
TEST_ARENA(what_is_inside_a_home)
{
    CHECK(jw_make_dirs(scratch("disk/ada/.nv"), &err) && jw_make_dirs(scratch("other"), &err));
    CHECK(symlink("disk", scratch("home")) == 0
          && symlink("../../other", scratch("disk/ada/link")) == 0);
    CHECK(jw_is_inside(scratch("home/ada/.nv"), scratch("home/ada"), a));
    CHECK(!jw_is_inside(scratch("home/ada/link"), scratch("home/ada"), a));
    CHECK(!jw_is_inside(scratch("home/ada"), scratch("home/ada"), a));
    CHECK(!jw_is_inside(scratch("other"), scratch("home/ada"), a) && !jw_is_inside("/x", NULL, a));
}

TEST_ARENA(the_system)
{
    static const char *const texts[] = {
        "NAME=x\nID_LIKE=rhel\nID=debian\nPRETTY_NAME=\"Debian 12\"\n", "ID=\"debian\"",
        "ID='debian'\n"};

    CHECK(mkdir(scratch("root"), 0755) == 0 && mkdir(scratch("root/etc"), 0755) == 0);
    CHECK(ask(a).distro == NULL);
    for (size_t i = 0; i < 3; i++) {
        scratch_write(scratch("root/etc/os-release"), texts[i]);
        CHECK_TEXT(ask(a).distro, "debian");
    }
    scratch_write(scratch("root/etc/os-release"), "ID=");
    CHECK_TEXT(ask(a).distro, "");
}

#endif

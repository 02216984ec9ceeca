/* What keeps any prime from beginning: each way in which a home or a folder is wrong has one sentence and one command. */
#include "check.h"
#include "os/machine/env.h"
#include "session/blocker.h"

#define NEW_HOME "export HOME=\"$(mktemp -d /var/tmp/home.XXXXXXXX)\""
#define NEW_STATE "export JITWARM_STATE=\"$(mktemp -d /var/tmp/jitwarm-state.XXXXXXXX)\""
#define NEW_CACHE "export CUDA_CACHE_PATH=\"$(mktemp -d /var/tmp/cuda-cache.XXXXXXXX)\""

TEST_ARENA(each_has_a_sentence_and_a_command)
{
    static const struct {
        struct jw_blocker_facts f;
        enum jw_blocker_kind is;
        const char *what, *command;
    } rows[] = {
        { { .home_asked = true, .home = "/home/anna" }, JW_BLOCKER_NONE, NULL, NULL },
        { { .home_asked = true, .login_home = "/home/anna" },
          JW_BLOCKER_NO_HOME,
          "HOME is not set",
          "export HOME=/home/anna" },
        { { .home_asked = true, .cache_elsewhere = true },
          JW_BLOCKER_NO_HOME,
          "no folder for what it remembers",
          NEW_HOME },
        { { .home_asked = true, .home = "" }, JW_BLOCKER_NO_HOME, "HOME is not set", NEW_HOME },
        { { .home_asked = true, .home = "anna", .login_home = "/home/anna" },
          JW_BLOCKER_HOME_RELATIVE,
          "HOME=anna is not an absolute path",
          "export HOME=/home/anna" },
        { { .home_asked = true, .home = "/nonexistent", .home_why = "does not exist" },
          JW_BLOCKER_HOME_MISSING,
          "/nonexistent does not exist",
          NEW_HOME },
        { { .home = "/h", .path = "/nv" }, JW_BLOCKER_NONE, NULL, NULL },
        { { .home = "/h", .path = "~/nv" },
          JW_BLOCKER_PATH_RELATIVE,
          "CUDA_CACHE_PATH=~/nv is not an absolute path",
          "unset CUDA_CACHE_PATH" },
        { { .home = "/h", .path = "/proc/nv", .path_why = "is where the kernel shows itself" },
          JW_BLOCKER_PATH,
          "CUDA_CACHE_PATH=/proc/nv is where the kernel shows itself",
          "unset CUDA_CACHE_PATH" },
        /* Neither the cache nor what is remembered is there. */
        { { .home = "/nonexistent", .home_why = "does not exist" }, JW_BLOCKER_NONE, NULL, NULL },
        { { .home_asked = true, .windows = true }, JW_BLOCKER_NONE, NULL, NULL },
        { { .home_asked = true, .home = "/h", .state = "/h/s", .because = "permission denied" },
          JW_BLOCKER_STATE,
          "cannot be kept in /h/s: permission denied",
          NEW_STATE },
        { { .home = "/h", .state = "/h/s", .because = "permission denied", .cache_unwritable = true },
          JW_BLOCKER_STATE,
          "cannot be kept in /h/s",
          NEW_CACHE " && " NEW_STATE },
        { { .home = "/h",
            .state = "/proc/x/jitwarm",
            .because = "it is where the kernel shows itself",
            .state_variable = "XDG_STATE_HOME" },
          JW_BLOCKER_STATE,
          "cannot be kept in /proc/x/jitwarm (XDG_STATE_HOME): it is where",
          "unset XDG_STATE_HOME" },
        { { .home = "/h",
            .state = "/h/s",
            .blocked = "/h/s/my roots",
            .blocked_why = "/h/s/my roots is not a folder",
            .aside = "/h/s/my roots.damaged" },
          JW_BLOCKER_STATE,
          "what jitwarm remembers cannot be kept: /h/s/my roots is not a folder",
          "mv '/h/s/my roots' '/h/s/my roots.damaged'" },
        { { .windows = true,
            .state = "C:\\s",
            .blocked = "C:\\s\\roots",
            .blocked_why = "C:\\s\\roots is not a folder",
            .aside = "C:\\s\\roots.damaged" },
          JW_BLOCKER_STATE,
          "cannot be kept: C:\\s\\roots",
          "move C:\\s\\roots C:\\s\\roots.damaged" },
        { { .windows = true, .state = "C:\\s", .because = "access denied" },
          JW_BLOCKER_STATE,
          "cannot be kept in C:\\s",
          "set JITWARM_STATE=%LOCALAPPDATA%\\jitwarm-state" },
        { { .home = "/h",
            .place = "/h/.nv",
            .place_why = "leads to no folder: /h/.nv is a file",
            .place_ours = true },
          JW_BLOCKER_PATH,
          "the driver's cache leads to no folder: /h/.nv is a file",
          "mv /h/.nv /h/.nv.old" },
        { { .home = "/h", .place = "/h/.nv", .place_why = "leads to no folder: /h/.nv is a file" },
          JW_BLOCKER_PATH,
          "/h/.nv is a file",
          NEW_CACHE },
        /* Root, with the home of a user: sudo -E, su -m, and a cache that was named. */
        { { .home = "/home/anna", .foreign = "/home/anna/.nv", .owner = "user 1000", .caller = "anna" },
          JW_BLOCKER_FOREIGN,
          "HOME is /home/anna, which belongs to user 1000: as root",
          "sudo -u anna jitwarm prime" },
        { { .home = "/home/anna", .foreign = "/home/anna", .owner = "user 1000", .login_home = "/root" },
          JW_BLOCKER_FOREIGN,
          "HOME is /home/anna",
          "export HOME=/root" },
        { { .home = "/root", .foreign = "/data", .owner = "user 1000", .login_home = "/root" },
          JW_BLOCKER_FOREIGN,
          "/data belongs to user 1000: as root",
          "sudo -H -u '#1000' jitwarm prime" },
        { { .home = "/h", .state = "/h/s", .full = "/h" },
          JW_BLOCKER_FULL,
          "the disk of /h is full: jitwarm cannot keep what it remembers",
          "du -xh -d 2 /h | sort -h | tail" },
        { { .home = "/h", .state = "/h/s", .cache_full = "/nv" },
          JW_BLOCKER_FULL,
          "the disk of /nv is full: the driver cannot keep what it compiles",
          "du -xh -d 2 /nv | sort -h | tail" },
        { { .home_asked = true, .shell = JW_SHELL_FISH },
          JW_BLOCKER_NO_HOME,
          "HOME is not set",
          "set -gx HOME (mktemp -d /var/tmp/home.XXXXXXXX)" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct jw_blocker h = jw_blocker_of(&rows[i].f, a);

        CHECK_NUM(h.is, rows[i].is);
        if (!rows[i].what) {
            CHECK(!h.what && !h.command);
            continue;
        }
        CHECK_HAS(h.what, rows[i].what);
        CHECK_TEXT(h.command, rows[i].command);
    }
}

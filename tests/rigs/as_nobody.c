#include "as_nobody.h"

#include "check.h"
#include "scratch.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void (*asked)(const char *folder);
static const char *asked_in;

/* Root's child becomes another user. Anybody else stays the owner, who then gets only the rights of
 * others. */
static void run_on(const char *folder, const char *before, const char *after)
{
    char line[128];

    (void)snprintf(line, sizeof line, "%s %s%s", before, folder, after);
    CHECK(geteuid() == 0 || system(line) == 0);
}

static void ask(void) { asked(asked_in); }

void as_nobody(void (*fn)(const char *folder), void (*prepare)(const char *folder))
{
    char folder[] = "/tmp/jw-rights-XXXXXX";
    int status = -1;

    CHECK(mkdtemp(folder) != NULL);
    CHECK(chmod(folder, 0755) == 0);
    prepare(folder);
    run_on(folder, "find", " -depth -exec chmod u=o {} +");
    asked = fn;
    asked_in = folder;

    pid_t pid = fork();

    if (pid == 0) {
        if (geteuid() == 0
            && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(2);
        _exit(check_run_one("as_nobody", ask));
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    run_on(folder, "chmod -R u+rwX", "");
    scratch_empty(folder);
    (void)rmdir(folder);
}

void in_child(const char *name, void (*fn)(void))
{
    int status = -1;
    pid_t pid;

    if (geteuid() != 0)
        SKIP("a disk or a container of its own needs root");
    pid = fork();
    if (pid == 0)
        _exit(check_run_one(name, fn));
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        SKIP("this system does not let root mount a tmpfs, or make a container");
    CHECK_NUM(WEXITSTATUS(status), 0);
}

bool mount_at(const char *path, const char *options)
{
    return (mkdir(path, 0700) == 0 || errno == EEXIST) && unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount("jw", path, "tmpfs", 0, options) == 0;
}

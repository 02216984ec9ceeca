#include "os/process/detach.h"

#include "base/arena.h"
#include "os/process/birth_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct birth {
    const char *exe;
    const char *const *argv;
    char **envp;
    const struct passwd *user; /* NULL: as we are */
    int report, open_max;
};

static bool become_user(const struct passwd *user)
{
    return !user
           || (initgroups(user->pw_name, user->pw_gid) == 0 && setgid(user->pw_gid) == 0
               && setuid(user->pw_uid) == 0);
}

static void drop_streams(const struct birth *b)
{
    int null = open("/dev/null", O_RDWR);

    for (int fd = 0; fd < 3; fd++)
        (void)dup2(null, fd);
    for (int fd = 3; fd < b->open_max; fd++)
        if (fd != b->report)
            (void)close(fd);
}

/* In the first child, which only makes the second: that one is nobody's child, and leads no session, so that it can never
 * get a terminal. */
static void become(const void *how)
{
    const struct birth *b = how;
    pid_t pid;

    (void)setsid();
    pid = fork();
    if (pid > 0)
        _exit(0);
    if (pid == 0) {
        drop_streams(b);
        jw_birth_forget_signals();
        if (chdir("/") == 0 && become_user(b->user))
            (void)execve(b->exe, (char *const *)b->argv, b->envp);
    }
    jw_birth_failed(b->report);
}

static bool launch(const struct birth *b, int read_end, struct jw_err *err)
{
    int why = 0, status;
    ssize_t n;
    pid_t pid;

    if (!jw_birth_fork(&pid, become, b, err))
        return false;
    (void)close(b->report);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    do
        n = read(read_end, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    return n != (ssize_t)sizeof why || jw_sys_fail(err, why);
}

static bool find_user(const char *name, const struct passwd **out, struct jw_err *err)
{
    *out = NULL;
    if (!name)
        return true;
    errno = 0;
    *out = getpwnam(name);
    return *out || jw_fail(err, JW_E_IO, "there is no user %s", name);
}

bool jw_detach(const char *exe, const char *const argv[], const char *user, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct birth b = { .exe = exe, .argv = argv, .open_max = jw_birth_open_max() };
    struct jw_child_edit edits[3] = { 0 };
    int ends[2];
    bool ok;

    if (jw_sys_fault(err) || !find_user(user, &b.user, err))
        return false;
    if (b.user) {
        edits[0] = (struct jw_child_edit){ "HOME", b.user->pw_dir };
        edits[1] = (struct jw_child_edit){ "USER", b.user->pw_name };
        edits[2] = (struct jw_child_edit){ "LOGNAME", b.user->pw_name };
    }
    if (pipe2(ends, O_CLOEXEC) != 0)
        return jw_sys_fail(err, errno);
    b.report = ends[1];
    ok = jw_birth_lift(&b.report) || jw_sys_fail(err, errno);
    ok = ok && jw_birth_environment(edits, b.user ? 3 : 0, false, &a, &b.envp, err);
    if (ok)
        ok = launch(&b, ends[0], err);
    else
        (void)close(b.report);
    (void)close(ends[0]);
    jw_arena_free(&a);
    return ok || jw_wrap(err, "%s", exe);
}

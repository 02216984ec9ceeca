#include "os/process/spawn_posix.h"

#include "base/work.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

enum { SIGNALS = 65 };

/* What the child needs, which cannot allocate. */
struct birth {
    const struct jw_command *command;
    enum jw_spawn_kind kind;
    const int *streams;
    const char **environment;
    const struct passwd *user; /* NULL: this user */
    sigset_t mask;             /* of this thread */
    pid_t parent;
    int report; /* gets errno if it does not become the program */
};

/* ---- in the child: async-signal-safe calls only, because another thread may have held a lock.
 * execvpe is not listed as safe, but beyond execve it uses only the stack; nor is initgroups: who
 * gives a user has one thread. ---- */

static JW_NORETURN void give_up(const struct birth *b)
{
    int why = errno;

    while (write(b->report, &why, sizeof why) < 0 && errno == EINTR)
        continue;
    _exit(127);
}

/* A session of its own: without a terminal, job control cannot stop it. A detached one is its
 * second process, which has no parent here and, as it leads no session, never gets a terminal. */
static void settle(const struct birth *b)
{
    if (b->kind != JW_SPAWN_FOREGROUND)
        (void)setsid();

    pid_t second = b->kind == JW_SPAWN_DETACHED ? fork() : 0;

    if (second > 0)
        _exit(0);
    if (second < 0)
        give_up(b);
    if (b->kind != JW_SPAWN_DETACHED
        && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != b->parent))
        _exit(127); /* the parent died before PR_SET_PDEATHSIG took effect */
}

static void close_others(void)
{
    long max = sysconf(_SC_OPEN_MAX);

    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) != 0)
        for (int fd = 3; fd < (max < 0 || max > 65536 ? 65536 : max); fd++)
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* No handler of this program runs in the child. The user's command keeps ignored ones. */
static void reset_signals(const struct birth *b)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    bool keep = b->kind == JW_SPAWN_FOREGROUND;
    struct sigaction now;
    sigset_t none;

    for (int s = 1; s < SIGNALS; s++)
        if (!keep || (sigaction(s, NULL, &now) == 0 && now.sa_handler != SIG_IGN))
            (void)sigaction(s, &usual, NULL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, keep ? &b->mask : &none, NULL);
}

static bool become_user(const struct passwd *user)
{
    return !user
           || (initgroups(user->pw_name, user->pw_gid) == 0 && setgid(user->pw_gid) == 0
               && setuid(user->pw_uid) == 0);
}

/* This program, whose file an upgrade has replaced or removed: the kernel has it still. */
static bool is_gone(const char *exe)
{
    static const char gone[] = " (deleted)"; /* the end of /proc/self/exe then */
    size_t n = strlen(exe);

    return errno == ENOENT && n >= sizeof gone && strcmp(exe + n + 1 - sizeof gone, gone) == 0;
}

static JW_NORETURN void become(const struct birth *b)
{
    const struct rlimit no_core = {0, 0};
    const struct jw_command *c = b->command;
    char *const *argv = (char *const *)c->argv, *const *environment = (char *const *)b->environment;

    settle(b);
    for (int fd = 0; fd < 3; fd++)
        if (dup2(b->streams[fd], fd) < 0)
            give_up(b);
    if (b->kind != JW_SPAWN_FOREGROUND)
        close_others();
    if (b->kind == JW_SPAWN_HIDDEN)
        (void)setrlimit(RLIMIT_CORE, &no_core); /* crashes are expected, and told by the parent */
    reset_signals(b);
    if (b->kind == JW_SPAWN_DETACHED && (chdir("/") != 0 || !become_user(b->user)))
        give_up(b);
    if (!c->exe)
        (void)execvpe(argv[0], argv, environment);
    else if (execve(c->exe, argv, environment) != 0 && is_gone(c->exe))
        (void)execve("/proc/self/exe", argv, environment);
    give_up(b);
}

/* ---- in the parent ---- */

static pid_t fork_child(struct birth *b)
{
    sigset_t all;

    /* Keeps this program's signal handlers from running in the child before they are reset. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &b->mask);
    jw_work_add(JW_WORK_PROCESSES, 1);
    pid_t pid = fork();
    if (pid == 0)
        become(b);

    int why = errno;

    (void)pthread_sigmask(SIG_SETMASK, &b->mask, NULL);
    errno = why;
    return pid;
}

static bool spawn(struct birth *b, pid_t *pid, struct jw_err *err)
{
    int ends[2], why = 0;
    ssize_t n;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return jw_sys_fail(err, errno);
    b->report = ends[1];
    *pid = fork_child(b);
    bool ok = *pid > 0 || jw_sys_fail(err, errno);

    (void)close(ends[1]);
    if (ok) {
        do /* a successful exec closes the child's end */
            n = read(ends[0], &why, sizeof why);
        while (n < 0 && errno == EINTR);
        ok = n != (ssize_t)sizeof why || jw_sys_fail(err, why);
        while ((!ok || b->kind == JW_SPAWN_DETACHED) && waitpid(*pid, NULL, 0) < 0
               && errno == EINTR)
            continue;
    }
    (void)close(ends[0]);
    return ok;
}

bool jw_spawn(const struct jw_command *c, enum jw_spawn_kind kind, const int streams[3], pid_t *pid,
              struct jw_err *err)
{
    struct jw_command how = *c;
    struct birth b = {.command = &how, .kind = kind, .streams = streams, .parent = getpid()};
    struct jw_child_edit home[3];
    struct jw_arena a = {0};

    if (c->user) {
        b.user = getpwnam(c->user);
        if (!b.user)
            return jw_fail(err, JW_E_IO, "there is no user %s", c->user);
        home[0] = (struct jw_child_edit){"HOME", b.user->pw_dir};
        home[1] = (struct jw_child_edit){"USER", b.user->pw_name};
        home[2] = (struct jw_child_edit){"LOGNAME", b.user->pw_name};
        how.edits = home;
        how.n_edits = JW_COUNT(home);
    }
    bool ok = jw_child_environment(&how, &a, &b.environment, err) && spawn(&b, pid, err);

    jw_arena_free(&a);
    return ok;
}

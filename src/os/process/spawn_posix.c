#include "os/process/spawn_posix.h"
#include "base/work.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

enum { NAP_MS = 2 };

bool jw_spawn_move_fd(int *fd)
{
    if (*fd > 2)
        return true;

    int high = fcntl(*fd, F_DUPFD_CLOEXEC, 3);

    if (high < 0)
        return false;
    (void)close(*fd);
    *fd = high;
    return true;
}

void jw_spawn_close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

bool jw_spawn_pipe(int ends[2], struct jw_err *err)
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return jw_sys_fail(err, errno);
    if (jw_spawn_move_fd(&ends[0]) && jw_spawn_move_fd(&ends[1]))
        return true;
    (void)jw_sys_fail(err, errno);
    jw_spawn_close_fd(&ends[0]);
    jw_spawn_close_fd(&ends[1]);
    return false;
}

bool jw_spawn_fork(pid_t *pid, void (*become)(const void *how), const void *how, struct jw_err *err)
{
    sigset_t all, before;

    /* Keeps this program's signal handlers from running in the child before they are reset. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    jw_work_add(JW_WORK_PROCESSES, 1);
    *pid = fork();
    if (*pid == 0)
        become(how);

    int why = errno;

    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return *pid >= 0 || jw_sys_fail(err, why);
}

bool jw_spawn_input(struct jw_bytes bytes, int *out, struct jw_err *err)
{
    int ends[2];

    *out = -1;
    if (bytes.n > JW_PROCESS_INPUT)
        return jw_fail(err, JW_E_LIMIT, "its input has more than %d bytes", (int)JW_PROCESS_INPUT);
    if (!jw_spawn_pipe(ends, err))
        return false;
    bool ok = write(ends[1], bytes.p, bytes.n) == (ssize_t)bytes.n || jw_sys_fail(err, errno);

    jw_spawn_close_fd(&ends[1]);
    *out = ends[0];
    return ok;
}

/* ---- a program ---- */

struct becoming {
    void (*become)(const void *how, int report);
    const void *how;
    int report;
};

static void become_program(const void *how)
{
    const struct becoming *b = how;

    b->become(b->how, b->report);
}

bool jw_spawn_start(struct jw_spawn *out, void (*become)(const void *how, int report), const void *how,
                    struct jw_err *err)
{
    struct becoming b = { become, how, -1 };
    int ends[2];

    *out = (struct jw_spawn){ .pid = -1, .report = -1 };
    if (!jw_spawn_pipe(ends, err))
        return false;
    b.report = ends[1];
    bool ok = jw_spawn_fork(&out->pid, become_program, &b, err);

    jw_spawn_close_fd(&ends[1]);
    if (!ok)
        jw_spawn_close_fd(&ends[0]);
    out->report = ends[0];
    return ok;
}

/* A successful exec closes the child's end. */
bool jw_spawn_became(struct jw_spawn *s, struct jw_err *err)
{
    int why = 0;
    ssize_t n;

    do
        n = read(s->report, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    jw_spawn_close_fd(&s->report);
    return n != (ssize_t)sizeof why || jw_sys_fail(err, why);
}

void jw_spawn_die_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(127); /* the parent died before PR_SET_PDEATHSIG took effect */
}

void jw_spawn_begin(pid_t parent)
{
    (void)setsid(); /* without a terminal, job control cannot stop the child */
    jw_spawn_die_with(parent);
}

void jw_spawn_forget_signals(void)
{
    struct sigaction normal;
    sigset_t none;

    memset(&normal, 0, sizeof normal);
    normal.sa_handler = SIG_DFL;
    for (int s = 1; s < 65; s++)
        (void)sigaction(s, &normal, NULL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

void jw_spawn_close_others(void)
{
    long max = sysconf(_SC_OPEN_MAX);

    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) != 0)
        for (int fd = 3; fd < (max < 0 || max > 65536 ? 65536 : max); fd++)
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void jw_spawn_close_from(int first)
{
    long max = sysconf(_SC_OPEN_MAX);

    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) != 0)
        for (int fd = first; fd < (max < 0 || max > 65536 ? 65536 : max); fd++)
            (void)close(fd);
}

JW_NORETURN void jw_spawn_failed(int report)
{
    int why = errno;

    while (write(report, &why, sizeof why) < 0 && errno == EINTR)
        continue;
    _exit(127);
}

/* No child has such a number: 0 would be the group that jitwarm itself is in, and 1 the first process of the system. */
static void kill_group(pid_t pid, int sig)
{
    if (pid > 1)
        (void)kill(-pid, sig);
}

int jw_spawn_reap(pid_t pid)
{
    int status = 0;

    if (pid <= 1)
        return 0;
    kill_group(pid, SIGKILL);
    (void)kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

bool jw_spawn_ended(pid_t pid)
{
    siginfo_t info = { 0 };

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Waits for the child and for its group. */
static bool all_ended(pid_t pid, bool *reaped, int *status)
{
    if (!*reaped && jw_spawn_ended(pid)) {
        while (waitpid(pid, status, 0) < 0 && errno == EINTR)
            continue;
        *reaped = true;
    }
    /* The system does not reuse a process number while a group has that id. */
    return *reaped && kill(-pid, 0) != 0;
}

int jw_spawn_end(pid_t pid, unsigned grace_ms)
{
    static const int polite[] = { SIGTERM, SIGHUP }; /* interactive shells ignore SIGTERM */
    bool reaped = false;
    int status = 0;

    for (size_t i = 0; i < JW_COUNT(polite); i++) {
        uint64_t until = jw_time_after_ms(grace_ms / 2);

        kill_group(pid, polite[i]);
        while (!all_ended(pid, &reaped, &status) && jw_time_monotonic_ns() < until)
            jw_time_sleep_ms(NAP_MS);
        if (all_ended(pid, &reaped, &status))
            return status;
    }
    if (!reaped)
        return jw_spawn_reap(pid);
    kill_group(pid, SIGKILL);
    return status;
}

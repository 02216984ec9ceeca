#include "os/process/process.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/num.h"
#include "os/machine/procfs.h"
#include "os/machine/time.h"
#include "os/process/spawn_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct jw_process {
    pid_t pid;   /* -1: it has ended */
    int fd;      /* the socket that it talks over, or the pipe that it prints to */
    bool prints; /* its output is read, and it may be a program of the user */
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* ---- its start ---- */

/* A socket both ways, because writing to a pipe without a reader raises SIGPIPE, and what a library
 * prints when it is loaded is no part of the talk. */
static bool make_talk(struct jw_process *p, int streams[3], struct jw_err *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return jw_sys_fail(err, errno);
    p->fd = ends[0];
    streams[0] = ends[1];
    streams[1] = fcntl(streams[2], F_DUPFD_CLOEXEC, 0);
    return streams[1] >= 0 || jw_sys_fail(err, errno);
}

/* The pipe of its input holds all of it before it starts. */
static bool make_pipes(struct jw_process *p, struct jw_bytes input, int streams[3],
                       struct jw_err *err)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    bool ok = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0
              && write(in[1], input.p, input.n) == (ssize_t)input.n;
    int why = errno;

    close_fd(&in[1]);
    streams[0] = in[0];
    p->fd = out[0];
    streams[1] = out[1];
    return ok || jw_sys_fail(err, why);
}

static bool make_streams(struct jw_process *p, const struct jw_command *c, int streams[3],
                         struct jw_err *err)
{
    streams[2] = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (streams[2] < 0)
        return jw_sys_fail(err, errno) || jw_wrap(err, "/dev/null");
    return c->prints ? make_pipes(p, c->input, streams, err) : make_talk(p, streams, err);
}

bool jw_process_begin(struct jw_process **p, const struct jw_command *c, struct jw_err *err)
{
    int streams[3] = {-1, -1, -1};
    pid_t pid = -1;

    *p = jw_alloc(sizeof **p);
    **p = (struct jw_process){.pid = -1, .fd = -1, .prints = c->prints};
    bool ok = make_streams(*p, c, streams, err) && jw_spawn(c, JW_SPAWN_HIDDEN, streams, &pid, err);

    for (int i = 0; i < 3; i++)
        close_fd(&streams[i]);
    (*p)->pid = ok ? pid : -1;
    return ok;
}

/* ---- talk ---- */

/* Waits until it is ready. False: it is not so at `end`. */
static bool await_ready(int fd, short events, uint64_t end)
{
    struct pollfd look = {.fd = fd, .events = events};

    for (;;) {
        uint64_t now = jw_time_monotonic_ns();
        uint64_t left = now < end ? (end - now + 999999) / 1000000 : 0;
        int n = poll(&look, 1, (int)jw_min(left, INT_MAX));

        if (n > 0 || (n == 0 && left <= INT_MAX))
            return n > 0;
    }
}

bool jw_process_send(struct jw_process *p, const void *bytes, size_t n, unsigned timeout_ms,
                     struct jw_err *err)
{
    const uint8_t *at = bytes;
    uint64_t end = jw_time_after_ms(timeout_ms);

    if (jw_sys_fault(err))
        return false;
    while (n) {
        ssize_t w = send(p->fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (w < 0 && errno == EAGAIN && !await_ready(p->fd, POLLOUT, end))
            return jw_fail(err, JW_E_IO, "the child does not read what it is sent");
        if (w < 0 && errno != EINTR && errno != EAGAIN)
            return jw_sys_fail(err, errno);
        if (w > 0) {
            at += w;
            n -= (size_t)w;
        }
    }
    return true;
}

bool jw_process_read(struct jw_process *p, void *dst, size_t n, unsigned timeout_ms,
                     enum jw_process_read *what, size_t *got, struct jw_err *err)
{
    ssize_t r;

    *got = 0;
    *what = JW_PROCESS_SILENT;
    if (jw_sys_fault(err))
        return false;
    if (!await_ready(p->fd, POLLIN, jw_time_after_ms(timeout_ms)))
        return true;
    do
        r = read(p->fd, dst, n);
    while (r < 0 && errno == EINTR);
    if (r < 0 && errno != ECONNRESET) /* it ended before it read all */
        return jw_sys_fail(err, errno);
    *what = r > 0 ? JW_PROCESS_DATA : JW_PROCESS_CLOSED;
    *got = r > 0 ? (size_t)r : 0;
    return true;
}

bool jw_parent_open(struct jw_parent *p, struct jw_err *err)
{
    struct stat st;

    if (fstat(STDIN_FILENO, &st) != 0 || !S_ISSOCK(st.st_mode))
        return jw_fail(err, JW_E_USAGE,
                       "standard input is no pipe to a parent: jitwarm starts this for itself");

    int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool ok = (fd >= 0 && null >= 0 && dup2(null, STDIN_FILENO) >= 0) || jw_sys_fail(err, errno);

    p->in = p->out = fd;
    close_fd(&null);
    return ok;
}

/* ---- its memory ---- */

/* "42017 8123 ...": pages, pages in memory. */
uint64_t jw_process_memory(const struct jw_process *p)
{
    char path[32], text[64], *end;

    (void)snprintf(path, sizeof path, "/proc/%ld/statm", (long)p->pid);
    if (p->pid <= 0 || !jw_procfs_read(path, text, sizeof text))
        return 0;
    (void)strtoull(text, &end, 10);
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- its end ---- */

/* Does not reap it, so that its process group id stays taken until the group is killed. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

bool jw_process_ended(const struct jw_process *p) { return p->pid <= 0 || has_ended(p->pid); }

/* Kills its process group, with children it left behind. Returns the status of waitpid. The
 * user's own programs are first asked to end, to release their locks; interactive shells ignore
 * SIGTERM. */
static int end_group(pid_t pid, bool ask)
{
    enum { GRACE_MS = 1000, NAP_MS = 2 };
    static const int signals[] = {SIGTERM, SIGHUP, SIGKILL};
    bool reaped = false;
    int status = 0;

    for (size_t i = ask ? 0 : 2; i < JW_COUNT(signals); i++) {
        uint64_t until = jw_time_after_ms(GRACE_MS);
        bool last = signals[i] == SIGKILL;

        (void)kill(-pid, signals[i]);
        do {
            if (!reaped && (last || has_ended(pid))) {
                while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                    continue;
                reaped = true;
            }
            /* The system does not reuse a process number while a group has that id. */
            if (last || (reaped && kill(-pid, 0) != 0))
                return status;
            jw_time_sleep_ms(NAP_MS);
        } while (jw_time_monotonic_ns() < until);
    }
    return status;
}

struct jw_process_end jw_spawn_end(int status)
{
    int s = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    struct jw_process_end end = {
        .code = s ? 128 + s : WEXITSTATUS(status), .signal = s, .crashed = s};

    end.by_others = s == SIGKILL || s == SIGTERM || s == SIGINT || s == SIGHUP || s == SIGQUIT;
    if (s)
        (void)snprintf(end.how, sizeof end.how, "signal %d (%s)", s, strsignal(s));
    else
        (void)snprintf(end.how, sizeof end.how, "exit %d", end.code);
    return end;
}

void jw_process_finish(struct jw_process *p, unsigned grace_ms, struct jw_process_end *end)
{
    uint64_t until = jw_time_after_ms(grace_ms);
    bool gone;

    *end = (struct jw_process_end){0};
    if (p->pid <= 0)
        return;
    (void)shutdown(p->fd, SHUT_WR);
    while (!(gone = has_ended(p->pid)) && jw_time_monotonic_ns() < until)
        jw_time_sleep_ms(1);
    *end = jw_spawn_end(end_group(p->pid, p->prints));
    p->pid = -1;
    /* On a busy machine a crashed child may take longer to end: then the crash counts. */
    end->killed = !gone && end->signal == SIGKILL;
    end->by_others = end->by_others && !end->killed;
}

void jw_process_free(struct jw_process *p)
{
    struct jw_process_end end;

    if (!p)
        return;
    jw_process_finish(p, 0, &end);
    close_fd(&p->fd);
    jw_free(p);
}

bool jw_process_detach(const struct jw_command *c, struct jw_err *err)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int streams[3] = {null, null, null};
    pid_t pid;
    bool ok = !jw_sys_fault(err) && (null >= 0 || jw_sys_fail(err, errno))
              && jw_spawn(c, JW_SPAWN_DETACHED, streams, &pid, err);

    close_fd(&null);
    return ok || jw_wrap(err, "%s", c->exe);
}

/* ---- what is known of processes ---- */

bool jw_process_self(struct jw_buf *path, struct jw_err *err)
{
    char text[4096];
    ssize_t n;

    if (jw_sys_fault(err))
        return false;
    n = readlink("/proc/self/exe", text, sizeof text);
    if (n < 0)
        return jw_sys_fail(err, errno)
               || jw_wrap(err, "cannot read /proc/self/exe (is /proc mounted?)");
    if ((size_t)n == sizeof text)
        return jw_fail(err, JW_E_LIMIT, "the name of this program is too long");
    jw_buf_add(path, text, (size_t)n);
    return jw_buf_ok(path, err);
}

/* EPERM: alive, but of another user. */
bool jw_process_alive(unsigned long pid) { return kill((pid_t)pid, 0) == 0 || errno != ESRCH; }

/* A digest of the boot id and the pid namespace; an unreadable one counts as empty. */
uint32_t jw_boot_id(void)
{
    char text[128] = "";
    uint8_t digest[JW_DIGEST];

    (void)jw_procfs_read("/proc/sys/kernel/random/boot_id", text, 64);
    (void)!readlink("/proc/self/ns/pid", text + 64, 64);
    jw_digest(digest, text, sizeof text);
    return (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8
           | digest[3];
}

bool jw_process_elevated(void) { return geteuid() == 0; }

void jw_process_shield(void) { (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

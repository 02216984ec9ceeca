#include "os/process/child.h"

#include "base/arena.h"
#include "base/mem.h"
#include "os/machine/time.h"
#include "os/process/birth_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    NAP_MS = 5, /* between looks at a child that is asked to end */
    STREAMS = 3
};

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

struct jw_child {
    pid_t pid;
    int to, from; /* a socket, because a pipe whose reader died would send us SIGPIPE; a pipe */
};

/* What the child needs between fork and exec, made before: it may not allocate then. */
struct birth {
    const char *exe;
    char **argv, **envp;
    pid_t parent;
    int null, in, out, report, open_max;
};

static void shut(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void make_arguments(const struct jw_child_options *o, const struct birth *b, struct jw_arena *a,
                           char ***out)
{
    char **argv = jw_arena_alloc(a, (o->n_args + 4) * sizeof *argv), number[2][16];

    (void)snprintf(number[0], sizeof number[0], "%d", b->in);
    (void)snprintf(number[1], sizeof number[1], "%d", b->out);
    argv[0] = jw_arena_str(a, o->exe);
    for (size_t i = 0; i < o->n_args; i++)
        argv[1 + i] = jw_arena_str(a, o->args[i]);
    for (size_t i = 0; i < 2; i++)
        argv[1 + o->n_args + i] = jw_arena_str(a, number[i]);
    *out = argv;
}

/* ---- in the child, down to become(): async-signal-safe calls only, for other threads may have held locks
 * ---- */

static void inherit_only(const struct birth *b)
{
    if (syscall(SYS_close_range, (unsigned)STREAMS, ~0u, CLOSE_RANGE_CLOEXEC) != 0)
        for (int fd = STREAMS; fd < b->open_max; fd++)
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(b->in, F_SETFD, 0);
    (void)fcntl(b->out, F_SETFD, 0);
}

static void become(const void *how)
{
    const struct rlimit no_core = { 0, 0 };
    const struct birth *b = how;

    jw_birth_begin(b->parent);
    (void)setrlimit(RLIMIT_CORE, &no_core); /* a crash is reported, and expected to happen */
    if (dup2(b->null, 0) >= 0 && dup2(b->null, 1) >= 0 && dup2(b->null, 2) >= 0) {
        inherit_only(b);
        jw_birth_forget_signals();
        if (b->argv)
            (void)execve(b->exe, b->argv, b->envp);
    }
    jw_birth_failed(b->report);
}

/* ---- its start ---- */

static bool make_ends(struct jw_child *c, struct birth *b, int *report, struct jw_err *err)
{
    int to[2] = { -1, -1 }, from[2] = { -1, -1 }, tell[2] = { -1, -1 };
    bool ok = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) == 0 && pipe2(from, O_CLOEXEC) == 0
              && pipe2(tell, O_CLOEXEC) == 0;

    if (!ok)
        (void)jw_sys_fail(err, errno);
    c->to = to[0];
    b->in = to[1];
    c->from = from[0];
    b->out = from[1];
    *report = tell[0];
    b->report = tell[1];
    b->null = ok ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (ok
        && (b->null < 0 || !jw_birth_lift(&c->to) || !jw_birth_lift(&b->in) || !jw_birth_lift(&c->from)
            || !jw_birth_lift(&b->out) || !jw_birth_lift(report) || !jw_birth_lift(&b->report)
            || !jw_birth_lift(&b->null) || fcntl(c->from, F_SETFL, O_NONBLOCK) != 0))
        ok = jw_sys_fail(err, errno);
    return ok;
}

/* The report ends without a word when exec has closed it. */
static bool became(int report, struct jw_err *err)
{
    int why = 0;
    ssize_t n;

    do
        n = read(report, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    return n != (ssize_t)sizeof why || jw_sys_fail(err, why);
}

static bool start(struct jw_child *c, const struct jw_child_options *o, struct jw_arena *a,
                  struct jw_err *err)
{
    struct birth b = { .exe = o->exe,
                       .parent = getpid(),
                       .null = -1,
                       .in = -1,
                       .out = -1,
                       .report = -1,
                       .open_max = jw_birth_open_max() };
    int report = -1;
    bool ok = make_ends(c, &b, &report, err);

    if (ok)
        make_arguments(o, &b, a, &b.argv);
    ok = ok && jw_birth_environment(o->edits, o->n_edits, false, a, &b.envp, err)
         && jw_birth_fork(&c->pid, become, &b, err);

    shut(&b.null);
    shut(&b.in);
    shut(&b.out);
    shut(&b.report);
    ok = ok && became(report, err);
    shut(&report);
    return ok;
}

bool jw_child_start(struct jw_child **out, const struct jw_child_options *o, struct jw_err *err)
{
    struct jw_arena a = { 0 };

    *out = NULL;
    if (jw_sys_fault(err))
        return false;
    if (*o->exe != '/')
        return jw_fail(err, JW_E_USAGE, "is not an absolute path");

    struct jw_child *c = jw_alloc(sizeof *c);

    *c = (struct jw_child){ .pid = -1, .to = -1, .from = -1 };
    if (start(c, o, &a, err))
        *out = c;
    else
        jw_child_free(c);
    jw_arena_free(&a);
    return *out != NULL;
}

/* ---- talk ---- */

/* Until `fd` is ready or the time is over; 0 then. */
static int await(int fd, short events, uint64_t end)
{
    for (;;) {
        struct pollfd look = { .fd = fd, .events = events };
        uint64_t now = jw_time_monotonic_ns(), left = now < end ? (end - now + 999999) / 1000000 : 0;
        int n = poll(&look, 1, left > 60000 ? 60000 : (int)left);

        if (n > 0 || (n < 0 && errno != EINTR))
            return n;
        if (jw_time_monotonic_ns() >= end)
            return 0;
    }
}

static uint64_t end_of(unsigned ms)
{
    return jw_time_monotonic_ns() + (uint64_t)ms * 1000000;
}

bool jw_child_send(struct jw_child *c, const void *p, size_t n, unsigned timeout_ms, struct jw_err *err)
{
    const uint8_t *at = p;
    uint64_t end = end_of(timeout_ms);

    if (jw_sys_fault(err))
        return false;
    while (n) {
        ssize_t w = send(c->to, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (w < 0 && errno == EAGAIN && await(c->to, POLLOUT, end) == 0)
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

bool jw_child_read(struct jw_child *c, void *dst, size_t n, unsigned timeout_ms, enum jw_child_read *what,
                   size_t *got, struct jw_err *err)
{
    uint64_t end = end_of(timeout_ms);

    *got = 0;
    *what = JW_CHILD_SILENT;
    if (jw_sys_fault(err))
        return false;
    for (;;) {
        ssize_t r = read(c->from, dst, n);

        if (r >= 0) {
            *what = r ? JW_CHILD_DATA : JW_CHILD_CLOSED;
            *got = (size_t)r;
            return true;
        }
        if (errno != EINTR && errno != EAGAIN)
            return jw_sys_fail(err, errno);
        if (errno == EAGAIN && await(c->from, POLLIN, end) == 0)
            return true;
    }
}

/* ---- what it holds ---- */

/* "42017 8123 ...": pages, pages in memory. */
uint64_t jw_child_memory(const struct jw_child *c)
{
    char path[32], text[64], *end = text;
    long page = sysconf(_SC_PAGESIZE);

    if (c->pid < 0 || page <= 0)
        return 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/statm", (long)c->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    shut(&fd);
    text[n > 0 ? n : 0] = '\0';
    (void)strtoull(text, &end, 10);
    return strtoull(end, NULL, 10) * (uint64_t)page;
}

/* ---- its end ---- */

static const char *signal_name(int s)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {
        { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },   { SIGHUP, "SIGHUP" },
        { SIGILL, "SIGILL" },   { SIGINT, "SIGINT" },   { SIGKILL, "SIGKILL" }, { SIGPIPE, "SIGPIPE" },
        { SIGQUIT, "SIGQUIT" }, { SIGSEGV, "SIGSEGV" }, { SIGSYS, "SIGSYS" },   { SIGTERM, "SIGTERM" },
        { SIGTRAP, "SIGTRAP" }, { SIGXCPU, "SIGXCPU" },
    };

    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (known[i].number == s)
            return known[i].name;
    return NULL;
}

static bool comes_from_others(int s)
{
    return s == SIGKILL || s == SIGTERM || s == SIGINT || s == SIGHUP || s == SIGQUIT;
}

static struct jw_child_end end_from(int status)
{
    int s = WTERMSIG(status);

    if (WIFSIGNALED(status))
        return (struct jw_child_end){ true, (unsigned)s, signal_name(s), comes_from_others(s) };
    return (struct jw_child_end){ .code = (unsigned)WEXITSTATUS(status) };
}

void jw_child_finish(struct jw_child *c, unsigned grace_ms, struct jw_child_end *end, bool *killed)
{
    uint64_t until = end_of(grace_ms);
    bool gone;

    *end = (struct jw_child_end){ 0 };
    shut(&c->to);
    if (c->pid < 0)
        return;
    while (!(gone = jw_birth_ended(c->pid)) && jw_time_monotonic_ns() < until) {
        uint8_t rest[512];

        /* Its end of the pipe closes when it goes, which is sooner known than after a nap. */
        if (await(c->from, POLLIN, end_of(NAP_MS)) > 0 && read(c->from, rest, sizeof rest) == 0)
            jw_time_sleep_ms(1);
    }
    *end = end_from(jw_birth_reap(c->pid));
    c->pid = -1;
    /* On a busy machine one that crashes may take longer than that to be gone: then our signal came too late, and its own end counts. */
    if (killed)
        *killed = !gone && end->crashed && end->code == SIGKILL;
}

void jw_child_free(struct jw_child *c)
{
    struct jw_child_end end;

    if (!c)
        return;
    jw_child_finish(c, 0, &end, NULL);
    shut(&c->from);
    jw_free(c);
}

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "os/machine/time.h"
#include "os/process/child.h"
#include "os/process/spawn_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Checks that a descriptor number comes from the parent: a pipe or a socket, no standard stream. */
static bool inherited(const char *text, intptr_t *fd, struct jw_err *err)
{
    struct stat st;
    uint64_t n;

    if (!jw_text_u64(text, &n) || n <= STDERR_FILENO || n > 1 << 20 || fstat((int)n, &st) != 0
        || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        return jw_fail(err, JW_E_USAGE, "\"%.20s\" is no pipe to a parent", text);
    (void)fcntl((int)n, F_SETFD, FD_CLOEXEC); /* processes that a driver starts must not inherit it */
    *fd = (intptr_t)n;
    return true;
}

bool jw_parent_open(struct jw_parent *p, const char *in, const char *out, struct jw_err *err)
{
    return inherited(in, &p->in, err) && inherited(out, &p->out, err);
}

bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err)
{
    uint8_t *at = dst;
    size_t left = n;

    *gone = false;
    while (left) {
        ssize_t r = read((int)p->in, at, left);

        if (r < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
        if (r == 0) {
            *gone = left == n;
            return *gone || jw_fail(err, JW_E_IO, "the parent ended in the middle of a record");
        }
        if (r > 0) {
            at += r;
            left -= (size_t)r;
        }
    }
    return true;
}

bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err)
{
    return jw_sys_write(p->out, src, n, err);
}

enum { NAP_MS = 5 /* poll interval while a child ends */ };

struct jw_child {
    pid_t pid;
    int to,
        from; /* `to` is a socket, because writing to a pipe without a reader raises SIGPIPE; `from` is a pipe */
};

/* Data for the child between fork and exec, where it cannot allocate. */
struct spawn {
    const char *exe;
    char **argv;
    const char **envp;
    pid_t parent;
    int null, in, out;
};

static void make_arguments(const struct jw_child_options *o, const struct spawn *b, struct jw_arena *a,
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

/* ---- in the child: async-signal-safe calls only, for other threads may have held locks ---- */

static void become_child(const void *how, int report)
{
    const struct rlimit no_core = { 0, 0 };
    const struct spawn *b = how;

    jw_spawn_begin(b->parent);
    (void)setrlimit(RLIMIT_CORE, &no_core); /* crashes are expected and reported by the parent */
    if (dup2(b->null, 0) >= 0 && dup2(b->null, 1) >= 0 && dup2(b->null, 2) >= 0) {
        jw_spawn_close_others();
        (void)fcntl(b->in, F_SETFD, 0);
        (void)fcntl(b->out, F_SETFD, 0);
        jw_spawn_forget_signals();
        (void)execve(b->exe, b->argv, (char *const *)b->envp);
    }
    jw_spawn_failed(report);
}

/* ---- its start ---- */

static bool make_ends(struct jw_child *c, struct spawn *b, struct jw_err *err)
{
    int to[2] = { -1, -1 }, from[2] = { -1, -1 };
    bool ok = ((socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) == 0 && jw_spawn_move_fd(&to[0])
                && jw_spawn_move_fd(&to[1]))
               || jw_sys_fail(err, errno))
              && jw_spawn_pipe(from, err);

    c->to = to[0];
    b->in = to[1];
    c->from = from[0];
    b->out = from[1];
    if (!ok)
        return false;
    b->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    return (b->null >= 0 && jw_spawn_move_fd(&b->null) && fcntl(c->from, F_SETFL, O_NONBLOCK) == 0)
           || jw_sys_fail(err, errno);
}

static bool start_child(struct jw_child *c, const struct jw_child_options *o, struct jw_arena *a,
                        struct jw_err *err)
{
    struct spawn b = { .exe = o->exe, .parent = getpid(), .null = -1, .in = -1, .out = -1 };
    struct jw_spawn s = { .pid = -1, .report = -1 };
    bool ok = make_ends(c, &b, err);

    make_arguments(o, &b, a, &b.argv);
    ok = ok && jw_child_environment(o->edits, o->n_edits, false, a, &b.envp, err)
         && jw_spawn_start(&s, become_child, &b, err);
    jw_spawn_close_fd(&b.null);
    jw_spawn_close_fd(&b.in);
    jw_spawn_close_fd(&b.out);
    c->pid = s.pid;
    return ok && jw_spawn_became(&s, err);
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
    if (start_child(c, o, &a, err))
        *out = c;
    else
        jw_child_free(c);
    jw_arena_free(&a);
    return *out != NULL;
}

/* ---- talk ---- */

/* Polls `fd` until it is ready; 0: timeout. */
static int await_ready(int fd, short events, uint64_t end)
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

bool jw_child_send(struct jw_child *c, const void *p, size_t n, unsigned timeout_ms, struct jw_err *err)
{
    const uint8_t *at = p;
    uint64_t end = jw_time_after_ms(timeout_ms);

    if (jw_sys_fault(err))
        return false;
    while (n) {
        ssize_t w = send(c->to, at, n, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (w < 0 && errno == EAGAIN && await_ready(c->to, POLLOUT, end) == 0)
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
    uint64_t end = jw_time_after_ms(timeout_ms);

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
        if (errno == EAGAIN && await_ready(c->from, POLLIN, end) == 0)
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
    jw_spawn_close_fd(&fd);
    text[n > 0 ? n : 0] = '\0';
    (void)strtoull(text, &end, 10);
    return strtoull(end, NULL, 10) * (uint64_t)page;
}

unsigned long jw_child_id(const struct jw_child *c)
{
    return c->pid > 0 ? (unsigned long)c->pid : 0;
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
    uint64_t until = jw_time_after_ms(grace_ms);
    bool gone;

    *end = (struct jw_child_end){ 0 };
    jw_spawn_close_fd(&c->to);
    if (c->pid < 0)
        return;
    while (!(gone = jw_spawn_ended(c->pid)) && jw_time_monotonic_ns() < until) {
        uint8_t rest[512];

        /* The closed pipe shows the child's end sooner than the next poll. */
        if (await_ready(c->from, POLLIN, jw_time_after_ms(NAP_MS)) > 0
            && read(c->from, rest, sizeof rest) == 0)
            jw_time_sleep_ms(1);
    }
    *end = end_from(jw_spawn_reap(c->pid));
    c->pid = -1;
    /* On a busy machine a crashed child may take longer to end: then the kill came too late, and the crash counts. */
    if (killed)
        *killed = !gone && end->crashed && end->code == SIGKILL;
}

void jw_child_free(struct jw_child *c)
{
    struct jw_child_end end;

    if (!c)
        return;
    jw_child_finish(c, 0, &end, NULL);
    jw_spawn_close_fd(&c->from);
    jw_free(c);
}

struct detached_birth {
    const char *exe;
    const char *const *argv;
    const char **envp;
    const struct passwd *user; /* NULL: this user */
};

static bool become_user(const struct passwd *user)
{
    return !user
           || (initgroups(user->pw_name, user->pw_gid) == 0 && setgid(user->pw_gid) == 0
               && setuid(user->pw_uid) == 0);
}

/* In the first child, which only starts the second one. The second has no parent here and leads no session, so it can
 * never get a terminal. */
static void become_detached(const void *how, int report)
{
    const struct detached_birth *b = how;
    pid_t pid;

    (void)setsid();
    pid = fork();
    if (pid > 0)
        _exit(0);
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        for (int fd = 0; fd < 3; fd++)
            (void)dup2(null, fd);
        jw_spawn_close_others();
        jw_spawn_forget_signals();
        if (chdir("/") == 0 && become_user(b->user))
            (void)execve(b->exe, (char *const *)b->argv, (char *const *)b->envp);
    }
    jw_spawn_failed(report);
}

static bool launch_detached(const struct detached_birth *b, struct jw_err *err)
{
    struct jw_spawn s;
    int status;

    if (!jw_spawn_start(&s, become_detached, b, err))
        return false;
    while (waitpid(s.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return jw_spawn_became(&s, err);
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
    struct detached_birth b = { .exe = exe, .argv = argv };
    struct jw_child_edit edits[3] = { 0 };
    bool ok;

    if (jw_sys_fault(err) || !find_user(user, &b.user, err))
        return false;
    if (b.user) {
        edits[0] = (struct jw_child_edit){ "HOME", b.user->pw_dir };
        edits[1] = (struct jw_child_edit){ "USER", b.user->pw_name };
        edits[2] = (struct jw_child_edit){ "LOGNAME", b.user->pw_name };
    }
    ok = jw_child_environment(edits, b.user ? 3 : 0, false, &a, &b.envp, err) && launch_detached(&b, err);
    jw_arena_free(&a);
    return ok || jw_wrap(err, "%s", exe);
}

#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/process/spawn_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool jw_process_cpu(unsigned long pid, double *seconds)
{
    struct timespec used;
    clockid_t clock;

    if (pid == 0 || pid > INT32_MAX || clock_getcpuclockid((pid_t)pid, &clock) != 0
        || clock_gettime(clock, &used) != 0)
        return false;
    *seconds = (double)used.tv_sec + (double)used.tv_nsec / 1e9;
    return true;
}

enum {
    STEP = 16384,
    NAP_MS = 20,       /* poll interval while the child is silent */
    NAP_CLOSED_MS = 1, /* poll interval after its output has ended */
    GRACE_MS = 2000    /* after a timeout, and for its left-over children */
};

struct child {
    pid_t pid;
    int out; /* its standard output, -1 at the end */
};

static void close_ends(int ends[2])
{
    jw_spawn_close_fd(&ends[0]);
    jw_spawn_close_fd(&ends[1]);
}

/* One that this process reads without waiting. */
static bool make_pipe(int ends[2], struct jw_err *err)
{
    return jw_spawn_pipe(ends, err) && (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 || jw_sys_fail(err, errno));
}

struct spawn {
    const char *exe;
    const char *const *argv;
    const char **envp;
    pid_t parent;
    int null, in, out;
    bool with_errors;
};

/* In the child: only async-signal-safe calls, because another thread may have held a lock. */
static void become_program(const void *how, int report)
{
    const struct spawn *b = how;

    jw_spawn_begin(b->parent);
    if (dup2(b->in, 0) >= 0 && dup2(b->out, 1) >= 0 && dup2(b->with_errors ? b->out : b->null, 2) >= 0) {
        jw_spawn_close_others();
        jw_spawn_forget_signals();
        (void)execve(b->exe, (char *const *)b->argv, (char *const *)b->envp);
    }
    jw_spawn_failed(report);
}

static bool drain(struct child *c, uint64_t deadline, struct jw_buf *out, struct jw_err *err)
{
    uint8_t step[STEP];

    while (c->out >= 0 && jw_time_monotonic_ns() < deadline) {
        ssize_t n = read(c->out, step, sizeof step);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || jw_sys_fail(err, errno);
        if (n == 0)
            jw_spawn_close_fd(&c->out);
        jw_buf_add(out, step, (size_t)n);
        if (!jw_buf_ok(out, err))
            return jw_wrap(err, "its output");
    }
    return true;
}

static bool collect_output(struct child *c, const struct jw_process_options *o, struct jw_buf *out,
                           struct jw_err *err)
{
    uint64_t deadline = jw_time_after_ms(o->timeout_ms);

    for (;;) {
        struct pollfd look = { .fd = c->out, .events = POLLIN };
        /* This order sees all output that was written before the end. */
        bool gone = jw_spawn_ended(c->pid);

        if (!drain(c, deadline, out, err))
            return false;
        if (gone)
            return true;

        uint64_t now = jw_time_monotonic_ns();

        if (!jw_not_interrupted(o->interrupted, err))
            return false;
        if (now >= deadline)
            return jw_fail(err, JW_E_IO, "ran longer than %u ms and was ended", o->timeout_ms);
        if (o->look)
            o->look(o->ctx);

        uint64_t left = (deadline - now) / 1000000 + 1, nap = c->out < 0 ? NAP_CLOSED_MS : NAP_MS;

        (void)poll(&look, 1, (int)(left < nap ? left : nap));
    }
}

static bool start_and_collect(struct spawn *b, int out[2], const struct jw_process_options *o,
                              struct jw_buf *text, int *exit_code, struct jw_err *err)
{
    struct child c = { .out = out[0] };
    struct jw_spawn s;

    b->out = out[1];
    if (!jw_spawn_start(&s, become_program, b, err))
        return false;
    jw_spawn_close_fd(&out[1]);
    c.pid = s.pid;

    bool ok = collect_output(&c, o, text, err);
    int status = jw_spawn_end(c.pid, GRACE_MS);
    bool became = jw_spawn_became(&s, ok ? err : &(struct jw_err){ 0 });

    out[0] = c.out;
    if (!ok || !became)
        return false;
    if (WIFSIGNALED(status))
        return jw_fail(err, JW_E_IO, "was ended by signal %d", WTERMSIG(status));
    *exit_code = WEXITSTATUS(status);
    return true;
}

static bool capture_output(struct spawn *b, const struct jw_process_options *o, struct jw_buf *out,
                           int *exit_code, struct jw_err *err)
{
    int text[2] = { -1, -1 }, input = -1;
    bool ok = false;

    b->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (b->null < 0 || !jw_spawn_move_fd(&b->null))
        (void)jw_sys_fail(err, errno);
    else if (!o->input.n || jw_spawn_input(o->input, &input, err)) {
        b->in = o->input.n ? input : b->null;
        ok = make_pipe(text, err) && start_and_collect(b, text, o, out, exit_code, err);
    }
    jw_spawn_close_fd(&input);
    close_ends(text);
    jw_spawn_close_fd(&b->null);
    return ok;
}

bool jw_process_run(const struct jw_process_options *o, struct jw_buf *out, int *exit_code,
                    struct jw_err *err)
{
    struct spawn b = { .exe = o->exe, .argv = o->argv, .parent = getpid(), .with_errors = o->with_errors };
    struct jw_arena a = { 0 };

    *exit_code = -1;
    if (jw_sys_fault(err))
        return false;
    if (*o->exe != '/')
        return jw_fail(err, JW_E_USAGE, "is not an absolute path");

    bool ok = jw_child_environment(o->edits, o->n_edits, o->bare, &a, &b.envp, err)
              && capture_output(&b, o, out, exit_code, err);

    jw_arena_free(&a);
    return ok;
}

static bool runnable(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool jw_process_find(const char *name, struct jw_buf *path, bool *found, struct jw_err *err)
{
    const char *at = getenv("PATH");

    *found = false;
    if (jw_sys_fault(err))
        return false;
    if (!*name || strchr(name, '/'))
        return jw_fail(err, JW_E_USAGE, "\"%s\" is not the name of a program", name);
    while (at && *at) {
        size_t n = strcspn(at, ":");

        jw_buf_clear(path);
        jw_buf_add(path, at, n);
        jw_buf_text(path, "/");
        jw_buf_text(path, name);
        *found = *at == '/' && runnable(jw_buf_cstr(path));
        if (path->bad || *found)
            return jw_buf_ok(path, err);
        at += n + (at[n] == ':');
    }
    jw_buf_clear(path);
    return true;
}

/* Without /proc: as it was started, which is a path also where the shell found it by PATH. */
static bool self_by_start(struct jw_buf *path)
{
    char *real = realpath((const char *)getauxval(AT_EXECFN), NULL);

    if (real)
        jw_buf_text(path, real);
    free(real);
    return path->n && !path->bad;
}

bool jw_process_self(struct jw_buf *path, struct jw_err *err)
{
    char text[4096];
    ssize_t n;

    if (jw_sys_fault(err))
        return false;
    n = readlink("/proc/self/exe", text, sizeof text);
    if (n < 0) {
        jw_sys_fail(err, errno);
        return self_by_start(path) || jw_wrap(err, "cannot read /proc/self/exe (is /proc mounted?)");
    }
    if ((size_t)n == sizeof text)
        return jw_fail(err, JW_E_LIMIT, "the name of this program is too long");
    jw_buf_add(path, text, (size_t)n);
    return jw_buf_ok(path, err);
}

unsigned long jw_process_id(void)
{
    return (unsigned long)getpid();
}

bool jw_process_elevated(void)
{
    return geteuid() == 0;
}

void jw_process_shield(void)
{
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

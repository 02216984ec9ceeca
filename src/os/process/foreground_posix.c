#include "base/arena.h"
#include "os/machine/time.h"
#include "os/process/foreground.h"
#include "os/process/running.h"
#include "os/process/spawn_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MS = 1000,       /* in the first minutes */
    SLOW_LOOK_MS = 30000, /* of a command that runs for a day */
    SOON_S = 120,
    LEFT_MS = 500, /* for what the command left behind */
    LEFT_NAP_MS = 20,
    LEFT_LOOKS = 4
};

/* ---- signals ---- */

/* A signal that a terminal sends to its foreground group reaches the command without this process. */
static const int passed_on[] = { SIGINT,   SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
                                 SIGWINCH, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU };

enum { PASSED_ON = JW_COUNT(passed_on), OWN = PASSED_ON + 1 };

/* Mutable state at file scope, because a signal handler gets no context. */
static volatile sig_atomic_t command, wake, asked;
static volatile sig_atomic_t early[NSIG]; /* came before there was a command */

static void child_ended(int sig)
{
    const uint64_t one = 1;
    int kept = errno;

    (void)sig;
    (void)!write(wake, &one, sizeof one);
    errno = kept;
}

/* A code above 0 marks a signal of the kernel (the terminal), which the whole group got. A signal that the
 * command itself sent is not passed back to it. */
static void pass_on(int sig, siginfo_t *info, void *ctx)
{
    int kept = errno;

    (void)ctx;
    if (sig == SIGTERM || sig == SIGINT || sig == SIGHUP)
        asked = 1;
    if (info->si_code > 0 && (sig == SIGTTIN || sig == SIGTTOU))
        (void)kill(getpid(), SIGSTOP); /* as without a handler */
    else if (info->si_code <= 0 && !command)
        early[sig] = 1;
    else if (info->si_code <= 0 && info->si_pid != command)
        (void)kill(command, sig);
    errno = kept;
}

/* To the program itself: before, its process has no handlers of its own. */
static void begin_passing_on(pid_t pid)
{
    command = pid;
    for (size_t i = 0; i < PASSED_ON; i++)
        if (early[passed_on[i]])
            (void)kill(pid, passed_on[i]);
}

struct handlers {
    struct sigaction before[OWN];
    size_t n;
};

static void replace(struct handlers *h, int sig, const struct sigaction *now)
{
    if (sigaction(sig, now, &h->before[h->n]) == 0)
        h->n++;
}

static void take_signals(struct handlers *h, bool all)
{
    struct sigaction child = { .sa_handler = child_ended, .sa_flags = SA_RESTART },
                     pass = { .sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO };

    (void)sigemptyset(&child.sa_mask);
    (void)sigemptyset(&pass.sa_mask);
    h->n = 0;
    replace(h, SIGCHLD, &child);
    for (size_t i = 0; all && i < PASSED_ON; i++)
        replace(h, passed_on[i], &pass);
}

static void restore_signals(const struct handlers *h)
{
    for (size_t i = 0; i < h->n; i++)
        (void)sigaction(i ? passed_on[i - 1] : SIGCHLD, &h->before[i], NULL);
}

/* ---- in the child: only async-signal-safe calls, because another thread may have held a lock. execvpe is not listed as
 * safe, but beyond execve it uses only the stack. ---- */

struct spawn {
    const char *const *argv;
    const char **envp;
    struct handlers handlers;
    sigset_t mask;
    bool stands_for_it;
    bool output_to_errors;
    pid_t parent;
};

/* Restores the handlers that this process started with: an ignored signal stays ignored (nohup). */
static void inherit_signals(const struct spawn *b)
{
    for (size_t i = 0; i < b->handlers.n; i++) {
        struct sigaction one = b->handlers.before[i];

        if ((one.sa_flags & SA_SIGINFO) || one.sa_handler != SIG_IGN)
            one = (struct sigaction){ .sa_handler = SIG_DFL };
        (void)sigaction(i ? passed_on[i - 1] : SIGCHLD, &one, NULL);
    }
    (void)sigprocmask(SIG_SETMASK, &b->mask, NULL);
}

static void become_command(const void *how, int report)
{
    const struct spawn *b = how;

    jw_spawn_die_with(b->parent);
    if (b->output_to_errors && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        jw_spawn_failed(report);
    if (b->stands_for_it)
        inherit_signals(b);
    else
        jw_spawn_forget_signals();
    (void)execvpe(b->argv[0], (char *const *)b->argv, (char *const *)b->envp);
    jw_spawn_failed(report);
}

/* ---- while it runs ---- */

static bool has_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    bool has = fd >= 0;

    jw_spawn_close_fd(&fd);
    return has;
}

/* The shell waits for this process: it stops when the command was stopped by job control, and both go on together. */
static void stop_too(pid_t pid, int sig)
{
    if ((sig != SIGTSTP && sig != SIGTTIN && sig != SIGTTOU) || !has_terminal())
        return;
    (void)kill(getpid(), SIGSTOP);
    (void)kill(pid, SIGCONT);
}

/* A process that the command leaves behind becomes this process's child, and is reaped here. True: the command has ended. */
static bool reap(pid_t pid, bool stands_for_it, int *status, int *why)
{
    pid_t ended;

    while ((ended = waitpid(-1, status, WNOHANG | (stands_for_it ? WUNTRACED : 0))) > 0) {
        if (ended == pid && !WIFSTOPPED(*status))
            return true;
        if (ended == pid)
            stop_too(pid, WSTOPSIG(*status));
    }
    *why = ended < 0 && errno != EINTR ? errno : 0;
    return *why != 0;
}

static bool await_command(const struct jw_foreground *o, pid_t pid, int *status, struct jw_err *err)
{
    uint64_t soon = jw_time_after_ms(SOON_S * 1000), woken;
    int why = 0;

    while (!reap(pid, o->stands_for_it, status, &why)) {
        struct pollfd wait = { .fd = wake, .events = POLLIN };

        if (o->look)
            o->look(o->ctx);
        (void)poll(&wait, 1, !o->look ? -1 : jw_time_monotonic_ns() < soon ? LOOK_MS : SLOW_LOOK_MS);
        (void)!read(wake, &woken, sizeof woken);
    }
    return !why || jw_sys_fail(err, why);
}

static bool run_command(const struct jw_foreground *o, const struct spawn *b, struct jw_foreground_end *out,
                        struct jw_err *err)
{
    const struct jw_foreground in_silence = { .stands_for_it = o->stands_for_it };
    struct jw_err why = { 0 };
    struct jw_spawn s;
    int status = 0;

    if (!jw_spawn_start(&s, become_command, b, err))
        return false;
    bool became = jw_spawn_became(&s, &why);

    begin_passing_on(s.pid);
    if (became && o->look)
        o->look(o->ctx); /* once, however soon it ends */
    bool ended = await_command(became ? o : &in_silence, s.pid, &status, err);

    command = 0;
    if (!ended)
        return false;
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    out->code = out->signal ? 128 + out->signal : WEXITSTATUS(status);
    if (!became)
        *err = why;
    return became || (jw_sys_is_not_found(why.os) && jw_fail(err, JW_E_IO, "not found"));
}

/* Helpers of a program often end a moment after it. A child that this process made before is none of the command's.
 * One look may come between the end of a parent and the child's new one, and see neither: several in turn have to see
 * none. */
static size_t count_left(void)
{
    uint64_t until = jw_time_after_ms(LEFT_MS);
    struct jw_running_list l = { 0 };
    size_t n, empty = 0;
    int status;

    for (;;) {
        while (waitpid(-1, &status, WNOHANG) > 0) {
        }
        n = 0;
        jw_running_read(&l);
        jw_running_below(&l, (unsigned long)getpid());
        for (size_t i = 0; i < l.n; i++)
            n += !l.v[i].ended;
        empty = n ? 0 : empty + 1;
        if (empty == LEFT_LOOKS || jw_time_monotonic_ns() >= until)
            break;
        jw_time_sleep_ms(n ? LEFT_NAP_MS : 1);
    }
    jw_running_free(&l);
    return n;
}

static bool run_in_foreground(const struct jw_foreground *o, struct spawn *b, struct jw_foreground_end *out,
                              struct jw_err *err)
{
    (void)sigprocmask(SIG_SETMASK, NULL, &b->mask);
    command = asked = 0;
    for (size_t i = 0; i < PASSED_ON; i++)
        early[passed_on[i]] = 0;
    take_signals(&b->handlers, o->stands_for_it);
    bool ok = jw_not_interrupted(o->interrupted, err) && run_command(o, b, out, err);

    restore_signals(&b->handlers);
    out->asked = asked;
    out->left = ok && o->stands_for_it && !out->asked ? count_left() : 0;
    return ok;
}

bool jw_foreground_run(const struct jw_foreground *o, struct jw_foreground_end *out, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct spawn b = { .argv = o->argv,
                       .parent = getpid(),
                       .stands_for_it = o->stands_for_it,
                       .output_to_errors = o->output_to_errors };

    *out = (struct jw_foreground_end){ 0 };
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bool ok = (wake >= 0 || jw_sys_fail(err, errno))
              && jw_child_environment(o->edits, o->n_edits, false, &a, &b.envp, err)
              && run_in_foreground(o, &b, out, err);

    if (wake >= 0)
        (void)close(wake);
    jw_arena_free(&a);
    return ok || jw_wrap(err, "%s", o->argv[0]);
}

void jw_die_by_signal(int sig)
{
    const struct rlimit no_core = { 0, 0 };
    struct sigaction usual = { .sa_handler = SIG_DFL };
    sigset_t one;

    (void)fflush(NULL);
    (void)setrlimit(RLIMIT_CORE, &no_core); /* the command has left one */
    (void)sigemptyset(&usual.sa_mask);
    (void)sigaction(sig, &usual, NULL);
    (void)sigemptyset(&one);
    (void)sigaddset(&one, sig);
    (void)sigprocmask(SIG_UNBLOCK, &one, NULL);
    (void)raise(sig);
}

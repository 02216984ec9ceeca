#include "base/arena.h"
#include "os/files/file.h"
#include "os/machine/interrupt.h"
#include "os/process/process.h"
#include "os/process/spawn_posix.h"
#include "os/process/work_log.h"
#include "os/sys.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 100 };

/* The last is handled to end a wait. */
static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};

/* Mutable state at file scope, because a signal handler gets no context. */
static volatile sig_atomic_t command;
static volatile sig_atomic_t early; /* the last signal that came before there was a command */
static volatile sig_atomic_t asked; /* INT or TERM came, and not from the command */

/* A code above 0 marks a signal of the kernel (the terminal), which the whole group got. A signal
 * that the command itself sent is not passed back to it. */
static void pass_on(int sig, siginfo_t *info, void *ctx)
{
    int kept = errno;

    (void)ctx;
    if ((sig == SIGINT || sig == SIGTERM) && (info->si_code > 0 || info->si_pid != command))
        asked = true;
    if (info->si_code <= 0 && !command)
        early = sig;
    else if (info->si_code <= 0 && info->si_pid != command)
        (void)kill(command, sig);
    errno = kept;
}

/* Passes these signals on from now on; ignored ones stay ignored. */
static void take_signals(struct sigaction before[JW_COUNT(passed_on)])
{
    struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};

    (void)sigemptyset(&pass.sa_mask);
    command = early = asked = 0;
    for (size_t i = 0; i < JW_COUNT(passed_on); i++)
        if (sigaction(passed_on[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            (void)sigaction(passed_on[i], &pass, NULL);
}

/* A process that the command leaves behind becomes this process's child, and is reaped here. */
static bool await_command(const struct jw_command *c, pid_t pid, int *status, struct jw_err *err)
{
    pid_t ended;

    for (;;) {
        if (c->look)
            c->look(c->ctx);
        while ((ended = waitpid(-1, status, WNOHANG)) > 0)
            if (ended == pid)
                return true;
        if (ended < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
        (void)poll(NULL, 0, LOOK_MS); /* or until it ends */
    }
}

/* Does this file exist, but not the program that is to run it? */
static bool lacks_runner(const char *name, int why)
{
    return why == ENOENT && strchr(name, '/') && access(name, F_OK) == 0;
}

/* Is a program of this name in the working folder, where PATH does not look? */
static bool is_program_here(const char *name)
{
    struct jw_file_info info;

    if (strchr(name, '/') || access(name, X_OK) != 0)
        return false;
    return jw_file_stat(name, &info, JW_IGNORED) && info.kind == JW_FILE_REGULAR;
}

static bool refuse_command(const char *name, int why, struct jw_err *err)
{
    if (lacks_runner(name, why))
        return jw_fail(err, JW_E_IO,
                       "the program that is to run it is missing (its #! line, its loader)");
    if (!jw_sys_is_not_found(why))
        return jw_sys_fail(err, why);
    if (is_program_here(name))
        return jw_fail(err, JW_E_IO, "not found; did you mean ./%s?", name);
    if (strchr(name, ' '))
        return jw_fail(err, JW_E_IO, "not found; write the command without quotes");
    return jw_fail(err, JW_E_IO, "not found");
}

static bool run_command(const struct jw_command *c, struct jw_process_end *out, struct jw_err *err)
{
    const int streams[3] = {STDIN_FILENO, c->output_to_errors ? STDERR_FILENO : STDOUT_FILENO,
                            STDERR_FILENO};
    pid_t pid;
    int status = 0;

    if (!jw_spawn(c, JW_SPAWN_FOREGROUND, streams, &pid, err))
        return jw_sys_is_not_found(err->os) && refuse_command(c->argv[0], (int)err->os, err);
    command = pid; /* the program itself: before, its process had no handlers of its own */
    if (early)
        (void)kill(pid, early);
    bool ok = await_command(c, pid, &status, err);

    command = 0;
    if (ok)
        *out = jw_spawn_end(status);
    out->asked = asked;
    return ok;
}

bool jw_process_foreground(const struct jw_command *c, struct jw_process_end *out,
                           struct jw_err *err)
{
    struct sigaction before[JW_COUNT(passed_on)];

    *out = (struct jw_process_end){0};
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    take_signals(before);
    bool ok = jw_not_interrupted(c->interrupted, err) && run_command(c, out, err);

    for (size_t i = 0; i < JW_COUNT(passed_on); i++)
        (void)sigaction(passed_on[i], &before[i], NULL);
    return ok || jw_wrap(err, "%s", c->argv[0]);
}

bool jw_process_exec(const struct jw_command *c, int *exit_code, struct jw_err *err)
{
    struct jw_arena a = {0};
    const char **environment = NULL;

    *exit_code = JW_EXEC_REFUSED;
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    if (jw_interrupt_forget()) {
        *exit_code = JW_ENDED_BY_CTRL_C;
        return jw_fail(err, JW_E_INTERRUPTED, "%s: interrupted before it was started", c->argv[0]);
    }
    bool ok = jw_child_environment(c, &a, &environment, err);

    if (ok) {
        jw_work_log();
        (void)execvpe(c->argv[0], (char *const *)c->argv, (char *const *)environment);
    }
    int why = errno;

    jw_arena_free(&a);
    if (ok && jw_sys_is_not_found(why) && !lacks_runner(c->argv[0], why))
        *exit_code = JW_EXEC_NOT_FOUND;
    return ok && (refuse_command(c->argv[0], why, err) || jw_wrap(err, "%s", c->argv[0]));
}

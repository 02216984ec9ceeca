#include "base/arena.h"
#include "os/machine/interrupt.h"
#include "os/process/birth_posix.h"
#include "os/process/exec.h"
#include "os/sys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool refuse_command(const char *name, int why, int *exit_code, struct jw_err *err)
{
    if (why == ENOENT && strchr(name, '/') && access(name, F_OK) == 0)
        return jw_fail(err, JW_E_IO, "%s: the program that is to run it is missing (its #! line, its loader)",
                       name);
    if (!jw_sys_absent(why))
        return jw_sys_fail(err, why) || jw_wrap(err, "%s", name);
    *exit_code = JW_EXEC_NOT_FOUND;
    return jw_fail(err, JW_E_IO, "%s: not found", name);
}

bool jw_exec(const char *const argv[], int *exit_code, struct jw_err *err)
{
    *exit_code = JW_EXEC_REFUSED;
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    if (jw_interrupt_forget()) {
        *exit_code = JW_EXEC_INTERRUPTED;
        return jw_fail(err, JW_E_INTERRUPTED, "%s: interrupted before it was started", argv[0]);
    }
    (void)execvp(argv[0], (char *const *)argv);
    return refuse_command(argv[0], errno, exit_code, err);
}

struct birth {
    const char *const *argv;
    const char **envp;
    int report;
    pid_t parent;
};

/* In the child: only async-signal-safe calls, because another thread may have held a lock. execvpe is not listed as
 * safe, but beyond execve it uses only the stack. */
static void become_command(const void *how)
{
    const struct birth *b = how;

    jw_birth_die_with(b->parent);
    jw_birth_forget_signals();
    (void)execvpe(b->argv[0], (char *const *)b->argv, (char *const *)b->envp);
    jw_birth_failed(b->report);
}

/* What the command leaves behind becomes this process's child, and is reaped here. */
static bool await_command(pid_t pid, int *exit_code, struct jw_err *err)
{
    int status = 0;
    pid_t ended;

    while ((ended = waitpid(-1, &status, 0)) != pid)
        if (ended < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
    *exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

static bool run_command(const struct birth *b, int read_end, int *exit_code, struct jw_err *err)
{
    struct jw_err why = { 0 };
    pid_t pid;
    bool forked = jw_birth_fork(&pid, become_command, b, err);

    (void)close(b->report);
    if (!forked)
        return false;
    bool became = jw_birth_became(read_end, &why);

    if (!await_command(pid, exit_code, err))
        return false;
    if (!became)
        *err = why;
    return became || (jw_sys_absent(why.os) && jw_fail(err, JW_E_IO, "not found"));
}

bool jw_attend(const char *const argv[], const struct jw_child_edit *edits, size_t n_edits, int *exit_code,
               struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct birth b = { .argv = argv, .parent = getpid() };
    int ends[2];
    bool ok;

    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    ok = jw_child_environment(edits, n_edits, false, &a, &b.envp, err) && jw_birth_pipe(ends, err);
    if (ok) {
        b.report = ends[1];
        ok = run_command(&b, ends[0], exit_code, err);
        (void)close(ends[0]);
    }
    jw_arena_free(&a);
    return ok || jw_wrap(err, "%s", argv[0]);
}

#include "os/process/birth_posix.h"
#include "base/buf.h"
#include "base/limits.h"
#include "os/machine/time.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_VARIABLES = 1 << 16 };

static bool names(const struct jw_child_edit *edit, const char *variable)
{
    size_t n = strlen(edit->name), given = strcspn(variable, "=");

    if (n && edit->name[n - 1] == '*')
        return given >= n - 1 && strncmp(edit->name, variable, n - 1) == 0;
    return given == n && strncmp(edit->name, variable, n) == 0;
}

static bool edited(const struct jw_child_edit *edits, size_t n, const char *variable)
{
    for (size_t i = 0; i < n; i++)
        if (names(&edits[i], variable))
            return true;
    return false;
}

static bool assign(const struct jw_child_edit *edit, struct jw_arena *a, char **out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_VARIABLE);

    jw_buf_printf(&text, "%s=%s", edit->name, edit->value);
    *out = jw_arena_str(a, jw_buf_cstr(&text));

    bool ok = jw_buf_ok(&text, err);

    jw_buf_free(&text);
    return ok || jw_wrap(err, "%.100s", edit->name);
}

bool jw_birth_environment(const struct jw_child_edit *edits, size_t n, bool bare, struct jw_arena *a,
                          char ***out, struct jw_err *err)
{
    size_t inherited = 0, at = 0;

    while (!bare && environ && environ[inherited])
        inherited++;
    if (inherited > MOST_VARIABLES)
        return jw_fail(err, JW_E_LIMIT, "more than %d environment variables", MOST_VARIABLES);
    char **envp = jw_arena_alloc(a, (inherited + n + 1) * sizeof *envp);
    for (size_t i = 0; i < inherited; i++)
        if (!edited(edits, n, environ[i]))
            envp[at++] = environ[i];
    for (size_t i = 0; i < n; i++) {
        if (!edits[i].value || edited(edits + i + 1, n - i - 1, edits[i].name))
            continue;
        if (!assign(&edits[i], a, &envp[at++], err))
            return false;
    }
    *out = envp;
    return true;
}

enum { NAP_MS = 2 };

bool jw_birth_lift(int *fd)
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

int jw_birth_open_max(void)
{
    long most = sysconf(_SC_OPEN_MAX);

    return most < 0 || most > 65536 ? 65536 : (int)most;
}

bool jw_birth_fork(pid_t *pid, void (*become)(const void *how), const void *how, struct jw_err *err)
{
    sigset_t all, before;

    /* Keeps this program's signal handlers from running in the child before they are reset. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    *pid = fork();
    if (*pid == 0)
        become(how);

    int why = errno;

    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return *pid >= 0 || jw_sys_fail(err, why);
}

void jw_birth_die_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(127); /* the parent died before PR_SET_PDEATHSIG took effect */
}

void jw_birth_begin(pid_t parent)
{
    (void)setsid(); /* without a terminal, job control cannot stop the child */
    jw_birth_die_with(parent);
}

void jw_birth_forget_signals(void)
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

JW_NORETURN void jw_birth_failed(int report)
{
    int why = errno;

    while (write(report, &why, sizeof why) < 0 && errno == EINTR)
        continue;
    _exit(127);
}

int jw_birth_reap(pid_t pid)
{
    int status = 0;

    (void)kill(-pid, SIGKILL);
    (void)kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

bool jw_birth_ended(pid_t pid)
{
    siginfo_t info = { 0 };

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Waits for the child and for its group. */
static bool all_ended(pid_t pid, bool *reaped, int *status)
{
    if (!*reaped && jw_birth_ended(pid)) {
        while (waitpid(pid, status, 0) < 0 && errno == EINTR)
            continue;
        *reaped = true;
    }
    /* The system does not reuse a process number while a group has that id. */
    return *reaped && kill(-pid, 0) != 0;
}

int jw_birth_end(pid_t pid, unsigned grace_ms)
{
    static const int polite[] = { SIGTERM, SIGHUP }; /* interactive shells ignore SIGTERM */
    bool reaped = false;
    int status = 0;

    for (size_t i = 0; i < JW_COUNT(polite); i++) {
        uint64_t until = jw_time_monotonic_ns() + (uint64_t)grace_ms * 500000;

        (void)kill(-pid, polite[i]);
        while (!all_ended(pid, &reaped, &status) && jw_time_monotonic_ns() < until)
            jw_time_sleep_ms(NAP_MS);
        if (all_ended(pid, &reaped, &status))
            return status;
    }
    if (!reaped)
        return jw_birth_reap(pid);
    (void)kill(-pid, SIGKILL);
    return status;
}

#include "os/machine/env.h"

#include "base/path.h"
#include "os/machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum { NUMBERS = 128, BELOW = 256 /* of a path, for what is put into a home */ };

static const char *home_of(uid_t user, struct jw_arena *a)
{
    char text[4096];
    struct passwd entry, *found = NULL;

    return getpwuid_r(user, &entry, text, sizeof text, &found) == 0 && found
                   && *found->pw_dir == '/'
               ? jw_arena_str(a, found->pw_dir)
               : NULL;
}

const char *jw_env_home(struct jw_arena *a)
{
    const char *home = getenv("HOME");

    return home && *home == '/' ? jw_arena_str(a, home) : home_of(getuid(), a);
}

/* Whether the folder, or its nearest existing parent, belongs to a user other than root. */
static bool of_another_user(struct jw_arena *a, const char *path)
{
    struct stat st;

    while (path && stat(path, &st) != 0)
        path = strcmp(path, "/") == 0 ? NULL : jw_path_dir(a, path);
    return path && st.st_uid != 0;
}

/* XDG base directories: a relative value is invalid and ignored. Root with another user's HOME
 * (sudo -E, su without a dash) uses its own folders: the user could not change root's files there,
 * and root does not trust the user's. */
static const char *xdg(struct jw_arena *a, const char *name, const char *below_home)
{
    const char *folder = NULL;
    const char *value = getenv(name);
    const char *home = jw_env_home(a);

    if (value && *value == '/')
        folder = jw_arena_str(a, value);
    else if (home)
        folder = jw_path_join(a, home, below_home);
    if (!folder || geteuid() != 0 || !of_another_user(a, folder))
        return folder;
    home = home_of(0, a);
    return home ? jw_path_join(a, home, below_home) : NULL;
}

const char *jw_env_config_user(struct jw_arena *a) { return xdg(a, "XDG_CONFIG_HOME", ".config"); }

const char *jw_env_state_user(struct jw_arena *a)
{
    return xdg(a, "XDG_STATE_HOME", ".local/state");
}

const char *jw_env_data_user(struct jw_arena *a) { return xdg(a, "XDG_DATA_HOME", ".local/share"); }

const char *jw_env_config_system(struct jw_arena *a) { return jw_arena_str(a, "/etc"); }

bool jw_term_is(FILE *stream) { return isatty(fileno(stream)) == 1; }

unsigned jw_term_columns(FILE *stream)
{
    struct winsize size;

    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

bool jw_term_colors(FILE *stream)
{
    const char *term = getenv("TERM");

    return jw_term_is(stream) && term && *term && strcmp(term, "dumb") != 0;
}

bool jw_env_begin(struct jw_err *err)
{
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;
    mode_t mask = umask(0);

    (void)umask(mask);
    if (mask & 0700)
        return jw_fail(err, JW_E_USAGE,
                       "umask is %03o: set umask 077, for this user may not use what it makes",
                       (unsigned)mask);
    if (n > PATH_MAX - BELOW)
        return jw_fail(err, JW_E_USAGE, "HOME has %zu bytes: too many for paths below it", n);
    (void)signal(SIGCHLD, SIG_DFL); /* where it is ignored, the system forgets how a child ended */
    /* If a standard stream is closed, the next opened file would get its number and printf would
     * write to it. /dev/null is opened for reading only, so that writing to it fails. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd)
            return jw_fail(err, JW_E_IO,
                           "standard stream %d is closed and /dev/null cannot be opened", fd);
    return true;
}

/* The lowest limit of this cgroup and of those above it. */
static void apply_quota(unsigned *least, unsigned cpus)
{
    if (cpus && cpus < *least)
        *least = cpus;
}

static void look_at_quota(void *ctx, const char *folder)
{
    char quota[NUMBERS], period[NUMBERS];

    if (jw_cgroup_read(folder, "cpu.max", quota, sizeof quota))
        apply_quota(ctx, jw_cgroup_cpus(quota, NULL));
    if (jw_cgroup_read(folder, "cpu.cfs_quota_us", quota, sizeof quota)
        && jw_cgroup_read(folder, "cpu.cfs_period_us", period, sizeof period))
        apply_quota(ctx, jw_cgroup_cpus(quota, period));
}

unsigned jw_cpu_count(void)
{
    cpu_set_t set[8]; /* of 1,024 each: the most that Linux is built for */
    int n =
        sched_getaffinity(0, sizeof set, set) == 0 ? CPU_COUNT_S(sizeof set, set) : get_nprocs();
    unsigned cpus = n > 0 ? (unsigned)n : 1;

    jw_cgroup_walk("", "", NULL, look_at_quota, &cpus);
    jw_cgroup_walk("", "/cpu", "cpu", look_at_quota, &cpus);
    return cpus;
}

bool jw_os_is_windows(void) { return false; }

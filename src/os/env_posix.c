#include "os/env.h"

#include "base/path.h"
#include "os/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_CPUS = 1 << 16, SMALL_FILE = 16384, GROUP_PATH = 4096 };

const char *jw_env(struct jw_arena *a, const char *name)
{
    const char *value = getenv(name);

    return value ? jw_arena_str(a, value) : NULL;
}

bool jw_env_has(const char *name)
{
    return getenv(name) != NULL;
}

const char *jw_env_home(struct jw_arena *a)
{
    const char *home = getenv("HOME");
    char text[4096];
    struct passwd entry, *found = NULL;

    if (home && *home == '/')
        return jw_arena_str(a, home);
    if (getpwuid_r(getuid(), &entry, text, sizeof text, &found) != 0 || !found || *found->pw_dir != '/')
        return NULL;
    return jw_arena_str(a, found->pw_dir);
}

/* The base directory specification: a relative value is invalid and is to be ignored. */
static const char *xdg(struct jw_arena *a, const char *name, const char *below_home)
{
    const char *value = getenv(name);

    if (value && *value == '/')
        return jw_arena_str(a, value);

    const char *home = jw_env_home(a);

    return home ? jw_path_join(a, home, below_home) : NULL;
}

const char *jw_env_config_user(struct jw_arena *a)
{
    return xdg(a, "XDG_CONFIG_HOME", ".config");
}

const char *jw_env_state_user(struct jw_arena *a)
{
    return xdg(a, "XDG_STATE_HOME", ".local/state");
}

const char *jw_env_config_system(struct jw_arena *a)
{
    return jw_arena_str(a, "/etc");
}

bool jw_term_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

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

bool jw_env_args(int *argc, char ***argv, struct jw_arena *a, struct jw_err *err)
{
    (void)argc;
    (void)argv;
    (void)a;
    /* Started without standard streams, the first file opened would become one, and printf write to it. Opened for
     * reading, so that an answer that nobody can get is an error. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) != fd)
            return jw_fail(err, JW_E_IO, "standard stream %d is closed and /dev/null cannot be opened", fd);
    return true;
}

/* Not jw_file_slurp: a limit that cannot be read is no limit, and no fault point must be spent on it. */
static bool read_small(const char *path, char text[SMALL_FILE])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t r = 0;

    if (fd < 0)
        return false;
    while (n < SMALL_FILE - 1 && (r = read(fd, text + n, SMALL_FILE - 1 - n)) > 0)
        n += (size_t)r;
    (void)close(fd);
    text[n] = '\0';
    return r >= 0;
}

static unsigned group_limit(const char *root, const char *group, bool version2)
{
    char path[GROUP_PATH + 128], text[SMALL_FILE], period[SMALL_FILE];

    (void)snprintf(path, sizeof path, "%s%s/%s", root, group, version2 ? "cpu.max" : "cpu.cfs_quota_us");
    if (!read_small(path, text))
        return 0;
    if (version2)
        return jw_cgroup_cpus2(text);
    (void)snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", root, group);
    return read_small(path, period) ? jw_cgroup_cpus(text, period) : 0;
}

/* The tightest limit of our group and all above it. In a container the path may name what only the host can
 * see; then the walk up ends at the root, which is the container's own group. */
static unsigned quota(const char *listing, const char *root, bool version2)
{
    uint8_t room[GROUP_PATH + 1] = { 0 };
    struct jw_buf buf = { .p = room, .cap = sizeof room, .max = GROUP_PATH };
    unsigned least = 0;

    if (!jw_cgroup_path(listing, version2, &buf))
        return 0;

    char *group = (char *)room;

    for (size_t n = buf.n;;) {
        while (n && group[n - 1] == '/')
            n--;
        group[n] = '\0';

        unsigned cpus = group_limit(root, group, version2);

        if (cpus && (!least || cpus < least))
            least = cpus;
        if (!n)
            return least;
        while (n && group[n - 1] != '/')
            n--;
    }
}

static unsigned affinity(void)
{
    for (size_t most = 1024; most <= MOST_CPUS; most *= 2) {
        cpu_set_t *set = CPU_ALLOC(most);
        size_t size = CPU_ALLOC_SIZE(most);
        int why = !set ? ENOMEM : sched_getaffinity(0, size, set) == 0 ? 0 : errno;
        int n = why ? 0 : CPU_COUNT_S(size, set);

        CPU_FREE(set);
        if (n > 0)
            return (unsigned)n;
        if (why != EINVAL) /* EINVAL: the kernel has more CPUs than the set */
            break;
    }
    return 1;
}

unsigned jw_cpu_count(void)
{
    unsigned cpus = affinity(), limits[2] = { 0, 0 };
    char listing[SMALL_FILE];

    if (!read_small("/proc/self/cgroup", listing))
        return cpus;
    limits[0] = quota(listing, "/sys/fs/cgroup", true);
    limits[1] = quota(listing, "/sys/fs/cgroup/cpu", false);
    for (unsigned i = 0; i < 2; i++)
        if (limits[i] && limits[i] < cpus)
            cpus = limits[i];
    return cpus;
}

char jw_path_list_separator(void)
{
    return ':';
}

bool jw_os_is_windows(void)
{
    return false;
}

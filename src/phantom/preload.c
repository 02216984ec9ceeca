/* Replaces functions of the C library for a driver and for programs that inspect the driver. Each
 * function handles emulated devices and files, and passes all others on. Without
 * JITWARM_PHANTOM_GPUS it passes everything on. */
/* Both would rename the functions below. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include "phantom/phantom.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

/* Paths can be NULL at run time, although the headers say otherwise: programs expect EFAULT. */
static bool is_ours(const volatile char *path)
{
    return path && path[0] == '/' && ph_options()->active;
}

/* The next definition of a function. Casts between function and data pointers, as dlsym
 * requires. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

/* ---- opening ---- */

/* /dev/char/195:255: a link to a device node, which libcuda creates if missing. */
static bool is_node_link(const char *path)
{
    return is_ours(path)
           && (strncmp(path, "/dev/char/195:", 14) == 0
               || strncmp(path, "/dev/char/510:", 14) == 0);
}

/* -1: not emulated. Else a descriptor, or -2 with errno set. */
static int open_ours(const char *path)
{
    enum ph_kind kind;
    int device, fd;

    if (!is_ours(path))
        return -1;
    device = ph_device_of(path, &kind);
    if (device == -1) {
        fd = ph_file_open(path);
    } else {
        fd = device < 0 ? -2 : ph_fd_open(path, kind, (unsigned)device);
        if (fd == -1)
            return -2;
    }
    if (fd == -2)
        errno = ENOENT;
    return fd;
}

static int open_any(int folder, const char *path, int flags, mode_t mode)
{
    int fd = open_ours(path);

    if (fd == -1)
        return (int)syscall(SYS_openat, folder, path, flags, mode);
    return fd < 0 ? -1 : fd;
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

/* The mode is there only if a file may be created. */
#define OPEN(name, parameters, folder, large)                                                      \
    PUBLIC int name parameters                                                                     \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        mode_t mode = mode_of(flags, list);                                                        \
        va_end(list);                                                                              \
        return open_any(folder, path, flags | (large), mode);                                      \
    }

OPEN(open, (const char *path, int flags, ...), AT_FDCWD, 0)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD, O_LARGEFILE)
OPEN(openat, (int folder, const char *path, int flags, ...), folder, 0)
OPEN(openat64, (int folder, const char *path, int flags, ...), folder, O_LARGEFILE)

static FILE *stream_of(int fd, const char *mode) { return fd < 0 ? NULL : fdopen(fd, mode); }

PUBLIC FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    int fd = open_ours(path);

    return fd == -1 ? next(path, mode) : stream_of(fd, mode);
}

PUBLIC FILE *fopen64(const char *path, const char *mode)
{
    NEXT(fopen64);
    int fd = open_ours(path);

    return fd == -1 ? next(path, mode) : stream_of(fd, mode);
}

PUBLIC int close(int fd)
{
    ph_fd_closed(fd);
    return ph_sys_close(fd);
}

/* ---- asking ---- */

/* 1: emulated. 0: not emulated. -1 with errno: must seem missing. */
static int answer_exists(const char *path)
{
    enum ph_kind kind;
    int device, fd;

    if (!is_ours(path))
        return 0;
    device = ph_device_of(path, &kind);
    if (device >= 0 || is_node_link(path))
        return 1;
    fd = device == -2 ? -2 : ph_file_known(path) ? 0 : ph_file_open(path);
    if (fd != -2)
        return fd == 0;
    errno = ENOENT;
    return -1;
}

static void describe_node(enum ph_kind kind, unsigned minor, struct stat *s)
{
    memset(s, 0, sizeof *s);
    s->st_nlink = 1;
    s->st_mode = kind == PH_NONE ? S_IFREG | 0444 : S_IFCHR | 0666;
    switch (kind) {
    case PH_NONE: break;
    case PH_CTL: s->st_rdev = makedev(195, 255); break;
    case PH_GPU: s->st_rdev = makedev(195, minor); break;
    case PH_UVM: s->st_rdev = makedev(510, 0); break;
    case PH_CAP: s->st_rdev = makedev(511, minor); break;
    case PH_UVM_TOOLS: s->st_rdev = makedev(510, 1); break;
    }
}

static int stat_path(const char *path, struct stat *s, int flags)
{
    enum ph_kind kind = PH_NONE;
    int there = answer_exists(path), device;

    if (there <= 0)
        return there < 0 ? -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, s, flags);
    device = ph_device_of(path, &kind);
    describe_node(device >= 0 ? kind : PH_NONE, device > 0 ? (unsigned)device : 0, s);
    if (is_node_link(path))
        s->st_mode = S_IFCHR | 0666;
    return 0;
}

static int fstat_any(int fd, struct stat *s)
{
    enum ph_kind kind = ph_fd_kind(fd);

    if (kind == PH_NONE)
        return (int)syscall(SYS_newfstatat, fd, "", s, AT_EMPTY_PATH);
    describe_node(kind, ph_fd_minor(fd), s);
    return 0;
}

PUBLIC int access(const char *path, int how)
{
    int there = answer_exists(path);

    if (there)
        return there < 0 ? -1 : 0;
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, how);
}

PUBLIC int stat(const char *restrict path, struct stat *restrict s)
{
    return stat_path(path, s, 0);
}

PUBLIC int stat64(const char *restrict path, struct stat64 *restrict s)
{
    return stat_path(path, (struct stat *)(void *)s, 0);
}

PUBLIC int lstat(const char *restrict path, struct stat *restrict s)
{
    return stat_path(path, s, AT_SYMLINK_NOFOLLOW);
}

PUBLIC int fstat(int fd, struct stat *s) { return fstat_any(fd, s); }

/* Called by programs linked to a C library before 2.33. */
PUBLIC int __xstat(int version, const char *path, struct stat *s);
PUBLIC int __xstat64(int version, const char *path, struct stat64 *s);
PUBLIC int __fxstat(int version, int fd, struct stat *s);
PUBLIC int __xmknod(int version, const char *path, mode_t mode, dev_t *device);

PUBLIC int __xstat(int version, const char *path, struct stat *s)
{
    (void)version;
    return stat_path(path, s, 0);
}

PUBLIC int __xstat64(int version, const char *path, struct stat64 *s)
{
    (void)version;
    return stat_path(path, (struct stat *)(void *)s, 0);
}

PUBLIC int __fxstat(int version, int fd, struct stat *s)
{
    (void)version;
    return fstat_any(fd, s);
}

/* ---- making: nothing of a driver's is ever made on this machine ---- */

static bool is_device(const char *path)
{
    enum ph_kind kind;

    return is_ours(path) && ph_device_of(path, &kind) != -1;
}

PUBLIC int mknod(const char *path, mode_t mode, dev_t device)
{
    if (is_device(path))
        return 0;
    return (int)syscall(SYS_mknodat, AT_FDCWD, path, mode, device);
}

PUBLIC int __xmknod(int version, const char *path, mode_t mode, dev_t *device)
{
    (void)version;
    return mknod(path, mode, *device);
}

PUBLIC int symlink(const char *target, const char *path)
{
    return is_node_link(path) ? 0 : (int)syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

PUBLIC int unlink(const char *path)
{
    return is_node_link(path) ? 0 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

PUBLIC int remove(const char *path)
{
    NEXT(remove);

    return is_node_link(path) ? 0 : next(path);
}

PUBLIC int mkdir(const char *path, mode_t mode)
{
    if (is_ours(path) && (strcmp(path, "/dev/char") == 0 || strcmp(path, "/dev/nvidia-caps") == 0))
        return 0;
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

PUBLIC int chmod(const char *path, mode_t mode)
{
    return is_device(path) ? 0 : (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
}

PUBLIC int chown(const char *path, uid_t user, gid_t group)
{
    return is_device(path) ? 0 : (int)syscall(SYS_fchownat, AT_FDCWD, path, user, group, 0);
}

/* ---- talking ---- */

PUBLIC int ioctl(int fd, unsigned long request, ...)
{
    enum ph_kind kind = ph_fd_kind(fd);
    va_list list;
    void *arg;
    int rc;

    va_start(list, request);
    arg = va_arg(list, void *);
    va_end(list);
    if (kind == PH_NONE)
        return (int)syscall(SYS_ioctl, fd, request, arg);
    (void)pthread_mutex_lock(&ph_lock);
    if (kind == PH_UVM || kind == PH_UVM_TOOLS)
        rc = ph_uvm_ioctl(request, arg);
    else
        rc = ph_rm_ioctl(fd, (unsigned)(request & 0xff), (unsigned)(request >> 16 & 0x3fff), arg);
    (void)pthread_mutex_unlock(&ph_lock);
    if (rc < 0)
        errno = -rc;
    return rc < 0 ? -1 : rc;
}

PUBLIC void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    if (ph_fd_kind(fd) != PH_NONE)
        return ph_fd_mmap(fd, at, n, prot, flags, offset);
    return ph_sys_mmap(at, n, prot, flags, fd, offset);
}

PUBLIC void *mmap64(void *at, size_t n, int prot, int flags, int fd, off64_t offset)
{
    return mmap(at, n, prot, flags, fd, (off_t)offset);
}

/* ---- asking where memory lies ---- */

/* What a machine with one memory node answers: the default policy, node 0. */
static long one_memory_node(int *policy, unsigned long *nodes, unsigned long n_bits)
{
    enum { BITS = 8 * sizeof *nodes };

    if (policy)
        *policy = 0;
    if (nodes && n_bits > 0) {
        memset(nodes, 0, (n_bits + BITS - 1) / BITS * sizeof *nodes);
        nodes[0] = 1;
    }
    return 0;
}

/* qemu-user does not know get_mempolicy, and without an answer cuInit of libcuda for aarch64 ends
 * with error 999. */
PUBLIC long syscall(long number, ...)
{
    NEXT(syscall);
    long words[6];
    long result;
    va_list list;

    /* Six words whatever was passed, as the C library does. */
    va_start(list, number);
    for (size_t i = 0; i < PH_COUNT(words); i++)
        words[i] = va_arg(list, long);
    va_end(list);
    result = next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    if (number != SYS_get_mempolicy || result != -1 || errno != ENOSYS)
        return result;
    return one_memory_node((void *)words[0], (void *)words[1], (unsigned long)words[2]);
}

/* ---- starting programs: they get phantom and the driver, too, even if the variables were changed
 */

struct environment {
    char **list;
    size_t bytes; /* 0: the calling process */
};

static const char *value_of(char *const *env, const char *name, size_t n)
{
    for (; env && *env; env++)
        if (strncmp(*env, name, n) == 0)
            return *env + n;
    return NULL;
}

/* A variable that each program gets, with our value in front of its own. */
struct ours {
    const char *name, *value, *had; /* name: with its "=" */
};

static bool lacks(char *const *env, struct ours *o)
{
    o->had = value_of(env, o->name, strlen(o->name));
    return o->value[0] && !(o->had && strstr(o->had, o->value));
}

static bool is_one(const char *line, const struct ours *o, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(line, o[i].name, strlen(o[i].name)) == 0)
            return true;
    return false;
}

enum { OURS = 2 };

/* Lists the variables that this environment lacks. `*text`: the bytes of their lines. */
static size_t lacking(char *const *env, struct ours put[OURS], size_t *text)
{
    const struct ph_options *options = ph_options();
    struct ours all[OURS] = {{"LD_PRELOAD=", options->preload, NULL},
                             {"LD_LIBRARY_PATH=", options->libraries, NULL}};
    size_t n = 0;

    *text = 0;
    if (!options->active)
        return 0;
    for (size_t i = 0; i < OURS; i++) {
        if (!lacks(env, &all[i]))
            continue;
        *text += strlen(all[i].name) + strlen(all[i].value) + 2;
        *text += all[i].had ? strlen(all[i].had) : 0;
        put[n++] = all[i];
    }
    return n;
}

/* Allocates by mmap, because it may run between fork and exec. The memory is lost if exec fails. */
static struct environment with_us(char *const *env)
{
    struct ours put[OURS];
    struct environment e = {.list = (char **)(uintptr_t)env};
    size_t n = 0;
    size_t k = 0;
    size_t text;
    size_t n_put = lacking(env, put, &text);
    char *line;

    if (n_put == 0)
        return e;
    while (env && env[n])
        n++;
    e.bytes = (n + n_put + 1) * sizeof *e.list + text;
    e.list = ph_sys_mmap(NULL, e.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ((void *)e.list == MAP_FAILED)
        return (struct environment){.list = (char **)(uintptr_t)env};
    line = (char *)(e.list + n + n_put + 1);
    for (size_t i = 0; i < n; i++)
        if (!is_one(env[i], put, n_put))
            e.list[k++] = env[i];
    for (size_t i = 0; i < n_put; i++) {
        const char *had = put[i].had ? put[i].had : "";
        size_t room = e.bytes - (size_t)(line - (char *)e.list);

        e.list[k++] = line;
        line +=
            snprintf(line, room, "%s%s%s%s", put[i].name, put[i].value, had[0] ? ":" : "", had) + 1;
    }
    return e;
}

static void free_environment(struct environment e)
{
    int saved = errno;

    if (e.bytes)
        (void)munmap(e.list, e.bytes);
    errno = saved;
}

PUBLIC int execve(const char *path, char *const argv[], char *const env[])
{
    struct environment e = with_us(env);
    int rc = (int)syscall(SYS_execve, path, argv, e.list);

    free_environment(e);
    return rc;
}

PUBLIC int execvpe(const char *file, char *const argv[], char *const env[])
{
    NEXT(execvpe);
    struct environment e = with_us(env);
    int rc = next(file, argv, e.list);

    free_environment(e);
    return rc;
}

PUBLIC int posix_spawn(pid_t *restrict pid, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions,
                       const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                       char *const env[restrict])
{
    NEXT(posix_spawn);
    struct environment e = with_us(env);
    int rc = next(pid, path, actions, attributes, argv, e.list);

    free_environment(e);
    return rc;
}

PUBLIC int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                        const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                        char *const env[restrict])
{
    NEXT(posix_spawnp);
    struct environment e = with_us(env);
    int rc = next(pid, file, actions, attributes, argv, e.list);

    free_environment(e);
    return rc;
}

#include "os/process/file_keeper_posix.h"
#include "os/process/spawn_posix.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
/* cppcheck-suppress preprocessorErrorDirective */
#error "which programs are native here?"
#endif

enum {
    ANSWER_MS = 2000, /* then the call goes on without this process, which may be stopped */
    ROOM = 512        /* for what newer kernels add to a notification */
};

/* ---- the filter ---- */

static void put_rule(struct jw_keeper_filter *f, struct sock_filter one)
{
    f->code[f->program.len++] = one;
}

static void load(struct jw_keeper_filter *f, size_t at)
{
    put_rule(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)at));
}

static void end(struct jw_keeper_filter *f, uint32_t how)
{
    put_rule(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, how));
}

static void end_call(struct jw_keeper_filter *f, long nr, uint32_t how)
{
    put_rule(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1));
    end(f, how);
}

static void ask_for(struct jw_keeper_filter *f, long nr)
{
    end_call(f, nr, SECCOMP_RET_USER_NOTIF);
}

/* The flags' lower half: the processors of both systems are little-endian. */
static void ask_unless(struct jw_keeper_filter *f, long nr, unsigned flags, uint32_t has)
{
    put_rule(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 4));
    load(f, offsetof(struct seccomp_data, args) + flags * sizeof(uint64_t));
    put_rule(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, has, 1, 0));
    end(f, SECCOMP_RET_USER_NOTIF);
    end(f, SECCOMP_RET_ALLOW);
}

/* Not of an open file (fstat). */
static void ask_for_questions(struct jw_keeper_filter *f)
{
    ask_unless(f, SYS_newfstatat, 3, AT_EMPTY_PATH);
    ask_unless(f, SYS_statx, 2, AT_EMPTY_PATH);
    ask_for(f, SYS_faccessat);
    ask_for(f, SYS_faccessat2);
#ifdef SYS_stat
    ask_for(f, SYS_stat);
    ask_for(f, SYS_lstat);
    ask_for(f, SYS_access);
#endif
}

void jw_keeper_filter_fill(struct jw_keeper_filter *f, bool asks)
{
    static const long always[] = {
#ifdef SYS_creat
        SYS_creat,     SYS_rename, SYS_link,
#endif
#ifdef SYS_renameat
        SYS_renameat,
#endif
        SYS_renameat2, SYS_linkat, SYS_openat2,
    };

    *f = (struct jw_keeper_filter){ .program = { .filter = f->code } };
    load(f, offsetof(struct seccomp_data, arch));
    put_rule(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 6, 0));
    load(f, offsetof(struct seccomp_data, nr));
    ask_for(f, JW_KEEPER_FOREIGN_OPEN);
    ask_for(f, JW_KEEPER_FOREIGN_OPENAT);
    end(f, SECCOMP_RET_ALLOW);
    load(f, offsetof(struct seccomp_data, nr));
    ask_unless(f, SYS_openat, 2, O_DIRECTORY | O_PATH);
#ifdef SYS_open
    ask_unless(f, SYS_open, 1, O_DIRECTORY | O_PATH);
#endif
    if (asks)
        ask_for_questions(f);
    for (size_t i = 0; i < JW_COUNT(always); i++)
        ask_for(f, always[i]);
    end_call(f, SYS_io_uring_setup, SECCOMP_RET_ERRNO | ENOSYS); /* a filter does not see what a ring opens */
    end(f, SECCOMP_RET_ALLOW);
}

static int enter(const struct jw_keeper_filter *f, unsigned long flags)
{
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        flags | SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                        &f->program);
}

static int enter_as_it_may(const struct jw_keeper_filter *f, unsigned long flags)
{
    int fd = enter(f, flags);

    if (fd >= 0 || errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fd;
    return enter(f, flags);
}

/* Killable: signals that a program sends all the time (Go does) do not restart a call without end. Linux 5.19. */
int jw_keeper_filter_enter(const struct jw_keeper_filter *f)
{
    int fd = enter_as_it_may(f, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);

    if (fd < 0 && errno == EINVAL)
        fd = enter_as_it_may(f, 0);
    return fd < 0 ? -errno : fd;
}

bool jw_keeper_call_waits(int listener, uint64_t id)
{
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* ---- the keeper: after the fork of a process with threads, so only async-signal-safe calls ---- */

enum { LISTENER = 3, TALK = 4 };

/* False: the other end is closed. */
static bool ask(const struct jw_keeper_call *call, bool *late)
{
    struct pollfd wait = { .fd = TALK, .events = POLLIN };
    uint64_t answered;
    ssize_t got;

    *late = false;
    if (send(TALK, call, sizeof *call, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        *late = errno == EAGAIN;
        return *late;
    }
    do {
        if (poll(&wait, 1, ANSWER_MS) == 0) {
            *late = true;
            return true;
        }
        got = recv(TALK, &answered, sizeof answered, MSG_DONTWAIT);
    } while (got == (ssize_t)sizeof answered && answered != call->id);
    return got == (ssize_t)sizeof answered;
}

static bool next_call(struct seccomp_notif *n)
{
    struct pollfd wait = { .fd = LISTENER, .events = POLLIN };

    for (;;) {
        (void)poll(&wait, 1, -1);
        memset(n, 0, ROOM);
        if ((wait.revents & POLLIN) && ioctl(LISTENER, SECCOMP_IOCTL_NOTIF_RECV, n) == 0)
            return true;
        if (wait.revents & (POLLHUP | POLLERR | POLLNVAL))
            return false; /* the last of its processes has ended */
    }
}

static bool take_listener(void)
{
    int fd = jw_keeper_take(TALK);

    return fd >= 0 && dup2(fd, LISTENER) == LISTENER && (fd == LISTENER || close(fd) == 0);
}

static void stay_alone(int talk)
{
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setsid();
    (void)!chdir("/");
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(none, fd);
    if (talk != TALK)
        (void)dup2(talk, TALK);
    (void)close(LISTENER);
    jw_spawn_close_from(TALK + 1);
}

static void keep(const void *how)
{
    _Alignas(struct seccomp_notif) unsigned char bytes[ROOM];
    struct seccomp_notif *n = (void *)bytes;
    bool heard = true, late = false, missed = false;

    stay_alone(*(const int *)how);
    if (!take_listener())
        _exit(0);
    (void)ioctl(LISTENER, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
    while (next_call(n)) {
        struct jw_keeper_call call = {
            .id = n->id, .pid = n->pid, .nr = n->data.nr, .foreign = n->data.arch != NATIVE, .missed = missed
        };
        struct seccomp_notif_resp answer = { .id = n->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

        memcpy(call.args, n->data.args, sizeof call.args);
        heard = heard && ask(&call, &late);
        missed |= late;
        (void)ioctl(LISTENER, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    _exit(0);
}

bool jw_keeper_start(int talk, pid_t *pid, struct jw_err *err)
{
    return jw_spawn_fork(pid, keep, &talk, err);
}

/* ---- descriptors between processes ---- */

union room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool jw_keeper_give(int to, int fd)
{
    union room room;
    char one = 0;
    struct iovec text = { &one, 1 };
    struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1 };

    memset(&room, 0, sizeof room);
    if (fd >= 0) {
        m.msg_control = room.bytes;
        m.msg_controllen = sizeof room.bytes;
        struct cmsghdr *h = CMSG_FIRSTHDR(&m);

        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(h), &fd, sizeof fd);
    } else
        one = (char)-fd;
    return sendmsg(to, &m, MSG_NOSIGNAL) == 1;
}

int jw_keeper_take(int from)
{
    union room room;
    char one = 0;
    struct iovec text = { &one, 1 };
    struct msghdr m = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes
    };
    ssize_t got;
    int fd = -EPIPE;

    do
        got = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *h = got == 1 ? CMSG_FIRSTHDR(&m) : NULL;

    if (h && h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(h), sizeof fd);
    else if (got == 1)
        fd = one ? -(unsigned char)one : -EPIPE;
    return fd;
}

/* ---- the system ---- */

bool jw_keeper_may_start(struct jw_err *err)
{
    struct seccomp_notif_sizes sizes;
    struct utsname here;
    char *end = here.release;
    unsigned long major, minor;

    if (uname(&here) != 0)
        return jw_sys_fail(err, errno);
    major = strtoul(here.release, &end, 10);
    minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    if (major < 5 || (major == 5 && minor < 8)) /* older ones do not say that the last process has ended */
        return jw_fail(err, JW_E_IO, "it needs Linux 5.8 or newer");
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
        return jw_fail(err, JW_E_IO, "this system allows no seccomp filters that ask (%s)", strerror(errno));
    return sizes.seccomp_notif <= ROOM || jw_fail(err, JW_E_IO, "this system's notifications are too large");
}

/* The command's calls come from the keeper (file_keeper_posix.h). This process reads the memory that their
 * arguments point to: Yama allows it, because it is an ancestor of the command's processes. */
#include "os/process/file_trace_posix.h"
#include "base/mem.h"
#include "base/sort.h"
#include "os/files/real.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "os/process/file_keeper_posix.h"
#include "os/process/process.h"
#include "os/process/spawn_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MAX_NAMES = 1 << 19, FIRST_NAMES = 1 << 10, PAGE = 4096, NAP_MS = 5, LONGEST = 6 };

/* Open addressing; `room` is a power of two, at most half full. */
struct names {
    const char **v;
    size_t n, room;
};

struct jw_file_trace {
    int64_t since;
    bool asks;
    struct jw_keeper_filter filter;
    int child[2], keeper[2]; /* the first ends are this process's */
    pid_t keeper_id;
    int listener; /* only to ask whether a call still waits */
    struct jw_thread *thread;
    struct stat root;
    char space[64]; /* this process's mount namespace */
    struct jw_arena a;
    struct names made, opened, asked;
    const char *why;
    atomic_bool over, ended;   /* ended: so have all its processes */
    atomic_uint_fast64_t last; /* when the last call came, on the monotonic clock */
};

/* ---- a set of names ---- */

static size_t slot_of(const struct names *s, const char *name)
{
    size_t h = 14695981039346656037u;

    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    while (s->v[h & (s->room - 1)] && strcmp(s->v[h & (s->room - 1)], name) != 0)
        h++;
    return h & (s->room - 1);
}

static void grow_names(struct names *s)
{
    struct names more = { .n = s->n, .room = s->room ? 2 * s->room : FIRST_NAMES };

    more.v = jw_alloc(more.room * sizeof *more.v);
    for (size_t i = 0; i < s->room; i++)
        if (s->v[i])
            more.v[slot_of(&more, s->v[i])] = s->v[i];
    jw_free(s->v);
    *s = more;
}

static void add_name(struct jw_file_trace *t, struct names *s, const char *name)
{
    if (s->n * 2 >= s->room)
        grow_names(s);
    size_t at = slot_of(s, name);

    if (s->v[at])
        return;
    if (s->n == MAX_NAMES) {
        t->why = "it used too many files";
        return;
    }
    s->v[at] = jw_arena_str(&t->a, name);
    s->n++;
}

/* ---- one call ---- */

/* In pieces that end with a page, for a text may be the last of its memory. */
static bool read_name(pid_t pid, uint64_t at, char *out, size_t room)
{
    size_t n = 0;

    while (n < room) {
        size_t piece = PAGE - (size_t)((at + n) % PAGE);
        struct iovec to = { out + n, piece < room - n ? piece : room - n },
                     from = { (void *)(uintptr_t)(at + n), to.iov_len };
        ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);

        if (got <= 0)
            return false;
        if (memchr(out + n, 0, (size_t)got))
            return true;
        n += (size_t)got;
    }
    return false;
}

static bool read_link(pid_t pid, const char *what, char *out, size_t room)
{
    char path[64];
    ssize_t n;

    (void)snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
    n = readlink(path, out, room - 1);
    out[n < 0 ? 0 : n] = 0;
    return n > 0;
}

/* Its /x is /x here, too. */
static bool is_here(const struct jw_file_trace *t, pid_t pid)
{
    char path[64], space[sizeof t->space];
    struct stat root;

    (void)snprintf(path, sizeof path, "/proc/%ld/root", (long)pid);
    return read_link(pid, "ns/mnt", space, sizeof space) && strcmp(space, t->space) == 0
           && stat(path, &root) == 0 && root.st_ino == t->root.st_ino && root.st_dev == t->root.st_dev;
}

/* Not longer than a path may be. */
static bool read_path(pid_t pid, int folder, uint64_t at, char out[PATH_MAX])
{
    char name[PATH_MAX], what[32];

    if (!read_name(pid, at, name, sizeof name))
        return false;
    (void)snprintf(what, sizeof what, folder == AT_FDCWD ? "cwd" : "fd/%d", folder);
    if (name[0] == '/')
        *out = 0;
    else if (!read_link(pid, what, out, PATH_MAX))
        return false;
    size_t n = strlen(out), more = strlen(name);

    if (n + more + 2 > PATH_MAX)
        return false;
    if (n)
        out[n++] = '/';
    memcpy(out + n, name, more + 1);
    return true;
}

/* The files of a folder get new names with it. */
static void add_moved(struct jw_file_trace *t, const char *from, const char *to)
{
    struct stat st;
    size_t n = strlen(from);
    char path[PATH_MAX];

    if (lstat(from, &st) != 0 || !S_ISDIR(st.st_mode))
        return;
    for (size_t i = 0, room = t->made.room; i < room; i++) {
        const char *one = room == t->made.room ? t->made.v[i] : NULL;

        if (!one || strncmp(one, from, n) != 0 || one[n] != '/'
            || snprintf(path, sizeof path, "%s%s", to, one + n) >= (int)sizeof path)
            continue;
        add_name(t, &t->made, path);
        if (room != t->made.room) { /* it grew: begin again; names that are there are not added twice */
            room = t->made.room;
            i = (size_t)-1;
        }
    }
}

enum how { OPENS, MAKES, ASKS };

/* The positions of a call's arguments; `old`: of a rename. */
struct names_of_call {
    int folder, old_folder;
    uint64_t path, old;
    enum how how;
};

static enum how of_open(uint64_t flags)
{
    return (flags & (O_CREAT | O_TRUNC)) || (flags & O_ACCMODE) != O_RDONLY ? MAKES : OPENS;
}

static struct names_of_call of_call(const struct jw_keeper_call *c)
{
    const uint64_t *a = c->args;

    switch (c->nr) {
    case SYS_openat: return (struct names_of_call){ (int)a[0], 0, a[1], 0, of_open(a[2]) };
    case SYS_openat2: /* its flags lie in its memory */
        return (struct names_of_call){ (int)a[0], 0, a[1], 0, MAKES };
#ifdef SYS_creat
    case SYS_open: return (struct names_of_call){ AT_FDCWD, 0, a[0], 0, of_open(a[1]) };
    case SYS_creat: return (struct names_of_call){ AT_FDCWD, 0, a[0], 0, MAKES };
    case SYS_rename:
    case SYS_link:
        return (struct names_of_call){ AT_FDCWD, AT_FDCWD, a[1], c->nr == SYS_rename ? a[0] : 0, MAKES };
#endif
#ifdef SYS_renameat
    case SYS_renameat:
#endif
    case SYS_renameat2: return (struct names_of_call){ (int)a[2], (int)a[0], a[3], a[1], MAKES };
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat:
    case SYS_faccessat2: return (struct names_of_call){ (int)a[0], 0, a[1], 0, ASKS };
#ifdef SYS_stat
    case SYS_stat:
    case SYS_lstat:
    case SYS_access: return (struct names_of_call){ AT_FDCWD, 0, a[0], 0, ASKS };
#endif
    case SYS_linkat: return (struct names_of_call){ (int)a[2], 0, a[3], 0, MAKES };
    default: return (struct names_of_call){ 0 };
    }
}

static void note_call(struct jw_file_trace *t, const struct jw_keeper_call *c)
{
    struct names_of_call of = of_call(c);
    pid_t pid = (pid_t)c->pid;
    char path[PATH_MAX], old[PATH_MAX];
    bool known, is_moved;

    if (c->missed)
        t->why = "this process was stopped meanwhile";
    if (c->foreign) {
        t->why = "programs for another processor ran";
        return;
    }
    if (!is_here(t, pid)) {
        if (jw_keeper_call_waits(t->listener, c->id))
            t->why = "a process of it has another root, or mounts of its own, or may not be looked at";
        return;
    }
    errno = 0;
    known = read_path(pid, of.folder, of.path, path);
    if (!known && errno == EPERM)
        t->why = "the memory of a process of it may not be read";
    is_moved = known && of.old && read_path(pid, of.old_folder, of.old, old);
    if (!known || !jw_keeper_call_waits(t->listener, c->id))
        return; /* the call fails for its path, or its process is gone */
    add_name(t, of.how == MAKES ? &t->made : of.how == ASKS ? &t->asked : &t->opened, path);
    if (c->nr == SYS_openat2)
        add_name(t, &t->opened, path);
    if (is_moved)
        add_moved(t, old, path);
}

static void serve(void *ctx)
{
    struct jw_file_trace *t = ctx;
    struct jw_keeper_call c;

    while (recv(t->keeper[0], &c, sizeof c, 0) == (ssize_t)sizeof c) {
        note_call(t, &c);
        atomic_store(&t->last, jw_time_monotonic_ns());
        (void)send(t->keeper[0], &c.id, sizeof c.id, MSG_NOSIGNAL);
    }
    if (!atomic_load(&t->over)) {
        struct pollfd end = { .fd = t->listener };

        (void)poll(&end, 1, 0);
        if (!(end.revents & POLLHUP))
            t->why = "the process behind its system calls was killed";
    }
    atomic_store(&t->ended, true);
    jw_spawn_close_fd(&t->listener); /* so that no process waits for an answer that does not come */
}

/* ---- from beginning to end ---- */

struct jw_file_trace *jw_file_trace_new(bool asks)
{
    struct jw_file_trace *t = jw_alloc(sizeof *t);

    *t = (struct jw_file_trace){ .since = jw_time_unix_ns() - JW_FILE_TICK_NS,
                                 .asks = asks,
                                 .child = { -1, -1 },
                                 .keeper = { -1, -1 },
                                 .listener = -1 };
    atomic_init(&t->over, false);
    atomic_init(&t->ended, false);
    atomic_init(&t->last, 0);
    t->why = "the command was not started";
    return t;
}

static bool prepare(struct jw_file_trace *t, struct jw_err *err)
{
    if (!jw_keeper_may_start(err))
        return false;
    if (stat("/", &t->root) != 0 || !read_link(getpid(), "ns/mnt", t->space, sizeof t->space)
        || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, t->child) != 0
        || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, t->keeper) != 0
        || !jw_spawn_move_fd(&t->child[1]))
        return jw_fail(err, JW_E_IO, "%s", strerror(errno));
    return jw_keeper_start(t->keeper[1], &t->keeper_id, err);
}

unsigned long jw_file_trace_keeper(const struct jw_file_trace *t)
{
    return t ? (unsigned long)t->keeper_id : 0;
}

static bool is_privileged(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode)
           && ((st.st_mode & (S_ISUID | S_ISGID)) || getxattr(path, "security.capability", NULL, 0) > 0);
}

/* A program that gets rights when it is started: no_new_privs would take them. */
static bool loses_rights(const char *word, struct jw_arena *a)
{
    const char *program = geteuid() == 0 ? NULL : jw_process_program(word, a);

    return program && is_privileged(program);
}

void jw_file_trace_prepare(struct jw_file_trace *t, const char *program)
{
    struct jw_err err = { 0 };

    t->why = NULL;
    if (loses_rights(program, &t->a)) {
        t->why = "its program has rights of its own (set-uid or capabilities), which it would lose";
        return;
    }
    jw_keeper_filter_fill(&t->filter, t->asks);
    if (!prepare(t, &err)) {
        t->why = jw_arena_str(&t->a, err.msg);
        for (unsigned i = 0; i < 2; i++) {
            jw_spawn_close_fd(&t->child[i]);
            jw_spawn_close_fd(&t->keeper[i]);
        }
    }
    jw_spawn_close_fd(&t->keeper[1]);
}

/* The listener itself is close-on-exec. */
void jw_file_trace_enter(const struct jw_file_trace *t)
{
    if (t->child[1] >= 0)
        (void)jw_keeper_give(t->child[1], jw_keeper_filter_enter(&t->filter));
}

static const char *why_refused(int error)
{
    return error == EBUSY    ? "another program traces it already"
           : error == ENOSYS ? "this system has no seccomp filters"
                             : strerror(error);
}

void jw_file_trace_serve(struct jw_file_trace *t)
{
    struct jw_err err = { 0 };

    jw_spawn_close_fd(&t->child[1]);
    if (t->child[0] < 0)
        return;
    t->listener = jw_keeper_take(t->child[0]);
    jw_spawn_close_fd(&t->child[0]);
    if (t->listener < 0)
        t->why = jw_arena_str(&t->a, why_refused(-t->listener));
    else if (!jw_keeper_give(t->keeper[0], t->listener) || !jw_thread_start(&t->thread, serve, t, &err))
        t->why = "it could not be served";
    if (!t->why)
        return;
    jw_spawn_close_fd(&t->keeper[0]); /* the keeper ends, or goes on alone */
    jw_spawn_close_fd(&t->listener);
}

static const char *const *sorted(const struct names *s, struct jw_arena *a, size_t *n)
{
    const char **list = jw_arena_alloc(a, (s->n + 1) * sizeof *list);

    *n = 0;
    for (size_t i = 0; i < s->room; i++)
        if (s->v[i])
            list[(*n)++] = s->v[i];
    jw_sort(list, *n, sizeof *list, jw_by_text);
    return list;
}

/* Resolves as much of the path as still exists; the rest is added as it is. */
static const char *real_folder(const char *folder, struct jw_arena *a)
{
    const char *real, *end = folder + strlen(folder);
    struct jw_err ignored;

    while (end > folder + 1 && end[-1] == '/')
        end--;
    for (const char *slash = end; slash > folder; slash--)
        if ((slash == end || *slash == '/')
            && jw_real_path(jw_arena_text(a, folder, (size_t)(slash - folder)), a, &real, &ignored))
            return jw_arena_printf(a, "%s%.*s", real[1] ? real : "", (int)(end - slash), slash);
    return NULL;
}

/* Links in the folders of names are followed; neighbours have the same folder. */
static const char *const *real_names(const struct names *s, bool gone, struct jw_arena *a, size_t *n)
{
    size_t all, kept = 0;
    const char *const *raw = sorted(s, a, &all);
    const char **list = jw_arena_alloc(a, (all + 1) * sizeof *list), *folder = NULL, *real = NULL;
    struct jw_err ignored;

    for (size_t i = 0; i < all; i++) {
        const char *base = strrchr(raw[i], '/') + 1;
        const char *above = jw_arena_text(a, raw[i], (size_t)(base - raw[i]));

        if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
            continue;
        if ((!folder || strcmp(folder, above) != 0) && !jw_real_path(above, a, &real, &ignored))
            real = gone ? real_folder(above, a) : NULL;
        folder = above;
        if (real)
            list[kept++] = jw_arena_printf(a, "%s%s%s", real, real[1] ? "/" : "", base);
    }
    jw_sort(list, kept, sizeof *list, jw_by_text);
    *n = 0;
    for (size_t i = 0; i < kept; i++)
        if (!*n || strcmp(list[*n - 1], list[i]) != 0)
            list[(*n)++] = list[i];
    return list;
}

static void stop(struct jw_file_trace *t)
{
    atomic_store(&t->over, true);
    if (t->keeper[0] >= 0)
        (void)shutdown(t->keeper[0], SHUT_RDWR);
    jw_thread_join(t->thread);
    t->thread = NULL;
    jw_spawn_close_fd(&t->keeper[0]);
    jw_spawn_close_fd(&t->listener);
}

struct jw_traced jw_file_trace_end(struct jw_file_trace *t, unsigned wait_ms, struct jw_arena *a)
{
    struct jw_traced out = { .since = t->since };
    uint64_t began = jw_time_monotonic_ns(), wait = wait_ms * UINT64_C(1000000), now = began, last = began;

    while (t->thread && !atomic_load(&t->ended) && now < last + wait && now < began + LONGEST * wait) {
        uint64_t call = atomic_load(&t->last);

        jw_time_sleep_ms(NAP_MS);
        now = jw_time_monotonic_ns();
        last = call > began ? call : began;
    }
    out.left = t->thread && !atomic_load(&t->ended);
    stop(t);
    out.made = real_names(&t->made, true, a, &out.n_made);
    out.opened = real_names(&t->opened, false, a, &out.n_opened);
    out.asked = real_names(&t->asked, false, a, &out.n_asked);
    out.why = t->why ? jw_arena_str(a, t->why) : NULL;
    return out;
}

void jw_file_trace_free(struct jw_file_trace *t)
{
    if (!t)
        return;
    stop(t);
    for (unsigned i = 0; i < 2; i++) {
        jw_spawn_close_fd(&t->child[i]);
        jw_spawn_close_fd(&t->keeper[i]);
    }
    jw_free(t->made.v);
    jw_free(t->opened.v);
    jw_free(t->asked.v);
    jw_arena_free(&t->a);
    jw_free(t);
}

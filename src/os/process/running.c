#include "os/process/running.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/work.h"
#include "os/files/dir.h"
#include "os/machine/env.h"
#include "os/machine/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/uio.h>
#include <unistd.h>
#endif

enum { PATH_ROOM = 64, STAT_ROOM = 1024, PIECE = 1 << 16 };

static bool read_one(unsigned long pid, struct jw_running *out)
{
    char path[PATH_ROOM], text[STAT_ROOM];
    struct jw_procfs_stat stat;

    (void)snprintf(path, sizeof path, "/proc/%lu/stat", pid);
    if (!jw_procfs_read(path, text, sizeof text) || !jw_procfs_stat(text, &stat))
        return false;
    *out = (struct jw_running){pid, stat.parent, stat.began, stat.state == 'Z' || stat.state == 'X',
                               false};
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct jw_running *x = a;
    const struct jw_running *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

void jw_running_read(struct jw_running_list *l)
{
    struct jw_dir *proc = NULL;
    struct jw_entry e;
    /* On Windows that is a folder of the drive, of any user. */
    bool more = !jw_os_is_windows() && jw_dir_open(&proc, "/proc", JW_IGNORED);

    l->n = 0;
    jw_work_add(JW_WORK_PROCESS_LISTS, more);
    while (more && jw_dir_next(proc, &e, &more, JW_IGNORED) && more) {
        struct jw_running one;
        uint64_t pid;

        if (jw_text_u64(e.name, &pid) && read_one((unsigned long)pid, &one)
            && jw_grow(&l->v, sizeof *l->v, l->n, &l->cap, JW_MAX_LISTED, JW_IGNORED))
            l->v[l->n++] = one;
    }
    jw_dir_close(proc);
    jw_sort(l->v, l->n, sizeof *l->v, by_number);
}

void jw_running_free(struct jw_running_list *l)
{
    jw_free(l->v);
    *l = (struct jw_running_list){0};
}

static bool is_below(const struct jw_running_list *l, const struct jw_running *one,
                     unsigned long root)
{
    /* A list that was read while processes came and went may have a circle. */
    for (size_t steps = 0; steps < l->n; steps++) {
        if (!one)
            return false;
        if (one->parent == root)
            return true;
        one = jw_search(&(struct jw_running){.pid = one->parent}, l->v, l->n, sizeof *l->v,
                        by_number);
    }
    return false;
}

void jw_running_below(struct jw_running_list *l, unsigned long root)
{
    for (size_t i = 0; i < l->n; i++)
        l->v[i].below = is_below(l, &l->v[i], root);
}

#ifdef _WIN32 /* has none of these files */
bool jw_running_text(unsigned long pid, const char *file, struct jw_buf *out, bool *refused)
{
    (void)pid, (void)file, (void)out;
    *refused = true;
    return false;
}

bool jw_running_is_own(unsigned long pid)
{
    (void)pid;
    return false;
}

bool jw_running_link(unsigned long pid, const char *file, struct jw_buf *out)
{
    (void)pid, (void)file, (void)out;
    return false;
}

bool jw_running_memory(unsigned long pid, uint64_t at, void *dst, size_t n)
{
    (void)pid, (void)at, (void)dst, (void)n;
    return false;
}
#else
bool jw_running_text(unsigned long pid, const char *file, struct jw_buf *out, bool *refused)
{
    char path[PATH_ROOM], piece[PIECE];
    ssize_t n = 0;

    (void)snprintf(path, sizeof path, "/proc/%lu/%s", pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *refused = fd < 0 && (errno == EACCES || errno == EPERM);
    if (fd < 0)
        return false;
    while (!out->bad && (n = read(fd, piece, sizeof piece)) > 0)
        jw_buf_add(out, piece, (size_t)n);
    *refused = n < 0 && (errno == EACCES || errno == EPERM);
    (void)close(fd);
    return n >= 0;
}

/* "Uid:" is followed by the real and the effective user, in two columns. Anybody may read that. */
bool jw_running_is_own(unsigned long pid)
{
    char path[PATH_ROOM];
    char text[STAT_ROOM];
    char *effective;

    (void)snprintf(path, sizeof path, "/proc/%lu/status", pid);
    const char *users = jw_procfs_read(path, text, sizeof text) ? strstr(text, "\nUid:") : NULL;

    if (!users)
        return false;
    (void)strtoul(users + strlen("\nUid:"), &effective, 10); /* the real one */
    return strtoul(effective, NULL, 10) == (unsigned long)geteuid();
}

bool jw_running_link(unsigned long pid, const char *file, struct jw_buf *out)
{
    char path[PATH_ROOM], target[PIECE];

    (void)snprintf(path, sizeof path, "/proc/%lu/%s", pid, file);
    ssize_t n = readlink(path, target, sizeof target);

    if (n > 0)
        jw_buf_add(out, target, (size_t)n);
    return n > 0 && (size_t)n < sizeof target;
}

bool jw_running_memory(unsigned long pid, uint64_t at, void *dst, size_t n)
{
    struct iovec here = {dst, n};
    struct iovec there = {(void *)(uintptr_t)at, n};

    return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}
#endif

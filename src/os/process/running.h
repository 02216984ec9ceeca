/* The processes that run now, and what the system shows of them. Linux alone. No function here is a
 * fault point: they are called by a thread beside the work. */
#pragma once

#include "base/buf.h"

struct jw_running {
    unsigned long pid, parent;
    /* ticks since the system started: tells it from a later one with the same number */
    uint64_t began;
    bool ended; /* and its parent has not asked for its end yet */
    bool below; /* jw_running_below */
};

struct jw_running_list {
    struct jw_running *v; /* by number */
    size_t n, cap;
};

/* Keeps the room of an earlier list. Without a file system for processes it is empty. */
void jw_running_read(struct jw_running_list *l);
void jw_running_free(struct jw_running_list *l); /* accepts a zeroed one */

/* Marks those below `root`: its children, their children, and so on, without itself. */
void jw_running_below(struct jw_running_list *l, unsigned long root);

/* Appends a file of /proc/PID ("maps", "comm"), as far as `out` has room. False: the process has
 * ended, or `*refused`: only its user may read that. */
bool jw_running_text(unsigned long pid, const char *file, struct jw_buf *out, bool *refused);
/* Does it run with the rights of this user? One that is not dumpable does not show itself even
 * so. */
bool jw_running_is_own(unsigned long pid);
/* The target of a link of /proc/PID ("cwd"). */
bool jw_running_link(unsigned long pid, const char *file, struct jw_buf *out);
bool jw_running_memory(unsigned long pid, uint64_t at, void *dst, size_t n); /* all `n` bytes */

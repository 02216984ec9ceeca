/* Parsers for files of /proc and cgroups. Only jw_procfs_read reads a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number in a line "NAME:   123 kB" (converted to bytes) or "NAME 123". */
bool jw_procfs_number(const char *text, const char *name, uint64_t *out);

struct jw_procfs_stat {
    char state;
    unsigned long parent;
    uint64_t cpu;   /* processor time, which Linux shows in hundredths of a second */
    uint64_t began; /* in ticks since boot */
};

bool jw_procfs_stat(const char *text, struct jw_procfs_stat *out); /* from /proc/PID/stat */

/* Reads the start of a /proc file as text. It differs from jw_file_slurp: no size is known, a
 * failure is a normal result (errno has the reason), and it is no fault point. */
bool jw_procfs_read(const char *path, char *text, size_t room);

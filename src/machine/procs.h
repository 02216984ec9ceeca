/* Reads what Linux says of a process in its files below /proc. `proc`: "/proc" except in tests. */
#ifndef MACHINE_PROCS_H
#define MACHINE_PROCS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a file of the process, or its first `max` bytes, into `out`, which the caller frees. False: the process has
 * ended, or (`*refused`) only its user and root can read the file. */
bool jw_proc_read(const char *proc, unsigned long pid, const char *file, size_t max, struct jw_buf *out,
                  bool *refused);

/* "python3"; NULL: it has ended. */
const char *jw_proc_name(const char *proc, unsigned long pid, struct jw_arena *a);

/* The service of systemd that it belongs to, such as "trainer.service"; NULL: none. */
const char *jw_proc_service(const char *proc, unsigned long pid, struct jw_arena *a);

#endif

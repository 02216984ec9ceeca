/* For foreground_posix.c. */
#ifndef OS_PROCESS_FILE_TRACE_POSIX_H
#define OS_PROCESS_FILE_TRACE_POSIX_H

#include "os/process/file_trace.h"

/* Before the fork. `program`: argv[0]. */
void jw_file_trace_prepare(struct jw_file_trace *t, const char *program);
/* The process that answers the command's calls, which is none of its own; 0: there is none. */
unsigned long jw_file_trace_keeper(const struct jw_file_trace *t);
/* In the child, before exec: async-signal-safe. */
void jw_file_trace_enter(const struct jw_file_trace *t);
/* In the parent, as soon as there is a child: from here on its calls are answered. */
void jw_file_trace_serve(struct jw_file_trace *t);

#endif

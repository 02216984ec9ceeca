/*
 * Without memory the process ends: "jitwarm: out of memory (wanted 123 bytes)" on standard error, exit code 4. Nothing is
 * lost by it, for whatever jitwarm changes it may be killed at any instant. A program that embeds the library may end in
 * its own way: a handler that returns is followed by the above.
 */
#ifndef JITWARM_MEMORY_H
#define JITWARM_MEMORY_H

#include <stddef.h>

/* Before other threads use the library. NULL: none. */
void jw_on_out_of_memory(void (*handler)(size_t wanted));

#endif

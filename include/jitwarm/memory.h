/*
 * Out of memory ends the process: "jitwarm: out of memory (wanted 123 bytes)" on standard error, exit code 4. No data
 * is lost, because jitwarm can be killed at any instant. A program that embeds the library can install a handler. If
 * the handler returns, the process ends as above.
 */
#ifndef JITWARM_MEMORY_H
#define JITWARM_MEMORY_H

#include <stddef.h>

/* Call it before other threads use the library. NULL removes the handler. */
void jw_on_out_of_memory(void (*handler)(size_t wanted));

#endif

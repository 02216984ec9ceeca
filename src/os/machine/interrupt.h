/* Ctrl-C and other requests to stop. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

/* From now on the first SIGINT, SIGTERM, SIGHUP or SIGPIPE (Ctrl-C, Ctrl-Break, a closed terminal
 * or console, a reader that is gone) only sets the returned flag, which long work polls. A second
 * SIGINT or SIGTERM ends the program at once. A signal that was ignored when the program started
 * (nohup, a background job) stays ignored. */
const atomic_bool *jw_interrupt_watch(void);

/* Restores the previous handlers, if they were changed. True: a signal has arrived. */
bool jw_interrupt_forget(void);

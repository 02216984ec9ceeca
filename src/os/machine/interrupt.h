/* Ctrl-C. */
#ifndef OS_MACHINE_INTERRUPT_H
#define OS_MACHINE_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP (Ctrl-C, Ctrl-Break, a closed terminal or console) sets the
 * flag that is given back, and nothing else: long work polls it. A second SIGINT or SIGTERM ends the program at once. One that was
 * ignored when the program started (nohup, a background job) stays ignored.
 */
const atomic_bool *jw_interrupt_watch(void);

/* Undoes it, whether or not it was done. True: one of them had come before. */
bool jw_interrupt_forget(void);

#endif

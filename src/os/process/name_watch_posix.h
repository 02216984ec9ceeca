/* For foreground_posix.c. */
#ifndef OS_PROCESS_NAME_WATCH_POSIX_H
#define OS_PROCESS_NAME_WATCH_POSIX_H

#include "os/process/name_watch.h"

int jw_name_watch_events(const struct jw_name_watch *w); /* readable when it has seen something */

#endif

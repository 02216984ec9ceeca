/* The one fork and exec. For process_posix.c and foreground_posix.c. */
#pragma once

#include "base/compiler.h"
#include "os/process/process.h"

#include <sys/types.h>

enum jw_spawn_kind {
    JW_SPAWN_HIDDEN,     /* a session of its own, without core files; dies with this thread */
    JW_SPAWN_FOREGROUND, /* in this session, with this thread's signals and descriptors; the same */
    JW_SPAWN_DETACHED    /* the child of nobody here */
};

/* Returns when it has become the program. False: it could not, and nothing is left of it. */
bool jw_spawn(const struct jw_command *c, enum jw_spawn_kind kind, const int streams[3], pid_t *pid,
              struct jw_err *err) JW_MUST;

/* How it ended, from the status of waitpid. */
struct jw_process_end jw_spawn_end(int status);

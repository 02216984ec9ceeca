/* The environment of a running process as it is now, which /proc/PID/environ does not show:
 * programs change it after they began, and the driver reads it in cuInit. */
#pragma once

#include "base/arena.h"

struct jw_variable {
    const char *name, *value; /* value NULL: not set */
};

/* Sets the values of `v` from the memory of the process, where its C library or program has
 * `environ`. False: that cannot be found or read. `maps`: the text of its file maps. */
bool jw_variables_now(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_variable *v, size_t n);

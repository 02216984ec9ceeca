/* Which cache a running process uses, by its environment as the driver reads it. */
#pragma once

#include "base/arena.h"

struct jw_witness_process;

/* Sets the cache of process `pid`, the settings that keep entries out of it, and the one by which
 * it loads the compiler. `maps`: the text
 * of its file maps. False: the memory of the process cannot be read, and nothing is changed. */
bool jw_settings_read(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_witness_process *out);

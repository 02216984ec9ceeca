/* Which of NVIDIA's libraries a program loads when it starts, as files show it. */
#pragma once

#include "base/arena.h"
#include "machine/run.h"

/* The paths of NVIDIA's libraries that this program or library asks the loader for and that the
 * loader finds (machine/loader.h), links resolved. Those that another library asks for are not
 * among them. None of a file that is no ELF file, or cannot be read. */
struct jw_texts jw_needed_of_nvidia(const char *path, struct jw_arena *a);

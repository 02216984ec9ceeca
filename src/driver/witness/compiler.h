/* The library with which a driver compiles PTX. */
#ifndef DRIVER_WITNESS_COMPILER_H
#define DRIVER_WITNESS_COMPILER_H

#include "base/arena.h"

#define JW_COMPILER_LIBRARY "libnvidia-ptxjitcompiler.so"

/* The file beside the driver's `library`, links resolved; NULL: none lies there. */
const char *jw_compiler_library_of(const char *library, struct jw_arena *a);

#endif

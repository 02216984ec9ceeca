/* The libraries with which a driver compiles PTX, as files. */
#ifndef DRIVER_WITNESS_WATCHED_H
#define DRIVER_WITNESS_WATCHED_H

#include "base/arena.h"
#include "base/compiler.h"
#include "driver/witness/loaded.h"
#include "jitwarm/err.h"

/* Chooses the files to watch: the driver's library that programs load, and the compiler that it loads
 * (driver/probe/compiler_file.h). A NULL path is an error: no such file is known. */
bool jw_watched_files(const char *library, const char *compiler, struct jw_arena *a,
                      struct jw_loaded_ask *out, struct jw_err *err) JW_MUST;

#endif

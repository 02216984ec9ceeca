/*
 * prime --run CMD: starts the command once and makes it a root: the modules that it loaded, each with the file that has it, or its PTX.
 * Modules of these files that share a kernel with them belong to it, too: a program may take such a kernel from any of them.
 */
#ifndef PRIME_RECORD_H
#define PRIME_RECORD_H

#include "prime/look.h"
#include "prime/watch.h"

/* Called with the lock of the cache, after jw_look_scope. The root is saved when it returns, and jw_look with want.commands finds it.
 * Ends the run (run->ended) where nothing is to be primed: the command could not be watched, uses another cache, or loaded nothing. */
bool jw_record_command(struct jw_run *run, const struct jw_scope *scope, const struct jw_cache_folder *memory,
                       const struct jw_prime_options *o, struct jw_command_seen *seen,
                       struct jw_err *err) JW_MUST;

#endif

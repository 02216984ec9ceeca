/*
 * Entries whose machine code a toolkit's compiler made, and not the driver: what both ends must agree on, the machine
 * that makes them (offline.h) and the one that proves that its driver takes them (probe_forge.c).
 *
 * The canary of such a pack is an entry under the key of one small kernel (it adds `own`), with that compiler's code for
 * another of the same name (it adds `other`). The driver would never make that: when `other` comes out, it was this entry
 * that was run.
 */
#ifndef DRIVER_PROBE_FORGE_H
#define DRIVER_PROBE_FORGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { FORGE_X = 1000, FORGE_OWN = 401, FORGE_OTHER = 6007 };

/* The PTX of the one that adds `n`. Every driver and toolkit since CUDA 11 reads it. driver-fact: F78-old-ptx-compiles */
bool forge_canary(struct jw_buf *out, unsigned n, struct jw_err *err) JW_MUST;

/* The key under which the canary lies in a pack for this build and architecture, and the entry's name. */
bool forge_canary_key(const char *stamp, uint16_t sm, struct jw_buf *key, uint64_t *name,
                      struct jw_err *err) JW_MUST;

/*
 * Options as a container stores them, as words of a command line: `argv` gets at most `most`, which point into `text`,
 * a copy that the caller may write to. False: one is not known to be harmless, and it is in `*unknown`. Files tell
 * these words; a compiler takes some that name files.
 */
bool forge_options(char *text, const char **argv, size_t most, size_t *n, const char **unknown);

/* The same words as nvJitLink takes them, in place; new ones live in `a`. What changes only what is printed goes. */
bool forge_nvjitlink_options(const char **argv, size_t *n, struct jw_arena *a) JW_MUST;

#endif

/*
 * Entries whose machine code a toolkit's compiler made, and not the driver: what both ends must agree on, the machine
 * that makes them (offline.h) and the one that proves that its driver takes them (forge.c).
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
#include "driver/probe/probe.h"
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

/*
 * Level 5, for one compiler: does this build of the driver take machine code that the compiler made, and run it rightly? A
 * pack of such code carries its own canary (forge.h), so that a machine without a toolkit can prove it.
 */

struct jw_forge_probe {
    const char *canary; /* path of the entry, checked before */
    uint64_t name;      /* of it */
    uint16_t sm;
    const char *compiler; /* "ptxas 13.0.88" */
    const char *driver, *exe;
    const atomic_bool *interrupted;
};

/* What is remembered of this build: was it seen to run the code of this compiler, for this architecture? */
bool jw_forge_known(const struct jw_driver_state *s, const char *compiler, uint16_t sm);

/*
 * Puts the canary into a private folder and has a fresh process load and launch it. `*why` NULL: proven, and remembered for
 * this build; else why not, as a sentence. The user's cache is not touched. False when interrupted.
 */
bool jw_forge_prove(const struct jw_forge_probe *o, const struct jw_probe_report *met, struct jw_arena *a,
                    const char **why, struct jw_err *err) JW_MUST;

#endif

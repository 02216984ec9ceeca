/*
 * Forged entries: their machine code comes from a toolkit's compiler (pack/compile/offline.h), not from the driver.
 * This is what the machine that makes them and the one that uses them share.
 *
 * A pack of forged entries has a canary: an entry under the key of a kernel that adds `own`, with the code of a kernel
 * that adds `other`. The driver never makes such an entry. When the launch adds `other`, the driver used it.
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

/* PTX of the kernel that adds `n`; every driver and toolkit since CUDA 11 reads it. driver-fact:
 * F78-old-ptx-compiles */
bool forge_canary(struct jw_buf *out, unsigned n, struct jw_err *err) JW_MUST;

/* The canary's key and name in a pack for this build and architecture. */
bool forge_canary_key(const char *stamp, uint16_t sm, struct jw_buf *key, uint64_t *name,
                      struct jw_err *err) JW_MUST;

/*
 * Splits the options that a container stores into at most `most` words of `argv`, which point into `text`; `text` is
 * modified. False: `*unknown` is not on the list of safe options. A file names these options, and compilers have
 * options that read or write files.
 */
bool forge_options(char *text, const char **argv, size_t most, size_t *n, const char **unknown);

/* Turns them into nvJitLink's options, in place; new ones live in `a`. Drops options that only change its output. */
void forge_nvjitlink_options(const char **argv, size_t *n, struct jw_arena *a);

/* Level 5, for one compiler: does this driver build use its code, and compute the right number? */
struct jw_forge_probe {
    const char *canary; /* path of the entry, already validated */
    uint64_t name;      /* of the entry */
    uint16_t sm;
    const char *compiler; /* "ptxas 13.0.88" */
    const char *driver, *exe;
    const atomic_bool *interrupted;
};

/* Was this build proven before, for this compiler and architecture? */
bool jw_forge_known(const struct jw_driver_state *s, const char *compiler, uint16_t sm);

/* Puts the canary into a private folder and launches it in a new process. `*why` NULL: proven, and saved for this
 * build; else the reason. The user's cache is not touched. False when interrupted. */
bool jw_forge_prove(const struct jw_forge_probe *o, const struct jw_probe_report *met, struct jw_arena *a,
                    const char **why, struct jw_err *err) JW_MUST;

#endif

/* Carries entries over from another build of the driver whose compiler is the same.
 *
 * The key of an entry begins with the stamp of the driver's build, so after each update the driver
 * compiles everything again, and where its compiler stayed the same it makes the same bytes. An
 * entry is carried over only if all of this holds; in doubt the driver compiles.
 *
 *   1. Both builds have a compiler of one code, and the probes of both saw the same machine code,
 *      unless the old build is known from a pack alone or was probed on another architecture.
 *   2. Its key with this build's stamp is the module's: its name, and the digest of its PTX.
 *   3. This driver compiled a sample, and made the same bytes. It has one module or input of the
 *      device linker of each kind and architecture, and one more.
 *   4. Every byte of it is checked. Then it is published and proven like a compiled one.
 *
 * driver-fact: F112-one-compiler */
#pragma once

#include "prime/steps.h"

/* After the cache was looked into: finds for each cold job the entry that may be carried over
 * (points 1 and 2), and sets `old` of the job, and of the look the build. Changes nothing on the
 * disk. */
bool carry_find(struct jw_run *run, struct jw_look *look, struct jw_err *err) JW_MUST;

/* Lets the driver compile a sample of these jobs, which are sorted by size, in a private folder
 * (point 3). A job whose old entry is damaged loses it. `*differs`: the path of the first that it
 * did not make alike; NULL: none. */
bool carry_sample(struct jw_prime *p, struct jw_job **jobs, size_t n, const char **differs,
                  struct jw_err *err) JW_MUST;

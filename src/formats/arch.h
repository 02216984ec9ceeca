/*
 * Which code runs on which GPU: the driver's compatibility rules as pure functions over facts/archs.
 *
 * A device is its number alone: a GPU of compute capability x.y takes the plain, the `f` and the `a` code of
 * its own
 * architecture.
 */
#ifndef FORMATS_ARCH_H
#define FORMATS_ARCH_H

#include <stdbool.h>
#include <stdint.h>

struct jw_target {
    uint16_t sm;
    char suffix; /* 'a': this architecture only; 'f': its family; 0: plain */
};

/*
 * Machine code: same major, not newer than the device; `a` equal only; `f` within the family. Integrated
 * chips
 * (Tegra) neither give nor take across minors.
 */
bool jw_sass_runs(struct jw_target code, unsigned device);

/* PTX: plain is compiled for every device at or above it, whatever its major; `a` equal only; `f` within the
 * family. */
bool jw_ptx_compiles(struct jw_target code, unsigned device);

/* The order in which the driver prefers targets of one kind: higher is better. */
unsigned jw_target_rank(struct jw_target t);

/* "compute_90a", "sm_86", "lto_75": at most 16 bytes with the NUL. */
struct jw_target_name {
    char text[20];
};
struct jw_target_name jw_target_name(const char *prefix, struct jw_target t);

/* "sm_90a", "compute_75", "90": false when it is none of these. */
bool jw_target_parse(const char *text, struct jw_target *out);

#endif

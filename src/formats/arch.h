/* Which code runs on which GPU: the driver's compatibility rules, as pure functions over
 * facts/archs. A device is only its compute capability: x.y runs the plain, `f` and `a` code of its
 * own architecture. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct jw_arch {
    uint16_t sm;
    char suffix; /* 'a': this architecture only; 'f': its family; 0: plain */
};

/* Tells whether machine code runs: same major and not newer than the device; `a` only if equal; `f`
 * within the family. Integrated GPUs (Tegra) are not compatible across minors. */
bool jw_sass_runs(struct jw_arch code, unsigned device);

/* Tells whether PTX compiles: plain PTX for every device of the same or a higher capability; `a`
 * only if equal; `f` within the family. */
bool jw_ptx_compiles(struct jw_arch code, unsigned device);

/* The driver's order of preference among targets of one kind: higher is better. */
unsigned jw_arch_rank(struct jw_arch t);

/* "compute_90a", "sm_86", "lto_75": at most 16 bytes with the NUL. */
struct jw_arch_name {
    char text[20];
};
struct jw_arch_name jw_arch_name(const char *prefix, struct jw_arch t);

/* Parses "sm_90a" or "compute_90a", as a driver does: zeros before the number count for nothing,
 * nor letters behind it but the last. */
bool jw_arch_parse(const char *text, struct jw_arch *out);

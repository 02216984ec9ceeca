/* The sentences of a verdict on a file: its effect on a GPU, the reason, and the cost. */
#ifndef SOFTWARE_SCAN_VERDICT_WORDS_H
#define SOFTWARE_SCAN_VERDICT_WORDS_H

#include "base/text.h"
#include "cache/memory/state.h"
#include "cache/memory/warmstate.h"
#include "jitwarm/gpu.h"
#include "jitwarm/scan.h"
#include "software/find/discover.h"

/* The driver that the verdicts are about, as far as it is known. */
struct jw_verdict_known {
    const char *driver;                 /* its version; NULL: any */
    struct jw_driver_state state;       /* of the driver here, whose cache was read; build NULL: none was */
    const struct jw_warm_state *memory; /* of that cache; NULL: none was read */
};

/* A verdict with reason and consequence: "all 143 modules must be compiled from compute_90: 263 MiB of PTX,
 * about 4 minutes on one core, needs a driver >= 590". `of`: the owner of the file's code. */
void jw_verdict_say(struct jw_buf *out, const struct jw_scan_verdict *v, const struct jw_gpu *gpu,
                    const struct jw_scan_file *file, enum jw_code_of of,
                    const struct jw_verdict_known *known);

/* The content of a file: "machine code for sm_86 sm_89; PTX for compute_75 (ISA 9.1)". */
void jw_holdings_say(struct jw_buf *out, const struct jw_scan_row *rows, size_t n);

/* The PTX that would be compiled for one GPU. */
struct jw_compile_cost {
    uint64_t modules, ptx_bytes;
    bool lazy; /* an upper bound: programs load only the modules that they use */
};

/* "263 MiB of PTX, about 4 minutes on one core" */
struct jw_words jw_compile_cost_words(const struct jw_verdict_known *known, unsigned sm,
                                      const struct jw_compile_cost *cost);

/* Milliseconds of the link that remains at each start; 0: it was not measured, or there is none. */
uint64_t jw_verdict_link_ms(const struct jw_verdict_known *known, const struct jw_scan_verdict *v);

#endif

/* The sentences of a verdict on a file: its effect on a GPU, the reason, and the cost. */
#ifndef SOFTWARE_SCAN_VERDICT_WORDS_H
#define SOFTWARE_SCAN_VERDICT_WORDS_H

#include "base/text.h"
#include "jitwarm/gpu.h"
#include "jitwarm/scan.h"
#include "software/find/discover.h"

/* A verdict with reason and consequence: "all 143 modules must be compiled from compute_90: 263 MiB of PTX,
 * 4 to 36 minutes on one core, needs a driver >= 590". `of`: the owner of the file's code; `driver`: its version, NULL: any. */
void jw_verdict_say(struct jw_buf *out, const struct jw_scan_verdict *v, const struct jw_gpu *gpu,
                    const struct jw_scan_file *file, enum jw_code_of of, const char *driver);

/* The content of a file: "machine code for sm_86 sm_89; PTX for compute_75 (ISA 9.1)". */
void jw_holdings_say(struct jw_buf *out, const struct jw_scan_row *rows, size_t n);

#endif

/* NVIDIA driver versions: the PTX that they compile and the GPUs that they support. */
#pragma once

#include "base/compiler.h"
#include "base/text.h"
#include "jitwarm/err.h"

/* The driver branch of CUDA 12.4. Older ones read no ZSTD payload: 470 and 535 end with error 218,
 * 525 crashes. driver-fact: F77-zstd-550 */
#define JW_ZSTD_FIRST_BRANCH 550u

/* Older ones read no machine code that CUDA 13 made: 550 crashes, 555 ends with error 200.
 * driver-fact: F98-cuda-13-code */
#define JW_CUDA_13_FIRST_BRANCH 580u

/* The branch of "580.126.09", "580", "r580", Windows' "591.44" and its file version "32.0.15.9144",
 * or the CUDA version that the driver reports: "13.0", "CUDA 12.8" (the first number below 30), for
 * the oldest branch with it. */
bool jw_driver_parse(const char *text, unsigned *branch, struct jw_err *err) JW_MUST;
unsigned jw_branch_of(const char *driver); /* the same; 0 of NULL, and of what is no version */

/* The newest PTX ISA that it compiles, 84 for ISA 8.4; 0: the driver is newer than our table.
 * driver-fact: F76-isa-limit */
unsigned jw_driver_isa(unsigned branch);

/* The oldest branch that compiles this ISA; JW_BRANCH_TO_COME: newer than our table. */
enum { JW_BRANCH_TO_COME = 65535 };
unsigned jw_isa_needs_driver(unsigned major, unsigned minor);

/* The newest toolkit whose machine code it loads, 121 for CUDA 12.1; 0: no limit is known. Newer
 * code ends with error 200, whatever its architecture. The ELF version of a cubin is the toolkit of
 * its assembler. driver-fact: F105-code-of-toolkit */
unsigned jw_driver_newest_code(unsigned branch);
/* The oldest branch that is known to load code of every toolkit before 13. */
#define JW_CODE_FIRST_BRANCH 525u

/* Processor seconds that a module costs, beside those for its text. A branch that was not measured
 * counts as the one before it, and 0 as the newest: none was faster. driver-fact:
 * F108-time-of-kernels */
double jw_driver_module_seconds(unsigned branch);

/* "570" or "newer", for programs; "driver 570 or newer" or "a newer driver than this jitwarm
 * knows", for people. */
struct jw_words jw_driver_branch_text(unsigned branch);
struct jw_words jw_driver_needed(unsigned branch);

/* The CUDA that the branch reports by cuDriverGetVersion: 12040; of branch 0: 0. */
unsigned jw_branch_cuda(unsigned branch);

/* False also if jw_branch_of is 0. */
bool jw_driver_is_before(const char *driver, unsigned branch);

/* Older drivers end PTX at its first NUL, so that their keys hold one NUL, however the text is
 * stored. driver-fact: F13-nuls */
#define JW_NULS_FIRST_BRANCH 460u
/* From here on the driver's default is to load lazily. driver-fact: F24-lazy-default */
#define JW_LAZY_FIRST_BRANCH 535u
/* Older drivers heed only the low 32 bits of CUDA_CACHE_MAXSIZE, and take 0 for their default.
 * driver-fact: F52-most, F53-plain-bytes */
#define JW_LIMIT_64_FIRST_BRANCH 450u

enum jw_driver_fit { JW_DRIVER_FITS, JW_DRIVER_TOO_OLD, JW_DRIVER_TOO_NEW };

/* JW_DRIVER_FITS also for branch 0, for unknown architectures, and for those of Tegra, which has
 * drivers of its own. */
enum jw_driver_fit jw_driver_support(unsigned branch, unsigned sm);

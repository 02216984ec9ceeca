/* Modules of which only a list of architectures is known, checked as those of a file would be: the same rules. */
#ifndef SOFTWARE_SCAN_SCAN_ARCHS_H
#define SOFTWARE_SCAN_SCAN_ARCHS_H

#include "base/arena.h"
#include "jitwarm/scan.h"

struct jw_scan_archs {
    unsigned modules;               /* each holds all of it */
    const char *machine_code, *ptx; /* "50 60 90a", "80"; "" none */
    unsigned isa_major, isa_minor;  /* of the PTX; 0: not known */
    uint64_t ptx_bytes;             /* of all modules together; 0: not known */
};

/* Uses only the options GPUs, driver and force_jit. Fails if `driver` is not a version. */
bool jw_scan_archs(const struct jw_scan_archs *archs, const struct jw_scan_options *o, struct jw_arena *a,
                   struct jw_scan_file *out, struct jw_err *err) JW_MUST;

#endif

/*
 * Advice about a package that is not here, from the table of frameworks. Its files alone decide what runs.
 * Pure.
 */
#ifndef DOCTOR_PACKAGE_ADVICE_H
#define DOCTOR_PACKAGE_ADVICE_H

#include "base/buf.h"
#include "doctor/doctor_software.h"
#include "software/find/discover.h"

struct jw_package_asked {
    const struct jw_package *package; /* its name and version */
    const struct jw_gpu *gpus;
    size_t n_gpus;
    const char *driver; /* NULL: any */
    bool for_windows;   /* the system of its files */
    /* why programs of this environment compile at each start: a sentence; NULL: they need not */
    const char *ignored;
    uint64_t limit; /* of the cache, where a variable sets one; 0: none does */
};

struct jw_package_advice {
    struct jw_package_asked asked;
    struct jw_software_case c;
    struct jw_software s;
    const struct jw_scan_verdict *verdicts;
};

/* Adds a file's verdict to that of its package on a GPU: the worst, and what is compiled of all. Begins with
 * JW_VERDICT_NO_CODE. */
void jw_package_verdict_add(struct jw_scan_verdict *to, const struct jw_scan_verdict *v);

/* `verdicts`: of all its files, one for each GPU. False: the table does not know the package. */
bool jw_package_advice(const struct jw_package_asked *o, const struct jw_scan_verdict *verdicts,
                       struct jw_arena *a, struct jw_package_advice *out);

/* For one GPU: a newer driver, reports, a limit to set, a version with machine code; or nothing. */
void jw_package_advice_say(struct jw_buf *out, const struct jw_package_advice *w, size_t gpu);

/* XLA and NVRTC compile at run time by a compiler of the toolkit, which may be older than the GPU. NULL: it is not. */
const char *jw_package_old_compiler(const struct jw_package_advice *w, size_t gpu, struct jw_arena *a);

/* For users whose GPUs differ, or who look for the reason of a slow start; NULL: nothing. */
const char *jw_package_slow_start(const struct jw_package_advice *w);

#endif

/*
 * compile: a pack for a driver and GPU that are not here, made by a toolkit's own compiler. The modules that the
 * driver would compile are found in files as ever; their keys follow from the driver's stamp (level 2), their code comes
 * from the compiler (level 5). No cache is touched, and no driver asked; whether the target takes such entries is for
 * the target to prove (probe_forge.c).
 */
#ifndef PACK_COMPILE_OFFLINE_H
#define PACK_COMPILE_OFFLINE_H

#include "pack/export/export.h"
#include "software/find/compiler.h"

/* A module that is not in the pack. */
struct jw_offline_lost {
    const char *path, *kernel, *target; /* "lib.so", "gemm", "compute_90" */
    const char *why;
};

struct jw_offline_report {
    enum jw_end end;
    const char *why; /* NULL, or the sentence of the end */
    struct jw_compiler compiler;
    const char *stamp;
    uint16_t sm;
    bool simulated;
    uint64_t modules, ptx_bytes; /* that the driver would compile, each once */
    uint64_t compiled;
    const struct jw_offline_lost *lost;
    size_t n_lost;
    const char *path;      /* of the pack; NULL: there is none */
    bool stored;           /* it is in the store */
    const char *signature; /* its file; NULL: none */
    struct jw_export_pack pack;
    const char *const *notes;
    size_t n_notes;
    uint64_t milliseconds;
};

struct jw_offline_options {
    const char *const *paths; /* at least one */
    size_t n_paths;
    const char *const *exclude, *const *only;
    size_t n_exclude, n_only;
    bool all;          /* NVIDIA's own libraries and lazily loaded modules, too */
    const char *stamp; /* of the driver: jw_offline_target */
    uint16_t sm;
    bool simulated;       /* the driver is a simulated one */
    const char *compiler; /* jw_compiler_find */
    const char *output;   /* a file or folder; NULL: the store */
    uint64_t store_cap;
    unsigned jobs, timeout_s; /* 0: half of the processors; half an hour */
    bool yes, dry_run;
    const struct jw_minisign_secret *key; /* NULL: not signed */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, const char *what, uint64_t done,
                     uint64_t total); /* one thread at a time; NULL */
    void *ctx;
};

/* "driver=Jan  7 202622:51:46,sm=86[,simulated]": the stamp as jitwarm doctor --probe --json tells it; a blank before the
 * time is no matter. JW_E_USAGE for anything else. `stamp` lives in `a`. */
bool jw_offline_target(const char *text, struct jw_arena *a, struct jw_offline_options *out,
                       struct jw_err *err) JW_MUST;

/* "sm=86" or "sm=sm_86", of `n` bytes */
bool jw_offline_sm(const char *text, size_t n, uint16_t *out);

/* False: an option or path that makes no sense, no compiler. All else is in the report, which lives in `a`. */
bool jw_offline(const struct jw_offline_options *o, struct jw_arena *a, struct jw_offline_report *out,
                struct jw_err *err) JW_MUST;

#endif

/*
 * Makes a pack for a driver and a GPU that are not here, with a toolkit's compiler. The modules come from files; their
 * keys follow from the driver's stamp (level 2), their code from the compiler (level 5). No cache and no driver is
 * used. The target machine must prove that it runs such entries (driver/probe/forge.h).
 */
#ifndef PACK_COMPILE_OFFLINE_H
#define PACK_COMPILE_OFFLINE_H

#include "pack/export/export.h"
#include "software/find/toolkit.h"

/* A module that could not be compiled. */
struct jw_offline_lost {
    const char *path, *kernel, *target; /* "lib.so", "gemm", "compute_90" */
    const char *why;
};

struct jw_offline_report {
    const struct jw_run *run; /* how it ended, and notes */
    struct jw_compiler compiler;
    const char *stamp;
    uint16_t sm;
    uint64_t modules, ptx_bytes; /* to compile, each once */
    uint64_t compiled;
    const struct jw_offline_lost *lost;
    size_t n_lost;
    const char *path;      /* of the pack, or NULL */
    bool stored;           /* the pack is in the store */
    const char *signature; /* its file, or NULL */
    struct jw_export_pack pack;
};

struct jw_offline_options {
    const char *const *paths; /* at least one */
    size_t n_paths;
    const char *const *exclude, *const *only;
    size_t n_exclude, n_only;
    bool all;          /* also NVIDIA's own libraries and lazily loaded modules */
    const char *stamp; /* of the driver: jw_compile_build */
    uint16_t sm;
    const char *compiler; /* "ptxas", "nvjitlink" or an absolute path */
    const char *output;   /* a file or folder; NULL: the store */
    uint64_t store_cap;
    unsigned jobs, timeout_s; /* 0: half of the CPUs; half an hour */
    bool yes, dry_run;
    const struct jw_minisign_secret *key; /* NULL: not signed */
};

/* False for an invalid option or path, and without a compiler. All other results are in the report. */
bool jw_offline(struct jw_run *run, const struct jw_offline_options *o, struct jw_offline_report *out,
                struct jw_err *err) JW_MUST;

#endif

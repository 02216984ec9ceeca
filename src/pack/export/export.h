/*
 * Packs entries of the driver's cache for machines of the same kind: one file KEY-ORIGIN.tar.zst for one driver build and one
 * architecture. The same entries give the same bytes.
 */
#ifndef PACK_EXPORT_EXPORT_H
#define PACK_EXPORT_EXPORT_H

#include "jitwarm/run.h"
#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"
#include "prime/look.h"

struct jw_export_options {
    struct jw_texts paths;  /* entries of these files; none: of the roots */
    struct jw_texts gpus;   /* as for --gpu */
    const uint64_t *names;  /* instead: these entries, whatever they are of (prune, push); sorted */
    size_t n_names;
    bool whole;             /* instead: the whole cache of this driver */
    const char *output;     /* a file, a folder, "-" (standard output); NULL: the working folder */
    const struct jw_minisign_secret *key; /* NULL: do not sign */
    bool dry_run;
    bool absent_gpus;
};

struct jw_export_pack {
    uint16_t sm;
    const char *path;       /* of the pack; NULL: standard output, or a dry run */
    uint64_t entries, bytes; /* of key + payload */
    uint64_t once;          /* of them: cannot be compiled again from their keys (NVRTC's, nvJitLink's, OpenCL's) */
    uint64_t packed;        /* bytes of the pack */
    uint64_t missing, damaged; /* wanted, and not in it */
    const struct jw_pack_manifest *manifest;
};

struct jw_export_report {
    const struct jw_run *run;
    struct jw_scope scope;
    struct jw_export_pack *packs;
    size_t n_packs;
};

/* False for a wrong path and for internal errors. All other results are in the report. Lives in run->a. */
bool jw_export(struct jw_run *run, const struct jw_export_options *o, struct jw_export_report *out, struct jw_err *err) JW_MUST;

#endif

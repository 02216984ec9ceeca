/*
 * Packs entries of the driver's cache for machines of the same kind. One pack is for one driver build and one GPU
 * architecture. It holds the entries of named files or of primed software. The whole cache needs a confirmation,
 * because each entry holds the PTX of its kernels.
 */
#ifndef PACK_EXPORT_EXPORT_H
#define PACK_EXPORT_EXPORT_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/source.h"
#include "jitwarm/run.h"
#include "jitwarm/texts.h"
#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_export_sum {
    uint64_t entries, bytes; /* key + payload */
};

/* Why an entry is not in the pack. */
enum jw_export_why {
    JW_EXPORT_MISSING, /* not in the cache */
    JW_EXPORT_DAMAGED, /* wrong checksums, or not an entry */
    JW_EXPORT_UNREAD,  /* could not be read */
    JW_EXPORT_CHANGED, /* changed during the export */
    JW_EXPORT_OTHERS,  /* a command loads it, and it is not of this driver, or for no GPU that is known */
    JW_EXPORT_WHYS
};

extern const char *const jw_export_why_names[JW_EXPORT_WHYS]; /* "missing" */

enum { JW_EXPORT_KERNELS = 3 };

struct jw_export_origin {
    struct jw_pack_origin is; /* name NULL: unknown */
    struct jw_export_sum sum;
    const char *kernels[JW_EXPORT_KERNELS]; /* of its largest entries, with `everything` */
    size_t n_kernels;
};

struct jw_export_pack {
    uint16_t sm;
    const char *path;                   /* NULL: written to the stream */
    const char *signature;              /* its file, or NULL */
    const char *kept;                   /* its copy in the store, or NULL */
    bool written;                       /* complete and in its place */
    struct jw_export_sum sum;           /* of its entries */
    uint64_t once;                      /* of them: cannot be compiled again from their keys */
    uint64_t packed;                    /* bytes of the pack */
    uint8_t manifest_digest[JW_DIGEST]; /* of its manifest, which has the digests of all entries */
    uint8_t body_digest[JW_DIGEST];     /* in its trailer */
    const struct jw_pack_manifest *manifest;
    char content[2 * JW_DIGEST
                 + 1]; /* by_origin: equal for packs of equal bytes, known before writing; or "" */
    struct jw_export_sum left_out[JW_EXPORT_WHYS];
    struct jw_export_origin *origins; /* the largest first */
    size_t n_origins;
};

struct jw_export_report {
    const struct jw_run *run; /* how it ended, notes and advice */
    bool asked;               /* the driver answered; else the data is of the last driver seen here */
    const char *driver_version, *build, *stamp; /* NULL: unknown */
    const char *cache;                          /* of the cache, or NULL */
    const char *command;                        /* the command that loads these entries, or NULL */
    struct jw_export_pack *packs;
    size_t n_packs;
};

struct scan_jobs;

struct jw_export_options {
    struct jw_texts paths;   /* pack entries of these files; none: of primed software */
    const char *command;     /* instead: the recorded entries of this command (jw_prime_command), or NULL */
    const char *const *argv; /* its words */
    struct jw_texts gpus;    /* as in --gpu; none: all GPUs here */
    const char *output;      /* a file, or a folder; NULL: this folder */
    const struct jw_sink *stream; /* instead of a file */
    bool everything;
    uint64_t store_cap; /* size of the store, which gets a copy of primed entries; 0: no copy */
    bool yes;           /* answers all questions */
    bool dry_run;       /* writes nothing */
    bool by_origin;     /* one pack for each piece of software, into the folder `output` */
    /* With by_origin: must this pack be written? Called in their order. NULL: write all. */
    bool (*needs)(void *ctx, const struct jw_export_pack *p, bool *needs, struct jw_err *err);
    void *needs_ctx;
    unsigned threads;                     /* 0: one for each CPU */
    const struct jw_minisign_secret *key; /* NULL: do not sign */
};

/* False for a wrong path and for internal errors. All other results are in the report. */
bool jw_export(struct jw_run *run, const struct jw_export_options *o, struct jw_export_report *out,
               struct jw_err *err) JW_MUST;

/* Can a pack be written to this output (jw_export_options.output)? */
bool jw_export_place(const char *output, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* JW_E_USAGE: several packs were to be written into one file. */
#define JW_EXPORT_SEVERAL                                                                                    \
    "several GPUs make several packs: make a folder for them (mkdir packs) and use -o packs, or choose one " \
    "GPU (--gpu sm_86)"

#endif

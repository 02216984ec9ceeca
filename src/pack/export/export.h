/*
 * export: entries of the driver's cache become a pack that another machine of the same kind can take over. One pack
 * holds one (build of libcuda, architecture). What leaves is what belongs to named files, or to what was primed; never
 * the whole cache, unless somebody saw what that is and said yes: each entry holds the source of its kernels.
 */
#ifndef PACK_EXPORT_EXPORT_H
#define PACK_EXPORT_EXPORT_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/source.h"
#include "jitwarm/end.h"
#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_export_sum {
    uint64_t entries, bytes; /* key + payload */
};

/* Why an entry is not in the pack. */
enum jw_export_why {
    JW_EXPORT_MISSING, /* it is not in the cache */
    JW_EXPORT_DAMAGED, /* it does not fit its own checksums, or is no entry at all */
    JW_EXPORT_UNREAD,  /* the system refused it */
    JW_EXPORT_CHANGED, /* it changed while it was read */
    JW_EXPORT_CARRIED, /* not made by this driver, */
    JW_EXPORT_FORGED,  /* or by no driver at all */
    JW_EXPORT_WHYS
};

const char *jw_export_why_name(enum jw_export_why why); /* "missing" */

enum { JW_EXPORT_KERNELS = 3 };

struct jw_export_origin {
    struct jw_pack_origin is; /* name NULL: not known */
    struct jw_export_sum sum;
    const char *kernels[JW_EXPORT_KERNELS]; /* the first of its largest entries, with everything */
    size_t n_kernels;
};

struct jw_export_pack {
    uint16_t sm;
    const char *path;                   /* NULL: it goes to the stream */
    const char *signature;              /* its file; NULL: none */
    const char *kept;                   /* its copy in the store; NULL: none */
    bool written;                       /* and under its name */
    struct jw_export_sum sum;           /* what is in it, or would be */
    uint64_t packed;                    /* bytes of the pack */
    uint8_t manifest_digest[JW_DIGEST]; /* of its manifest, which tells those of all entries */
    uint8_t body_digest[JW_DIGEST];     /* that its trailer tells */
    const struct jw_pack_manifest *manifest;
    char content[2 * JW_DIGEST
                 + 1]; /* by_origin: alike for packs of the same bytes, told before they are made; "" */
    struct jw_export_sum left_out[JW_EXPORT_WHYS];
    struct jw_export_origin *origins; /* the largest first */
    size_t n_origins;
};

struct jw_export_report {
    enum jw_end end;
    const char *why;
    const char *const *advice, *const *notes;
    size_t n_advice, n_notes;
    bool simulated;
    bool asked; /* the driver itself said who it is; else it is the one that was met last */
    const char *driver_version, *build, *stamp; /* NULL: unknown */
    int level;                                  /* enum jw_level */
    const char *root;                           /* of the cache; NULL: there is none */
    struct jw_export_pack *packs;
    size_t n_packs;
    uint64_t bytes_read; /* of the cache */
    uint64_t milliseconds;
};

struct targets;

/* Entries that a compiler made for a driver which is not here (offline.h), in a folder laid out like a cache. */
struct jw_export_offline {
    const char *root, *stamp;
    uint16_t sm;
    bool simulated;
    const char *compiler, *version;
    const struct targets *found; /* whose modules they are */
    uint64_t canary;             /* the one entry that is of no software */
};

struct jw_export_options {
    const char *const *paths; /* entries of these files; none: of what was primed */
    size_t n_paths;
    const char *const *exclude; /* patterns of names below them */
    size_t n_exclude;
    const char *const *gpus; /* as --gpu has them; none: all that are here */
    size_t n_gpus;
    const char *cache;            /* another root; NULL: the one that programs use */
    const char *output;           /* a file; a folder for packs with names of ours; NULL: this folder */
    const struct jw_sink *stream; /* instead of a file */
    bool everything, include_carried;
    bool from_store; /* entries of the packs that are kept here, and not of the cache */
    bool vouch;      /* also sign those for which nobody vouched who is trusted here */
    const struct jw_export_offline *offline; /* these, and nothing of this machine's driver; NULL */
    uint64_t store_cap; /* a copy of what was primed is kept in the store, which may be so large; 0: none */
    bool yes;           /* no questions: everything may leave, and a file may be replaced */
    bool dry_run;       /* writes nothing */
    bool by_origin;     /* one pack for each piece of software, into the folder `output` */
    /* Of those: is it to be made? Asked for each, in their order. NULL: all are. */
    bool (*needs)(void *ctx, const struct jw_export_pack *p, bool *needs, struct jw_err *err);
    void *needs_ctx;
    int level;                            /* of compression; 0: the usual one */
    unsigned threads;                     /* 0: one for each processor */
    const struct jw_minisign_secret *key; /* NULL: not signed */
    const char *exe, *driver;             /* for tests: our own program, and the driver's library */
    const atomic_bool *interrupted;
    /* NULL: nobody is there. */
    bool (*ask)(void *ctx, const struct jw_export_report *r, const char *question);
    /* Bytes; total 0: unknown. One thread at a time; may be NULL. */
    void (*progress)(void *ctx, const char *what, uint64_t done, uint64_t total);
    void *ctx;
};

/* False only when nothing can be said: a wrong path, a bug. All else is in the report, which lives in `a`. */
bool jw_export(const struct jw_export_options *o, struct jw_arena *a, struct jw_export_report *out,
               struct jw_err *err) JW_MUST;

/* Can a pack be put there (jw_export_options.output)? For whoever wants to know it before long work. */
bool jw_export_place(const char *output, struct jw_arena *a, struct jw_err *err) JW_MUST;

#endif

/*
 * Brings entries of a pack into this user's cache, in eleven steps: open, hash the raw bytes,
 * signature, manifest, compare, lock, skip what is there, room, unpack in the cache and check,
 * publish, prove by a fresh process. Nothing that no trusted key signed comes in without
 * `allow_unsigned`; only the same system, driver build and architecture; what is there stays. A run
 * that stops early leaves the old entries and possibly some new whole ones.
 */
#ifndef PACK_IMPORT_IMPORT_H
#define PACK_IMPORT_IMPORT_H

#include "jitwarm/run.h"
#include "pack/file/pack_read.h"
#include "prime/prove.h"

struct jw_import_options {
    const char *const *words; /* of the command, which a remedy repeats; a NULL ends them */
    const char *from;         /* a file or a folder */
    /* If `from` is NULL: gives the next pack for this machine, a file that import deletes
     * afterwards; NULL: no more. May end the run. */
    bool (*bring)(void *ctx, const char **file, struct jw_err *err);
    void *ctx;
    struct jw_want want;   /* its paths are software that becomes a root when the pack is in */
    struct jw_texts trust; /* public keys or their files, for this run alone */
    bool allow_unsigned;
    /* Set by prime, which takes only packs that a trusted key signed and that have one of these
     * entries (sorted names). Notes say what is not taken; prime proves what it needs, so no sample
     * is loaded. NULL: a person named the pack */
    const uint64_t *wanted;
    size_t n_wanted;
    struct jw_hold *hold; /* the caller's right to change the cache; NULL: import takes its own */
    bool dry_run;         /* says what is in it and what it would do; writes nothing */
};

struct jw_import_pack {
    const char *path;
    const struct jw_pack_manifest *manifest; /* NULL: it was not read */
    struct jw_pack_verdict signature;
    bool untrusted;        /* no trusted key signed it, which is why it was not taken */
    uint64_t added, there; /* entries: added (dry run: would be); were there before */
    uint64_t left;         /* do not fit under the limit of the cache */
    enum jw_end end;       /* DONE, NOTHING, PARTLY, UNFIT, REFUSED, CANNOT_WRITE... */
    const char *why;       /* it was not taken: the reason, without `path`; NULL: it was */
};

struct jw_import_report {
    struct jw_import_pack *packs; /* those that were tried */
    size_t n_packs;
    size_t passed_over;       /* of a folder: packs of other machines */
    const char *passed_first; /* the first of them, with both values: a sentence */
    const char *unfit;        /* why nothing there is for this machine; NULL: something is */
    uint64_t added;
    uint64_t needed;        /* a limit for all of a pack of which some did not fit; 0: all did */
    uint64_t fetched_bytes; /* of a registry: downloaded */
    /* this machine, what stopped the import, and at most 20 of its modules, proven */
    struct jw_look look;
    struct jw_look named; /* of these paths, with their answer, where some were given */
};

/* The run was begun, and `out` is zeroed; it has the scope before the first pack is brought. False:
 * an invalid file or option (JW_E_USAGE), or an internal error; packs that were imported before
 * that stay. All other results are in the report, which lives in run->a until jw_import_free, and
 * run->end is the worst end of the packs. */
bool jw_import(struct jw_run *run, const struct jw_import_options *o, struct jw_import_report *out,
               struct jw_err *err) JW_MUST;
/* Is an entry of this name a reason to take a pack? If prime imports: it is wanted. If a
 * person named the pack: the cache lacks it, or has one that is damaged or that a fresh
 * process refused. */
bool jw_import_needs(const struct jw_import_options *o, struct jw_look *l,
                     const struct jw_cache_lookup *cache, uint64_t name);
void jw_import_free(struct jw_import_report *r); /* accepts a zeroed one */

#endif

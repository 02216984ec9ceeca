/* Brings entries of packs into this user's cache. In this order:
 *
 *   jw_import_scope   what this machine is, and whether anything may be added to its cache
 *   jw_import_begin   which keys are trusted
 *   jw_import_take    one pack, as often as there are packs: eleven steps (import_pack.c)
 *   jw_import_finish  a fresh process loads a sample, and the named software is looked at
 *   jw_import_end     gives back the right to change the cache
 *
 * The verb makes all of them. fleet/pull takes what it downloads. prime begins with its own look,
 * takes what lacks there, and proves it itself, so it needs neither scope nor finish.
 *
 * Nothing that no trusted key signed comes in without `allow_unsigned`; only the same system,
 * compiler of the driver, and architecture; what is there stays. A pack of another build of the
 * driver needs a trusted key in any case, and prime carries its entries over. An import that stops
 * early leaves the old entries and possibly some new whole ones. */
#pragma once

#include "jitwarm/run.h"
#include "pack/file/pack_read.h"
#include "prime/prove.h"

struct jw_import_terms {
    struct jw_texts trust; /* public keys or their files, for this run alone */
    bool allow_unsigned;
    bool dry_run; /* says what is in a pack and what would be added; writes nothing */
};

struct jw_import_wanted {
    uint64_t name;
    bool taken; /* a pack of another build brought an entry for it */
};

/* Of several packs, which ones are taken? Those that are for this machine, by what they say of
 * themselves before anything of it is verified. */
struct jw_import_filter {
    /* Nobody named these packs: one must also name a trusted key, and have a wanted entry. */
    bool only_wanted;
    /* With it: packs of other builds of this compiler alone, and of them nothing but what is
     * wanted; else none of them. */
    bool other_builds;
    struct jw_import_wanted *wanted; /* by name */
    const uint64_t *key_sizes;       /* of the same, sorted: all builds have keys of one length */
    size_t n_wanted;
    /* A pack is not opened any further if all of it is in this cache; NULL: that is not asked. */
    const struct jw_cache_lookup *cache;
};

struct jw_import_pack {
    const char *path;
    const struct jw_pack_manifest *manifest; /* NULL: it was not read */
    struct jw_pack_verdict signature;
    bool untrusted;        /* no trusted key signed it, which is why it was not taken */
    uint64_t added, there; /* entries: added (dry run: would be); were there before */
    uint64_t left;         /* entries that do not fit under the limit of the cache */
    enum jw_end end;       /* DONE, NOTHING, PARTLY, UNFIT, REFUSED, CANNOT_WRITE... */
    const char *why;       /* it was not taken: the reason, without `path`; NULL: it was */
};

/* All texts live in run->a. */
struct jw_import {
    struct jw_run *run;
    const struct jw_look *look; /* this machine, and what is known of entries of its cache */
    struct jw_import_terms terms;
    struct jw_trusted_keys keys;
    struct jw_hold *hold, own; /* the right to change the cache: the caller's, or its own */
    /* what it did: */
    struct jw_import_pack *packs; /* those that were tried */
    size_t n_packs;
    size_t passed_over;       /* packs for other machines, which the filter left out */
    const char *passed_first; /* the first of them, with both values: a sentence */
    const char *unfit;        /* why nothing there is for this machine; NULL: something is */
    uint64_t fetched_bytes;   /* of a registry: downloaded */
    struct jw_job *added;     /* the entries: names, sizes of keys, and GPUs */
    size_t n_added;
    /* What did not fit: bytes, and the limit that would hold all; the bytes of a pack for which
     * the disk has too few free ones. 0: all did. */
    uint64_t left_bytes, limit_needed, disk_needed, disk_free;
    struct jw_proof sample; /* how a fresh process loaded some of what was added, */
    size_t n_sample;        /* so many; 0: none */
};

/* Finds the scope of `want`. A cause that would keep prime from adding to the cache ends the run,
 * also a dry one, which else would say yes to what is refused. `look` is zeroed. */
bool jw_import_scope(struct jw_run *run, const struct jw_want *want, bool dry_run,
                     struct jw_look *look, struct jw_err *err) JW_MUST;

/* `look` has the scope, and outlives the import. `hold` NULL: the import locks the cache itself,
 * while it takes a pack. JW_E_TRUST or JW_E_FORMAT: a key was refused. */
bool jw_import_begin(struct jw_import *im, struct jw_run *run, const struct jw_look *look,
                     struct jw_hold *hold, const struct jw_import_terms *terms,
                     struct jw_err *err) JW_MUST;

/* Takes a pack, or skips it where the filter says so; NULL: a person named this file. A pack that
 * is not taken is no failure: its `end` and `why` say so. In a run that has ended only what the
 * pack has is read. False: a named file cannot be read (JW_E_NAMED), or the import cannot go on. */
bool jw_import_take(struct jw_import *im, const char *file, const struct jw_import_filter *filter,
                    struct jw_err *err) JW_MUST;
/* The same of each pack in a folder. */
bool jw_import_folder(struct jw_import *im, const char *folder,
                      const struct jw_import_filter *filter, struct jw_err *err) JW_MUST;
/* Lets other runs change the cache until the next pack comes; not if the caller has the lock. */
void jw_import_pause(struct jw_import *im);
/* Is an entry a reason to take a pack? One that is wanted, as far as its pack says; if all are, one
 * that the cache lacks, or has damaged or refused by a fresh process. */
bool jw_import_needs(const struct jw_import *im, const struct jw_import_filter *filter,
                     const struct jw_cache_lookup *cache, uint64_t name, uint64_t key_size);

/* Proves a sample, looks at the paths of `look`, which become roots, and ends the run with the
 * worst end of the packs. */
bool jw_import_finish(struct jw_import *im, struct jw_look *look, struct jw_err *err) JW_MUST;
/* What is said of it, and how it ends. */
struct jw_summary jw_import_summary(const struct jw_import *im);
void jw_import_end(struct jw_import *im); /* accepts a zeroed one */

/*
 * The inside of an import. It walks like a prime, and shares its steps where they are the same: the root, the lock, the
 * driver, the files of the software here, the proof. Each step may end the run with a sentence.
 */
#ifndef PACK_IMPORT_IMPORT_WORK_H
#define PACK_IMPORT_IMPORT_WORK_H

#include "pack/file/pack_read.h"
#include "pack/import/import_judge.h"
#include "prime/prime_work.h"

struct import {
    const struct jw_import_options *o;
    struct jw_import_report *out;
    struct jw_arena *a;
    struct jw_prime_options prime_options;
    struct prime p;
    bool ended;

    struct jw_config config;
    struct jw_trusted_keys keys;
    struct jw_pack_in pack;
    struct jw_pack_verdict verdict;
    const struct jw_pack_manifest *manifest; /* NULL: not read yet */
    char *spool; /* a folder of ours for what comes through a pipe; NULL: none yet */

    bool *present;     /* for each entry: a sound one, which the index names, is in the cache */
    uint64_t *modules; /* names that the software here has, sorted */
    size_t n_modules;
    uint64_t *covered; /* of them those of software that the key is trusted for, sorted */
    size_t n_covered;
    const struct jw_pack_entry *canary; /* that proves the forged ones; NULL: the pack has none */
    const char *forged_by;  /* "ptxas 13.0.88"; NULL: nothing is forged, or it is not told by what */
    bool forged_known;      /* this driver was seen to run its code before */
    const char *forged_not; /* why forged entries stay outside whatever comes; NULL: they may be tried */
    const char *staged; /* a folder of ours, laid out like a cache: what is to be published; NULL: dry run */
};

/* The key that signed it, if that is trusted for some software alone; else NULL. */
const struct jw_trusted_key *import_scope(const struct import *im);

/* Did a key sign it that is trusted for everything? */
static inline bool import_vouched(const struct import *im)
{
    return im->verdict.kind == JW_PACK_SIGNED && !import_scope(im);
}

/* Ends the run. True, so that a step can return it. */
bool import_end(struct import *im, enum jw_end end, const char *fmt, ...) JW_PRINTF(3, 4);

/* Ends the run where the answer is no, or nobody is there; `with_yes`: what --yes would import. */
void import_ask(struct import *im, bool yes, const char *question, const char *with_yes);

/* A failure that is an answer ends the run with its sentence. `bad`: how, when bytes are not what they should be. False
 * for what is none. */
bool import_end_by(struct import *im, enum jw_end bad, const struct jw_err *why, struct jw_err *err);

void import_notify(const struct import *im, const char *what, uint64_t done, uint64_t total);

/* ---- the steps ---- */

bool import_open(struct import *im, struct jw_err *err);    /* the raw bytes are those that were meant */
bool import_foresee(struct import *im, struct jw_err *err); /* the manifest alone: is it for such a system? */
bool import_compare(struct import *im, struct jw_err *err); /* for this driver and a GPU here? */
bool import_look(struct import *im,
                 struct jw_err *err); /* what is there already, what is for software here */
bool import_consent(struct import *im, struct jw_err *err); /* is there room for it, and may it be less? */
bool import_stage(struct import *im,
                  struct jw_err *err); /* all of it read and checked, what is wanted unpacked */
bool import_prove(struct import *im,
                  struct jw_err *err); /* forged entries go in only after this; it may leave them out */
bool import_audit(struct import *im, struct jw_err *err); /* a share of it compiled again */
bool import_publish(struct import *im, struct jw_err *err);
bool import_verify(struct import *im, struct jw_err *err); /* fresh processes find it */

/* ---- forged entries ---- */

bool import_look_forged(struct import *im, struct jw_err *err); /* may they be tried? */
void import_tell_unproven(struct import *im, const char *why);

/* ---- entries ---- */

static inline uint64_t import_bytes(const struct jw_pack_entry *e) /* as the driver counts */
{
    return e->key_bytes + e->payload_bytes;
}

#endif

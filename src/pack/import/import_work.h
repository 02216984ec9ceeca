/*
 * The steps of an import. Those about the cache, its lock, the driver, the software here and the verification
 * are prime's. Each step can end the run with a reason.
 */
#ifndef PACK_IMPORT_IMPORT_WORK_H
#define PACK_IMPORT_IMPORT_WORK_H

#include "pack/file/pack_read.h"
#include "pack/import/import_check.h"
#include "pack/kit/kit.h"
#include "prime/prime_steps.h"

struct import {
    const struct jw_import_options *o;
    struct jw_import_report *out;
    struct jw_run *run; /* as in `ctx` */
    struct run_ctx ctx;

    struct jw_trusted_keys keys;
    struct jw_pack_in pack;
    struct jw_pack_verdict verdict;
    bool made_here;                          /* this user's jitwarm made it and put it into its store */
    const struct jw_pack_manifest *manifest; /* NULL: not read yet */
    char *spool;                             /* temporary folder for a pack from standard input, or NULL */

    struct import_wants wants;
    const char *staged;       /* temporary folder of unpacked entries; NULL in a dry run */
    bool synced;              /* these files are on the disk */
    struct jw_kit_place *kit; /* NULL: nothing is placed in other caches */
    uint64_t *payloads;       /* of each entry of the pack: the hash of its payload */
};

/* Without a signature, and made here. */
static inline bool import_own(const struct import *im)
{
    return im->made_here && im->verdict.kind == JW_PACK_UNSIGNED;
}

static inline bool import_trusted(const struct import *im)
{
    return im->verdict.kind == JW_PACK_SIGNED || import_own(im);
}

/* True if entries that no software here asks for are wanted, too: those that a command loads, and those that
 * were in this user's cache before. Another cache (--cache) gets only entries that software asks for. */
static inline bool import_wants_all(const struct import *im)
{
    return im->o->everything || im->manifest->command || (import_own(im) && !im->run->session->cache);
}

/* Ends the run. Always true, for steps to return. */
#define import_end(im, ...) jw_run_end((im)->run, __VA_ARGS__)

/* ---- the steps, in their order ---- */

bool import_open(struct import *im, struct jw_err *err);           /* checks digest and signature */
bool import_read_manifest(struct import *im, struct jw_err *err);  /* and compares the system */
bool import_compare(struct import *im, struct jw_err *err);        /* with the driver and the GPUs */
bool import_select(struct import *im, struct jw_err *err);         /* sets the state of each entry */
bool import_check_room(struct import *im, struct jw_err *err);     /* under the limit and on the disk */
bool import_stage(struct import *im, struct jw_err *err);          /* checks all entries, unpacks new ones */
const char *import_staged(const struct import *im, uint64_t name); /* the file of an unpacked entry */
bool import_audit(struct import *im, struct jw_err *err);          /* compiles a sample again */
bool import_publish(struct import *im, struct jw_err *err);
bool import_record_command(struct import *im, struct jw_err *err); /* modules of a command, from its pack */
/* Entries for software that nobody looked for. */
bool import_remember(struct import *im, struct jw_err *err);
void import_withdraw(struct import *im); /* entries of an earlier pack for a GPU that is gone */
bool import_remember_targets(struct import *im, struct jw_err *err); /* the named software, for later runs */
void import_hint(struct import *im); /* modules of a command, from a pack for other GPUs or drivers */
bool import_look_kit(struct import *im, struct jw_err *err); /* may its files for other caches come here? */
/* `ctx`: the import. */
bool import_stage_kit(void *ctx, size_t file, struct jw_bytes bytes, struct jw_err *err);
bool import_place_kit(struct import *im, struct jw_err *err);
bool import_verify(struct import *im, struct jw_err *err); /* loads entries in fresh processes */

static inline uint64_t import_bytes(const struct jw_pack_entry *e) /* as the driver counts */
{
    return e->key_bytes + e->payload_bytes;
}

#endif

/*
 * Imports the packs that wait on this machine, by the rules of jitwarm import (this driver and GPU, software that is
 * here, a trusted signature):
 *
 *   the machine's folder   an administrator fills it
 *   this user's store      a pack without a signature was made here, by prune or export: all of it is imported
 *
 * It does not try again until the folders, the driver or the GPUs change, or it is asked for other software. The file
 * packs-seen in the state folder has one checked record (base/fields.h) of the last 16, the last one first:
 *
 *   50 SEEN   u32 n, then of each: 32 digest of them   u8 whether the cache had an index afterwards
 */
#ifndef PACK_IMPORT_IMPORT_FOLDER_H
#define PACK_IMPORT_IMPORT_FOLDER_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_packs_options {
    const char *folder;    /* the machine's; NULL: none */
    struct jw_texts paths; /* software; none: software that was primed before or is found here */
    bool as_root;
};

struct jw_packs_report {
    bool changed;      /* they were tried; false: nothing changed since the last time */
    unsigned packs;    /* that were found */
    unsigned imported; /* entries were imported, or are there already */
    unsigned unfit;    /* for another driver, GPU, system or other software */
    unsigned refused;  /* damaged, or not signed by a trusted key */
    uint64_t entries;  /* new in the cache */
    const char *why;   /* the first error, or NULL */
    bool again;        /* not finished: the next run tries again */
};

/* The machine's folder for packs: /var/lib/jitwarm/packs, %ProgramData%\\jitwarm\\packs. NULL: the system names none. */
const char *jw_packs_folder(struct jw_session *s);

/* A missing folder has no packs; `why` of the report names one that cannot be used. False: interrupted. */
bool jw_packs_import(struct jw_session *s, const struct jw_packs_options *o, struct jw_packs_report *out,
                     struct jw_err *err) JW_MUST;

#endif

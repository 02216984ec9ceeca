/*
 * Imports packs from a folder that an administrator fills, by the rules of jitwarm import (a trusted signature, this
 * driver and GPU, software that is here).
 *
 * It does not try again until the folder, the driver or the GPUs change. The file packs-seen in the state folder has
 * one checked record (base/fields.h):
 *
 *   38 SEEN   32 digest of them   u8 whether the cache had an index afterwards
 */
#ifndef PACK_IMPORT_IMPORT_FOLDER_H
#define PACK_IMPORT_IMPORT_FOLDER_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct jw_packs_options {
    const char *folder;
    const char *cache;        /* NULL: the default */
    const char *exe, *driver; /* as in jw_prime_options */
    const char *sysroot;      /* as in jw_prime_options */
    bool as_root;
    const atomic_bool *interrupted;
};

struct jw_packs_report {
    bool changed;      /* they were tried; false: nothing changed since the last time */
    unsigned packs;    /* that were read */
    unsigned imported; /* entries were imported, or are there already */
    unsigned unfit;    /* for another driver, GPU, system or other software */
    unsigned refused;  /* damaged, or not signed by a trusted key */
    uint64_t entries;  /* new in the cache */
    const char *why;   /* the first error, or NULL */
    bool again;        /* not finished: the next run tries again */
};

/* The machine's folder for packs: /var/lib/jitwarm/packs, %ProgramData%\\jitwarm\\packs. NULL: the system names none. */
const char *jw_packs_folder(struct jw_arena *a);

/* A missing folder has no packs. False: interrupted, or the folder cannot be read. */
bool jw_packs_import(const struct jw_packs_options *o, struct jw_arena *a, struct jw_packs_report *out,
                     struct jw_err *err) JW_MUST;

#endif

/* One export: what it found, and its packs. */
#pragma once

#include "machine/run.h"
#include "pack/export/export.h"

struct export
{
    const struct jw_export_options *o;
    struct jw_export_report *out;
    struct jw_run *run;
    const char *cache;
    const char *folder, *file; /* of the output; `file` NULL: packs are named by their content */
    const struct jw_minisign_secret *signer; /* whose key id is part of such names; NULL: nobody */
    struct jw_cache_listing listing;
    struct jw_job *wanted; /* modules whose entries are asked for; by name */
    size_t n_wanted;
    size_t n_kinds; /* so many of out->packs have a kind; those without entries are dropped later */
    struct jw_export_pack lost; /* `missing` and `damaged` of the dropped ones */
    bool unread;                /* some files, or the list of roots, could not be read */
};

#define EXPORT_UNREAD "none of these entries is whole and can be read: see jitwarm prune"

/* ---- which entries (export_choose.c, pure) ---- */

/* Does it take entries of other compilers? No file names these, so not for paths alone. */
bool export_takes_others(const struct export *x);
/* Sets the files of a pack, whose manifest has driver, stamp and architecture, and counts what it
 * lacks. */
void export_choose(const struct export *x, struct jw_export_pack *pack);
/* Does that for each kind, and drops those without files. */
void export_choose_packs(struct export *x);
/* Completes its manifest from its files. */
void export_describe(const struct export *x, struct jw_export_pack *pack);
/* The text as a manifest's name: without characters that are not allowed there. */
const char *export_plain_name(const char *text, struct jw_arena *a);

/* ---- the output, and the bytes (export_write.c) ---- */

bool export_find_output(struct export *x, struct jw_err *err);
bool export_output_takes(const struct export *x, size_t packs,
                         struct jw_err *err); /* a file takes one */
bool export_name_packs(struct export *x, struct jw_err *err);
bool export_write(struct export *x, struct jw_err *err);

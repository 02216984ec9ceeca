/* One export: what it found, and its packs. */
#ifndef PACK_EXPORT_EXPORT_RUN_H
#define PACK_EXPORT_EXPORT_RUN_H

#include "machine/run.h"
#include "pack/export/export.h"

struct export
{
    const struct jw_export_options *o;
    struct jw_export_report *out;
    struct jw_run *run;
    const char *cache;
    const char *folder, *file;               /* of the output; `file` NULL: named by its content, */
    const struct jw_minisign_secret *signer; /* and by this signer; NULL: by no signer */
    struct jw_cache_listing listing;
    struct jw_job *wanted; /* modules whose entries are asked for; by name */
    size_t n_wanted;
    size_t n_kinds; /* of machines: so many of out->packs have a kind, before it is known which get entries */
    struct jw_export_pack lost; /* of kinds without a pack: missing and damaged */
    bool unread;                /* files, or what is remembered */
};

#define EXPORT_UNREAD "none of these entries is whole and can be read: see jitwarm prune"

/* ---- which entries (export_choose.c, pure) ---- */

/* Entries of other compilers are named by no file: only a list of the whole cache has them. */
bool export_takes_others(const struct export *x);
/* Sets the files of a pack, whose manifest has driver, stamp and architecture, and counts what it lacks. */
void export_choose(const struct export *x, struct jw_export_pack *pack);
/* The same for each kind. Those with files are the packs. */
void export_choose_packs(struct export *x);
/* Completes its manifest from its files. */
void export_describe(const struct export *x, struct jw_export_pack *pack);
/* The text as a manifest's name: without characters that are not allowed there. */
const char *export_plain_name(const char *text, struct jw_arena *a);

/* ---- the output, and the bytes (export_write.c) ---- */

bool export_find_output(struct export *x, struct jw_err *err);
bool export_output_takes(const struct export *x, size_t packs, struct jw_err *err); /* a file takes one */
bool export_name_packs(struct export *x, struct jw_err *err);
bool export_write(struct export *x, struct jw_err *err);

#endif

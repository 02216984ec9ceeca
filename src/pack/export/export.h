/*
 * Packs entries of the driver's cache for machines of the same kind: one file KIND-ORIGIN.tar.zst (pack/format/pack_name.h) for
 * one driver build and one architecture. The same entries give the same bytes. A pack is written aside and renamed: its name
 * has the old file or the whole new one, also where the disk is full.
 *
 * Entries that cannot be compiled again from their keys (NVRTC's, nvJitLink's, OpenCL's) are copied; they are counted as `once`.
 */
#ifndef PACK_EXPORT_EXPORT_H
#define PACK_EXPORT_EXPORT_H

#include "base/source.h"
#include "cache/place/listing.h"
#include "jitwarm/run.h"
#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"
#include "prime/prime.h"

struct jw_export_options {
    struct jw_want want; /* entries of its paths, all of them; none: of the roots of this cache */
    bool whole;          /* instead: all entries of this driver */
    const char *output;  /* a file or a folder; NULL: the working folder */
    const struct jw_minisign_secret *key; /* NULL: do not sign */
    bool dry_run;
};

/* Is what is cold of the paths compiled first, as prime does? */
#define jw_export_compiles(want) ((want)->absent_gpus && (want)->paths.n)

struct jw_export_pack {
    struct jw_pack_manifest manifest;
    const struct jw_cache_file **files; /* of its entries, by name */
    size_t n_files;
    const char *path;          /* of the pack */
    bool written;              /* complete and in its place */
    uint64_t once;             /* of its entries cannot be compiled again from their keys */
    uint64_t packed;           /* bytes of the pack */
    uint64_t missing, damaged; /* wanted, and not in it */
    const char *lacks;         /* the file of a missing module; NULL: none is known */
};

struct jw_export_report {
    struct jw_export_pack *packs; /* one for each kind of machine */
    size_t n_packs;
    uint64_t entries;              /* of all packs */
    struct jw_prime_report primed; /* the look at the files; jw_export_compiles: how that went, */
    enum jw_end compiled;          /* and ended; where that left nothing to pack, the run ends so */
};

/* False: a wrong path, or an internal error. All else is in the report, which lives in run->a until jw_export_free. */
bool jw_export(struct jw_run *run, const struct jw_export_options *o, struct jw_export_report *out,
               struct jw_err *err) JW_MUST;
void jw_export_free(struct jw_export_report *r); /* accepts a zeroed one */
/* Saves these entries of the session's cache, sorted, whatever driver made them, as packs of this user, signed with the own key
 * and named by it, too. What no pack can be for, or is damaged, is in none. False: nothing may rely on it. */
bool jw_export_files(struct jw_run run, struct jw_cache_file *files, size_t n, struct jw_export_report *out,
                     struct jw_err *err) JW_MUST;

#endif

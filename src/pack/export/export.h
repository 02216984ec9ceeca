/* Packs entries of the driver's cache for machines of the same kind: a file for each driver build
 * and architecture, named after these and its software (pack/format/pack_name.h). The same entries
 * give the same bytes. A pack is written under a temporary name and renamed, so its name has the
 * old file or the whole new one, even if the disk is full. Entries that cannot be compiled again
 * from their keys (NVRTC's, nvJitLink's, OpenCL's) are copied, and counted as `once`. */
#pragma once

#include "base/source.h"
#include "cache/place/listing.h"
#include "jitwarm/run.h"
#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"
#include "prime/prime.h"
#include "session/session.h"

struct jw_export_options {
    struct jw_want want; /* the entries of its paths; no paths: of the roots of this cache */
    bool whole;          /* instead: all entries of this driver */
    const char *output;  /* a file or a folder; NULL: the working folder */
    const struct jw_minisign_secret *key; /* NULL: do not sign */
    bool dry_run;
};

/* Does an export of these compile their cold modules first, as prime does? */
static inline bool jw_export_compiles(const struct jw_session *s, const struct jw_want *want)
{
    return s->absent_gpus && want->paths.n;
}

struct jw_export_pack {
    struct jw_pack_manifest manifest;
    const struct jw_cache_file **files; /* of its entries, by name */
    size_t n_files;
    const char *path;          /* of the pack */
    bool written;              /* complete and in its place */
    uint64_t once;             /* entries of it that cannot be compiled again from their keys */
    uint64_t packed;           /* bytes of the pack */
    uint64_t missing, damaged; /* wanted entries that are not in it */
    const char *lacks;         /* the file of a missing module; NULL: none is known */
};

struct jw_export_report {
    struct jw_export_pack *packs; /* one for each kind of machine */
    size_t n_packs;
    uint64_t entries; /* of all packs */
    /* the look at the files, and the prime before it (jw_export_compiles) */
    struct jw_prime primed;
    enum jw_end compiled; /* how that prime ended; if it left nothing to pack, the run ends so */
    bool by_look; /* the look is all that is said: it stopped the run, or found nothing to pack */
    struct jw_summary summary; /* what is said of the look, and how all of it ended */
};

/* False: a wrong path, or an internal error. All else is in the report, which lives in run->a until
 * jw_export_free. */
bool jw_export(struct jw_run *run, const struct jw_export_options *o, struct jw_export_report *out,
               struct jw_err *err) JW_MUST;
void jw_export_free(struct jw_export_report *r); /* accepts a zeroed one */
/* The paths that were named, or the one that is remembered alone, as roots. */
struct jw_texts jw_export_paths(const struct jw_look *l, struct jw_arena *a);
/* Saves these entries of the session's cache (sorted by name, of any driver) as packs in this
 * user's folder, signed with this user's own key, whose id is part of their names. Damaged entries,
 * and those that no pack can be for, are in none. False: not all of it is saved, so nothing may be
 * deleted. */
bool jw_export_files(const struct jw_run *run, struct jw_cache_file *files, size_t n,
                     struct jw_export_report *out, struct jw_err *err) JW_MUST;

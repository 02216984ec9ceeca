/* The steps of an export. Each can end the run with a reason. */
#ifndef PACK_EXPORT_EXPORT_WORK_H
#define PACK_EXPORT_EXPORT_WORK_H

#include "cache/memory/warmstate.h"
#include "driver/probe/probe.h"
#include "pack/export/export.h"
#include "pack/export/export_choose.h"
#include "software/find/discover.h"
#include "software/scan/targets.h"

/* A pack to write. */
struct export_job {
    struct export_choice choice;
    struct jw_pack_manifest manifest;
    struct jw_pack_entry *entries; /* of `choice.list`, in its order */
    const char *name;              /* of the file; NULL: a stream */
    bool replaces;                 /* a file that is not a pack */
};

/* An entry that a prime made. */
struct export_journal {
    uint64_t name, bytes;
    uint16_t sm;
};

struct export
{
    const struct jw_export_options *o;
    struct jw_export_report *out;
    struct jw_run *run;
    const char *const *paths; /* o->paths, absolute */
    const char *folder;       /* for the packs; NULL: a stream */
    const char *file;         /* name given by the user; NULL: default names */
    struct jw_cachedir dir;
    struct jw_warm_state memory;
    struct jw_probe_report probe;
    struct jw_driver_state driver; /* that made the entries */
    uint16_t sms[MODULE_MOST_ARCHS];
    size_t n_sms;
    struct jw_cache_listing listing;
    struct targets found;           /* below the given paths */
    uint64_t unread;                /* given files that could not be read */
    uint64_t missing;               /* entries of architectures without a pack */
    struct export_journal *journal; /* of this driver, sorted by name */
    size_t n_journal;
    struct export_wanted *wanted;
    size_t n_wanted;
    struct export_candidates candidates;
    struct jw_discovery discovery;
    char *unpacked;           /* temporary cache of the store's packs; NULL: the cache itself is exported */
    struct jw_warm_job *kept; /* records of their entries */
    size_t n_kept;
    struct export_job *jobs; /* of out->packs, in their order */
};

/* Ends the run. Always true, for steps to return. */
#define export_end(x, ...) jw_run_end((x)->run, __VA_ARGS__)
#define export_note(x, ...) JW_NOTE((x)->run, __VA_ARGS__)
#define export_advise(x, ...) JW_ADVISE((x)->run, __VA_ARGS__)
void export_notes(struct export *x, const struct jw_notes *notes);
void export_notify(const struct export *x, const char *what);

/* ---- the steps ---- */

bool export_check_paths(struct export *x, struct jw_err *err);
bool export_find_root(struct export *x, struct jw_err *err);
bool export_ask_driver(struct export *x, struct jw_err *err);
bool export_open_store(struct export *x, struct jw_err *err); /* with --from-store */
bool export_list_cache(struct export *x, struct jw_err *err);
bool export_choose_archs(struct export *x, struct jw_err *err); /* one pack for each */
bool export_find_wanted(struct export *x, struct jw_err *err);  /* by paths, or by records */
bool export_write(struct export *x, struct jw_err *err);

bool export_want(struct export *x, const struct export_wanted *w, struct jw_err *err); /* adds an entry */

/* Number of entries that came from untrusted packs. */
uint64_t export_untrusted(const struct export *x, size_t pack);

/* Copies the pack to the store. A failure is only a note. */
bool export_store(struct export *x, size_t pack, struct jw_err *err);

/* Fills the job's manifest from its choice. */
void export_fill_job(struct export *x, size_t pack);

/* ---- origins (export_origin.c) ---- */

/* Finds or adds the candidate with this name and version (a package), or with this path (a file). */
bool export_candidate(struct export *x, const struct export_candidate *like, uint32_t *at,
                      struct jw_err *err);
/* Reads identity and digest of the files that entries of `choice` belong to. */
bool export_identify(struct export *x, const struct export_choice *choice, struct jw_err *err);

/* Sums the entries by origin; with `everything` also reads names of kernels. */
void export_sum_up(struct export *x, size_t pack);

#endif

/* The inside of an export. Each step reads what the earlier ones found, and may end the run with a sentence. */
#ifndef PACK_EXPORT_EXPORT_WORK_H
#define PACK_EXPORT_EXPORT_WORK_H

#include "cache/memory/warmstate.h"
#include "driver/probe/probe.h"
#include "pack/export/export.h"
#include "pack/export/export_choose.h"
#include "software/find/discover.h"
#include "software/scan/targets.h"

/* A pack that is to be written. */
struct export_job {
    struct export_choice choice;
    struct jw_pack_manifest manifest;
    struct jw_pack_entry *entries; /* of `choice.list`, in its order */
    const char *name;              /* in the folder of the output; NULL: it goes to the stream */
    bool replaces;                 /* a file of that name that is no pack */
};

/* An entry that was made by a prime. */
struct export_journal {
    uint64_t name, bytes;
    uint16_t sm;
};

struct export
{
    const struct jw_export_options *o;
    struct jw_export_report *out;
    struct jw_arena *a;
    bool ended;
    uint64_t began;
    struct jw_notes notes, advice;
    const char *const *paths; /* o->paths, absolute */
    const char *folder;       /* where packs go; NULL: to the stream */
    const char *file;         /* the one name that was given; NULL: names of ours */
    struct jw_cachedir dir;
    struct jw_warm_state memory;
    struct jw_probe_report probe;
    struct jw_driver_state driver; /* whose entries are exported */
    uint16_t sms[MODULE_MOST_ARCHS];
    size_t n_sms;
    struct jw_cache_listing listing;
    struct targets found;           /* of the paths that were given */
    uint64_t unread;                /* files that were named, and could not be understood */
    uint64_t missing;               /* entries for architectures of which there is no pack */
    struct export_journal *journal; /* of this driver, by name */
    size_t n_journal;
    struct export_wanted *wanted;
    size_t n_wanted;
    struct export_candidates candidates;
    struct jw_discovery discovery;
    char *unpacked;           /* packs of the store, as a cache; NULL: the cache itself is exported */
    struct jw_warm_job *kept; /* what they say of their entries */
    size_t n_kept;
    struct export_job *jobs; /* of out->packs, in their order */
};

/* Ends the run. True, so that a step can return it. */
bool export_end(struct export *x, enum jw_end end, const char *fmt, ...) JW_PRINTF(3, 4);
void export_note(struct export *x, const char *fmt, ...) JW_PRINTF(2, 3);
void export_advise(struct export *x, const char *fmt, ...) JW_PRINTF(2, 3);
void export_notes(struct export *x, const struct jw_notes *notes);
bool export_interrupted(const struct export *x,
                        struct jw_err *err); /* false once it is, with JW_E_INTERRUPTED */
void export_notify(const struct export *x, const char *what);

/* ---- the steps ---- */

bool export_check_paths(struct export *x, struct jw_err *err);
bool export_find_root(struct export *x, struct jw_err *err);
bool export_ask_driver(struct export *x, struct jw_err *err); /* who it is, and how far it is understood */
bool export_open_store(struct export *x,
                       struct jw_err *err); /* in place of the cache, if that was asked for */
bool export_list_cache(struct export *x, struct jw_err *err);
bool export_choose_archs(struct export *x, struct jw_err *err); /* one pack for each */
bool export_find_wanted(struct export *x, struct jw_err *err);  /* by paths, or by what is remembered */
bool export_write(struct export *x, struct jw_err *err);

/* Somebody asks for this entry. */
bool export_want(struct export *x, const struct export_wanted *w, struct jw_err *err);

/* How many of its entries came from packs that nobody vouched for. */
uint64_t export_strangers(const struct export *x, size_t pack);

/* A copy of the pack for the store; what keeps it from there is a note. */
bool export_keep(struct export *x, size_t pack, struct jw_err *err);

/* The entries of one pack, from its choice: without what is not to be had after all. */
void export_fill_job(struct export *x, size_t pack);

/* ---- origins (export_origin.c) ---- */

/* The candidate for software of this name and version (a package), or of this file: `path` and how it was then. */
bool export_candidate(struct export *x, const struct export_candidate *like, uint32_t *at,
                      struct jw_err *err);
/* Reads identity and digest of the files that entries of `choice` are of. */
bool export_identify(struct export *x, const struct export_choice *choice, struct jw_err *err);

/* Sums of what was chosen, by origin, and with everything the names of kernels. */
void export_sum_up(struct export *x, size_t pack);

#endif

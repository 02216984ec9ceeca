/* Lists cache entries that no driver here can use, saves outdated ones as packs, and removes all of them if asked.
 * Follows no link. */
#ifndef CACHE_PRUNE_PRUNE_H
#define CACHE_PRUNE_PRUNE_H

#include "base/arena.h"
#include "cache/change/index_repair.h"
#include "cache/prune/prune_plan.h"
#include "cache/status/status.h"
#include "jitwarm/run.h"

struct jw_prune_report;

struct jw_prune_options {
    bool outdated;     /* all other driver builds are outdated now */
    bool damaged;      /* read every byte */
    uint64_t max_size; /* UINT64_MAX: any size is kept */
    bool all;          /* all entries of all programs */
    bool act;          /* remove it */
    bool no_pack;      /* do not save outdated entries */
    /* Before anything is removed, with the run's `ctx`; or NULL */
    void (*planned)(void *ctx, const struct jw_prune_report *r);
};

/* Entries of one build and architecture that are removed for one reason, or kept. */
struct jw_prune_group {
    enum jw_prune_why why;
    enum jw_cache_kind kind;
    const char *stamp, *arch;           /* "": none */
    uint16_t sm;                        /* of `arch`; 0: none */
    const struct jw_prune_build *build; /* or NULL */
    uint64_t entries, bytes;            /* bytes: on the disk */
    uint64_t foreign;                   /* of the entries: from packs that no trusted key signed */
    const char *unsaved;                /* why an outdated group cannot be saved as a pack, or NULL */
    const char *pack;                   /* the pack that holds it now, or NULL */
};

struct jw_prune_report {
    const struct jw_run *run;                   /* how it ended, and notes */
    const char *cache;                          /* of the cache, or NULL */
    bool exists, looked;                        /* the folder exists; its entries were read */
    bool asked;                                 /* the driver reported its build */
    const char *unasked;                        /* or why not */
    const char *driver_version, *build, *stamp; /* NULL: unknown */
    struct jw_status_sum before;                /* files; bytes: on the disk */
    struct jw_status_sum whys[JW_PRUNE_WHYS];
    struct jw_status_sum plan; /* all that can be removed */
    uint64_t stale;            /* records without a file; they are removed, too */
    struct jw_prune_group *groups;
    size_t n_groups;
    struct jw_prune_build *builds;
    size_t n_builds;
    const char *index_damage; /* or NULL */
    bool index_lost;          /* the next program that stores an entry deletes all others */
    struct jw_status_sum removed;
    uint64_t records_removed;
    uint64_t changed; /* while prune ran: kept */
    uint64_t longest_lock_us;
};

/* False only on an internal error. */
bool jw_prune(struct jw_run *run, const struct jw_prune_options *o, struct jw_prune_report *out,
              struct jw_err *err) JW_MUST;

/* Saves outdated entries of one build and architecture as a pack in the store. */
struct prune_saving {
    const struct publish_folder *folder;
    const struct jw_warm_state *memory;
    const char *current; /* stamp of this machine's driver, whose packs are not evicted; or NULL */
    const struct jw_cache_file *const *files; /* undamaged, sorted by name */
    size_t n;
    const struct jw_prune_build *build;
    uint16_t sm;
    struct jw_notes *notes; /* gets what the store replaced or removed */
    struct jw_session *session;
};

/* `*path`: the pack. */
bool prune_save(const struct prune_saving *s, const char **path, struct jw_err *err) JW_MUST;

/* status --repair: rebuilds a missing or damaged index. Removes no entry. */
struct jw_repair {
    enum jw_end end; /* NOTHING: the index is valid */
    struct index_repair repaired;
    const char *why; /* one sentence, or NULL */
};

/* False: interrupted. */
bool jw_cache_repair(struct jw_session *s, struct jw_repair *out, struct jw_err *err) JW_MUST;

#endif

/*
 * What of the driver's cache is of no use any more, and its removal. Nothing is removed unless it was asked for; nothing
 * but entries is, and no link is followed. Outdated entries are saved as a pack first, where that can be done.
 */
#ifndef CACHE_PRUNE_PRUNE_H
#define CACHE_PRUNE_PRUNE_H

#include "base/arena.h"
#include "cache/prune/prune_plan.h"
#include "cache/status/status.h"
#include "jitwarm/end.h"

#include <stdatomic.h>

struct jw_prune_report;

struct jw_prune_options {
    const char *cache;        /* --cache, or NULL */
    bool outdated;            /* every other driver build is outdated now */
    bool damaged;             /* every byte is read */
    uint64_t older_s;         /* 0: no age is too old */
    uint64_t max_size;        /* UINT64_MAX: no size is too large */
    bool everything;          /* all entries, whoever made them: clear --cache-too */
    bool act;                 /* remove it */
    bool no_pack;             /* outdated entries are not saved */
    const char *exe, *driver; /* for tests: our own program, and the driver's library */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, const char *at);                 /* NULL: nobody listens */
    void (*planned)(void *ctx, const struct jw_prune_report *r); /* before anything is removed; or NULL */
    void *ctx;
};

/* Entries that go for one reason, or that another build has and that stay. */
struct jw_prune_group {
    enum jw_prune_why why;
    enum jw_cache_kind kind;
    const char *stamp, *arch;           /* "": none */
    const struct jw_prune_build *build; /* NULL: it has none */
    uint64_t entries, bytes;            /* bytes: as they lie on the disk */
    const char
        *unsaved; /* of an outdated one: why it cannot be saved as a pack, as half a sentence; NULL: it can */
    const char *pack; /* the pack that holds it now; NULL: none */
};

struct jw_prune_report {
    enum jw_end end;
    const char *why;     /* NULL, or the sentence of the end */
    const char *root;    /* of the cache; NULL: there is none */
    bool exists, looked; /* the folder is there; what it holds was read */
    bool simulated;
    bool asked;                                 /* the driver said who it is */
    const char *unasked;                        /* why it did not */
    const char *driver_version, *build, *stamp; /* NULL: unknown */
    struct jw_status_sum before;                /* files; bytes: on the disk */
    struct jw_status_sum whys[JW_PRUNE_WHYS];
    struct jw_status_sum plan; /* all that could go */
    uint64_t stale;            /* records without a file, which go, too */
    struct jw_prune_group *groups;
    size_t n_groups;
    struct jw_prune_build *builds;
    size_t n_builds;
    const char *index_damage; /* NULL: it is sound, or there is none */
    bool index_lost;          /* the next program that stores an entry deletes all others */
    struct jw_status_sum removed;
    uint64_t records_removed;
    uint64_t changed; /* since they were looked at: kept */
    uint64_t longest_lock_us;
    struct jw_notes notes;
    uint64_t milliseconds, bytes_read;
};

/* False only when nothing can be said: a bug. All else is in the report, which lives in `a`. */
bool jw_prune(const struct jw_prune_options *o, struct jw_arena *a, struct jw_prune_report *out,
              struct jw_err *err) JW_MUST;

#endif

/*
 * Reports this user's driver cache: entries by driver build, outdated, unindexed and damaged ones, and primed ones that
 * are gone. Changes nothing, and does not load the driver.
 */
#ifndef CACHE_STATUS_STATUS_H
#define CACHE_STATUS_STATUS_H

#include "base/arena.h"
#include "cache/memory/state.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "cache/place/listing.h"
#include "facts/env_defaults.h"
#include "jitwarm/err.h"
#include "machine/trust.h"
#include "pack/kit/kit.h"
#include "pack/store/store.h"
#include "session/blocker.h"
#include "session/session.h"

#include <stdbool.h>

struct jw_progress_record;

/* The driver build of an entry, compared with the builds that were probed on this machine. */
enum jw_build_relation {
    JW_BUILD_CURRENT,       /* the driver that programs load here */
    JW_BUILD_EARLIER,       /* a driver probed before it */
    JW_BUILD_FOREIGN,       /* another driver */
    JW_BUILD_UNKNOWN,       /* no driver was probed yet, or the entry has no build */
    JW_BUILD_OTHER_COMPILER /* not of the driver's compiler: NVRTC, nvJitLink, OpenCL */
};

extern const char *const jw_build_relation_names[JW_BUILD_OTHER_COMPILER + 1]; /* "current" */
extern const char
    *const jw_cache_kind_names[JW_CACHE_OTHER + 1]; /* "cuda", "nvrtc", "nvjitlink", "opencl", "other" */

/* Number and bytes of some entries. */
struct jw_status_sum {
    uint64_t entries, bytes;
};

void jw_status_add(struct jw_status_sum *sum, uint64_t bytes); /* one more */

enum { JW_STATUS_ORIGINS = 4 };

struct jw_status_origin {
    const char *origin; /* a package, or the base name of a file */
    struct jw_status_sum sum;
};

/* A command whose start was recorded or timed. */
struct jw_status_command {
    const char *words;
    int64_t when;
    uint64_t modules; /* that it loads; 0: not recorded */
    /* milliseconds of its last start that found nothing, and of the last that compiled nothing; 0: none */
    uint64_t cold, warm;
    const char *cache; /* the cache that it chose itself; NULL: it uses the one that it is given */
    const struct jw_kit_last *start; /* that was watched last, of one that uses other caches; NULL: none */
    /* modules that the last complete prime left in that cache, and those that are still there; 0: not primed */
    uint64_t primed, found;
};

/* Sound entries of one kind, build and architecture. */
struct jw_status_group {
    enum jw_cache_kind kind;
    char stamp[JW_CACHE_STAMP + 1], arch[12];
    enum jw_build_relation relation;
    const struct jw_driver_state *driver;               /* that made them, or NULL */
    uint64_t entries, bytes;                            /* key + payload, as the driver counts */
    struct jw_status_origin origins[JW_STATUS_ORIGINS]; /* the largest that are known */
    size_t n_origins, more_origins;
};

/* Journal and receipts of this cache, for the driver that programs load here. */
struct jw_status_primed {
    bool known;    /* there are any */
    bool compared; /* all of the cache was read: `gone` and `changed` are valid */
    bool emptied;  /* the whole cache is gone: `gone` is not valid */
    struct jw_status_sum recorded, gone;
    struct jw_status_sum changed; /* with a different size; bytes: as recorded */
    struct jw_status_sum need;    /* the recorded entries that receipts list: starts need them */
};

struct jw_status_options {
    const struct jw_cache_variables *variables; /* NULL: those of this process */
    bool check;                                 /* read every byte */
    bool brief;                                 /* only what the index and jitwarm's records say */
};

struct jw_status_report {
    struct jw_cachedir dir;
    struct jw_cache_limits documented;
    struct jw_trust trust;                    /* of the cache */
    const struct jw_progress_record *running; /* a prime that works on this cache now, or NULL */
    bool running_silent;                      /* only its pid and start are known, or 0 */
    const char *finds_nothing;                /* as jw_cache_why_unreadable; NULL: a driver can look */
    const char *state_dir;                    /* or NULL */
    struct jw_driver_states drivers;
    const struct jw_driver_state *current; /* or NULL */
    struct jw_warm_state memory;           /* of this cache */
    struct jw_status_primed primed;
    struct jw_store store;             /* from names of packs */
    size_t store_packs, store_current; /* usable packs; those for the driver that programs load here */
    struct jw_cache_listing list;
    struct jw_status_group *groups; /* current ones first, then by size */
    size_t n_groups;
    /* software with entries for the driver that programs load here, largest first */
    struct jw_status_origin *software;
    size_t n_software;
    struct jw_status_command *commands; /* newest first */
    size_t n_commands;
    const struct jw_kit_record *kits; /* files of other caches that commands were recorded with */
    size_t n_kits;
    struct jw_status_sum files;    /* all that were read; bytes: on the disk */
    struct jw_status_sum recorded; /* by the index, which the driver counts against the limit */
    uint64_t used;                 /* of the index, or of undamaged entries if it is invalid */
    struct jw_status_sum sound, outdated, unindexed, damaged, unread;
    struct jw_status_sum kinds[JW_CACHE_OTHER + 1]; /* of `sound` */
    uint64_t mismatched;                            /* `sound`, but with a different size in the index */
};

bool jw_status(struct jw_session *s, const struct jw_status_options *o, struct jw_status_report *out,
               struct jw_err *err) JW_MUST;
void jw_status_free(struct jw_status_report *r); /* accepts a zeroed one */

/* Bytes of this cache with all that was primed in it, also what is gone from it or had no room; and the limit for
 * that, which every verb recommends. 0: no cache can hold that much. */
uint64_t jw_status_need(const struct jw_status_report *r);
uint64_t jw_status_limit(const struct jw_status_report *r);

/* "prime --cache DIR", where --cache named this cache. */
const char *jw_status_command_of(const struct jw_status_report *r, const char *verb, struct jw_arena *a);

/* Says, a sentence each, what is wrong with the cache beside doctor's findings about its files and limit. `blocker` and
 * `lost` were said already. */
struct jw_notes jw_status_problems(const struct jw_status_report *r, const struct jw_blocker *blocker,
                                   const char *lost, struct jw_arena *a);

/* False: part of the cache could not be read. */
bool jw_status_is_complete(const struct jw_status_report *r);

/* `bytes` in percent of `limit`, rounded down; 0 when there is no limit. */
unsigned jw_status_percent(uint64_t bytes, uint64_t limit);

#endif

/*
 * What the driver's cache of this user holds, and what that means: which driver builds made it, which of them is this
 * machine's, what is outdated, unindexed or damaged, and what is gone of what jitwarm remembers. Reads, and changes nothing; the
 * driver is not asked.
 */
#ifndef CACHE_STATUS_STATUS_H
#define CACHE_STATUS_STATUS_H

#include "base/arena.h"
#include "cache/memory/state.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "facts/env_defaults.h"
#include "jitwarm/err.h"
#include "machine/trust.h"
#include "pack/store/store.h"

#include <stdatomic.h>
#include <stdbool.h>

struct jw_progress_record;

/* Whose are the entries of a stamp? Judged by the driver builds that the probe met on this machine. */
enum jw_standing {
    JW_STANDING_CURRENT, /* of the driver that was met last */
    JW_STANDING_EARLIER, /* of one that was met before it */
    JW_STANDING_FOREIGN, /* of none of them */
    JW_STANDING_UNKNOWN  /* no driver was probed yet, or the entry names no build */
};

const char *jw_standing_name(enum jw_standing s);     /* "current" */
const char *jw_cache_kind_name(enum jw_cache_kind k); /* "cuda", "nvrtc", "opencl", "other" */

/* "Jan  7 2026 22:51:46", from the form that it has in keys; "" stays "". */
struct jw_stamp_text {
    char text[JW_CACHE_STAMP + 2];
};
struct jw_stamp_text jw_stamp_text(const char *stamp);

/* Number and bytes of some entries. */
struct jw_status_sum {
    uint64_t entries, bytes;
};

enum { JW_STATUS_LARGEST = 10, JW_STATUS_ORIGINS = 4 };

struct jw_status_origin {
    const char *origin; /* a package, or the base name of a file */
    struct jw_status_sum sum;
};

struct jw_status_large {
    const struct jw_cache_file *file;
    const char *origin; /* NULL: not known */
};

/* Sound entries of one kind, build and architecture. */
struct jw_status_group {
    enum jw_cache_kind kind;
    char stamp[JW_CACHE_STAMP + 1], arch[12];
    enum jw_standing standing;
    const struct jw_driver_state *driver;               /* that made them; NULL: none that is remembered */
    uint64_t entries, bytes;                            /* key + payload, as the driver counts */
    struct jw_status_origin origins[JW_STATUS_ORIGINS]; /* whose they are, where that is known: the largest */
    size_t n_origins, more_origins;
};

/* What jitwarm remembers of this cache for the driver that was met last: its journal and its receipts. */
struct jw_status_primed {
    bool known; /* there is something */
    bool
        compared; /* all of the cache was read, so that what is not there is gone: `gone` and `changed` count */
    bool emptied; /* it is all gone, with the cache: `gone` does not count */
    struct jw_status_sum recorded, gone;
    struct jw_status_sum changed; /* there, but of another size; bytes: as they were */
    uint64_t
        compile_milliseconds; /* that this driver took for what is there of it: measured, one module after another */
    struct jw_status_sum need; /* of what was recorded: what the receipts list, which starts will look for */
};

struct jw_status_options {
    const char *cache; /* --cache, or NULL */
    bool check;        /* read every byte */
    bool look;         /* false: the settings alone, nothing is listed */
    const atomic_bool *interrupted;
};

struct jw_status_report {
    struct jw_cachedir dir;
    struct jw_cache_limits documented;
    struct jw_trust trust;                    /* of the root */
    const struct jw_progress_record *running; /* a prime that is at work on this root now; NULL: none */
    bool running_silent;   /* of it no more is known than pid and start, or not even these: 0 */
    const char *state_dir; /* NULL: the system names none */
    struct jw_driver_states drivers;
    const struct jw_driver_state *current; /* NULL: none was probed, or the last one gave no stamp */
    struct jw_warm_state memory;           /* of this root */
    struct jw_status_primed primed;
    struct jw_store store;             /* of packs: by their names alone */
    size_t store_packs, store_current; /* ours that may be used; for the driver that was met last */
    struct jw_cache_listing list;
    struct jw_status_group *groups; /* current ones first, the largest first among equals */
    size_t n_groups;
    struct jw_status_sum files;    /* all that were read; bytes: as they lie on the disk */
    struct jw_status_sum recorded; /* by the index: what the driver seems to hold against the limit */
    uint64_t used;                 /* that; without a sound index what the sound entries add up to */
    struct jw_status_sum sound, outdated, orphans, damaged, unread;
    struct jw_status_sum carried; /* of the sound ones: current, but the code of another build, or of none */
    struct jw_status_sum kinds[JW_CACHE_OTHER + 1]; /* of the sound ones */
    uint64_t mismatched;                            /* sound, but recorded with another size */
    struct jw_status_large largest[JW_STATUS_LARGEST];
    size_t n_largest;
    uint64_t milliseconds;
};

bool jw_status(const struct jw_status_options *o, struct jw_arena *a, struct jw_status_report *out,
               struct jw_err *err) JW_MUST;
void jw_status_free(struct jw_status_report *r); /* accepts a zeroed one */

/* False: something below the root, or the root itself, could not be read. */
bool jw_status_whole(const struct jw_status_report *r);

/* `bytes`, or `used`, in percent of `limit`, rounded down; 0 when there is no limit. */
unsigned jw_status_percent(uint64_t bytes, uint64_t limit);
unsigned jw_status_fill(const struct jw_status_report *r, uint64_t limit);

#endif

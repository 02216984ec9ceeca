/*
 * Starts a command once, in the foreground, and observes which entries of a cache it opens or makes, and what is compiled for it. The
 * result is about this start, not about the next one.
 */
#ifndef PRIME_WATCH_H
#define PRIME_WATCH_H

#include "cache/place/listing.h"
#include "cause/facts.h"
#include "driver/witness/witness.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"

#include <stdbool.h>
#include <stdint.h>

/* What one start of a command did. Entries are counted by enum jw_cache_kind; JW_CACHE_CUDA is the driver's modules. */
struct jw_start_seen {
    int code; /* the exit code; 128 and its number of a signal that ended it */
    uint64_t milliseconds;
    enum jw_witness_answer compiled; /* for it; one that failed perhaps ended before it loaded its modules */
    const char *why;                 /* why `compiled` is not known, a clause; NULL: it is known */
    uint64_t loaded[JW_CACHE_OTHER + 1], made[JW_CACHE_OTHER + 1]; /* opened or made; made */
    struct jw_facts_start start;
    bool links;  /* the driver's linker worked, and nothing was compiled */
    bool unused; /* none of its processes was seen to load a driver */
    bool mixed;  /* another program compiled meanwhile, so `loaded` and `made` may be that program's */
};

uint64_t jw_start_made(const struct jw_start_seen *s); /* new entries of all makers */
bool jw_start_failed(const struct jw_start_seen *s);   /* Ctrl-C and SIGTERM are how a person ends one */

struct jw_watched {
    struct jw_start_seen seen;
    const char *cache; /* the cache that `after` lists */
    bool fresh;        /* the command got an empty cache; `before` lists the other one */
    struct jw_cache_listing before, after;
    bool opens_seen;  /* opened entries are known; else only new ones */
    uint64_t *opened; /* names of entries, sorted */
    size_t n_opened, room_opened;
    bool read_by_others;      /* another program may have opened or made some of the entries */
    const char *const *files; /* programs and libraries that its processes had loaded, as far as seen */
    size_t n_files;
};

struct jw_watch_how {
    const char *const *words;
    bool output_to_errors; /* the command's standard output goes to standard error */
    const char *empty;     /* an empty cache for the command, if opens cannot be seen; NULL: none */
};

/* Starts the command with this session's cache. False: it could not be started (JW_E_NAMED), or the cache could not be read. */
bool jw_watch_run(struct jw_run *run, const struct jw_watch_how *how, struct jw_watched *out,
                  struct jw_err *err) JW_MUST;
/* Did the command make or open this entry of `after`? */
bool jw_watched_uses(const struct jw_watched *w, const struct jw_cache_file *f);
void jw_watched_free(struct jw_watched *w); /* accepts a zeroed one; `seen` stays */

#endif

/* Starts a command once, in the foreground, and observes which entries of a cache it opens or
 * makes, and what is compiled for it. The result is about this start, not about the next one. */
#pragma once

#include "cache/place/listing.h"
#include "cause/facts.h"
#include "driver/witness/witness.h"

/* What one start of a command did. Entries are counted by enum jw_cache_kind; JW_CACHE_CUDA is the
 * driver's modules. */
struct jw_start_seen {
    int code; /* the exit code, or 128 and the number of the signal that ended it */
    uint64_t milliseconds;
    const char *why; /* a clause: why it is not known whether this start compiled; else NULL */
    uint64_t loaded[JW_CACHE_OTHER + 1], made[JW_CACHE_OTHER + 1]; /* loaded: opened or made */
    struct jw_facts_start start;
};

enum jw_witness_answer jw_start_compiled(const struct jw_start_seen *s); /* by any compiler */
uint64_t jw_start_made(const struct jw_start_seen *s); /* new entries of all makers */

/* Which entries are the command's? */
enum jw_uses {
    JW_USES_SEEN,   /* the entries that were opened or made */
    JW_USES_MADE,   /* the entries that were made; opens could not be watched */
    JW_USES_SHARED, /* the entries that were opened or made, some perhaps by another program */
    JW_USES_OTHERS, /* none of the driver's: it had no driver, so they are another program's */
    JW_USES_ALL     /* all of `after`: it got an empty cache, and `before` lists the user's */
};

struct jw_watched {
    struct jw_start_seen seen;
    const char *cache; /* the cache that `after` lists */
    struct jw_cache_listing before, after;
    enum jw_uses uses;
    bool *opened;             /* which entries of `before` were opened */
    const char *const *files; /* programs and libraries that its processes were seen to load */
    size_t n_files;
};

struct jw_watch_how {
    const char *const *words;
    bool output_to_errors; /* the command's standard output goes to standard error */
    const char *empty;     /* an empty cache for the command, if opens cannot be seen; NULL: none */
};

/* Starts the command with this session's cache. False: it could not be started (JW_E_NAMED), or the
 * cache could not be read. */
bool jw_watch_run(struct jw_run *run, const struct jw_watch_how *how, struct jw_watched *out,
                  struct jw_err *err) JW_MUST;
/* Did the command make or open this entry of `after`? */
bool jw_watched_uses(const struct jw_watched *w, const struct jw_cache_file *f);
void jw_watched_free(struct jw_watched *w); /* accepts a zeroed one; `seen` stays */

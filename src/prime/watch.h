/*
 * Starts a command once, in the foreground, and sees from outside which entries of a cache it opens or makes, and what is compiled for
 * it. It says what this start did, and nothing about the next one.
 */
#ifndef PRIME_WATCH_H
#define PRIME_WATCH_H

#include "cache/place/listing.h"
#include "driver/witness/witness.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"

#include <stdbool.h>
#include <stdint.h>

/* One start of a command. Entries are counted by enum jw_cache_kind: JW_CACHE_CUDA are the driver's modules. */
struct jw_command_seen {
    /* how it ended: 128 and the signal's number for one that a signal ended; signal 0: none did */
    int code, signal;
    uint64_t milliseconds;
    enum jw_witness_answer compiled; /* was anything compiled for it? */
    const char *why;                 /* that is not known: a clause; NULL: it is */
    uint64_t loaded[JW_CACHE_OTHER + 1], made[JW_CACHE_OTHER + 1]; /* opened or made; made alone */
    const char *cache;                                             /* that it was given */
    const char *own_cache; /* that it, or a process of it, used by its own choice; NULL: none was seen */
    const char *setting;   /* by which each start compiles: "CUDA_CACHE_DISABLE=1"; NULL: none */
    const char *uncached;  /* a compiler that was loaded, and whose code no cache keeps; NULL: none */
    const char *nvrtc;     /* was loaded, and the driver compiled nothing: what it compiled is not known */
    bool links;            /* the driver's linker worked, and compiled nothing */
    bool unused;           /* no process of it loaded the driver */
    bool mixed;            /* another program compiled meanwhile: `loaded` and `made` may be its */
};

uint64_t jw_command_made(const struct jw_command_seen *s); /* new entries of all makers */
/* COLD: something was compiled for it. INCOMPLETE: that is not known, or it failed and may not have come to its modules. */
enum jw_is jw_command_is(const struct jw_command_seen *s);

/* verify --run: starts it with this session's cache, and changes nothing. False: it could not be started (JW_E_USAGE), or the cache
 * could not be read. `output_to_errors`: its standard output is this process's standard error. */
bool jw_watch_command(struct jw_run *run, const char *const *words, bool output_to_errors,
                      struct jw_command_seen *out, struct jw_err *err) JW_MUST;

/* ---- for record.c ---- */

struct jw_watched {
    struct jw_command_seen seen;
    const char *cache; /* its entries are in `after` */
    bool apart;        /* an empty one, which the command got; `before` is the other one's */
    struct jw_cache_listing before, after;
    bool opens_seen;  /* else only new entries are known */
    uint64_t *opened; /* names of entries, sorted */
    size_t n_opened, room_opened;
    bool read_by_others;      /* another program may have opened or made some of them */
    const char *const *files; /* programs and libraries that its processes had loaded, as far as was seen */
    size_t n_files;
};

struct jw_watch_how {
    const char *const *words;
    bool output_to_errors;
    const char *cache; /* that programs use here, or that of --cache */
    bool named;        /* that of --cache: the command gets it by CUDA_CACHE_PATH */
    const char *empty; /* an empty cache for it, where opens cannot be seen; NULL: none */
};

bool jw_watch_run(struct jw_run *run, const struct jw_watch_how *how, struct jw_watched *out,
                  struct jw_err *err) JW_MUST;
/* Is this one of `after` new, or was it opened? */
bool jw_watched_uses(const struct jw_watched *w, const struct jw_cache_file *f);
void jw_watched_free(struct jw_watched *w); /* accepts a zeroed one */

#endif

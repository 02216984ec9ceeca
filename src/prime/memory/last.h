/* Counts the modules of verified primes that are still warm, by the newest receipt of each target and the present
 * files and cache. */
#ifndef PRIME_MEMORY_LAST_H
#define PRIME_MEMORY_LAST_H

#include "cache/memory/trace.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "prime/memory/imported.h"
#include "prime/memory/next_start.h"
#include "prime/memory/primed_cache.h"
#include "prime/memory/recorded.h"
#include "session/blocker.h"
#include "session/login_start.h"

/* The driver that programs load, and those that were primed for. */
struct jw_last_driver {
    bool met;              /* it was probed before */
    bool other;            /* the last primes were for another build: nothing is warm */
    const char *version;   /* that they were for; NULL: unknown */
    const char *truncated; /* why no program can load it: a clause */
};

/* Files that could not be read. */
struct jw_last_failed {
    bool any;                /* something could not be read or compiled */
    const char *unread;      /* the first file that could not be read, and why */
    const char *unread_path; /* of that file; NULL: there is none, or it is not known */
    bool broken;             /* it was named, and is not closed: repaired or forgotten */
};

/* Modules of recorded commands, in caches that these chose, for callers that look at these, too (primed.h). */
struct jw_last_chosen {
    uint64_t primed, warm; /* modules */
    const char *unsure;    /* why it is not known what they compile there */
    bool start;            /* a start of one of these is next, if not that of the others */
    bool prime;            /* another of these is mended by a prime */
};

/* Entries that packs brought for software that was not looked for. */
struct jw_last_packs {
    uint64_t modules;
    const char *again; /* the command that brings it again, without --cache; NULL: none does */
};

/* A fresh login, for callers that ask for it (primed.h). */
struct jw_last_login {
    bool seen;                   /* the last primes looked at one, and it starts as here */
    struct jw_login_start start; /* how it starts otherwise */
    const char *commands;        /* why recorded commands may load something else there */
    const char *as_there;        /* the command after which this shell has its GPUs */
};

/* Texts are sentences where nothing else is said, of the session's arena; NULL: there is none. */
struct jw_prime_last {
    bool known;             /* a prime has finished */
    int64_t when;           /* the last did: seconds since 1970 */
    const char *partial;    /* some was primed for some GPUs or modules alone */
    const char *of_others;  /* the first that was primed with other driver builds alone */
    const char *unfinished; /* software that a run was to prime and did not (prime_unfinished) */
    const char *lost;       /* why not all records of this cache are known */
    const char *nothing; /* not `known`, although a prime has ended: why; or what was primed and is `gone` */
    bool gone;
    bool changed;      /* a file, a setting or a GPU has changed since, which `facts` names */
    bool of_command;   /* only the record of a command rests on that */
    uint64_t compiled; /* modules that any run compiled, or that came with packs */
    /* the most modules of NVIDIA's own libraries that one of these primes left to the programs that use them */
    uint64_t on_use;
    bool unchecked; /* for this driver, and none by a run: no run has looked whether they are all */
    /* nothing was primed for this cache, and something for another one */
    struct prime_primed_cache primed_cache;
    struct jw_blocker blocker; /* why no prime can begin here */
    /* modules of verified runs without those that were refused; what only a start makes again is in `commands` */
    uint64_t modules;
    enum jw_index_trouble index; /* where something is warm, or would be without it */
    /* As the records and the cache have them; jw_prime_last_facts adds the rest. The limit is that of a fresh login, as
     * it was at the last prime. */
    struct jw_next_start_facts facts;
    struct jw_last_driver driver;
    struct jw_last_failed failed;
    struct prime_recorded commands;
    struct jw_last_chosen chosen;
    struct jw_last_packs packs;
    struct jw_last_login login;
};

/* Answers for the cache at `dir`, whose records are `memory`. Reads only the driver's record and the cache's
 * index, which takes milliseconds, without a search and without the driver. */
bool jw_prime_last(struct jw_session *s, const struct jw_cachedir *dir, const struct jw_warm_state *memory,
                   struct jw_prime_last *out, struct jw_err *err) JW_MUST;

/* The texts are those of `l`. */
struct jw_next_start_facts jw_prime_last_facts(const struct jw_prime_last *l);

/* Something was primed, or came with packs: for this cache, another one of this user, or one that a recorded command
 * chose. */
bool jw_prime_last_primed(const struct jw_prime_last *l);

/* Commands were recorded, perhaps with another driver build alone. */
static inline bool jw_prime_last_has_commands(const struct jw_prime_last *l)
{
    return l->commands.n || l->commands.unsure;
}

/* All that was primed is in caches that recorded commands chose. */
bool jw_prime_last_is_in_other_caches(const struct jw_prime_last *l);

/* Is all warm but for what recorded commands load, which only their start brings back, and shows where it is not known? */
bool jw_prime_last_needs_a_start(const struct jw_prime_last *l);

/* Modules that are not warm are compiled again by another prime. */
bool jw_prime_last_is_brought_back(const struct jw_prime_last *last);

#endif

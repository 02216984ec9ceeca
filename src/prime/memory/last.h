/* How much of what verified primes left warm still is, by the newest of each target, as the files and the cache are now. */
#ifndef PRIME_MEMORY_LAST_H
#define PRIME_MEMORY_LAST_H

#include "cache/memory/trace.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "prime/memory/elsewhere.h"
#include "prime/memory/imported.h"
#include "prime/memory/next_start.h"
#include "session/hindrance.h"

/* The texts are of the session's arena. */
struct jw_prime_last {
    bool driver;           /* the driver that programs load was probed before */
    bool known;            /* a prime has finished; the fields below are about it */
    uint64_t compiled;     /* modules that any run compiled, or that came with packs */
    bool unchecked;        /* for this driver, and none by a run: no run has looked whether they are all */
    const char *setting;   /* that keeps programs from the cache: a sentence; NULL: none does */
    const char *forbidden; /* the driver cannot start, or a setting forbids it to compile: a sentence; NULL */
    const char *cannot_compile;       /* why the driver compiles nothing here: a sentence; NULL */
    struct prime_elsewhere elsewhere; /* nothing was primed for this one, and something for another one */
    bool partly;                  /* some software could not be read or compiled; `modules` counts the rest */
    uint64_t refused;             /* of that: modules that this driver could not compile */
    const char *refusal;          /* the first of them, and why */
    const char *too_new;          /* of that: what needs a newer driver: a sentence; NULL */
    const char *lacking;          /* of that: software without code for the GPU: a sentence; NULL */
    const char *unread;           /* of that: the first file that could not be read, and why; NULL */
    const char *unread_path;      /* of that file; NULL: there is none, or it is not known */
    bool broken;                  /* it was named, and is not closed: repaired or forgotten */
    const char *narrow;           /* some was primed for some GPUs or modules alone: a sentence; NULL */
    struct jw_hindrance hindered; /* why no prime can begin here; of the session's arena */
    bool login_seen; /* the runs that these receipts are of looked at a fresh login, and it starts as here */
    struct jw_login_start login; /* of who asks (verbs/status): how it starts otherwise */
    const char
        *login_commands; /* the same: why recorded commands may load something else there: a sentence; NULL */
    const char *as_there;   /* the command after which this shell has its GPUs */
    bool changed;           /* a file, a setting or a GPU has changed since */
    const char *what;       /* the first: a path, or what was asked */
    bool of_command;        /* what was recorded of a command alone rests on the first of that */
    const char *of_others;  /* the first that was primed with other driver builds alone: a sentence; NULL */
    bool gone;              /* `nothing` says what was primed and is gone */
    const char *lost;       /* what was remembered of this cache is not all known: a sentence; NULL */
    const char *nothing;    /* not `known`, although a prime has ended: why; NULL */
    const char *unfinished; /* what a run was asked to prime and did not (prime_unfinished); NULL */
    bool gpus_unknown;      /* all else is as it was; only the driver knows which GPUs are here */
    const char *gpus; /* then: what the driver named in the last of these runs: "Tesla V100 (sm_70)"; NULL */
    const char *
        cut; /* why no program can load the driver: a clause, of the session's arena; NULL: nothing is seen */
    bool no_driver;    /* none is found where one was met before: what is warm for it is not known */
    bool other_driver; /* it was for another driver build: nothing of it is warm */
    uint64_t modules,
        warm; /* warm: their entries are in the cache; `loads` counts what a start alone brings back */
    uint64_t damaged; /* of the others: their entries have other bytes than those that were verified */
    enum jw_index_trouble index; /* where something is warm, or would be without it */
    uint64_t stored, needed;     /* as in struct jw_next_start_facts */
    struct jw_cache_limit limit; /* of a fresh login: as it was at the last prime */
    int64_t when;                /* seconds since 1970 */
    uint64_t
        commands; /* recorded with this driver build; the next two are about what they load, modules or not */
    uint64_t loads, loads_found;
    uint64_t imported, imported_gone; /* what packs brought for software that nobody looked for; modules */
    const char *import_gone;          /* of these: a sentence; NULL */
    const char *import_again;         /* words of jitwarm that bring them again; NULL: none do */
    uint64_t own_primed,
        own_warm; /* modules in caches that recorded commands chose: of who looks at these, too (verbs/status) */
    const char *own_unsure; /* the same: why it is not known what they compile there: a sentence; NULL */
    bool own_start;         /* a start of one of these is next, if not that of `again` */
    bool command_gone;      /* of the recorded ones: a file that it names is not there any more */
    const char *again;      /* the first recorded command that has to be started again; NULL */
    const char *
        look; /* shows the line of what it starts that lets every start compile, where nothing else helps; NULL */
    const char *folder;          /* where it was started, if its words depend on that; NULL */
    const char *commands_unsure; /* why these may load something else here: a sentence; NULL */
    const char *driver_version;  /* NULL: unknown */
};

/* Of the cache at `dir`, of which `memory` is remembered. Reads only the driver's record and the cache's index: milliseconds,
 * without a search and without the driver. */
bool jw_prime_last(struct jw_session *s, const struct jw_cachedir *dir, const struct jw_warm_state *memory,
                   struct jw_prime_last *out, struct jw_err *err) JW_MUST;

/* The texts are those of `l`. */
struct jw_next_start_facts jw_prime_last_facts(const struct jw_prime_last *l);

/* Something was primed, or came with packs: for this cache, another one of this user, or one that a recorded command chose. */
bool jw_prime_last_primed(const struct jw_prime_last *l);

/* Commands were recorded, perhaps with another driver build alone. */
static inline bool jw_prime_last_has_commands(const struct jw_prime_last *l)
{
    return l->commands || l->commands_unsure;
}

/* All that was primed is in caches that recorded commands chose. */
bool jw_prime_last_is_elsewhere(const struct jw_prime_last *l);

/* Is all warm but for what recorded commands load, which only their start brings back, and shows where it is not known? */
bool jw_prime_last_needs_a_start(const struct jw_prime_last *l);

/* What status says of what was primed for a cache, and doctor and report with it: looked at once (verbs/status.h). */
struct jw_primed {
    struct jw_prime_last last;
    struct jw_next_start_facts facts;       /* their texts are those of `last` */
    struct jw_next_start_answer next_start; /* of them */
    bool any;                               /* jw_prime_last_primed */
    const char *
        not_warm; /* why it is not known to be warm, or how much of it is; NULL: it is, or nothing was primed */
    const char *start; /* starts the recorded command again that alone is not known to be warm; NULL: none */
    const char *next;  /* the line To do; NULL: none */
};

/* Modules that are not warm are compiled again by another prime. */
bool jw_prime_last_is_brought_back(const struct jw_prime_last *last);

/* Does anything miss entries that are gone from the cache? Not where all that was primed is warm without them, or where nothing is left of it. */
bool jw_primed_misses(const struct jw_primed *p);

#endif

/* Watches which programs of this machine make the driver compile, while they run. */
#ifndef DOCTOR_DOCTOR_WATCH_H
#define DOCTOR_DOCTOR_WATCH_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Why the driver compiled, as far as it is known. */
enum jw_compile_cause {
    JW_COMPILE_COLD,     /* nothing of it was in the cache */
    JW_COMPILE_DISABLED, /* a setting has the driver keep nothing */
    JW_COMPILE_CLOSED, /* the index of its cache cannot be opened for writing, so the driver does not look into it */
    JW_COMPILE_FULL,    /* the cache is full: entries of earlier starts were removed */
    JW_COMPILE_FAILS,   /* it left none, and this driver cannot compile PTX of a library that it has loaded */
    JW_COMPILE_DRIVER,  /* the cache holds entries of other driver builds alone */
    JW_COMPILE_LINKS,   /* nothing was compiled: it links, and all that this needs is in its cache */
    JW_COMPILE_UNKNOWN, /* no new entry: it links while it runs, or its cache is not known */
    JW_COMPILE_CAUSES
};
/* "cold" "disabled" "closed" "full" "fails" "driver" "links" "unknown" */
const char *jw_compile_cause_name(enum jw_compile_cause c);

struct jw_compile_event {
    int64_t when; /* seconds since 1970: it loaded the driver's compiler, or the watch began */
    unsigned long pid;
    const char *name, *command; /* "python3"; its words, as they are typed */
    const char *prime; /* the command that primes it, as the user whose process it is; NULL: not known */
    const char *const *words; /* of `command`, one by one, and a NULL; NULL: not known */
    const char *folder;       /* the one that it worked in when it began; NULL: not known */
    /* the program or the watch; false, and `paused` too: it has begun, and only the fields above are known */
    bool ended;
    bool paused;  /* it has been idle for a while, so that what it compiled is compiled */
    bool running; /* the program still runs */
    bool goes_on; /* the watch ended while it was at work: there will be more */
    bool earlier; /* it had the compiler before the watch began, so what it compiled by then is not counted */
    double cpu_s; /* its processor time since then, until it was idle for the first time */
    double seconds; /* from then to its last new entry, at most; below 0: it left none */
    /* new in its cache since then, also from other programs that use it meanwhile */
    uint64_t entries, bytes;
    const char *cache;   /* NULL: not known */
    bool other_cache;    /* not the one that is usual here */
    const char *setting; /* of JW_COMPILE_DISABLED: "CUDA_CACHE_DISABLE=1" */
    const char *why;     /* of JW_COMPILE_FAILS; of JW_COMPILE_LINKS: the library that is linked */
    enum jw_compile_cause cause;
};

struct jw_compile_watch {
    const char *library, *compiler; /* the driver's; NULL: not known */
    const char *usual;              /* the cache of programs here; NULL: none */
    uint64_t limit;                 /* of the cache of a program that sets none; 0: not known */
    unsigned seconds;               /* 0: until it is interrupted */
    const atomic_bool *interrupted; /* may be NULL */
    void (*began)(void *ctx);       /* from here on no program is missed */
    void (*seen)(void *ctx, const struct jw_compile_event *e);
    /* Why the driver cannot compile code of one of these libraries; NULL: it can, as far as is known. May be NULL. */
    const char *(*why_it_fails)(void *about, const char *const *libraries, size_t n);
    /* A library among these that is linked at each start, when the cache at `cache` holds all that the driver would
     * compile of each of them; NULL: there is none, or that is not known. May be NULL. */
    const char *(*what_it_links)(void *about, const char *cache, const char *const *libraries, size_t n);
    void *about; /* for these two */
    void *ctx;   /* for the rest */
};

struct jw_compile_watch_report {
    double seconds;    /* how long it watched */
    uint64_t programs; /* that made the driver compile or link */
    /* that had loaded the compiler before, work, and have left no entry: whether they compile is not known */
    uint64_t working;
    uint64_t unseen; /* the compiler was opened, and no process was found that loaded it */
    bool lost;       /* the system dropped events, or the driver was replaced: there may have been more */
};

/* Can this command be given again in this folder (NULL: any)? Not one of a test or a compiler whose files are gone by
 * now. */
bool jw_compile_can_start_again(const char *const *words, const char *folder);

/* False: it cannot be watched here. */
bool jw_compile_watch(const struct jw_compile_watch *o, struct jw_compile_watch_report *out,
                      struct jw_err *err) JW_MUST;

#endif

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
    JW_COMPILE_FULL,    /* the cache is full: what was compiled before was removed */
    JW_COMPILE_DRIVER,  /* the cache holds entries of other driver builds alone */
    JW_COMPILE_UNKNOWN, /* no new entry: it links while it runs, or its cache is not known */
    JW_COMPILE_CAUSES
};
const char *jw_compile_cause_name(
    enum jw_compile_cause c); /* "cold" "disabled" "closed" "full" "driver" "unknown" */

struct jw_compile_event {
    int64_t when; /* seconds since 1970: it loaded the driver's compiler */
    unsigned long pid;
    const char *name, *command; /* "python3"; its words */
    bool ended;                 /* false: it has begun, and only the fields above are known */
    bool running;               /* the watch ended before the program */
    double seconds;             /* from then to its last new entry, at most; below 0: it left none */
    uint64_t entries,
        bytes; /* that are new in its cache since then; of other programs, too, that use it meanwhile */
    const char *cache;   /* NULL: not known */
    bool other_cache;    /* not the one that is usual here */
    const char *setting; /* of JW_COMPILE_DISABLED: "CUDA_CACHE_DISABLE=1" */
    enum jw_compile_cause cause;
};

struct jw_compile_watch {
    const char *library;            /* the driver's */
    const char *usual;              /* the cache of programs here; NULL: none */
    unsigned seconds;               /* 0: until it is interrupted */
    const atomic_bool *interrupted; /* may be NULL */
    void (*began)(void *ctx);       /* from here on no program is missed */
    void (*seen)(void *ctx, const struct jw_compile_event *e);
    void *ctx;
};

struct jw_compile_watch_report {
    double seconds;    /* how long it watched */
    uint64_t programs; /* that made the driver compile */
    uint64_t unseen;   /* the compiler was opened, and nobody was found who loaded it */
    bool lost;         /* the system dropped events, or the driver was replaced: there may have been more */
};

/* False: it cannot be watched here. */
bool jw_compile_watch(const struct jw_compile_watch *o, struct jw_compile_watch_report *out,
                      struct jw_err *err) JW_MUST;

#endif

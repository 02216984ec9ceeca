/*
 * Fetches wheels of packages that are not here, from arguments NAME==VERSION, requirements files and lock files, into
 * a folder of this run, after the user agreed.
 */
#ifndef SOFTWARE_FETCH_FETCH_H
#define SOFTWARE_FETCH_FETCH_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"
#include "jitwarm/texts.h"
#include "software/find/discover.h"

/* NAME==VERSION, or a line of a requirements file or lock file. */
struct jw_fetched {
    const char *text, *where; /* "requirements.txt:3"; NULL: an argument */
    const char *wheel;        /* the name of the file that was fetched; NULL: none */
    const char *why;          /* it was not fetched; NULL: it was */
    bool other_system;        /* why: the lock file has it for another system only */
    struct jw_package owner;
};

struct jw_fetch_options {
    const struct jw_texts *paths; /* of the command line */
    bool windows;                 /* wheels for Windows; else for Linux */
    bool yes;                     /* do not ask */
    bool watched;                 /* the progress is shown, so the size of a wheel so far is looked up */
    void (*say)(void *ctx, const char *sentence); /* that is no error, with the context of the run */
};

struct jw_fetch {
    struct jw_texts paths;       /* to be scanned: the wheels, and the arguments that are paths */
    char *work;                  /* the caller removes it (jw_scratch_remove); NULL: nothing was fetched */
    struct jw_fetched *packages; /* also those that could not be fetched */
    size_t n_packages;
    /* where packages that could not be fetched here can be, and the command; NULL: all were */
    const char *elsewhere;
};

bool jw_fetch(const struct jw_run *run, const struct jw_fetch_options *o, struct jw_fetch *out,
              struct jw_err *err) JW_MUST;

/* True for the path of its wheel, or of a member of it. */
bool jw_fetched_holds(const struct jw_fetched *p, const char *path);

#endif

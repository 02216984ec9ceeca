/*
 * Looks at modules and at the cache, and plans nothing: which modules the driver would compile for these files, and which of them it
 * finds in this cache. It takes no lock and changes nothing but the ledger. prime, --check, status, verify, export and import ask it.
 */
#ifndef PRIME_LOOK_H
#define PRIME_LOOK_H

#include "jitwarm/answer.h"
#include "jitwarm/prime.h"
#include "memory/bans.h"
#include "memory/roots.h"
#include "session/session.h"
#include "software/scan/scan_jobs.h"

/* What is asked about. All zero: everything, that is the roots of this cache and the software that is found here. */
struct jw_want {
    struct jw_texts paths;    /* these files and folders alone */
    struct jw_texts commands; /* the recorded command with these words alone (one command) */
    struct jw_texts gpus;     /* words of --gpu; none: the GPUs here */
    bool absent_gpus;         /* they need not be here: --gpu with --driver-files, or a cache of their own */
    bool all;                 /* also NVIDIA's own libraries and modules that are loaded lazily */
    bool roots_only;          /* no search for software that nobody named */
    bool trusted_only;        /* skip files that other users can change */
};

/* What was found; it lives in its arena until jw_look_free. */
struct jw_look {
    struct jw_arena a;
    struct jw_scope scope;
    struct jw_cache_folder memory;
    struct jw_roots roots;
    struct jw_bans bans;
    struct jw_facts *facts;  /* of the machine, with those of this look */
    struct scan_jobs found;  /* by the scan: jobs, inputs of links, what is no job */
    struct jw_job *jobs;     /* all: of files, of recorded commands, of entries of other builds; WARM, SKIPPED (banned) or TODO */
    size_t n_jobs;
    struct jw_cache_listing listing; /* of the cache */
    const char *const *targets;      /* the paths that were looked at */
    size_t n_targets;
    const char *const *unread; /* a file and why, each */
    size_t n_unread;
    struct jw_answer answer;
};

/* The scope alone: cache, driver, GPUs, settings. From files; the driver is asked only for an unknown build or unlisted GPUs.
 * `who`: JW_ASKS_*; a cause that stops it ends the run (run->end, and *stopped). */
bool jw_look_scope(struct jw_run *run, const struct jw_want *want, unsigned who, struct jw_look *out,
                   const struct jw_cause **stopped, struct jw_err *err) JW_MUST;
/* The rest, for a scope that was found. */
bool jw_look(struct jw_run *run, const struct jw_want *want, struct jw_look *out, struct jw_err *err) JW_MUST;
void jw_look_free(struct jw_look *l); /* accepts a zeroed one */

/* Lets a fresh process for each architecture load these jobs with the settings of this environment, and counts what it finds and adds. */
bool jw_prove(struct jw_run *run, struct jw_look *l, struct jw_verify_report *out, struct jw_err *err) JW_MUST;

#endif

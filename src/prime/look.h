/*
 * Looks at modules and at the cache, and plans nothing: which modules the driver would compile for these files, and which of them it
 * finds in this cache. It takes no lock and changes nothing but memos (ledger, sound). prime, --check, status, verify, export and import
 * ask it.
 */
#ifndef PRIME_LOOK_H
#define PRIME_LOOK_H

#include "cache/place/listing.h"
#include "cache/place/lookup.h"
#include "cause/cause.h"
#include "jitwarm/answer.h"
#include "memory/bans.h"
#include "memory/roots.h"
#include "memory/sound.h"
#include "prime/prime.h"
#include "session/session.h"
#include "software/scan/scan_jobs.h"

/* A job whose PTX is in no file: the entry of the cache, or the kept one, whose key has it. */
struct jw_look_entry {
    uint8_t id[JW_DIGEST]; /* of the job; sorted */
    const char *file;
    uint64_t key_size;
};

/* What was found; it lives in its arena until jw_look_free. */
struct jw_look {
    struct jw_arena a;
    /* by jw_look_scope: */
    struct jw_scope scope;
    unsigned who;           /* asks: JW_ASKS_* */
    struct jw_facts *facts; /* of the machine; jw_look adds its counts */
    /* what stops who asks, or why the answer is not warm, as jw_look_answer and jw_look_stop have found; NULL: nothing */
    const struct jw_cause *cause;
    bool stopped;                         /* it ended the run */
    const struct jw_driver_state *driver; /* what is remembered of the build: its speed; NULL: nothing */
    struct jw_cache_folder memory;
    /* by jw_look: */
    struct jw_roots roots;
    struct jw_bans bans;
    struct jw_sound sound;
    struct jw_cache_lookup cache;
    struct scan_jobs found, of_commands; /* by the scans, with what is no job */
    /* Each module once: WARM, SKIPPED (banned) or TODO. Its PTX is in a file; or it is in none, and was kept for a recorded command; or
     * only an entry of another driver build has it: then prime compiles it, and no answer counts it. */
    struct jw_job *jobs;
    size_t n_jobs;
    struct jw_look_entry *entries;
    size_t n_entries;
    struct jw_texts without_code; /* named paths */
    struct jw_texts unread;       /* a file and why, each */
    uint64_t sourceless;          /* modules of recorded commands that are nowhere any more */
    const char *first_open;       /* the first file that could not be read, or that had such a module */
    enum jw_proven proven;        /* by jw_prove */
    struct jw_answer answer;
    struct jw_cache_listing all; /* by jw_look_list */
};

/* The scope alone: cache, driver, GPUs, settings. From files; the driver is asked only for an unknown build or unlisted GPUs.
 * `who`: JW_ASKS_*; a cause that stops them ends the run. `out` is zeroed. */
bool jw_look_scope(struct jw_run *run, const struct jw_want *want, unsigned who, struct jw_look *out,
                   struct jw_err *err) JW_MUST;
/* The rest, for a scope that was found; nothing where that has ended the run. */
bool jw_look(struct jw_run *run, const struct jw_want *want, struct jw_look *out, struct jw_err *err) JW_MUST;
/* Counts the jobs as they are now into l->answer and l->facts, and asks for the cause; jw_look has done it. */
void jw_look_answer(struct jw_look *l);
uint64_t jw_look_count(const struct jw_look *l, enum jw_outcome state); /* of its jobs, now */
/* Ends the run if a cause stops `who`, and sets l->cause and l->stopped; one that has ended keeps its end. True, so that a step can
 * return it. */
bool jw_look_stop(struct jw_run *run, struct jw_look *l, unsigned who);
/* Lists its cache into l->all, once, and again with every byte of it read (`check`); nothing at level 0. Before jw_look, it spares
 * that a question for each entry. */
bool jw_look_list(struct jw_run *run, struct jw_look *l, bool check, struct jw_err *err) JW_MUST;
void jw_look_free(struct jw_look *l); /* accepts a zeroed one */

/* Lets a fresh process for each architecture load the warm jobs with the settings of this environment, counts what it finds and adds,
 * and sets l->proven. What no worker can read where it is comes into the folder of `hold`, which is made where it is needed. */
struct jw_hold;
bool jw_prove(struct jw_run *run, struct jw_look *l, struct jw_hold *hold, struct jw_verify_report *out,
              struct jw_err *err) JW_MUST;

#endif

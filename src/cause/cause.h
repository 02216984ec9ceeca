/*
 * Why a CUDA program compiles at its start: causes in one table, whose order decides which one is named. Pure: facts go in, and
 * one cause comes out. Looks ask it (prime/look.h), for prime, verify, status and doctor alike. The session gathers the
 * facts about the machine (jw_session_facts), prime those about the software.
 */
#ifndef CAUSE_CAUSE_H
#define CAUSE_CAUSE_H

#include "base/arena.h"
#include "cause/facts.h"
#include "cause/remedy.h"
#include "jitwarm/run.h"

#include <stdbool.h>

enum jw_asker {
    JW_ASKS_NOBODY, /* yet */
    JW_ASKS_PRIME,  /* will compile and write into the cache */
    JW_ASKS_LOOK,   /* verify, --check, status: wants to know what is there */
    JW_ASKS_DOCTOR,
    JW_ASKS_START,   /* a program's start that compiled: why, or why would prime not mend it? */
    JW_ASKS_COMMAND, /* a command that was started: what it does itself, whatever this environment is */
    JW_ASKS_DRIVER /* wants the driver and the GPUs alone, whatever cache there is: what ends with NO_GPU stops it */
};

struct jw_cause {
    const char *id;               /* "cache-disabled" */
    const unsigned char *effects; /* on each asker, by its class (classes.def) */
    enum jw_end end;              /* end of a run that it stops; PARTLY: of an answer, which says it */
    bool (*is)(const struct jw_facts *f);
    const char *(*seen)(const struct jw_facts *f, struct jw_arena *a); /* the value: "CUDA_CACHE_DISABLE=1" */
    const char *text;    /* a sentence without the value: "The driver's cache is turned off" */
    const char *meaning; /* for docs/findings.md, and doctor -v */
    void (*remedy)(const struct jw_facts *f, struct jw_arena *a, struct jw_remedy *out);
};

enum { /* JW_CAUSE_cache_damaged: its row */
#define CAUSE(name, ...) JW_CAUSE_##name,
#include "cause/causes.def"
#undef CAUSE
       JW_N_CAUSES
};
extern const struct jw_cause jw_causes[JW_N_CAUSES];

/* The cause for this asker: the first row that holds and stops it. If there is none, and a look found something that is not warm, it is the
 * first row that stops doctor, and that this asker does not ignore. NULL: there is none. */
const struct jw_cause *jw_cause_of(const struct jw_facts *f, enum jw_asker who);
/* Does the cause stop this asker? Otherwise it only explains the answer. Some do only while something is not known to be in the cache: a
 * module is cold or could not be looked up, the list of what was primed cannot be read, or the probe failed before a look. */
bool jw_cause_stops(const struct jw_cause *c, const struct jw_facts *f, enum jw_asker who);
/* Returns the next row after `after` (NULL: from the first on) that holds, and that this asker does not ignore; NULL: none. */
const struct jw_cause *jw_cause_next(const struct jw_facts *f, enum jw_asker who,
                                     const struct jw_cause *after);

#endif

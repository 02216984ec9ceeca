/*
 * Why CUDA programs start slowly here: it measures, and the table of causes (cause/cause.h) judges.
 * It starts the driver, asks a login shell once, looks for what is cold, and, where nothing is,
 * lets a fresh process load all of it. Changes nothing but memos.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "prime/look.h"

/* `paths`: these files and folders alone; none: what was primed, and the software that is found
 * here. `l` is zeroed; its cause is the first that makes a start compile, or fail. Without an
 * answer the run ended. */
bool jw_doctor(struct jw_run *run, const struct jw_texts *paths, struct jw_look *l,
               struct jw_err *err) JW_MUST;

/* The settings of this environment and of a fresh login, by enum jw_driver_variable. */
struct jw_compared {
    const char *const *here;
    const char *const *there;
    bool no_place;      /* the cache's path there cannot be used */
    const char *driver; /* its version */
    uint64_t needed;    /* a limit that is enough for what was asked about */
};

/* The first setting that a fresh login has otherwise, so that its programs use another cache, or
 * compile; but one that harms programs whatever is in the cache goes before. Both of its values are
 * NULL where there is none. Pure. */
struct jw_facts_login jw_doctor_compare(const struct jw_compared *c);

#endif

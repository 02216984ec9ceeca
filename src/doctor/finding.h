/*
 * What the user should know, as data: what is so, how it was seen, what follows from it, and what to do. Judgements make
 * them out of gathered facts; the command line prints them.
 */
#ifndef DOCTOR_FINDING_H
#define DOCTOR_FINDING_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum jw_severity {
    JW_NOTE,    /* good to know; nothing suffers */
    JW_WARNING, /* something will be slow, or fail, for some programs */
    JW_PROBLEM  /* nothing works before it is mended */
};

const char *jw_severity_name(enum jw_severity s); /* "note", "warning", "error": the words of answers */

struct jw_finding {
    const char *id; /* "driver-absent": small letters and dashes, the same for ever */
    enum jw_severity severity;
    const char *subject;     /* the file, variable, GPU or package that it is about; NULL: the machine */
    const char *evidence;    /* what was seen, with its value and its place; NULL: `text` says all */
    const char *text;        /* what is so: one sentence, no full stop */
    const char *consequence; /* what the user will notice of it; NULL: `text` says it */
    const char *fix;         /* what to do: one sentence; NULL: nothing, or it cannot be said */
    const char *command;     /* that does it, as it is typed or written into a file; NULL: none does */
    bool local;              /* two equal machines may differ in it */
};

enum jw_area { JW_AREA_DRIVER, JW_AREA_GPU, JW_AREA_CACHE, JW_AREA_SETTINGS, JW_AREA_SOFTWARE };

/* Every finding that can be made: finding_kinds.def. */
struct jw_finding_kind {
    const char *id;
    enum jw_area area;
    const char *question; /* what is looked for: "is the cache on?" */
};

const struct jw_finding_kind *jw_finding_kind(const char *id); /* NULL: there is none */

struct jw_findings {
    struct jw_arena *a; /* their sentences live there, too */
    struct jw_finding *v;
    size_t n;
};

#define JW_FINDINGS(arena) ((struct jw_findings){ .a = (arena) })

/* The strings are borrowed and must live as long as the list does. More than JW_MAX_FINDINGS are not kept. */
void jw_finding_add(struct jw_findings *f, struct jw_finding one);

/* A sentence that lives with the list. */
const char *jw_finding_say(struct jw_findings *f, const char *fmt, ...) JW_PRINTF(2, 3);

/* The worst first; equals stay in the order in which they were found. */
void jw_findings_sort(struct jw_findings *f);

/* NULL: none of this name. */
const struct jw_finding *jw_finding_of(const struct jw_findings *f, const char *id);

#endif

/* A finding: the problem, the evidence, the consequence and the remedy. The command line prints findings. */
#ifndef DOCTOR_FINDING_H
#define DOCTOR_FINDING_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum jw_severity {
    JW_NOTE,    /* information */
    JW_WARNING, /* some programs are slow or fail */
    JW_PROBLEM  /* must be fixed first */
};

extern const char *const jw_severity_names[JW_PROBLEM + 1]; /* "note", "warning", "error", for JSON */

struct jw_finding {
    const char *id; /* "driver-absent"; never changes */
    enum jw_severity severity;
    const char *subject;     /* the file, variable, GPU or package; NULL: the machine */
    const char *evidence;    /* the observation, with value and place */
    const char *text;        /* the title: one sentence, no full stop */
    const char *consequence; /* the effect that the user will notice */
    const char *fix;         /* the remedy: one sentence */
    const char *command;     /* the command that does it, as it is pasted */
    bool of_status;          /* status looks at this, too: its line is the line of all verbs */
    double cost_s;           /* time that each start of a program loses by it; 0: not known */
};

bool jw_finding_exists(const char *id); /* is it a row of finding_kinds.def? */

struct jw_findings {
    struct jw_arena *a; /* holds the texts, too */
    struct jw_finding *v;
    size_t n;
};

#define JW_FINDINGS(arena) ((struct jw_findings){ .a = (arena) })

/* The strings are borrowed and must live as long as the list does. More than JW_MAX_FINDINGS are not kept. */
void jw_finding_add(struct jw_findings *f, struct jw_finding one);
#define JW_FINDING(f, ...) jw_finding_add(f, (struct jw_finding){ __VA_ARGS__ })

/* A formatted text that lives as long as the list. */
const char *jw_fmt(struct jw_findings *f, const char *fmt, ...) JW_PRINTF(2, 3);

/* The worst first: by severity, then by cost; stable. */
void jw_findings_sort(struct jw_findings *f);

/* True if the command runs as it is pasted: it names no place for a word of the user's ("IMAGE"). */
bool jw_finding_runs(const struct jw_finding *f);

/* True if the command shows what a person needs to mend it, and mends nothing. */
bool jw_finding_only_shows(const struct jw_finding *f);

/* True if the command is about the machine's kernel: in a container it belongs to the host. */
bool jw_finding_is_for_the_host(const struct jw_finding *f);

/* Takes back commands of package managers, and of sudo, that are not here: the remedy says them, and no To do does. In
 * a container, those for its host stay. */
void jw_findings_keep_runnable(struct jw_findings *f, bool container, bool (*has_program)(const char *name));

/* NULL: none of this name. */
struct jw_finding *jw_finding_of(const struct jw_findings *f, const char *id);

#endif

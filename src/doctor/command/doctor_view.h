/* What cmd_doctor hands to its writers. */
#ifndef DOCTOR_COMMAND_DOCTOR_VIEW_H
#define DOCTOR_COMMAND_DOCTOR_VIEW_H

#include "cli/cli.h"
#include "doctor/command/doctor_ask.h"
#include "doctor/doctor.h"
#include "doctor/doctor_gather.h"
#include "doctor/redact.h"

struct doctor_view {
    const struct jw_doctor_machine *machine; /* NULL: another machine was asked about */
    const struct doctor_answer *answer;
    const struct jw_findings *findings; /* the worst first */
    const struct jw_doctor_checked *checked;
    const struct texts *ignored; /* ids of findings of --ignore */
    bool evidence;               /* show how the driver's cache was understood */
    bool portable;               /* show only what two equal machines share */
    bool bundle;                 /* for a report of a fault: more, and nothing of whose it is */
    struct jw_redact *redact;    /* NULL: shown as it is */
};

/* Its text, redacted where that is asked for. */
const char *doctor_say(const struct doctor_view *v, const char *text);
/* Everything by which this machine or user could be known. */
void doctor_fill_redact(const struct jw_doctor_machine *m, struct cli *cli, struct jw_redact *r);
/* Is this one shown? */
bool doctor_tells(const struct doctor_view *v, const struct jw_finding *f);

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;
bool doctor_write_json_to(struct jw_sink sink, const struct doctor_view *v, struct jw_arena *a,
                          struct jw_err *err) JW_MUST;
bool doctor_write_text(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;

/* The report of a fault as a new file. */
bool doctor_write_bundle(const char *path, const struct doctor_view *v, struct jw_err *err) JW_MUST;

#endif

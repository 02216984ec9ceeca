/* Input of doctor's text and JSON writers. */
#ifndef DOCTOR_COMMAND_DOCTOR_VIEW_H
#define DOCTOR_COMMAND_DOCTOR_VIEW_H

#include "base/rows.h"
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
    bool evidence;               /* show the evidence of the probe */
    bool portable;               /* show only what two equal machines share */
    bool bundle;                 /* for a bug report */
    struct jw_redact *redact;    /* NULL: shown as it is */
};

/* The text, redacted if required. */
const char *doctor_say(const struct doctor_view *v, const char *text);
/* Adds what could identify this machine or user. */
void doctor_fill_redact(const struct jw_doctor_machine *m, struct cli *cli, struct jw_redact *r);
/* Is this one shown? */
bool doctor_is_shown(const struct doctor_view *v, const struct jw_finding *f);

extern const struct jw_form doctor_form;

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;
bool doctor_write_text(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;

/* Writes the bug report to a new file. */
bool doctor_write_bundle(const char *path, const struct doctor_view *v, struct jw_err *err) JW_MUST;

#endif

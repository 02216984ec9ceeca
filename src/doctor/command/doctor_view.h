/* What doctor is asked, what it answers for software on this machine or one that options describe, and what is shown. */
#ifndef DOCTOR_COMMAND_DOCTOR_VIEW_H
#define DOCTOR_COMMAND_DOCTOR_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "doctor/doctor.h"
#include "doctor/doctor_framework.h"
#include "doctor/doctor_framework_files.h"
#include "doctor/doctor_gather.h"
#include "doctor/doctor_log.h"
#include "doctor/redact.h"

struct doctor_ask {
    struct texts gpus, frameworks, env;
    const char *driver, *python, *cuda, *cudnn, *log;
    unsigned system; /* index in DOCTOR_SYSTEMS */
    bool container;
};

#define DOCTOR_SYSTEMS "here linux linux-aarch64 windows wsl"
enum { DOCTOR_HERE, DOCTOR_AARCH64 = 2 };

struct doctor_answer {
    struct jw_case c;
    bool asked;     /* options were given */
    bool elsewhere; /* about another machine, GPU, driver or system */
    struct jw_software *software;
    size_t n;
    struct jw_judgement *judgements; /* c.n_gpus for each */
    struct jw_software_seen seen;    /* with nothing asked */
    bool searched;                   /* the files of this machine were looked through */
    const char *log_path;            /* NULL: none was given */
    struct jw_log *log;
};

/* True if the options describe another machine. */
bool doctor_ask_elsewhere(const struct doctor_ask *ask);

/* Judges software and log, and adds findings; `machine` is NULL with doctor_ask_elsewhere. */
bool doctor_ask_answer(struct cli *cli, const struct doctor_ask *ask, const struct jw_doctor_machine *machine,
                       struct doctor_answer *out, struct jw_findings *findings, struct jw_err *err) JW_MUST;

/* Adds which software was checked, and which options were not given. */
void doctor_ask_checked(const struct doctor_answer *answer, struct jw_arena *a,
                        struct jw_doctor_checked *out);

/* "compiled at every start" */
const char *doctor_what_happens(const struct jw_judgement *v);

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

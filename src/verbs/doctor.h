/* What doctor answers for the software of this machine, or of a log, and what is shown. */
#ifndef VERBS_DOCTOR_H
#define VERBS_DOCTOR_H

#include "base/rows.h"
#include "cli/cli.h"
#include "cli/page.h"
#include "doctor/doctor.h"
#include "doctor/doctor_gather.h"
#include "doctor/doctor_log.h"
#include "doctor/doctor_software.h"
#include "doctor/doctor_software_files.h"

struct doctor_answer {
    struct jw_software_case c;
    struct jw_software *software;
    size_t n;
    struct jw_software_check *checks; /* c.n_gpus for each */
    struct jw_software_seen seen;     /* of the search on this machine */
    bool searched;                    /* the files of this machine were looked through */
    const char *log_path;             /* NULL: none was given */
    struct jw_log *log;
};

/* Checks the software of this machine, or (`machine` NULL) that of the log, and adds findings. */
bool doctor_answer_machine(struct cli *cli, const struct jw_doctor_machine *machine,
                           struct doctor_answer *out, struct jw_findings *findings,
                           struct jw_err *err) JW_MUST;
bool doctor_answer_log(struct cli *cli, const char *path, struct doctor_answer *out,
                       struct jw_findings *findings, struct jw_err *err) JW_MUST;

/* Adds which software was looked at. */
void doctor_answer_checked(const struct doctor_answer *answer, struct jw_arena *a,
                           struct jw_doctor_checked *out);

/* A setting, its value and who set it. */
struct doctor_setting {
    const char *name, *value, *origin; /* value NULL: not set, and there is no default to show */
};

struct doctor_settings { /* in the order in which they are shown */
    struct jw_arena *a;
    struct doctor_setting *v;
    size_t n;
};

struct doctor_view {
    const struct jw_doctor_machine *machine; /* NULL: a log was given */
    const struct doctor_answer *answer;
    const struct jw_findings *findings; /* the worst first */
    const struct jw_doctor_checked *checked;
    const struct texts *ignored;     /* ids of findings of --ignore */
    struct doctor_settings settings; /* of this machine */
    bool evidence;                   /* show the evidence of the probe */
};

/* Is this one shown? */
bool doctor_is_shown(const struct doctor_view *v, const struct jw_finding *f);

/* What to do next: the command of the worst finding that has one that runs as it is pasted and mends it, or else one that shows how; where
 * the worst one has none, a page for the person who can change it; where nothing is wrong, how to find out more. */
struct doctor_todo {
    const char *when;    /* or where; NULL: now, here */
    const char *command; /* as it is pasted */
};

struct doctor_todo doctor_todo(const struct doctor_view *v);

/* (doctor_live.c) --watch: for so many seconds; UINT_MAX: until it is interrupted. Returns the exit code. */
int doctor_live(struct cli *cli, unsigned seconds);

#endif

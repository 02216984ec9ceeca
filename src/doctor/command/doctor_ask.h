/* Software verdicts of doctor, for this machine or one that options describe. */
#ifndef DOCTOR_COMMAND_DOCTOR_ASK_H
#define DOCTOR_COMMAND_DOCTOR_ASK_H

#include "cli/cli.h"
#include "doctor/doctor.h"
#include "doctor/doctor_framework.h"
#include "doctor/doctor_framework_files.h"
#include "doctor/doctor_gather.h"
#include "doctor/doctor_log.h"

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

/* Needs the GPUs of `c`. */
bool doctor_is_aarch64(const struct doctor_ask *ask, const struct jw_case *c);

/* What was given of the system, the driver, Python, the libraries and the settings; else, with `m`, what this machine
 * has. `log` may be NULL. */
bool doctor_read_circumstances(struct jw_arena *a, const struct doctor_ask *ask,
                               const struct jw_doctor_machine *m, const struct jw_log *log, struct jw_case *c,
                               struct jw_err *err) JW_MUST;

/* Judges software and log, and adds findings; `machine` is NULL with doctor_ask_elsewhere. */
bool doctor_ask_answer(struct cli *cli, const struct doctor_ask *ask, const struct jw_doctor_machine *machine,
                       struct doctor_answer *out, struct jw_findings *findings, struct jw_err *err) JW_MUST;

/* Adds which software was checked, and which options were not given. */
void doctor_ask_checked(const struct doctor_answer *answer, struct jw_arena *a,
                        struct jw_doctor_checked *out);

/* "compiled at every start" */
const char *doctor_what_happens(const struct jw_judgement *v);

/* A table of the verdicts. */
bool doctor_text_frameworks(struct cli *cli, const struct doctor_answer *answer, struct jw_err *err) JW_MUST;

#endif

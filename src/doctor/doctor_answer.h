/* Doctor's answer about the software of this machine, or of a log. */
#ifndef DOCTOR_DOCTOR_ANSWER_H
#define DOCTOR_DOCTOR_ANSWER_H

#include "doctor/doctor_gather.h"
#include "doctor/doctor_software_files.h"
#include "doctor/log/log.h"

struct jw_doctor_answer {
    struct jw_software_case c;
    struct jw_software *software;
    size_t n;
    struct jw_software_check *checks; /* c.n_gpus for each */
    struct jw_software_seen seen;     /* of the search on this machine */
    bool searched;                    /* the files of this machine were looked through */
    const char *log_path;             /* NULL: none was given */
    struct jw_log *log;
};

/* How far the search is. */
struct jw_doctor_progress {
    void (*show)(void *ctx, const struct jw_scan_progress *p); /* may be NULL */
    void *ctx;
};

/* Checks the software of this machine, or that of the log, and adds findings. */
bool jw_doctor_answer_machine(struct jw_session *session, const struct jw_doctor_machine *machine,
                              const struct jw_doctor_progress *progress, struct jw_doctor_answer *out,
                              struct jw_findings *findings, struct jw_err *err) JW_MUST;
bool jw_doctor_answer_log(struct jw_session *session, const char *path, struct jw_doctor_answer *out,
                          struct jw_findings *findings, struct jw_err *err) JW_MUST;

/* Adds which software was looked at. */
void jw_doctor_answer_checked(const struct jw_doctor_answer *answer, struct jw_arena *a,
                              struct jw_doctor_checked *out);

#endif

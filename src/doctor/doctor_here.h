/* Everything that is wrong with this machine, the worst first. */
#ifndef DOCTOR_DOCTOR_HERE_H
#define DOCTOR_DOCTOR_HERE_H

#include "doctor/doctor_answer.h"

/* `cache` is freed with jw_status_free once the findings are written. */
bool jw_doctor_here(struct jw_session *s, const struct jw_doctor_progress *progress,
                    struct jw_doctor_machine *machine, struct jw_status_report *cache,
                    struct jw_doctor_answer *answer, struct jw_findings *findings,
                    struct jw_err *err) JW_MUST;

#endif

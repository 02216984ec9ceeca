/* The part that the verbs doctor and report share. */
#ifndef VERBS_DOCTOR_H
#define VERBS_DOCTOR_H

#include "cli/cli.h"
#include "doctor/doctor_answer.h"

/* Everything that is wrong with this machine, the worst first. `cache` is freed with jw_status_free once the findings are written. */
bool doctor_check_machine(struct cli *cli, struct jw_doctor_machine *machine, struct jw_status_report *cache,
                          struct jw_doctor_answer *answer, struct jw_findings *findings,
                          struct jw_err *err) JW_MUST;

#endif

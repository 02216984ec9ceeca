/* What cmd_doctor hands to the two ways of telling it. */
#ifndef CLI_DOCTOR_VIEW_H
#define CLI_DOCTOR_VIEW_H

#include "cli/cli.h"
#include "cli/doctor_ask.h"
#include "engine/doctor.h"

struct doctor_view {
    const struct jw_doctor_machine *machine; /* NULL: another machine was asked about */
    const struct doctor_answer *answer;
    const struct jw_findings *findings; /* the worst first */
};

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;
bool doctor_write_text(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;

#endif

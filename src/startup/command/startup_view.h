/* A startup report and how to print it. */
#ifndef STARTUP_COMMAND_STARTUP_VIEW_H
#define STARTUP_COMMAND_STARTUP_VIEW_H

#include "cli/cli.h"
#include "startup/startup.h"

enum startup_verb { STARTUP_STATUS, STARTUP_INSTALL, STARTUP_REMOVE, STARTUP_RUN };

struct startup_view {
    enum startup_verb verb;
    bool dry_run;
    const struct jw_startup_report *report;
};

const char *startup_verb_name(enum startup_verb v); /* "status" "install" "remove" "run" */

bool startup_write_text(struct cli *cli, const struct startup_view *v, struct jw_err *err) JW_MUST;
bool startup_write_json(struct cli *cli, const struct startup_view *v, struct jw_err *err) JW_MUST;

#endif

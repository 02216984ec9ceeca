/* What env, startup and uninstall set up or removed, as lines of their report. */
#ifndef CLI_STEPS_H
#define CLI_STEPS_H

#include "cli/report.h"
#include "setup/step.h"

enum steps_view {
    STEPS_PRESENT, /* what is there */
    STEPS_PUT,     /* written */
    STEPS_TAKEN    /* removed */
};

/* "Wrote  PATH" for each; in JSON nothing. A dry run shows texts, too. */
void steps_report(struct rep *r, enum steps_view view, bool dry_run, const struct jw_step_list *steps);

#endif

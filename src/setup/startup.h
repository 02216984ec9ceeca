/* Runs prime after each login, and after an update of the driver: installs and removes that, and says whether it works. */
#ifndef SETUP_STARTUP_H
#define SETUP_STARTUP_H

#include "jitwarm/run.h"
#include "jitwarm/texts.h"
#include "setup/step.h"

struct jw_startup_options {
    bool everybody, as_root, dry_run;
    struct jw_texts sources; /* lines for startup.conf; none: these stay as they are */
    struct jw_texts trust;   /* keys, as for --trust; the same */
};

struct jw_startup_report {
    /* how it ended: DONE, NOTHING (to do), PARTLY (does not work), STOPPED */
    const struct jw_run *run;
    bool everybody, installed;
    const char *command; /* that is started, as one line; NULL: unknown */
    struct jw_step_list steps;
    const char *log; /* the command that shows it, or NULL */
};

bool jw_startup_install(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                        struct jw_err *err) JW_MUST;
bool jw_startup_remove(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;
/* Of this user's, else of everybody's. */
bool jw_startup_status(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;

#endif

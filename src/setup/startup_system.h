/* systemd's half or Windows' half of startup; only this room calls it. */
#ifndef SETUP_STARTUP_SYSTEM_H
#define SETUP_STARTUP_SYSTEM_H

#include "setup/startup.h"
#include "setup/startup_text.h"

struct startup {
    const struct jw_startup_options *o;
    struct jw_run *run;
    struct jw_startup_report *out;
    struct jw_startup_spec spec;
};

/* Fills `spec`. May end the run: STOPPED, where this machine cannot have it. */
bool startup_may_install(struct startup *s, struct jw_err *err) JW_MUST;
/* Adds the steps, in the order of writing, with their right texts (`texts`: they are to be installed) and their present state. */
bool startup_find(struct startup *s, bool texts, struct jw_err *err) JW_MUST;
/* Tells the system what was written, or removed; Windows: writes or removes the task. A command that fails is a step's `why`. */
bool startup_tell(struct startup *s, bool put, struct jw_err *err) JW_MUST;
/* Is it on, and did the last run go well? Returns a problem, or NULL. */
const char *startup_ask(struct startup *s);

/* Adds the step of jitwarm/startup.conf, where it is to be written or removed (enrol.c). `folder`: of settings, "/etc". */
bool startup_enrol_find(struct startup *s, const char *folder, bool texts, struct jw_err *err) JW_MUST;

#endif

/* Shared by the files of startup: the steps (startup_steps.c) and the status (startup_status.c). */
#ifndef STARTUP_STARTUP_WORK_H
#define STARTUP_STARTUP_WORK_H

#include "startup/startup.h"
#include "startup/system/startup_host.h"

enum { STARTUP_MOST_STEPS = 12 };

struct startup {
    const struct jw_startup_options *o;
    struct jw_run *run;
    struct jw_startup_report *out;
    struct jw_startup_host host;
    struct jw_startup_spec spec;
    const char *log_problem; /* or NULL */
    bool sweeps;             /* remove temporary files of killed processes */
    const char *root;        /* prefix of system folders, usually "" */
};

/* ---- startup_steps.c ---- */

/* Chooses systemd or a Windows task. False: this machine has neither. */
bool startup_choose(const struct startup *s, enum jw_startup_with *with, struct jw_err *err) JW_MUST;

/* Adds the steps of an installation in order, without the content of files. */
bool startup_plan_places(struct startup *s, enum jw_startup_with with, struct jw_err *err) JW_MUST;

/* Adds the systemctl commands, if the user's manager is running. */
bool startup_plan_commands(struct startup *s, bool install, struct jw_err *err) JW_MUST;

/* Finds the existing file of each step. `compare`: with what install would write. */
bool startup_look(struct startup *s, bool compare, struct jw_err *err) JW_MUST;

/* startup_put: writes missing and different files; undoes that on failure. */
bool startup_put(struct startup *s, struct jw_err *err) JW_MUST;
bool startup_take(struct startup *s, struct jw_err *err) JW_MUST;

/* Removes temporary files that a killed process left. */
void startup_sweep(struct startup *s);

/* Runs the commands. Returns why the first one failed, or NULL. */
const char *startup_command(struct startup *s);

/* Reports that it is not installed. */
void startup_not_installed(struct startup *s);
const char *startup_install(const struct startup *s); /* the command that installs it */

/* ---- startup_status.c ---- */

/* After the installed files were found. */
bool startup_status(struct startup *s, struct jw_err *err) JW_MUST;

#endif

/* Shared by the files of startup: startup.c, and systemd's or Windows' half. */
#ifndef SETUP_STARTUP_STARTUP_PARTS_H
#define SETUP_STARTUP_STARTUP_PARTS_H

#include "setup/startup/startup.h"
#include "setup/startup/startup_text.h"

struct startup {
    const struct jw_startup_options *o;
    struct jw_run *run;
    struct jw_startup_report *out;
    struct jw_startup_spec spec;
    struct startup_system *system; /* of this system */
};

struct jw_startup_step *startup_add_step(struct startup *s, enum jw_startup_kind kind, const char *path,
                                         struct jw_err *err);
/* Notes a problem of the installation: status is not "works". */
void startup_problem(struct startup *s, const char *fmt, ...) JW_PRINTF(2, 3);

/* ---- one for each system ---- */

bool startup_look_around(struct startup *s, struct jw_err *err) JW_MUST;
bool startup_may_install(struct startup *s, struct jw_err *err) JW_MUST;

/* FOR_INSTALL: with the texts that belong there; another program's file is an error. FOR_STATUS: a file that
 * cannot be read is a step's `why`. */
enum startup_purpose { FOR_STATUS, FOR_REMOVE, FOR_INSTALL };

/* Adds the steps, in the order of writing, with their present state. */
bool startup_find(struct startup *s, enum startup_purpose purpose, struct jw_err *err) JW_MUST;

/* Writes or removes the files of the steps; then tells the system. A command that fails ends the run as
 * JW_END_PARTLY. */
bool startup_put(struct startup *s, struct jw_err *err) JW_MUST;
bool startup_take(struct startup *s, struct jw_err *err) JW_MUST;

/* Is it switched on, and how did it end the last time? */
bool startup_ask(struct startup *s, struct jw_err *err) JW_MUST;

#endif

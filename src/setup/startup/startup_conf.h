/*
 * The enrolment of a machine: lines `source = REF` and `trust = KEY` in jitwarm.conf, each with a mark behind it. All
 * other bytes of the file stay the same.
 */
#ifndef SETUP_STARTUP_STARTUP_CONF_H
#define SETUP_STARTUP_STARTUP_CONF_H

#include "setup/startup/startup_parts.h"

/* Adds a step for jitwarm.conf if this run changes it. JW_E_USAGE, JW_E_TRUST, JW_E_FORMAT: a source or key is not
 * allowed there, or no key is trusted at all. */
bool startup_conf_find(struct startup *s, enum startup_purpose purpose, struct jw_err *err) JW_MUST;

/* Writes what belongs there, or takes it out; of other steps nothing. */
bool startup_conf_put(struct startup *s, struct jw_err *err) JW_MUST;
bool startup_conf_take(struct startup *s, struct jw_err *err) JW_MUST;

/* ---- one for each system ---- */

/* The folder of settings for everybody, or of this user; NULL: there is none. */
const char *startup_conf_folder(struct startup *s);

/* Replaces the file as a whole, or removes it where nothing is left. */
bool startup_conf_write(struct startup *s, const char *path, struct jw_bytes text,
                        struct jw_err *err) JW_MUST;

#endif

/*
 * The texts of systemd's units and of a Windows task, from files/ with @NAMES@ in them. Pure.
 * The first line of a file says that jitwarm wrote it.
 */
#ifndef SETUP_STARTUP_TEXT_H
#define SETUP_STARTUP_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

#define JW_STARTUP_MARK "# Written by jitwarm "

enum jw_unit { JW_UNIT_SERVICE, JW_UNIT_PATH, JW_UNIT_TIMER, JW_UNITS };

extern const char *const jw_unit_names[JW_UNITS]; /* "jitwarm-startup.service" ... */

struct jw_startup_spec {
    const char *version; /* of jitwarm */
    const char *exe;     /* absolute */
    bool as_root;
    bool everybody;   /* for all users of the machine, each as themselves */
    const char *user; /* SID, for a task of one user; else NULL */
};

/* What is started: words[0] is the program; NULL ends them. */
const char *const *jw_startup_command(const struct jw_startup_spec *s, struct jw_arena *a);

/* The whole file, or NULL: it cannot hold the path of the program. */
const char *jw_startup_unit(enum jw_unit unit, const struct jw_startup_spec *s, struct jw_arena *a,
                            struct jw_err *err);
const char *jw_startup_task(const struct jw_startup_spec *s, struct jw_arena *a, struct jw_err *err);

/* "\jitwarm startup", of one user "\jitwarm startup S-1-5-21-...": tasks of all users share one place. */
const char *jw_startup_task_name(const struct jw_startup_spec *s, struct jw_arena *a);

/* Is a Windows program below one of these folders, each ended by \n? Both as Windows itself writes them. */
bool jw_startup_in_programs(const char *exe, const char *folders);

#endif

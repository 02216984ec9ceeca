/* Runs jitwarm after each login: installs and removes the startup task, and reports whether it works. */
#ifndef SETUP_STARTUP_STARTUP_H
#define SETUP_STARTUP_STARTUP_H

#include "jitwarm/run.h"
#include "jitwarm/texts.h"
#include "machine/run.h"

enum jw_startup_kind {
    JW_STARTUP_FILE,
    JW_STARTUP_LINK,
    JW_STARTUP_TASK,  /* of Windows: `path` is its name */
    JW_STARTUP_LINES, /* in a file that others write, too: `text` is these lines */
    JW_STARTUP_COMMAND
};

extern const char
    *const jw_startup_kind_names[JW_STARTUP_COMMAND + 1]; /* "file" "link" "task" "lines" "command" */

struct jw_startup_step {
    enum jw_startup_kind kind;
    const char *path;        /* absolute; of a command: its words in one line */
    const char *text;        /* its right content; NULL: a command, or not made for this action */
    const char *const *argv; /* of a command */
    bool found;              /* jitwarm's is there */
    bool same;               /* with this text */
    bool done;               /* written, removed or run */
    const char *why;         /* the problem with it, or NULL */
};

struct jw_startup_report {
    const struct jw_run *run; /* how it ended, and notes */
    bool everybody;
    bool installed;
    const char *command; /* that is started, in one line; NULL: unknown */
    const char *program; /* of `command` */
    struct jw_startup_step *steps;
    size_t n_steps;
    const char *log;  /* the command that shows it, or NULL */
    bool ran;         /* the system knows of a run */
    const char *last; /* when it ended, as the system says it */
    unsigned long last_exit;
};

struct jw_startup_options {
    bool everybody, as_root, dry_run;
    struct jw_texts sources; /* lines for jitwarm.conf; none: these stay as they are */
    struct jw_texts trust;   /* keys, as for --trust; the same */
};

bool jw_startup_install(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                        struct jw_err *err) JW_MUST;
bool jw_startup_remove(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;
bool jw_startup_status(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;

/* True if it is installed for this user or for all users. Errors count as no. */
bool jw_startup_is_installed(struct jw_session *s);

/* False: install would refuse here, as where no systemd runs. */
bool jw_startup_is_possible(struct jw_session *s);

#endif

/* Runs jitwarm after each login: installs, removes and starts the startup task, and reports whether it works. */
#ifndef STARTUP_STARTUP_H
#define STARTUP_STARTUP_H

#include "jitwarm/run.h"
#include "machine/list.h"
#include "startup/startup_log.h"
#include "startup/startup_text.h"

enum jw_startup_with { JW_STARTUP_AUTO, JW_STARTUP_SYSTEMD, JW_STARTUP_TASK };

const char *jw_startup_with_name(enum jw_startup_with w); /* "systemd" "task"; AUTO: "none" */

enum jw_startup_act {
    JW_STARTUP_FILE,
    JW_STARTUP_LINK,
    JW_STARTUP_FOLDER,
    JW_STARTUP_JOB, /* a task of Windows: `path` is its name */
    JW_STARTUP_COMMAND
};

/* "file" "link" "folder" "task" "command" */
const char *jw_startup_act_name(enum jw_startup_act a);

/* The file that exists, compared with what install would write. */
enum jw_startup_found {
    JW_FOUND_NOTHING,
    JW_FOUND_SAME,
    JW_FOUND_OLDER,  /* jitwarm's, but different from what install would write */
    JW_FOUND_EDITED, /* jitwarm's, but edited since */
    JW_FOUND_OTHERS  /* another program's: `why` */
};

/* "nothing" "same" "older" "edited" "others" */
const char *jw_startup_found_name(enum jw_startup_found f);

struct jw_startup_step {
    enum jw_startup_act act;
    const char *path;        /* absolute; of a command: its words in one line */
    const char *text;        /* content of the file or task; target of the link */
    const char *const *argv; /* of a command */
    const char *folders_for; /* a folder */
    unsigned folders;        /* of it and those above: how many jitwarm created, as noted in this file */
    enum jw_startup_found found;
    bool done;       /* written, removed or run */
    const char *why; /* or NULL */
};

struct jw_startup_report {
    const struct jw_run *run;  /* how it ended, and notes */
    enum jw_startup_with with; /* AUTO: not installed */
    bool everybody;
    const char *command; /* that is started, in one line; NULL: unknown */
    const char *program; /* of `command` */
    const char *packs;   /* each run imports from this folder; NULL: none */
    struct jw_startup_step *steps;
    size_t n_steps;
    const char *log; /* path, or NULL */
    /* ---- of status ---- */
    bool installed, enabled, working;
    bool ran;                   /* the log has a run */
    struct jw_startup_run last; /* the last run, which may still be running */
};

struct jw_startup_options {
    enum jw_startup_with with;
    bool everybody, prune, as_root, dry_run, yes;
    const char *cache;   /* NULL: the default cache */
    const char *packs;   /* NULL: with `everybody` the system's folder, else none */
    const char *root;    /* with `everybody`: the root of a system image; NULL: this system */
    const char *exe;     /* NULL: this program */
    const char *sysroot; /* for tests; NULL: "" */
};

bool jw_startup_install(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                        struct jw_err *err) JW_MUST;
bool jw_startup_remove(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;
bool jw_startup_run(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                    struct jw_err *err) JW_MUST;
bool jw_startup_status(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;

/* True if it is installed for this user or for all users. Errors count as no. */
bool jw_startup_is_installed(struct jw_arena *a);

#endif

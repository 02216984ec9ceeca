/*
 * jitwarm that runs by itself: it is given to what starts programs on this machine, taken away again, started, and asked
 * whether it works.
 */
#ifndef STARTUP_STARTUP_H
#define STARTUP_STARTUP_H

#include "jitwarm/end.h"
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

/* What is in its place, held against what belongs there. */
enum jw_startup_found {
    JW_FOUND_NOTHING,
    JW_FOUND_SAME,
    JW_FOUND_OLDER,  /* ours, and not what would be written now */
    JW_FOUND_EDITED, /* ours, and changed by somebody since */
    JW_FOUND_OTHERS  /* not ours: `why` */
};

/* "nothing" "same" "older" "edited" "others" */
const char *jw_startup_found_name(enum jw_startup_found f);

struct jw_startup_step {
    enum jw_startup_act act;
    const char *path;        /* absolute; of a command its words in one line */
    const char *text;        /* what is in the file or task; where the link leads */
    const char *const *argv; /* of a command */
    const char
        *folders_for; /* a folder: how many of it and those above it had to be made is kept in this file */
    unsigned folders;
    enum jw_startup_found found;
    bool done;       /* written, or taken away, or run */
    const char *why; /* NULL, or why not */
};

struct jw_startup_report {
    enum jw_end end;
    const char *why;           /* NULL, or a sentence */
    enum jw_startup_with with; /* AUTO: not installed */
    bool everybody;
    const char *command; /* that is started, in one line; NULL: not known */
    const char *program; /* of it */
    const char *packs;   /* a folder that each run imports from; NULL: none */
    struct jw_startup_step *steps;
    size_t n_steps;
    const char *log; /* path; NULL: the system names no folder for it */
    struct jw_notes notes;
    /* ---- of status ---- */
    bool installed, enabled, working;
    bool ran;                   /* since the log began */
    struct jw_startup_run last; /* the last one that ended, or that is at work */
};

struct jw_startup_options {
    enum jw_startup_with with;
    bool everybody, prune, as_root, dry_run, yes;
    const char *cache;   /* NULL: the one that programs use */
    const char *packs;   /* NULL: with `everybody` the system's folder, else none */
    const char *root;    /* with `everybody`: of another system's files; NULL: this system */
    const char *exe;     /* NULL: this program */
    const char *sysroot; /* where the system's own files are; NULL: "" */
};

bool jw_startup_install(const struct jw_startup_options *o, struct jw_arena *a, struct jw_startup_report *out,
                        struct jw_err *err) JW_MUST;
bool jw_startup_remove(const struct jw_startup_options *o, struct jw_arena *a, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;
bool jw_startup_run(const struct jw_startup_options *o, struct jw_arena *a, struct jw_startup_report *out,
                    struct jw_err *err) JW_MUST;
bool jw_startup_status(const struct jw_startup_options *o, struct jw_arena *a, struct jw_startup_report *out,
                       struct jw_err *err) JW_MUST;

/* Does it start by itself for this user, by his own units or by those for everybody? What cannot be asked is no. */
bool jw_startup_is_installed(struct jw_arena *a);

#endif

/*
 * Makes settings last: writes them where every login reads them, and undoes that. The lines that it writes
 * bear a mark, so that the next run finds them. A run that is killed leaves each file old or new.
 */
#ifndef SETUP_ENV_ENV_APPLY_H
#define SETUP_ENV_ENV_APPLY_H

#include "setup/env/env_advice.h"

enum jw_env_change {
    JW_ENV_SAME,     /* already there */
    JW_ENV_CREATED,  /* a new file, folder or value */
    JW_ENV_ADDED,    /* to an existing file */
    JW_ENV_CHANGED,  /* replaced what jitwarm wrote before */
    JW_ENV_RESTORED, /* a file, to its old content */
    JW_ENV_REMOVED,  /* a file, folder or value that jitwarm created */
    JW_ENV_KEPT      /* edited since: `why` */
};

enum jw_env_step_kind { JW_ENV_FOLDER, JW_ENV_FILE, JW_ENV_REGISTRY };

struct jw_env_step {
    enum jw_env_step_kind kind;
    const char *path; /* REGISTRY: "HKEY_CURRENT_USER\\Environment" */
    const char *text; /* lines, or NAME=value; NULL: a folder */
    enum jw_env_change change;
    const char *why; /* NULL but for KEPT */
};

struct jw_env_report {
    bool system;
    struct jw_env_setting settings[JW_ENV_VARIABLES];
    size_t n_settings;
    struct jw_env_step *steps;
    size_t n;
    bool nothing; /* no step changes anything */
    bool begun;   /* the run failed, but may have written something */
    bool checked; /* a fresh login was asked, and has the settings */
    struct jw_notes notes;
};

struct jw_env_options {
    bool system; /* for all users of this machine */
    bool dry_run;
    bool unchecked; /* do not start a fresh login to check */
};

/* Settings of an earlier run stay, unless `wanted` has the same name. A limit that was not asked for is never lowered. */
bool jw_env_apply(struct jw_session *s, const struct jw_env_options *o, const struct jw_env_setting *wanted,
                  size_t n, struct jw_env_report *out, struct jw_err *err) JW_MUST;
bool jw_env_undo(struct jw_session *s, const struct jw_env_options *o, struct jw_env_report *out,
                 struct jw_err *err) JW_MUST;

#endif

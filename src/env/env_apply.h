/*
 * Writes settings to files that every login reads, and undoes that. A dry run reports all changes. A mark in what was
 * written lets the next run find it. A run that is killed leaves each file old or new.
 */
#ifndef ENV_ENV_APPLY_H
#define ENV_ENV_APPLY_H

#include "env/env_change.h"
#include "env/env_plan.h"
#include "env/env_running.h"

enum jw_env_done {
    JW_ENV_SAME,    /* already there */
    JW_ENV_MADE,    /* a new file or folder */
    JW_ENV_ADDED,   /* to an existing file */
    JW_ENV_CHANGED, /* replaced what jitwarm wrote before */
    JW_ENV_TAKEN,   /* from a file, which is restored */
    JW_ENV_REMOVED, /* a file or folder that jitwarm created */
    JW_ENV_LEFT     /* edited since: `why` */
};

enum jw_env_kind_of_step { JW_ENV_FOLDER, JW_ENV_FILE, JW_ENV_REGISTRY };

struct jw_env_step {
    enum jw_env_kind_of_step kind;
    const char *path; /* REGISTRY: "HKEY_CURRENT_USER\Environment" */
    const char *text; /* lines, or NAME=value; NULL: a folder */
    enum jw_env_done done;
    const char *why; /* NULL but for LEFT */
};

struct jw_env_report {
    enum jw_env_scope scope;
    struct jw_env_setting settings[JW_ENV_ADVICES];
    size_t n_settings;
    struct jw_env_step *steps;
    size_t n;
    bool nothing; /* no step changes anything */
    bool begun;   /* the run failed, but may have written something */
    bool checked; /* a new login has the settings */
    struct jw_env_runnings running;
    struct jw_notes notes;
};

struct jw_env_apply_options {
    enum jw_env_scope scope;
    bool size_asked, place_asked;
    bool dry_run;
    bool unchecked;      /* do not start a new login to check */
    const char *sysroot; /* "" but in tests */
    const char *proc;    /* NULL but in tests: /proc */
};

bool jw_env_apply(const struct jw_env_apply_options *o, const struct jw_env_state *s, struct jw_arena *a,
                  struct jw_env_report *out, struct jw_err *err) JW_MUST;
bool jw_env_undo(const struct jw_env_apply_options *o, struct jw_arena *a, struct jw_env_report *out,
                 struct jw_err *err) JW_MUST;

#endif

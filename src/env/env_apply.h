/*
 * Makes settings last, and takes that back. Everything that would be written can be had without writing it; what was written bears a
 * mark, by which the next run finds it; a run that is killed leaves each file old or new.
 */
#ifndef ENV_ENV_APPLY_H
#define ENV_ENV_APPLY_H

#include "env/env_change.h"
#include "env/env_facts.h"
#include "env/env_running.h"

enum jw_env_done {
    JW_ENV_SAME,    /* it is so already */
    JW_ENV_MADE,    /* a file or folder that was not there */
    JW_ENV_ADDED,   /* to a file that was there */
    JW_ENV_CHANGED, /* what jitwarm had written before */
    JW_ENV_TAKEN,   /* out of a file, which is as it was before */
    JW_ENV_REMOVED, /* a file or folder that jitwarm had made */
    JW_ENV_LEFT     /* somebody has changed it since: `why` */
};

const char *jw_env_done_name(enum jw_env_done d); /* "same", "made", ... */

enum jw_env_kind_of_step { JW_ENV_FOLDER, JW_ENV_FILE, JW_ENV_REGISTRY };

struct jw_env_step {
    enum jw_env_kind_of_step kind;
    const char *path; /* REGISTRY: "HKEY_CURRENT_USER\Environment" */
    const char *text; /* what is or was written there: lines, or NAME=value; NULL: a folder */
    enum jw_env_done done;
    const char *why; /* NULL but for LEFT */
};

struct jw_env_report {
    enum jw_env_scope scope;
    struct jw_env_setting settings[JW_ENV_ADVICES];
    const char *why[JW_ENV_ADVICES];
    size_t n_settings;
    struct jw_env_step *steps;
    size_t n;
    bool nothing; /* no step changes anything */
    bool begun;   /* of a run that failed: something may have been written */
    bool checked; /* a new login was asked, and has the settings */
    struct jw_env_runnings running;
    struct jw_notes notes;
};

struct jw_env_apply_options {
    enum jw_env_scope scope;
    bool size_asked, place_asked;
    bool dry_run;
    bool unchecked;      /* do not ask a new login afterwards */
    const char *sysroot; /* "" but in tests */
    const char *proc;    /* NULL but in tests: /proc */
};

bool jw_env_apply(const struct jw_env_apply_options *o, const struct jw_env_state *s, struct jw_arena *a,
                  struct jw_env_report *out, struct jw_err *err) JW_MUST;
bool jw_env_undo(const struct jw_env_apply_options *o, struct jw_arena *a, struct jw_env_report *out,
                 struct jw_err *err) JW_MUST;

#endif

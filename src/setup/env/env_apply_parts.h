/* Shared by the files of env apply and env undo. */
#ifndef SETUP_ENV_ENV_APPLY_PARTS_H
#define SETUP_ENV_ENV_APPLY_PARTS_H

#include "setup/env/env_apply.h"

struct applier {
    struct jw_session *session;
    const struct jw_env_options *o;
    struct jw_arena *a; /* of the session */
    struct jw_env_report *out;
    const char *home;                               /* or NULL */
    struct jw_env_setting before[JW_ENV_VARIABLES]; /* written by an earlier run */
    size_t n_before;
    struct env_plan *plan; /* of this system */
    struct jw_err *err;
};

bool env_add_step(struct applier *k, struct jw_env_step step) JW_MUST;
const char *env_before_of(const struct applier *k, const char *name); /* or NULL */
void env_keep_before(struct applier *k, const char *name, const char *value);

/* Files on Linux, registry values on Windows. */
bool env_may_write(struct applier *k) JW_MUST;
bool env_read_before(struct applier *k) JW_MUST;
bool env_plan(struct applier *k) JW_MUST; /* adds steps */
bool env_write(struct applier *k) JW_MUST;
bool env_remove(struct applier *k) JW_MUST; /* adds steps; does them unless it is a dry run */
void env_free(struct applier *k);

#endif

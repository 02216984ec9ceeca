/* Shared by the files of env apply and env undo. */
#ifndef ENV_ENV_APPLY_PARTS_H
#define ENV_ENV_APPLY_PARTS_H

#include "env/env_apply.h"
#include "env/files/env_write.h"

#define JW_ENV_PLACE_NAME "CUDA_CACHE_PATH"
#define JW_ENV_SIZE_NAME "CUDA_CACHE_MAXSIZE"
#define JW_ENV_OFF_NAME "CUDA_CACHE_DISABLE"

struct applier {
    const struct jw_env_apply_options *o;
    const struct jw_env_state *s;
    struct jw_arena *a;
    struct jw_env_report *out;
    struct jw_env_setting before[JW_ENV_ADVICES]; /* what an earlier apply wrote */
    size_t n_before;
    struct jw_env_targets targets;
    struct jw_env_text *texts; /* of the targets, now */
    struct jw_buf *after;      /* of the targets, afterwards */
    size_t n_after;
    bool guarded;
    struct jw_err *err;
};

bool env_add_step(struct applier *k, struct jw_env_step step) JW_MUST;
bool env_plan_folders(struct applier *k, const char *path) JW_MUST; /* missing ones above it */
bool env_is_text(const char *text, const char *what, struct jw_err *err) JW_MUST;
const char *env_before_of(const struct applier *k, const char *name); /* or NULL */
void env_keep_before(struct applier *k, const char *name, const char *value);

/* Files on Linux, registry values on Windows. */
bool env_may_write(struct applier *k) JW_MUST;
bool env_read_before(struct applier *k) JW_MUST;
bool env_plan(struct applier *k) JW_MUST; /* adds steps */
bool env_write(struct applier *k) JW_MUST;
bool env_take(struct applier *k) JW_MUST; /* adds steps; does them unless it is a dry run */
void env_free(struct applier *k);

#endif

/* What the files of env apply and env undo share. */
#ifndef ENV_ENV_APPLY_PARTS_H
#define ENV_ENV_APPLY_PARTS_H

#include "env/env_apply.h"
#include "env/files/env_write.h"
#include "os/files/append.h"

#define JW_ENV_PLACE_NAME "CUDA_CACHE_PATH"
#define JW_ENV_SIZE_NAME "CUDA_CACHE_MAXSIZE"

struct applier {
    const struct jw_env_apply_options *o;
    const struct jw_env_state *s;
    struct jw_arena *a;
    struct jw_env_report *out;
    struct jw_env_ledger ledger;
    struct jw_env_text *texts; /* of the targets, as they are now */
    struct jw_env_targets targets;
    struct jw_buf *after; /* what they will be */
    size_t n_after;
    bool guarded;
    struct jw_append lock; /* of who writes */
    const char *lock_path;
    struct jw_err *err;
};

/* Fills the report's head, and loads what was remembered. */
bool env_begin(struct applier *k) JW_MUST;
bool env_add_step(struct applier *k, struct jw_env_step step) JW_MUST;
bool env_is_text(const char *text, const char *what, struct jw_err *err) JW_MUST;
struct jw_env_kept *env_kept_of(struct jw_env_ledger *l, const char *name); /* NULL: none */

/* Waits a moment for another one; still there, that is an error. What was loaded before must be loaded again. */
bool env_lock(struct applier *k) JW_MUST;
void env_unlock(struct applier *k, bool over); /* `over`: nothing of ours is left to look after */

/* Which settings: into the report. */
bool env_choose(struct applier *k) JW_MUST;

/* Who else sets them, what a new login makes of it, what runs with others. */
bool env_look_after(struct applier *k) JW_MUST;
bool env_find_running(const struct jw_env_apply_options *o, const struct jw_env_setting *wanted, size_t n,
                      struct jw_arena *a, struct jw_env_report *out, struct jw_err *err) JW_MUST;

#endif

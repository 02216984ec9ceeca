/* Decides which files get which block. Writes nothing. */
#ifndef ENV_ENV_CHANGE_H
#define ENV_ENV_CHANGE_H

#include "env/env_edit.h"
#include "env/env_quote.h"
#include "machine/list.h"

enum jw_env_scope { JW_ENV_USER, JW_ENV_SYSTEM };

const char *jw_env_scope_name(enum jw_env_scope s); /* "user", "system" */

struct jw_env_target {
    const char *path, *block;
};

struct jw_env_targets {
    struct jw_env_target *v;
    size_t n;
    struct jw_notes notes; /* which programs do not read them, and what to do */
};

struct jw_env_where {
    enum jw_env_scope scope;
    const char *sysroot; /* "" but in tests */
    const char *home;    /* of the user's scope */
    const char *zdotdir; /* NULL: unset */
    const char *shell;   /* the login shell: "/bin/bash"; NULL: unknown */
    /* CUDA_CACHE_PATH is a local folder, but other machines may read these files, too: use it only where it exists or
     * can be created, and belongs to the user. */
    bool guarded;
};

/* JW_E_USAGE: a value that some file cannot hold. */
bool jw_env_targets(const struct jw_env_where *w, const struct jw_env_setting *settings, size_t n,
                    struct jw_arena *a, struct jw_env_targets *out, struct jw_err *err) JW_MUST;

/* All paths that jw_env_targets can return for this scope, in the order of writing: files that jitwarm owns (`*n_own`),
 * environment.d first, then profiles. */
void jw_env_candidates(const struct jw_env_where *w, struct jw_arena *a, const char ***out, size_t *n,
                       size_t *n_own);

#endif

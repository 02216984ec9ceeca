/* Which files get which block, and how a block is added to a text, replaced and removed. Writes nothing. */
#ifndef ENV_ENV_CHANGE_H
#define ENV_ENV_CHANGE_H

#include "base/buf.h"
#include "env/env_quote.h"
#include "machine/list.h"

enum jw_env_scope { JW_ENV_USER, JW_ENV_SYSTEM };

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

/*
 * A block in a user's text file is found by its mark: a line that reads jitwarm's files, or a header with lines that set
 * the driver's variables. It is added at the end, replaced in place, and removed again; all other bytes stay the same.
 * Pure.
 */
#define JW_ENV_HEADER "# Written by jitwarm env apply; jitwarm env undo removes it."
#define JW_ENV_TAIL "# jitwarm env" /* ends the line in a profile */

struct jw_env_block {
    size_t from, to; /* to == 0: no block */
    bool joint;      /* jitwarm added a line break before it, as the mark says */
};

struct jw_env_block jw_env_block_find(struct jw_bytes now);

/* `exists`: the file exists, even if empty. `*same`: the block is there already. */
bool jw_env_edit_put(struct jw_bytes now, bool exists, const char *block, struct jw_buf *after, bool *same,
                     struct jw_err *err) JW_MUST;

/* Removes the added line break, too, unless text follows the block. */
bool jw_env_edit_take(struct jw_bytes now, struct jw_env_block b, struct jw_buf *after,
                      struct jw_err *err) JW_MUST;

#endif

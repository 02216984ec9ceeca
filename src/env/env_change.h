/* Which files get which block, so that settings last: a list, made from facts; nothing is written here. */
#ifndef ENV_ENV_CHANGE_H
#define ENV_ENV_CHANGE_H

#include "env/env_ledger.h"
#include "env/env_quote.h"
#include "machine/list.h"

struct jw_env_target {
    const char *path, *block;
};

struct jw_env_targets {
    struct jw_env_target *v;
    size_t n;
    struct jw_notes notes; /* who will not read them, and what to do */
};

struct jw_env_where {
    enum jw_env_scope scope;
    const char *sysroot; /* "" but in tests */
    const char *home;    /* of the user's scope */
    const char *zdotdir; /* NULL: unset */
    const char *shell;   /* the login shell: "/bin/bash"; NULL: not known */
    bool windows;
    /* CUDA_CACHE_PATH is a folder of this machine, but these files may be read on another one, too: to be used only where it is
     * there, or can be made, and belongs to the user. */
    bool guarded;
};

/* For the registry of Windows there are none. JW_E_USAGE: a value that some file cannot hold. */
bool jw_env_targets(const struct jw_env_where *w, const struct jw_env_setting *settings, size_t n,
                    struct jw_arena *a, struct jw_env_targets *out, struct jw_err *err) JW_MUST;

/* The one line that goes into a profile, with its end. */
const char *jw_env_profile_line(enum jw_env_form form);

extern const char jw_env_header[]; /* the first line of files that are all ours */

#endif

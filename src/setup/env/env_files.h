/* Linux: the files in which settings last, for one user or for the machine. Reads and writes nothing but their names. */
#ifndef SETUP_ENV_ENV_FILES_H
#define SETUP_ENV_ENV_FILES_H

#include "machine/run.h"
#include "setup/env/env_quote.h"

#include <stdbool.h>
#include <stddef.h>

struct env_file {
    const char *path;
    enum jw_env_form form;
    bool is_jitwarms; /* with a name of jitwarm's: the folders above it go with it */
    bool wanted;      /* this user's login reads it; others may hold a block of an earlier login shell */
};

enum { ENV_FILES_MAX = 8 };

struct env_where {
    bool system;         /* for all users of the machine */
    const char *sysroot; /* "" but in tests */
    const char *home;    /* NULL: none; not of the system's */
    const char *zdotdir; /* NULL: unset */
    const char *shell;   /* the login shell: "/bin/bash"; NULL: unknown */
};

/* In the order of writing; the first is always of environment.d. Returns their number. */
size_t env_files_find(const struct env_where *w, struct jw_arena *a, struct env_file out[ENV_FILES_MAX],
                      struct jw_notes *notes);

#endif

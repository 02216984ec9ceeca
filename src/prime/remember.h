/* Changes the list of a cache's roots: a person names and forgets them. */
#pragma once

#include "prime/look.h"

/* Adds the `paths` in which this look saw code to the roots, notes the others, and saves. The
 * caller has the lock. */
bool jw_remember_paths(struct jw_run *run, struct jw_look *look, struct jw_texts paths,
                       struct jw_err *err) JW_MUST;

struct jw_forgotten {
    struct jw_roots all, left, gone; /* all roots; those that stay; those that were forgotten */
    struct jw_texts missing; /* words that are no root: if there are any, nothing is saved */
    bool meant;              /* a command of these words is remembered */
    const char *folder;      /* for this one, if for another than here */
};

/* Forgets paths, or the command with these words, under the lock; `dry_run`: only says which. */
bool jw_forget(struct jw_run *run, struct jw_texts paths, struct jw_texts command, bool dry_run,
               struct jw_forgotten *out, struct jw_err *err) JW_MUST;

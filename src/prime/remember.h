/* What changes the list of a cache's roots: a person names and forgets them. */
#ifndef PRIME_REMEMBER_H
#define PRIME_REMEMBER_H

#include "prime/look.h"

/* Adds `paths` to the roots, and saves them; the caller has the lock. */
bool jw_look_name_roots(struct jw_run *run, struct jw_look *l, struct jw_texts paths,
                        struct jw_err *err) JW_MUST;

/* The line by which status lists a root, and forget takes it. */
const char *jw_root_line(const struct jw_root *e, struct jw_arena *a);

/* Forgets these words as one command, else each as a path, or else as a command, also by its line. `*gone` has what was
 * forgotten, `words` those that are not remembered: if there are any, nothing is saved. JW_E_BUSY: another jitwarm has the lock. */
bool jw_forget(struct jw_run *run, struct jw_texts *words, struct jw_roots *gone, struct jw_err *err) JW_MUST;

#endif

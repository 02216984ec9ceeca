/* One thing that jitwarm sets up, as env, startup and uninstall report it. */
#ifndef SETUP_STEP_H
#define SETUP_STEP_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum jw_step_kind {
    JW_STEP_FILE,
    JW_STEP_LINK,
    JW_STEP_VALUE,  /* of the registry */
    JW_STEP_TASK,   /* of the Task Scheduler */
    JW_STEP_FOLDER, /* with all that is in it */
    JW_STEP_COMMAND
};

struct jw_step {
    enum jw_step_kind kind;
    const char *path; /* absolute; a name of a value or task; the words of a command */
    const char *top;  /* folders that are empty once it is removed go, too, below this one; or NULL */
    const char *text; /* its right content (of a link: what it names), or NULL */
    bool found;       /* jitwarm's is there */
    bool same;        /* with this text */
    bool done;        /* written, removed or run */
    const char *why;  /* it is another's, or the problem with it; else NULL */
};

struct jw_step_list {
    struct jw_step *v;
    size_t n;
};

struct jw_step *jw_step_add(struct jw_step_list *list, enum jw_step_kind kind, const char *path,
                            struct jw_arena *a) JW_NEVER_NULL;
bool jw_steps_found(const struct jw_step_list *list); /* at least one */
bool jw_steps_same(const struct jw_step_list *list);  /* each */

/* ---- a link, or a text file that begins with `mark`: else it is another's ---- */

/* Finds out found, same and why. A missing one is fine; one that cannot be read is a `why`. */
void jw_step_look(struct jw_step *s, const char *mark, struct jw_arena *a);
/* Writes `text`, with the folders above it; or removes it. */
bool jw_step_write(struct jw_step *s, struct jw_arena *a, struct jw_err *err) JW_MUST;
bool jw_step_remove(struct jw_step *s, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Removes this folder and those above it up to `top` (not itself) as far as they are empty. */
void jw_step_drop_folders(const char *folder, const char *top, struct jw_arena *a);

#endif

/* The inside of startup: what belongs where (startup_plan.c), what is there (startup_look.c), and the difference done. */
#ifndef STARTUP_STARTUP_WORK_H
#define STARTUP_STARTUP_WORK_H

#include "startup/startup.h"
#include "startup/system/startup_host.h"

enum { STARTUP_MOST_STEPS = 12 };

struct startup {
    const struct jw_startup_options *o;
    struct jw_arena *a;
    struct jw_startup_report *out;
    struct jw_startup_host host;
    struct jw_startup_spec spec;
    const char *log_problem; /* NULL: it could be read */
    bool sweeps;             /* what a killed process left goes, wherever it is looked for */
    const char *root;        /* in front of the system's folders: "" */
};

/* ---- startup_plan.c: pure, but for the arena ---- */

/* Which of them this machine has, when none was named. False, with a sentence: none. */
bool startup_choose(const struct startup *s, enum jw_startup_with *with, struct jw_err *err) JW_MUST;

/* Adds the steps of an installation by `with`, in their order, with what belongs in files left open. */
bool startup_plan_places(struct startup *s, enum jw_startup_with with, struct jw_err *err) JW_MUST;

/* Adds what the user's manager is to be told afterwards, where it can be told. */
bool startup_plan_commands(struct startup *s, bool install, struct jw_err *err) JW_MUST;

/* The text of a file or a task, for so many folders. NULL: see err. */
const char *startup_text(struct startup *s, const struct jw_startup_step *step, unsigned folders,
                         struct jw_err *err);

/* ---- startup_look.c ---- */

/* What is there, for each step. `compare`: against what would be written now. */
bool startup_look(struct startup *s, bool compare, struct jw_err *err) JW_MUST;

/* ---- startup_apply.c ---- */

/* What is lacking is put in its place; a failure takes back what it did. */
bool startup_put(struct startup *s, struct jw_err *err) JW_MUST;
bool startup_take(struct startup *s, struct jw_err *err) JW_MUST;

/* What a process left beside these files that was killed while it wrote. Nothing depends on it. */
void startup_sweep(struct startup *s);

/* The commands: one that fails is told in its `why`, and in `*failed`. */
void startup_command(struct startup *s, bool *failed);

/* ---- startup_status.c ---- */

/* With what is installed found: the answer. */
bool startup_tell_status(struct startup *s, struct jw_err *err) JW_MUST;

#endif

/* What jitwarm puts onto a machine beside caches: one file of settings, one task, and what removes
 * exactly these. A thing that jitwarm did not write is never changed. */
#pragma once

#include "cause/quote.h"
#include "jitwarm/run.h"
#include "session/session.h"

/* ---- a step: one thing that is set up ---- */

enum jw_step_kind {
    JW_STEP_FILE,
    JW_STEP_LINK,
    JW_STEP_VALUE, /* of the registry */
    JW_STEP_TASK,  /* of the Task Scheduler */
    JW_STEP_FOLDER /* with all that is in it */
};

struct jw_step {
    enum jw_step_kind kind;
    const char *path; /* absolute path, or the name of a value or task */
    const char *top;  /* empty folders below it are removed, too; of a FOLDER what is shown for it;
                         or NULL */
    const char *text; /* its right content, or the target of a link; or NULL */
    bool found;       /* jitwarm's own is there */
    bool same;        /* it has this text */
    bool done;        /* written or removed */
    const char *why;  /* why it is not jitwarm's, or what is wrong with it; else NULL */
};

struct jw_step_list {
    struct jw_step *v;
    size_t n;
};

const struct jw_step *jw_steps_found(const struct jw_step_list *list); /* the first; NULL: none */
bool jw_steps_same(const struct jw_step_list *list);                   /* are all the same? */

/* ---- env: the settings of the driver's cache ----
 *
 * Linux: ~/.config/environment.d/jitwarm.conf, which desktops and `systemd --user` read by
 * themselves; a login shell reads it by a line in a start file (jw_env_line). Windows: values of
 * the user's environment, each with a mark beside it. */

/* The settings, at most two, for a cache in `path` (NULL: the driver's own place) that holds `size`
 * bytes (0: JW_CACHE_MOST). */
bool jw_env_settings(const char *path, uint64_t size, struct jw_arena *a,
                     struct jw_env_setting out[2], size_t *n, struct jw_err *err) JW_MUST;

/* The value of a setting that was written before; NULL: none. */
const char *jw_env_written(const char *name, struct jw_arena *a);
/* Writes the file or the values, nothing else. `n` 0: removes what this wrote. With `dry_run` it
 * only says what that is. */
bool jw_env_change(const struct jw_env_setting *s, size_t n, bool dry_run, struct jw_arena *a,
                   struct jw_step_list *out, struct jw_err *err) JW_MUST;

/* The command that adds to the start file of $SHELL (`*file`), once, the line by which it reads
 * jitwarm's file. NULL: Windows needs none. */
const char *jw_env_line(struct jw_arena *a, const char **file);
/* Has that start file, the user's own, this text? A newline begins and ends each of its lines.
 * `*file` NULL: there is none. */
bool jw_env_start_has(const char *text, struct jw_arena *a, const char **file);

/* PATH of this user or of the machine, for the installer of Windows, whose own script language
 * cannot hold a long one: adds this folder at the end, or removes it; all else stays byte for byte.
 * New consoles have it. Other systems: JW_E_USAGE. */
bool jw_env_path_change(bool machine, const char *folder, bool add, struct jw_arena *a,
                        struct jw_err *err) JW_MUST;

/* Returns the list with this folder added or removed ("C:\\a;C:\\b"). Pure. */
const char *jw_env_path_with(const char *path, const char *folder, bool add, struct jw_arena *a);

/* ---- startup: prime after each login, and after an update of the driver ---- */

struct jw_startup {
    /* set by the caller: */
    bool everybody; /* a task for each user of the machine; of a status: this user's, else
                       everybody's */
    bool as_root;   /* root asks for its own programs */
    bool dry_run;   /* install, remove: only says what would be written or removed */
    struct jw_texts sources,
        trust; /* for startup.conf, trust as --trust has it; none: it stays as it is */
    /* the results; `run` says how it ended: DONE, NOTHING (to do), PARTLY (it does not work),
     * STOPPED */
    struct jw_run *run;
    const char *exe;  /* path of the program that is started */
    const char *user; /* Windows: the SID of a task's user; NULL: everybody's */
    bool installed;
    /* the command that installs it, mends it, or removes everybody's; NULL: `run` may say why */
    const char *line;
    const char *log; /* the command that shows the log, or NULL */
    struct jw_step_list steps;
};

bool jw_startup_install(struct jw_run *run, struct jw_startup *s, struct jw_err *err) JW_MUST;
bool jw_startup_remove(struct jw_run *run, struct jw_startup *s, struct jw_err *err) JW_MUST;
bool jw_startup_status(struct jw_run *run, struct jw_startup *s, struct jw_err *err) JW_MUST;

/* Removes what jitwarm has set up and remembers for this user, and for root what is set up for the
 * whole machine: the file of env, the startup task, the state folder; with `packs` the user's
 * packs. Everything else stays: the driver's cache, jitwarm.conf, keys, packs elsewhere, and the
 * program. Ends with NOTHING: there was nothing; PARTLY: a step that stays says why; BUSY: a
 * jitwarm works on a cache. */
bool jw_uninstall(struct jw_run *run, bool packs, bool dry_run, struct jw_step_list *steps,
                  struct jw_err *err) JW_MUST;

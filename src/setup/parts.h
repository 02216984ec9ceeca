/* What the files of this room share. */
#ifndef SETUP_PARTS_H
#define SETUP_PARTS_H

#include "setup/setup.h"

/* ---- steps ---- */

struct jw_step *jw_step_add(struct jw_step_list *list, enum jw_step_kind kind, const char *path,
                            struct jw_arena *a) JW_NEVER_NULL;
/* A file, which gets one more line as its seal, or a link; and how it is now: found, same and why. A missing one is fine; one that cannot be
 * read, or is not as jitwarm wrote it, is a `why`. */
void jw_step_look(struct jw_step_list *list, enum jw_step_kind kind, const char *path, const char *top,
                  const char *text, struct jw_arena *a);

/* Writes the files and links that are not the same, each with the folders above it; nothing where one of them is another's. */
bool jw_steps_write(const struct jw_step_list *list, bool dry_run, struct jw_arena *a,
                    struct jw_err *err) JW_MUST;
/* Removes files, links and folders that were found, the last one first, and what a killed run left beside them. False: some stay, and
 * each says why. */
bool jw_steps_remove(const struct jw_step_list *list, bool dry_run, struct jw_arena *a);

/* Removes this folder and those above it up to `top` (not itself) as far as they are empty. */
void jw_step_drop_folders(const char *folder, const char *top, struct jw_arena *a);

/* ---- startup: systemd's half, or Windows' ---- */

/* May end the run: STOPPED, where this machine cannot have it. */
bool startup_may_install(struct jw_startup *s, struct jw_err *err) JW_MUST;
/* Adds the steps, in the order of writing, with their right texts (`texts`: they are to be installed) and their present state. */
bool startup_find(struct jw_startup *s, bool texts, struct jw_err *err) JW_MUST;
/* Tells the system what was written, or removed; Windows: writes or removes the task. A command that fails ends the run: PARTLY. */
bool startup_tell(struct jw_startup *s, bool put, struct jw_err *err) JW_MUST;
/* Is it on, and did the last run go well? Returns a problem, or NULL. */
const char *startup_ask(struct jw_startup *s);

/* Adds the step of jitwarm/startup.conf, where it is to be written or removed (enrol.c). */
bool startup_find_enrolment(struct jw_startup *s, bool texts, struct jw_err *err) JW_MUST;

/* ---- the texts of units and tasks, from files/ with @NAMES@ in them. Pure. ---- */

extern const char jw_startup_service_file[], jw_startup_timer_file[], jw_startup_path_file[],
    jw_startup_user_task_file[], jw_startup_system_task_file[];

/* One of these files, filled in; the first line of a unit has the mark. NULL: it cannot hold the path of the program. */
const char *jw_startup_text(const char *file, const struct jw_startup *s, struct jw_arena *a,
                            struct jw_err *err);

/* "\jitwarm startup", of one user "\jitwarm startup S-1-5-21-...": tasks of all users share one place. */
const char *jw_startup_task_name(const struct jw_startup *s, struct jw_arena *a);

#endif

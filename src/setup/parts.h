/* Shared by the files of this room. */
#pragma once

#include "setup/setup.h"

struct jw_step *jw_step_add(struct jw_step_list *list, enum jw_step_kind kind, const char *path,
                            struct jw_arena *a) JW_NEVER_NULL;
/* Adds a step for a link, or for a file, which gets one more line as its seal, and sets its state:
 * found, same, why. A missing one is fine; `why` says that it cannot be read, or is not as jitwarm
 * wrote it. */
void jw_step_look(struct jw_step_list *list, enum jw_step_kind kind, const char *path,
                  const char *top, const char *text, struct jw_arena *a);

/* Writes the files and links that differ, and the folders above them; writes nothing if one of them
 * is not jitwarm's, or with `dry_run`. */
bool jw_steps_write(const struct jw_step_list *list, bool dry_run, struct jw_arena *a,
                    struct jw_err *err) JW_MUST;
/* Removes the files, links and folders that were found, the last first, and what a killed run left
 * beside them. False: some stay, and each says why, also what is not as jitwarm wrote it. */
bool jw_steps_remove(const struct jw_step_list *list, bool dry_run, struct jw_arena *a);

/* Removes this folder, and the empty ones above it below `top`. */
void jw_step_drop_folders(const char *folder, const char *top, struct jw_arena *a);

/* Ends the run with STOPPED if this machine cannot have the startup task. */
bool startup_may_install(struct jw_startup *s, struct jw_err *err) JW_MUST;
/* Adds the steps in the order of writing, with their state; `texts`: also their right texts, as
 * they are to be installed. */
bool startup_find(struct jw_startup *s, bool texts, struct jw_err *err) JW_MUST;
/* Makes the system use what was written, or forget what was removed; on Windows it writes or
 * removes the task. If a command fails, the run ends PARTLY. */
bool startup_apply(struct jw_startup *s, bool put, struct jw_err *err) JW_MUST;
/* Is the task enabled, and did its last run succeed? Returns a problem, or NULL. */
const char *startup_task_problem(struct jw_startup *s);

/* The texts of units and tasks, with @NAMES@ in them. */
extern const char jw_startup_service_file[], jw_startup_timer_file[], jw_startup_path_file[],
    jw_startup_user_task_file[], jw_startup_system_task_file[];

/* Fills in one of these files; the first line of a unit has the mark. NULL: the file cannot hold
 * the program's path. */
const char *jw_startup_text(const char *file, const struct jw_startup *s, struct jw_arena *a,
                            struct jw_err *err);

/* "\jitwarm startup", of one user "\jitwarm startup S-1-5-21-...": tasks of all users share one
 * place. */
const char *jw_startup_task_name(const struct jw_startup *s, struct jw_arena *a);

/*
 * The settings of the driver's cache, in this process and in a fresh login; and one place where jitwarm sets them for this user's
 * programs. Linux: ~/.config/environment.d/jitwarm.conf, which desktops and `systemd --user` read by themselves; a login shell reads
 * it with jw_env_line in a start file. Windows: values of the user's environment, each with a mark beside it.
 */
#ifndef SETUP_ENV_H
#define SETUP_ENV_H

#include "cause/quote.h"
#include "setup/step.h"

#include <stdatomic.h>

enum { JW_ENV_ROWS = 7 };

extern const char *const jw_env_names[JW_ENV_ROWS];

struct jw_env_view {
    const char *here[JW_ENV_ROWS];  /* NULL: unset */
    const char *login[JW_ENV_ROWS]; /* the same */
    const char *why_unknown;        /* of the login; NULL: it is known */
    const char *file;               /* of `env apply`; NULL: it is not there */
};

/* Asks the login shell. False: interrupted. */
bool jw_env_look(const atomic_bool *interrupted, struct jw_arena *a, struct jw_env_view *out,
                 struct jw_err *err) JW_MUST;

struct jw_env_options {
    const char *path; /* of the cache, absolute; NULL: the driver's own place */
    uint64_t size;    /* its limit in bytes; 0: JW_ENV_SIZE */
};

#define JW_ENV_SIZE ((uint64_t)4 << 30) /* the most that the driver heeds */

/* The settings that these options mean. JW_E_USAGE: a wrong path or size. */
bool jw_env_settings(const struct jw_env_options *o, struct jw_arena *a, struct jw_env_setting **out,
                     size_t *n, struct jw_err *err) JW_MUST;

/* Writes the file or the values, and nothing else. `dry_run`: says what it would do. */
bool jw_env_apply(const struct jw_env_setting *s, size_t n, bool dry_run, struct jw_arena *a,
                  struct jw_step_list *out, struct jw_err *err) JW_MUST;
/* Removes exactly what apply wrote. */
bool jw_env_undo(bool dry_run, struct jw_arena *a, struct jw_step_list *out, struct jw_err *err) JW_MUST;

/* The line for ~/.profile with which a login shell reads the file; NULL: none is needed (Windows). */
const char *jw_env_line(struct jw_arena *a);

/*
 * PATH of this user or of the machine, for the installer of Windows, whose own script language cannot hold a long one: adds this folder
 * at the end, or removes it; all else stays byte for byte. New consoles have it. Other systems: JW_E_USAGE.
 */
bool jw_env_path_change(bool machine, const char *folder, bool add, struct jw_arena *a,
                        struct jw_err *err) JW_MUST;

/* The text with the folder added or removed ("C:\\a;C:\\b"). Pure. */
const char *jw_env_path_with(const char *path, const char *folder, bool add, struct jw_arena *a);

#endif

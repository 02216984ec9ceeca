/*
 * Finds the CUDA variables of a new login: programs do not find a cache that was warmed under other settings.
 *
 * Linux: runs the login shell like a login does, without a terminal, with only the user's name and /etc/environment.
 * environment.d sets what the shell leaves unset. Windows: reads the registry.
 */
#ifndef SETUP_LOGIN_LOGIN_ENV_H
#define SETUP_LOGIN_LOGIN_ENV_H

#include "base/arena.h"
#include "base/bytes.h"
#include "machine/listing.h"
#include "machine/run.h"
#include "setup/login/env_file.h"
#include "setup/login/start_line.h"

#include <stdatomic.h>

/* This shell was run and gave no answer: its start files are in force, and it is not known what they set. */
enum jw_login_silent { JW_SILENT_NONE, JW_SILENT_LOGIN, JW_SILENT_TERMINAL };

struct jw_login_env {
    bool known;
    const char *why; /* why it is unknown */
    enum jw_login_silent silent;
    const char *why_silent;         /* a clause; NULL: none is */
    struct jw_start_line silent_at; /* where it ended, or waits */
    const char *shell;              /* that was run, or NULL */
    /* its start files end with another program, or one of them returns: lines behind that are not read */
    bool replaced;
    /* CUDA_*, LD_LIBRARY_PATH, HOME or APPDATA; PYTHONPATH and others that say where software is */
    struct jw_env_set sets;
    /* The same in an interactive shell: many settings are in files that only those read (~/.bashrc). */
    bool terminal_known;
    struct jw_env_set terminal;
    struct jw_listing files; /* that a login reads, or would read if they were there; whole paths */
    struct jw_notes notes;
};

struct jw_login_user {
    const char *name, *home;
    const char *shell;   /* from the user database; "" means /bin/sh */
    const char *sysroot; /* "" but in tests */
    bool root;
    unsigned timeout_ms; /* for the shell of the login, and for that of its terminals */
    const atomic_bool *interrupted;
};

/* Linux: this user, as the user database has it. False: it has no such user. */
bool jw_login_user(struct jw_arena *a, struct jw_login_user *out) JW_MUST;

/* If the login is unknown or root acts for another user: true, with `known` false. `interrupted`: when set,
 * JW_E_INTERRUPTED; may be NULL. */
bool jw_login_env(const atomic_bool *interrupted, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err) JW_MUST;

struct jw_env_difference {
    const char *name;
    const char *current, *login; /* NULL: unset */
    const char *origin;          /* of the login's value; NULL: unset */
    const char *file;     /* that has a line which sets it for logins; NULL: none is known, or it is unset */
    bool terminal_agrees; /* an interactive login shell has the same value as this process */
    /* the login's shell starts another program, or its start file returns: lines that `env apply` adds there
     * are not read */
    bool replaced;
    bool terminal_only; /* the login agrees, and an interactive shell does not: `login` is its value */
};

/* The variables that differ between this process and the login; those that move the cache or turn it off, or choose
 * the GPUs, also where they differ in an interactive shell alone. Two paths of one folder are the same; so is another
 * home, where both name a cache elsewhere. None if the login is unknown. */
void jw_login_compare(const struct jw_login_env *login, struct jw_arena *a, struct jw_env_difference **out,
                      size_t *n);

/* The one of this variable, which is a setting, in a fresh login or in a new terminal. */
void jw_login_difference(const struct jw_login_env *login, const char *name, bool terminal,
                         struct jw_arena *a, struct jw_env_difference *out);

/* "a fresh login", "a new terminal" */
const char *jw_login_name(bool terminal);

/* A difference means for programs that are warmed here: */
enum jw_login_weight {
    JW_LOGIN_PASSED, /* nothing */
    JW_LOGIN_NOTED,  /* worth a note, and no reason to end otherwise */
    JW_LOGIN_COUNTS  /* programs of a login are meant, too */
};

/* The one rule, for every verb. In a container programs are started by its entry point; some have shells that read the
 * files of a login (devcontainers, JupyterHub, enroot), and keep HOME and what the container was started with. */
enum jw_login_weight jw_login_weighs(const struct jw_env_difference *d, bool container);

/* ---- for tests ---- */

/* True if jw_login_env reports this variable. */
bool jw_login_wants(const char *name);

/* Adds the files that the shell said it reads or looks for, by `sh -x`: each absolute path of its lines. */
bool jw_login_files_of(struct jw_bytes output, struct jw_arena *a, struct jw_listing *files,
                       struct jw_err *err) JW_MUST;

/* Printed before and after the environment, because profiles print text, too. */
#define JW_LOGIN_MARK "jitwarm-login-environment"

/* Adds the variables of "...MARK\nA=1\0B=2\0MARK\n..." to `s`. */
bool jw_login_parse(struct jw_bytes output, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                    bool *found, struct jw_err *err) JW_MUST;

bool jw_login_ask(const struct jw_login_user *who, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err) JW_MUST;

/* True if root acts for another user, by its ids and the variables of sudo. */
bool jw_login_for_another(unsigned long real, unsigned long effective, struct jw_arena *a);

#endif

/*
 * What a fresh login of this user will have in its environment, as far as CUDA goes: a cache that was warmed under other
 * settings than programs will have is of no use to them.
 *
 * Linux: the login shell is run as a login runs it, without a terminal, with nothing but what a login starts from (who it
 * is, /etc/environment). environment.d speaks for what it leaves unset. Windows: the registry.
 */
#ifndef ENV_FILES_LOGIN_ENV_H
#define ENV_FILES_LOGIN_ENV_H

#include "base/arena.h"
#include "base/bytes.h"
#include "env/files/env_file.h"
#include "machine/list.h"

struct jw_login_env {
    bool known;
    const char *why;        /* it is not known: a sentence */
    const char *shell;      /* that was asked; NULL: none was */
    struct jw_env_set sets; /* CUDA_*, LD_LIBRARY_PATH, HOME or APPDATA: what will be set, and by whom */
    /* The same in an interactive shell. Asked only where the others differ from ours, because then it explains much: many
     * a setting stands in a file that only interactive shells read (~/.bashrc). */
    bool terminal_known;
    struct jw_env_set terminal;
    struct jw_notes notes;
};

/* What is not known, or may not be asked (root on behalf of another user), is an answer. */
bool jw_login_env(struct jw_arena *a, struct jw_login_env *out, struct jw_err *err) JW_MUST;

struct jw_env_difference {
    const char *name;
    const char *here, *login; /* NULL: unset */
    const char *origin;       /* of the login's value; NULL: unset */
    bool terminal_agrees;     /* an interactive login shell has what we have */
};

/* What decides whether a program finds what was compiled here: which of it differs between this process and the login? None
 * when the login is not known. */
void jw_login_compare(const struct jw_login_env *login, struct jw_arena *a, struct jw_env_difference **out,
                      size_t *n);

/* Between the files of login_env, and for their tests. */

/* Does this variable belong into jw_login_env? */
bool jw_login_wants(const char *name);

/* The word that is said before the environment and after it, for what a profile prints is around them. */
#define JW_LOGIN_MARK "jitwarm-login-environment"

/* Into `s` what is wanted of "...MARK\nA=1\0B=2\0MARK\n..."; texts live in `a`. `*found` false: there is none. */
bool jw_login_parse(struct jw_bytes said, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                    bool *found, struct jw_err *err) JW_MUST;

/* Who logs in, and on which machine: what jw_login_env finds out, and its tests make up. */

struct jw_login_user {
    const char *name, *home;
    const char *shell;   /* of the user database; "" means /bin/sh, as it does there */
    const char *sysroot; /* "" but in tests */
    bool root;
    unsigned timeout_ms; /* for each shell that is run */
};

bool jw_login_ask(const struct jw_login_user *who, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err) JW_MUST;

/* Is this process root on behalf of somebody else? By its ids, and by what sudo and its kin have set. */
bool jw_login_for_another(unsigned long real, unsigned long effective, struct jw_arena *a);

#endif

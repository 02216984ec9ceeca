/* A fresh login of this user, asked and not modelled: its shell is run as a login runs it (ssh, a
 * text console), from a clean environment with what /etc/environment has; the shell's start files
 * come on top. Windows: the registry's variables of the user and of the machine, which each new
 * program gets. */
#pragma once

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>

struct jw_login {
    bool known;
    const char *why;           /* why it is not known, a sentence */
    const char *const *values; /* one for each requested name; NULL: unset */
};

/* Gives the values that a fresh login has for these variables. Runs programs of the user, for at
 * most 20 seconds: ask once. False: only when it was interrupted. */
bool jw_login_variables(const char *const *names, size_t n, const atomic_bool *interrupted,
                        struct jw_arena *a, struct jw_login *out, struct jw_err *err) JW_MUST;

/* Fails where HOME is not the home of this user's logins, which would not read what is set up. */
bool jw_login_check_home(struct jw_arena *a, struct jw_err *err);

/* The words that start a program (`words[0]` is absolute; NULL ends them) with the environment of a
 * fresh login. If systemd's environment.d, which programs of a desktop and of `systemd --user` have
 * in addition, gives another one, they start it twice. `user`: as whom root starts it
 * (jw_process_detach); NULL: as this user. Returns NULL, with the reason, if that user cannot log
 * in. Windows: the words themselves. */
const char *const *jw_login_run(const char *const *words, const char *user, struct jw_arena *a,
                                struct jw_err *err) JW_MUST;

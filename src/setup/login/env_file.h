/* Sets of environment variables, read from the files of a Linux login. Pure. */
#ifndef SETUP_LOGIN_ENV_FILE_H
#define SETUP_LOGIN_ENV_FILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_env_value {
    const char *name, *value;
    const char *origin; /* "/etc/environment", "the login shell /bin/bash" */
};

struct jw_env_set {
    struct jw_env_value *v;
    size_t n;
};

/* or NULL */
const struct jw_env_value *jw_env_set_find(const struct jw_env_set *s, const char *name);
const char *jw_env_set_value(const struct jw_env_set *s, const char *name);

/* Adds or replaces a value. Borrows the texts. */
bool jw_env_set_put(struct jw_env_set *s, const char *name, const char *value, const char *origin,
                    struct jw_arena *a, struct jw_err *err) JW_MUST;

/*
 * /etc/environment, as pam_env reads it: NAME=VALUE with or without "export" before and quotes around the value, # to
 * the line's end is a comment, nothing is expanded, an empty value unsets. Skips invalid lines, as pam_env does.
 */
bool jw_env_file_pam(struct jw_bytes text, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                     struct jw_err *err) JW_MUST;

/* A file of environment.d, as systemd reads it: quotes, backslashes, continued lines; $NAME, ${NAME}, ${NAME:-else} and
 * ${NAME:+then} use the set so far. */
bool jw_env_file_systemd(struct jw_bytes text, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                         struct jw_err *err) JW_MUST;

#endif

/* Sets of environment variables, and the files that give them to a login on Linux. Text in, names and values out; no files. */
#ifndef ENV_FILES_ENV_FILE_H
#define ENV_FILES_ENV_FILE_H

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

/* NULL: it is not set. */
const struct jw_env_value *jw_env_set_find(const struct jw_env_set *s, const char *name);

/* Another value of a name replaces the one before. The texts are borrowed. */
bool jw_env_set_put(struct jw_env_set *s, const char *name, const char *value, const char *origin,
                    struct jw_arena *a, struct jw_err *err) JW_MUST;

/*
 * /etc/environment, as pam_env reads it: NAME=VALUE with or without "export" before and quotes around the value, # to the
 * line's end is a comment, nothing is expanded, an empty value unsets. Lines that make no sense are passed over, as they
 * are there.
 */
bool jw_env_file_pam(struct jw_bytes text, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                     struct jw_err *err) JW_MUST;

/* A file of environment.d, as systemd reads it: quotes, backslashes, lines that go on; $NAME, ${NAME}, ${NAME:-else} and
 * ${NAME:+then} look into the set as it is by then. */
bool jw_env_file_systemd(struct jw_bytes text, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                         struct jw_err *err) JW_MUST;

#endif

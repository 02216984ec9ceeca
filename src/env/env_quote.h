/*
 * Writes settings as lines for a shell, a Dockerfile, a systemd unit, conda or environment.d. Pure. The reader gets
 * each value byte for byte; a value that a form cannot hold is refused.
 */
#ifndef ENV_ENV_QUOTE_H
#define ENV_ENV_QUOTE_H

#include "base/buf.h"
#include "base/compiler.h"

struct jw_env_setting {
    const char *name, *value, *why; /* `why`: a sentence without a full stop, or NULL */
};

enum jw_env_form {
    JW_ENV_SH,         /* export NAME='value' */
    JW_ENV_FISH,       /* set -gx NAME 'value' */
    JW_ENV_POWERSHELL, /* $env:NAME = 'value' */
    JW_ENV_CMD,        /* set "NAME=value", as a batch file reads it */
    JW_ENV_DOCKER,     /* ENV NAME="value" of a Dockerfile */
    JW_ENV_SYSTEMD,    /* Environment="NAME=value" of a unit */
    JW_ENV_CONDA,      /* conda env config vars set 'NAME=value', for a shell */
    JW_ENV_FORMS,
    JW_ENV_CSH = JW_ENV_FORMS, /* setenv NAME 'value' */
    JW_ENV_ENVIRONMENT_D       /* NAME="value" of environment.d */
};

/* The words of --shell, in order. */
#define JW_ENV_FORM_WORDS "sh fish powershell cmd docker systemd conda"

/* One line with its end. JW_E_USAGE: this form cannot hold that value. */
bool jw_env_put(enum jw_env_form form, const char *name, const char *value, struct jw_buf *out,
                struct jw_err *err) JW_MUST;

#endif

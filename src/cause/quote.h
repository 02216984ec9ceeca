/* Writes a setting as a line for a shell or environment.d. Pure. The reader gets each value byte
 * for byte; a value that a form cannot hold is refused. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "machine/shell.h"

struct jw_env_setting {
    const char *name, *value;
};

/* Without a value it unsets the variable. JW_E_USAGE: this form cannot hold the value. */
bool jw_env_put(enum jw_shell form, const char *name, const char *value, struct jw_buf *out,
                struct jw_err *err) JW_MUST;

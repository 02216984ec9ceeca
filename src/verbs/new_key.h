/* key --new: a key pair for signing packs. */
#ifndef VERBS_NEW_KEY_H
#define VERBS_NEW_KEY_H

#include "base/rows.h"
#include "cli/cli.h"

#include <stdbool.h>

/* Writes the secret key to `file` and the public key beside it. Returns the exit code. */
int new_key_run(struct cli *cli, const char *file, bool no_passphrase);

extern const struct jw_form new_key_form;

#endif

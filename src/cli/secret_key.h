/* A secret key for signing, from its file; its passphrase is asked on the terminal. */
#ifndef CLI_SECRET_KEY_H
#define CLI_SECRET_KEY_H

#include "cli/cli.h"
#include "host/keys.h"

/* EXIT_DONE: `out` holds it, and whoever asked wipes it (base/secret.h). Else it was told why, and this is the exit code:
 * EXIT_BUSY when there is no terminal to ask on. */
int jw_cli_secret_key(struct cli *cli, const char *path, struct jw_minisign_secret *out);

#endif

/* A secret key for signing, from its file; its passphrase is asked on the terminal. */
#ifndef PACK_KEYS_COMMAND_SECRET_KEY_H
#define PACK_KEYS_COMMAND_SECRET_KEY_H

#include "cli/cli.h"
#include "pack/keys/keys.h"

enum { JW_PASSPHRASE = 1023 }; /* bytes; what minisign takes */

struct jw_passphrase {
    char p[JW_PASSPHRASE + 1];
    size_t n;
};

/* EXIT_DONE, or it was told why not, and this is the exit code: EXIT_BUSY when there is no terminal to ask on. `without`
 * is what somebody without a terminal should do. Wipe `out`. */
int jw_cli_passphrase(struct cli *cli, const char *prompt, const char *without, struct jw_passphrase *out);

/* EXIT_DONE: `out` holds it, and whoever asked wipes it (base/secret.h). Else it was told why, and this is the exit code:
 * EXIT_BUSY when there is no terminal to ask on. */
int jw_cli_secret_key(struct cli *cli, const char *path, struct jw_minisign_secret *out);

#endif

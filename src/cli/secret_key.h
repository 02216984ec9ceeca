/* Loads a secret key for signing; asks for its passphrase at the terminal. */
#ifndef CLI_SECRET_KEY_H
#define CLI_SECRET_KEY_H

#include "cli/cli.h"
#include "pack/keys/keys.h"

enum { JW_PASSPHRASE = 1023 }; /* bytes, as in minisign */

struct jw_passphrase {
    char p[JW_PASSPHRASE + 1];
    size_t n;
};

/* Returns EXIT_DONE, or prints an error and returns its exit code: EXIT_BUSY without a terminal, with the advice
 * `without`. Wipe `out`. */
int jw_cli_passphrase(struct cli *cli, const char *prompt, const char *without, struct jw_passphrase *out);

/* Returns EXIT_DONE, or prints an error and returns its exit code. Wipe `out`. */
int jw_cli_secret_key(struct cli *cli, const char *path, struct jw_minisign_secret *out);

#endif

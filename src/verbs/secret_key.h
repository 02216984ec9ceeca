/* The secret key of verbs that sign or make one, and its passphrase. */
#pragma once

#include "cli/cli.h"
#include "pack/keys/keys.h"

struct jw_passphrase {
    char p[1024]; /* 1,023 bytes, as in minisign, and their end */
    size_t n;
};

/* Asks for a passphrase at the terminal. Returns EXIT_DONE, or prints an error and returns its exit
 * code; without a terminal EXIT_BUSY, with the advice `without`. The caller wipes `out`. */
int jw_cli_passphrase(struct cli *cli, const char *prompt, const char *without,
                      struct jw_passphrase *out);

/* Loads the key of --sign, and asks for its passphrase; all zero without it. Returns as above. */
int jw_cli_secret_key(struct cli *cli, struct jw_minisign_secret *out);

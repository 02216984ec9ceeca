#include "verbs/secret_key.h"

#include "os/machine/ask.h"

#include <sodium.h>

int jw_cli_passphrase(struct cli *cli, const char *prompt, const char *without,
                      struct jw_passphrase *out)
{
    const atomic_bool *interrupted = cli->session.interrupted;
    const size_t most = sizeof out->p - 1;
    enum jw_secret_answer got;
    struct jw_err err = {0};

    jw_messages_progress_end(&cli->messages);
    got = jw_ask_secret(prompt, out->p, most, &out->n, interrupted);
    if (got == JW_SECRET_GIVEN && out->n <= most)
        return EXIT_DONE;
    if (got == JW_SECRET_GIVEN)
        (void)jw_fail(&err, JW_E_USAGE, "the passphrase has more than %zu bytes", most);
    else if (got == JW_SECRET_NO_TERMINAL)
        (void)jw_fail(&err, JW_E_BUSY, "there is no terminal to ask for the passphrase; %s",
                      without);
    else if (jw_not_interrupted(interrupted, &err))
        (void)jw_fail(&err, JW_E_BUSY, "no passphrase was given");
    return jw_cli_fail(cli, &err);
}

int jw_cli_secret_key(struct cli *cli, struct jw_minisign_secret *out)
{
    const char *path = cli->shared.sign;
    struct jw_minisign_encrypted encrypted;
    struct jw_passphrase pass = {.n = 0};
    struct jw_err err = {0};
    int code = EXIT_DONE;

    sodium_memzero(out, sizeof *out);
    if (!path)
        return EXIT_DONE;
    if (!jw_key_secret_load(path, &encrypted, &err)) {
        jw_err_becomes(&err, JW_E_IO, JW_E_NAMED); /* the user named it */
        jw_err_becomes(&err, JW_E_FORMAT, JW_E_NAMED);
        (void)jw_wrap(&err, "--sign");
        return jw_cli_fail(cli, &err);
    }
    if (encrypted.locked)
        code = jw_cli_passphrase(cli, JW_PHRASE("Passphrase of %s: ", path),
                                 "use a key without a passphrase (key --new FILE --no-passphrase)",
                                 &pass);
    if (code == EXIT_DONE
        && !jw_minisign_secret_open(&encrypted, (struct jw_bytes){(const uint8_t *)pass.p, pass.n},
                                    out, &err)) {
        (void)jw_wrap(&err, "%s", path);
        jw_err_becomes(&err, JW_E_USAGE, JW_E_TRUST); /* the wrong passphrase */
        code = jw_cli_fail(cli, &err);
    }
    sodium_memzero(&pass, sizeof pass);
    sodium_memzero(&encrypted, sizeof encrypted);
    return code;
}

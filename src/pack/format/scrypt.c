#include "pack/format/scrypt.h"

#include "base/limits.h"
#include "base/secret.h"

#include <sodium.h>

_Static_assert(JW_SCRYPT_SALT == crypto_pwhash_scryptsalsa208sha256_SALTBYTES, "libsodium's size");
_Static_assert(JW_MAX_SCRYPT_WORK == crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE
                   && JW_MAX_SCRYPT_MEMORY == crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE,
               "what is written can be read");

bool jw_scrypt_new(struct jw_scrypt *out, struct jw_err *err)
{
    out->work = crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE;
    out->memory = crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE;
    return jw_secret_random(out->salt, sizeof out->salt, err);
}

bool jw_scrypt_derive(uint8_t *out, size_t n, const struct jw_scrypt *how, struct jw_bytes passphrase,
                      struct jw_err *err)
{
    const char *text = passphrase.n ? (const char *)passphrase.p : "";
    /* It only chooses the fastest code: a failure costs time. */
    int chosen = sodium_init();

    (void)chosen;
    if (how->work > JW_MAX_SCRYPT_WORK || how->memory > JW_MAX_SCRYPT_MEMORY)
        return jw_fail(err, JW_E_LIMIT, "its scrypt costs more than is allowed here");
    if (crypto_pwhash_scryptsalsa208sha256(out, n, text, passphrase.n, how->salt, how->work,
                                           (size_t)how->memory))
        return jw_fail(err, JW_E_LIMIT, "scrypt did not get the memory that it needs (%llu MiB)",
                       (unsigned long long)(how->memory >> 20));
    return true;
}

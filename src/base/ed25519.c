#include "base/ed25519.h"

#include "base/secret.h"

#include <sodium.h>

_Static_assert(JW_ED25519_SEED == crypto_sign_SEEDBYTES && JW_ED25519_PUBLIC == crypto_sign_PUBLICKEYBYTES
                   && JW_ED25519_SECRET == crypto_sign_SECRETKEYBYTES
                   && JW_ED25519_SIGNATURE == crypto_sign_BYTES,
               "libsodium's sizes");

void jw_ed25519_from_seed(uint8_t secret[JW_ED25519_SECRET], const uint8_t seed[JW_ED25519_SEED])
{
    uint8_t key[JW_ED25519_PUBLIC];

    (void)crypto_sign_seed_keypair(key, secret, seed);
}

bool jw_ed25519_whole(const uint8_t secret[JW_ED25519_SECRET])
{
    uint8_t again[JW_ED25519_SECRET];
    bool whole;

    jw_ed25519_from_seed(again, secret);
    whole = jw_secret_same(again, secret, sizeof again);
    jw_secret_wipe(again, sizeof again);
    return whole;
}

void jw_ed25519_sign(uint8_t signature[JW_ED25519_SIGNATURE], struct jw_bytes message,
                     const uint8_t secret[JW_ED25519_SECRET])
{
    (void)crypto_sign_detached(signature, NULL, message.p, message.n, secret);
}

bool jw_ed25519_verify(const uint8_t signature[JW_ED25519_SIGNATURE], struct jw_bytes message,
                       const uint8_t key[JW_ED25519_PUBLIC])
{
    return crypto_sign_verify_detached(signature, message.p, message.n, key) == 0;
}

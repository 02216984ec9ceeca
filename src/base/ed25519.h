/* Ed25519 signatures. A secret key is its seed and, behind it, the public key that belongs to it. */
#ifndef BASE_ED25519_H
#define BASE_ED25519_H

#include "base/bytes.h"
#include "base/compiler.h"

enum { JW_ED25519_SEED = 32, JW_ED25519_PUBLIC = 32, JW_ED25519_SECRET = 64, JW_ED25519_SIGNATURE = 64 };

void jw_ed25519_from_seed(uint8_t secret[JW_ED25519_SECRET], const uint8_t seed[JW_ED25519_SEED]);

/* Whether the public half is the one of the seed. Signing with a secret key where it is not gives the seed away. */
bool jw_ed25519_whole(const uint8_t secret[JW_ED25519_SECRET]) JW_MUST;

/* The same key and message always give the same signature. */
void jw_ed25519_sign(uint8_t signature[JW_ED25519_SIGNATURE], struct jw_bytes message,
                     const uint8_t secret[JW_ED25519_SECRET]);

/* Keys of small order and signatures in another form than the one form are refused, too. */
bool jw_ed25519_verify(const uint8_t signature[JW_ED25519_SIGNATURE], struct jw_bytes message,
                       const uint8_t key[JW_ED25519_PUBLIC]) JW_MUST;

#endif

/* Ed25519 signatures. A secret key is the seed followed by its public key. */
#ifndef BASE_ED25519_H
#define BASE_ED25519_H

#include "base/bytes.h"
#include "base/compiler.h"

enum { JW_ED25519_SEED = 32, JW_ED25519_PUBLIC = 32, JW_ED25519_SECRET = 64, JW_ED25519_SIGNATURE = 64 };

void jw_ed25519_from_seed(uint8_t secret[JW_ED25519_SECRET], const uint8_t seed[JW_ED25519_SEED]);

/* Whether the public half matches the seed. Signing with a mismatched key would reveal the seed. */
bool jw_ed25519_whole(const uint8_t secret[JW_ED25519_SECRET]) JW_MUST;

/* Deterministic: the same key and message give the same signature. */
void jw_ed25519_sign(uint8_t signature[JW_ED25519_SIGNATURE], struct jw_bytes message,
                     const uint8_t secret[JW_ED25519_SECRET]);

/* Also refuses keys of small order and signatures that are not in canonical form. */
bool jw_ed25519_verify(const uint8_t signature[JW_ED25519_SIGNATURE], struct jw_bytes message,
                       const uint8_t key[JW_ED25519_PUBLIC]) JW_MUST;

#endif

/* Digests: BLAKE2b-256 for jitwarm's own records, BLAKE2b-512 for minisign, FNV-1a-64 for
 * the driver's cache and against damage. (Registries have SHA-256: libsodium's
 * crypto_hash_sha256_*.) */
#pragma once

#include <sodium.h>

enum { JW_DIGEST = 32, JW_DIGEST512 = 64 };

/* Usage: one of the two inits, any number of updates, final. */
struct jw_digest_state {
    crypto_generichash_state of;
    size_t length; /* of the digest */
};

void jw_digest_init(struct jw_digest_state *s);
void jw_digest512_init(struct jw_digest_state *s); /* BLAKE2b-512, as minisign signs it */
void jw_digest_update(struct jw_digest_state *s, const void *p, size_t n);
void jw_digest_final(struct jw_digest_state *s, uint8_t *out); /* JW_DIGEST, JW_DIGEST512 bytes */

void jw_digest(uint8_t out[JW_DIGEST], const void *p, size_t n);

struct jw_digest_text {
    char text[2 * JW_DIGEST + 1]; /* hex digits */
};
struct jw_digest_text jw_digest_text(const uint8_t digest[JW_DIGEST]);

#define JW_FNV_START 0xcbf29ce484222325ULL
#define JW_FNV_PRIME 0x100000001b3ULL
uint64_t jw_fnv1a(uint64_t h, const void *p, size_t n);

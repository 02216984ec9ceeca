/* The digest of everything of ours: BLAKE2b-256, without a key; and what minisign signs, BLAKE2b-512. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/bytes.h"

#include <stdalign.h>

enum { JW_DIGEST = 32 };

/* In parts: init, any number of updates, final. Opaque; it lives wherever the caller puts it. */
struct jw_digest_state {
    alignas(64) uint8_t opaque[384];
};

void jw_digest_init(struct jw_digest_state *s);
void jw_digest_update(struct jw_digest_state *s, const void *p, size_t n);
void jw_digest_final(struct jw_digest_state *s, uint8_t out[JW_DIGEST]);

void jw_digest(uint8_t out[JW_DIGEST], const void *p, size_t n);

/* 64 hex digits and a NUL. */
void jw_digest_hex(char out[2 * JW_DIGEST + 1], const uint8_t digest[JW_DIGEST]);

/* BLAKE2b-512, which minisign signs: the updates between these two are the same. */
enum { JW_DIGEST512 = 64 };

void jw_digest512_init(struct jw_digest_state *s);
void jw_digest512_final(struct jw_digest_state *s, uint8_t out[JW_DIGEST512]);
void jw_digest512(uint8_t out[JW_DIGEST512], const void *p, size_t n);

/* SHA-256, by which registries name bytes. */
enum { JW_SHA256 = 32 };

struct jw_sha256_state {
    alignas(64) uint8_t opaque[128];
};

void jw_sha256_init(struct jw_sha256_state *s);
void jw_sha256_update(struct jw_sha256_state *s, const void *p, size_t n);
void jw_sha256_final(struct jw_sha256_state *s, uint8_t out[JW_SHA256]);

#endif

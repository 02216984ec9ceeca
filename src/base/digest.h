/* Digests: BLAKE2b-256 for jitwarm's own records, BLAKE2b-512 for minisign, SHA-256 for registries, FNV-1a-64 for the
 * driver's cache and against damage. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/bytes.h"
#include "base/source.h"

#include <stdalign.h>

enum { JW_DIGEST = 32 };

/* Usage: init, any number of updates, final. */
struct jw_digest_state {
    alignas(64) uint8_t opaque[384];
};

void jw_digest_init(struct jw_digest_state *s);
void jw_digest_update(struct jw_digest_state *s, const void *p, size_t n);
void jw_digest_final(struct jw_digest_state *s, uint8_t out[JW_DIGEST]);

void jw_digest(uint8_t out[JW_DIGEST], const void *p, size_t n);

struct jw_digest_text {
    struct jw_bytes bytes;
    uint8_t digest[JW_DIGEST]; /* the result */
};

/* Fills in each digest. */
void jw_digest_texts(struct jw_digest_text *list, size_t n);

/* For texts that are hashed side by side: a pointer to each, the longest first, so that all of the work ends together.
 * `list`: structs of `size` bytes that begin with struct jw_bytes. Free the result. */
void *jw_longest_first(void *list, size_t n, size_t size);

/* The digest of all bytes of `s`. */
bool jw_digest_source(uint8_t out[JW_DIGEST], const struct jw_source *s, struct jw_err *err) JW_MUST;

/* 64 hex digits and a NUL. */
void jw_digest_hex(char out[2 * JW_DIGEST + 1], const uint8_t digest[JW_DIGEST]);

/* BLAKE2b-512, as minisign signs it. Use jw_digest_update between these two, too. */
enum { JW_DIGEST512 = 64 };

void jw_digest512_init(struct jw_digest_state *s);
void jw_digest512_final(struct jw_digest_state *s, uint8_t out[JW_DIGEST512]);

/* SHA-256, the digest of OCI registries. */
enum { JW_SHA256 = 32 };

struct jw_sha256_state {
    alignas(64) uint8_t opaque[128];
};

void jw_sha256_init(struct jw_sha256_state *s);
void jw_sha256_update(struct jw_sha256_state *s, const void *p, size_t n);
void jw_sha256_final(struct jw_sha256_state *s, uint8_t out[JW_SHA256]);

#define JW_FNV_START 0xcbf29ce484222325ULL
#define JW_FNV_PRIME 0x100000001b3ULL
uint64_t jw_fnv1a(uint64_t h, const void *p, size_t n);

#endif

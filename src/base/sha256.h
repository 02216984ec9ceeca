/* SHA-256, by which registries name bytes. What is ours has BLAKE2b (base/digest.h). */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

enum { JW_SHA256 = 32 };

/* In parts: init, any number of updates, final. Opaque; it lives wherever the caller puts it. */
struct jw_sha256_state {
    alignas(64) uint8_t opaque[128];
};

void jw_sha256_init(struct jw_sha256_state *s);
void jw_sha256_update(struct jw_sha256_state *s, const void *p, size_t n);
void jw_sha256_final(struct jw_sha256_state *s, uint8_t out[JW_SHA256]);

#endif

/* A set of digests: added in any order, then sorted once, then asked. */
#pragma once

#include "base/arena.h"
#include "base/digest.h"

struct jw_digest_set {
    uint8_t (*v)[JW_DIGEST];
    size_t n;
};

void jw_digest_set_add(struct jw_digest_set *s, struct jw_arena *a,
                       const uint8_t digest[JW_DIGEST]);

/* Keeps each once. */
void jw_digest_set_sort(struct jw_digest_set *s);

bool jw_digest_set_has(const struct jw_digest_set *s, const uint8_t digest[JW_DIGEST]);

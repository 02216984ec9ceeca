/* BLAKE2b-512 of bytes that are all here. */
#pragma once

#include "base/digest.h"

static inline void digest512(uint8_t out[JW_DIGEST512], const void *p, size_t n)
{
    struct jw_digest_state s;

    jw_digest512_init(&s);
    jw_digest_update(&s, p, n);
    jw_digest_final(&s, out);
}

#include "base/sha256.h"

#include <sodium.h>

_Static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(struct jw_sha256_state),
               "room for libsodium's state");
_Static_assert(_Alignof(crypto_hash_sha256_state) <= _Alignof(struct jw_sha256_state),
               "aligned as libsodium's");

static crypto_hash_sha256_state *state(struct jw_sha256_state *s)
{
    return (crypto_hash_sha256_state *)(void *)s->opaque;
}

void jw_sha256_init(struct jw_sha256_state *s)
{
    (void)crypto_hash_sha256_init(state(s));
}

void jw_sha256_update(struct jw_sha256_state *s, const void *p, size_t n)
{
    if (n)
        (void)crypto_hash_sha256_update(state(s), p, n);
}

void jw_sha256_final(struct jw_sha256_state *s, uint8_t out[JW_SHA256])
{
    (void)crypto_hash_sha256_final(state(s), out);
}

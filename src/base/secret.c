#include "base/secret.h"

#include <sodium.h>

void jw_secret_wipe(void *p, size_t n)
{
    sodium_memzero(p, n);
}

bool jw_secret_same(const void *a, const void *b, size_t n)
{
    return sodium_memcmp(a, b, n) == 0;
}

bool jw_secret_random(void *p, size_t n, struct jw_err *err)
{
    if (sodium_init() < 0)
        return jw_fail(err, JW_E_IO, "libsodium could not be made ready to give random bytes");
    randombytes_buf(p, n);
    return true;
}

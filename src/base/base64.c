#include "base/base64.h"

#include <sodium.h>

void jw_base64_put(char *out, const void *p, size_t n)
{
    (void)sodium_bin2base64(out, JW_BASE64(n) + 1, p, n, sodium_base64_VARIANT_ORIGINAL);
}

/* libsodium takes 0xaf for a slash and 0xab for a plus where char is signed. */
static bool is_ascii(struct jw_bytes text)
{
    unsigned all = 0;

    for (size_t i = 0; i < text.n; i++)
        all |= text.p[i];
    return all < 0x80;
}

bool jw_base64_get(uint8_t *out, size_t n, struct jw_bytes text)
{
    size_t got = 0;

    return text.n == JW_BASE64(n) && is_ascii(text)
           && sodium_base642bin(out, n, (const char *)text.p, text.n, NULL, &got, NULL,
                                sodium_base64_VARIANT_ORIGINAL)
                  == 0
           && got == n;
}

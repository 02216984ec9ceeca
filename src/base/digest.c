#include "base/digest.h"

#include "base/compiler.h"
#include "base/work.h"

static void init_state(struct jw_digest_state *s, size_t length)
{
    /* sodium_init does its work once, under a lock. A failure only costs speed. */
    int chosen = sodium_init();

    (void)chosen;
    s->length = length;
    (void)crypto_generichash_init(&s->of, NULL, 0, length);
}

void jw_digest_init(struct jw_digest_state *s) { init_state(s, JW_DIGEST); }

void jw_digest512_init(struct jw_digest_state *s) { init_state(s, JW_DIGEST512); }

void jw_digest_update(struct jw_digest_state *s, const void *p, size_t n)
{
    jw_work_add(JW_WORK_BYTES_HASHED, n);
    if (n)
        (void)crypto_generichash_update(&s->of, p, n);
}

void jw_digest_final(struct jw_digest_state *s, uint8_t *out)
{
    (void)crypto_generichash_final(&s->of, out, s->length);
}

void jw_digest(uint8_t out[JW_DIGEST], const void *p, size_t n)
{
    struct jw_digest_state s;

    jw_digest_init(&s);
    jw_digest_update(&s, p, n);
    jw_digest_final(&s, out);
}

struct jw_digest_text jw_digest_text(const uint8_t digest[JW_DIGEST])
{
    struct jw_digest_text t;

    (void)sodium_bin2hex(t.text, sizeof t.text, digest, JW_DIGEST);
    return t;
}

/* ThreadSanitizer would ask for each byte, which takes most of the tests of packs. */
JW_UNWATCHED uint64_t jw_fnv1a(uint64_t h, const void *p, size_t n)
{
    const uint8_t *b = p;

    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * JW_FNV_PRIME;
    return h;
}

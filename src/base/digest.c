#include "base/digest.h"

#include "base/compiler.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/work.h"

#include <sodium.h>
#include <string.h>

enum { PIECE = 1 << 16 };

_Static_assert(sizeof(crypto_generichash_state) <= sizeof(struct jw_digest_state),
               "room for libsodium's state");
_Static_assert(_Alignof(crypto_generichash_state) <= _Alignof(struct jw_digest_state),
               "aligned as libsodium's");

/* An object of our type is what libsodium's is declared over: both are plain bytes. */
static crypto_generichash_state *state(struct jw_digest_state *s)
{
    return (crypto_generichash_state *)(void *)s->opaque;
}

static void init_state(struct jw_digest_state *s, size_t length)
{
    /* It locks, does its work once, and only chooses the fastest code: a failure costs speed. */
    int chosen = sodium_init();

    (void)chosen;
    (void)crypto_generichash_init(state(s), NULL, 0, length);
}

void jw_digest_init(struct jw_digest_state *s)
{
    init_state(s, JW_DIGEST);
}

void jw_digest_update(struct jw_digest_state *s, const void *p, size_t n)
{
    jw_work_add(JW_WORK_BYTES_HASHED, n);
    if (n)
        (void)crypto_generichash_update(state(s), p, n);
}

void jw_digest_final(struct jw_digest_state *s, uint8_t out[JW_DIGEST])
{
    (void)crypto_generichash_final(state(s), out, JW_DIGEST);
}

void jw_digest(uint8_t out[JW_DIGEST], const void *p, size_t n)
{
    struct jw_digest_state s;

    jw_digest_init(&s);
    jw_digest_update(&s, p, n);
    jw_digest_final(&s, out);
}

/* ---- several at once ---- */

static int by_length(const void *a, const void *b)
{
    const struct jw_bytes *x = *(const struct jw_bytes *const *)a, *y = *(const struct jw_bytes *const *)b;

    return x->n != y->n ? (x->n < y->n ? 1 : -1) : x < y ? -1 : x > y;
}

void *jw_longest_first(void *list, size_t n, size_t size)
{
    void **order = jw_alloc((n + 1) * sizeof *order);

    for (size_t i = 0; i < n; i++)
        order[i] = (uint8_t *)list + i * size;
    jw_sort((void *)order, n, sizeof *order, by_length);
    return (void *)order;
}

void jw_digest_texts(struct jw_digest_text *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_digest(list[i].digest, list[i].bytes.p, list[i].bytes.n);
}

bool jw_digest_source(uint8_t out[JW_DIGEST], const struct jw_source *source, struct jw_err *err)
{
    struct jw_digest_state s;
    uint8_t *piece = jw_alloc(PIECE);
    bool ok = true;

    jw_digest_init(&s);
    for (uint64_t at = 0; ok && at < source->size; at += PIECE) {
        size_t n = (size_t)jw_min(PIECE, source->size - at);

        ok = jw_source_read(source, at, piece, n, err);
        if (ok)
            jw_digest_update(&s, piece, n);
    }
    jw_digest_final(&s, out);
    jw_free(piece);
    return ok;
}

void jw_digest_hex(char out[2 * JW_DIGEST + 1], const uint8_t digest[JW_DIGEST])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < JW_DIGEST; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[2 * JW_DIGEST] = '\0';
}

void jw_digest512_init(struct jw_digest_state *s)
{
    init_state(s, JW_DIGEST512);
}

void jw_digest512_final(struct jw_digest_state *s, uint8_t out[JW_DIGEST512])
{
    (void)crypto_generichash_final(state(s), out, JW_DIGEST512);
}

_Static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(struct jw_sha256_state),
               "room for libsodium's state");
_Static_assert(_Alignof(crypto_hash_sha256_state) <= _Alignof(struct jw_sha256_state),
               "aligned as libsodium's");

static crypto_hash_sha256_state *sha256_state(struct jw_sha256_state *s)
{
    return (crypto_hash_sha256_state *)(void *)s->opaque;
}

void jw_sha256_init(struct jw_sha256_state *s)
{
    (void)crypto_hash_sha256_init(sha256_state(s));
}

void jw_sha256_update(struct jw_sha256_state *s, const void *p, size_t n)
{
    jw_work_add(JW_WORK_BYTES_HASHED, n);
    if (n)
        (void)crypto_hash_sha256_update(sha256_state(s), p, n);
}

void jw_sha256_final(struct jw_sha256_state *s, uint8_t out[JW_SHA256])
{
    (void)crypto_hash_sha256_final(sha256_state(s), out);
}

/* ThreadSanitizer would ask for each byte, which takes longer than all else in the tests of packs. */
JW_UNWATCHED uint64_t jw_fnv1a(uint64_t h, const void *p, size_t n)
{
    const uint8_t *b = p;

    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * JW_FNV_PRIME;
    return h;
}

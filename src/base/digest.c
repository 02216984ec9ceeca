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

#if defined(__x86_64__) && defined(__ELF__) /* for Windows gcc aligns no stack for such vectors */

#include <immintrin.h>

enum { LANES = 4, BLOCK = 128, WORDS = 16, ROUNDS = 12 };

#define AVX2 __attribute__((target("avx2")))

/* BLAKE2b (RFC 7693) of four texts side by side, a word of each in a vector: no word has to change its place. */
struct lanes {
    alignas(32) uint64_t h[8][LANES];
    struct jw_digest_text *of[LANES]; /* NULL: none is left */
    const uint8_t *at[LANES];
    uint64_t done[LANES], blocks[LANES]; /* blocks: before the last one */
};

static const uint64_t IV[8] = { 0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                0x1f83d9abfb41bd6b, 0x5be0cd19137e2179 };

static const uint8_t SIGMA[10][WORDS] = { { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
                                          { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
                                          { 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
                                          { 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
                                          { 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
                                          { 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
                                          { 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
                                          { 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
                                          { 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
                                          { 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 } };

AVX2 static inline __m256i turned(__m256i x, long long high, long long low)
{
    return _mm256_shuffle_epi8(x, _mm256_set_epi64x(high, low, high, low));
}

AVX2 __attribute__((always_inline)) static inline void mix(__m256i v[WORDS], const unsigned at[4], __m256i x,
                                                           __m256i y)
{
    __m256i a = v[at[0]], b = v[at[1]], c = v[at[2]], d = v[at[3]];

    a = _mm256_add_epi64(_mm256_add_epi64(a, b), x);
    d = _mm256_shuffle_epi32(_mm256_xor_si256(d, a), 0xb1);
    c = _mm256_add_epi64(c, d);
    b = turned(_mm256_xor_si256(b, c), 0xa09080f0e0d0c0bLL, 0x201000706050403LL);
    a = _mm256_add_epi64(_mm256_add_epi64(a, b), y);
    d = turned(_mm256_xor_si256(d, a), 0x9080f0e0d0c0b0aLL, 0x100070605040302LL);
    c = _mm256_add_epi64(c, d);
    b = _mm256_xor_si256(b, c);
    v[at[0]] = a;
    v[at[1]] = _mm256_or_si256(_mm256_srli_epi64(b, 63), _mm256_add_epi64(b, b));
    v[at[2]] = c;
    v[at[3]] = d;
}

/* A block of each text. `last`: all bits, or none. */
AVX2 static void compress(struct lanes *l, long long last)
{
    __m256i m[WORDS], v[WORDS];

    for (unsigned i = 0; i < WORDS; i++) {
        long long w[LANES];

        for (unsigned k = 0; k < LANES; k++)
            memcpy(&w[k], l->at[k] + 8 * i, sizeof w[k]);
        m[i] = _mm256_set_epi64x(w[3], w[2], w[1], w[0]);
    }
    for (unsigned i = 0; i < 8; i++) {
        v[i] = _mm256_load_si256((const __m256i *)l->h[i]);
        v[8 + i] = _mm256_set1_epi64x((long long)IV[i]);
    }
    v[12] = _mm256_xor_si256(v[12], _mm256_loadu_si256((const __m256i *)l->done));
    v[14] = _mm256_xor_si256(v[14], _mm256_set1_epi64x(last));
    for (unsigned r = 0; r < ROUNDS; r++) {
        const uint8_t *s = SIGMA[r % 10];

        mix(v, (const unsigned[]){ 0, 4, 8, 12 }, m[s[0]], m[s[1]]);
        mix(v, (const unsigned[]){ 1, 5, 9, 13 }, m[s[2]], m[s[3]]);
        mix(v, (const unsigned[]){ 2, 6, 10, 14 }, m[s[4]], m[s[5]]);
        mix(v, (const unsigned[]){ 3, 7, 11, 15 }, m[s[6]], m[s[7]]);
        mix(v, (const unsigned[]){ 0, 5, 10, 15 }, m[s[8]], m[s[9]]);
        mix(v, (const unsigned[]){ 1, 6, 11, 12 }, m[s[10]], m[s[11]]);
        mix(v, (const unsigned[]){ 2, 7, 8, 13 }, m[s[12]], m[s[13]]);
        mix(v, (const unsigned[]){ 3, 4, 9, 14 }, m[s[14]], m[s[15]]);
    }
    for (unsigned i = 0; i < 8; i++)
        _mm256_store_si256((__m256i *)l->h[i], _mm256_xor_si256(_mm256_load_si256((const __m256i *)l->h[i]),
                                                                _mm256_xor_si256(v[i], v[8 + i])));
}

static void start_lane(struct lanes *l, unsigned k, struct jw_digest_text *text)
{
    l->of[k] = text;
    l->at[k] = text->bytes.p;
    l->done[k] = 0;
    l->blocks[k] = text->bytes.n ? (text->bytes.n - 1) / BLOCK : 0;
    for (unsigned i = 0; i < 8; i++)
        l->h[i][k] = IV[i] ^ (i ? 0 : 0x01010000 ^ JW_DIGEST);
}

/* The last block of one text, in all four lanes of a copy. */
static void finish_lane(const struct lanes *l, unsigned k)
{
    uint8_t block[BLOCK] = { 0 };
    struct lanes end = *l;
    struct jw_bytes text = l->of[k]->bytes;
    size_t left = text.n - (size_t)l->done[k];

    if (left)
        memcpy(block, l->at[k], left);
    for (unsigned i = 0; i < LANES; i++) {
        end.at[i] = block;
        end.done[i] = text.n;
    }
    compress(&end, -1);
    for (unsigned i = 0; i < JW_DIGEST / 8; i++)
        jw_put64(l->of[k]->digest + 8 * (size_t)i, end.h[i][k]);
}

/* Advances to the end of the shortest of the four texts. A lane without a text repeats another one's. */
static bool advance(struct lanes *l)
{
    uint64_t step = UINT64_MAX;
    unsigned any = LANES;

    for (unsigned k = 0; k < LANES; k++) {
        if (!l->of[k])
            continue;
        any = k;
        step = jw_min(step, l->blocks[k]);
    }
    if (any == LANES)
        return false;
    for (unsigned k = 0; k < LANES; k++)
        if (!l->of[k])
            l->at[k] = l->at[any];
    for (uint64_t i = 0; i < step; i++) {
        for (unsigned k = 0; k < LANES; k++)
            l->done[k] += BLOCK;
        compress(l, 0);
        for (unsigned k = 0; k < LANES; k++)
            l->at[k] += BLOCK;
    }
    for (unsigned k = 0; k < LANES; k++)
        l->blocks[k] -= l->of[k] ? step : 0;
    return true;
}

static bool digest_side_by_side(struct jw_digest_text *list, size_t n)
{
    struct lanes l = { .of = { NULL } };
    struct jw_digest_text **order;
    size_t next = 0;

    if (n < 2 || sodium_init() < 0 || !sodium_runtime_has_avx2())
        return false;
    order = jw_longest_first(list, n, sizeof *list);
    do {
        for (unsigned k = 0; k < LANES; k++)
            while (!l.blocks[k] && (l.of[k] || next < n)) {
                if (l.of[k])
                    finish_lane(&l, k);
                l.of[k] = NULL;
                if (next < n)
                    start_lane(&l, k, order[next++]);
            }
    } while (advance(&l));
    jw_free((void *)order);
    return true;
}

#else

static bool digest_side_by_side(struct jw_digest_text *list, size_t n)
{
    (void)list;
    (void)n;
    return false;
}

#endif

void jw_digest_texts(struct jw_digest_text *list, size_t n)
{
    if (digest_side_by_side(list, n))
        return;
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

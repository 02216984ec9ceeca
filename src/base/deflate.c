/*
 * deflate.c -- RFC 1951
 *
 *   block    1 bit: the last one   2 bits: 0 stored, 1 fixed codes, 2 codes of its own
 *   stored   to the next byte   u16 length   u16 its complement   bytes
 *   own      5 literals - 257   5 distances - 1   4 code lengths - 4   3 for each of these   the lengths of the codes
 *
 * An entry of a table: the bits that it takes with those behind the code (0-7), the bits of the code alone (8-11),
 * flags (12-15), and the literal, what a length or distance begins with, or where a subtable is (16-31).
 */
#include "base/deflate.h"

#include "base/num.h"

#include <string.h>

enum { LITERAL_BITS = 11, DISTANCE_BITS = 9, LENGTHS_BITS = 7, LONGEST = 15 };
enum { MAX_LITERALS = 288, MAX_DISTANCES = 32, N_LENGTHS = 19, BLOCK_END = 256 };
enum { IN = 32 * 1024, PAD = 64, TOO_SHORT = 32, BEYOND = 16, FIRST_FETCH = 4096 };
enum { BETWEEN, STORED, CODES };

#define LITERAL 0x8000U
#define SPECIAL 0x4000U /* with neither of these: no such code */
#define SUBTABLE 0x2000U
#define LAST_CODE 0x1000U /* of the block */

#define ROOM(bits, most)                                                                                     \
    ((1 << (bits)) + (most) / 2 * (1 << (LONGEST - (bits)))) /* a subtable has two symbols at least */
_Static_assert(sizeof((struct jw_deflate *)0)->literals == 4 * ROOM(LITERAL_BITS, MAX_LITERALS), "");
_Static_assert(sizeof((struct jw_deflate *)0)->distances == 4 * ROOM(DISTANCE_BITS, MAX_DISTANCES), "");
_Static_assert(sizeof((struct jw_deflate *)0)->buf == IN + PAD, "");

static inline void refill(struct jw_deflate_cursor *c)
{
    c->bits |= jw_le64(c->in) << c->n;
    c->in += (63 - c->n) >> 3;
    c->n |= 56;
}

static inline unsigned take_bits(struct jw_deflate_cursor *c, unsigned n)
{
    unsigned v = (unsigned)(c->bits & ((1U << n) - 1));

    c->bits >>= n;
    c->n -= n;
    return v;
}

void jw_deflate_start(struct jw_deflate *d, const struct jw_source *packed, uint64_t bit)
{
    d->packed = *packed;
    d->fetched = bit / 8;
    d->skip = bit % 8;
    d->c = (struct jw_deflate_cursor){ 0, 0, d->buf };
    d->stop = d->end = d->buf;
    d->block = BETWEEN;
    d->last = false;
}

bool jw_deflate_between(const struct jw_deflate *d, uint64_t *bit)
{
    *bit = (d->fetched - (uint64_t)(d->end - d->c.in)) * 8 - d->c.n + d->skip;
    return d->block == BETWEEN;
}

/* Zeros follow the last byte, so that the loop needs no check at each bit. */
static enum jw_deflate_state fetch_input(struct jw_deflate *d, struct jw_err *err)
{
    if (d->stop > d->end)
        return JW_DEFLATE_CUT_OFF;
    size_t left = (size_t)(d->end - d->c.in);
    size_t n = (size_t)jw_min(d->end > d->buf ? IN - left : FIRST_FETCH, d->packed.size - d->fetched);

    memmove(d->buf, d->c.in, left);
    if (!jw_source_read(&d->packed, d->fetched, d->buf + left, n, err))
        return JW_DEFLATE_UNREADABLE;
    d->fetched += n;
    d->c.in = d->buf;
    d->end = d->buf + left + n;
    d->stop = d->end - TOO_SHORT;
    if (d->fetched == d->packed.size) {
        memset(d->buf + left + n, 0, PAD);
        d->stop = d->end + BEYOND;
    }
    return JW_DEFLATE_MORE;
}

/* At least 56 bits. */
static inline enum jw_deflate_state ready(struct jw_deflate *d, struct jw_err *err)
{
    enum jw_deflate_state state = d->c.in < d->stop ? JW_DEFLATE_MORE : fetch_input(d, err);

    if (state == JW_DEFLATE_MORE)
        refill(&d->c);
    return state;
}

/* What the symbols mean, without their codes. */
static uint32_t length_entry(unsigned symbol)
{
    unsigned i = symbol - 261, extra = i / 4;

    if (symbol < BLOCK_END)
        return LITERAL | symbol << 16;
    if (symbol == BLOCK_END)
        return SPECIAL | LAST_CODE;
    if (symbol < 265)
        return (symbol - 254) << 16;
    if (symbol < 285)
        return (((4 + i % 4) << extra) + 3) << 16 | extra;
    return symbol == 285 ? 258U << 16 : SPECIAL;
}

static uint32_t distance_entry(unsigned symbol)
{
    unsigned extra = symbol / 2 - 1;

    if (symbol < 2)
        return (symbol + 1) << 16;
    return symbol < 30 ? (((2 + symbol % 2) << extra) + 1) << 16 | extra : SPECIAL;
}

static uint32_t plain_entry(unsigned symbol)
{
    return symbol << 16;
}

/* The symbols that have a code, by its length. False: more codes than bits, or fewer and not the single one that may
 * be. */
static bool sort(const uint8_t *lengths, unsigned *n, bool single, uint16_t sorted[], bool *whole)
{
    unsigned at[LONGEST + 2] = { 0 }, codes = 1, most = 0;

    for (unsigned i = 0; i < *n; i++)
        at[lengths[i] + 1]++;
    at[1] = 0;
    for (unsigned len = 1; len <= LONGEST; len++) {
        codes *= 2;
        if (at[len + 1] > codes)
            return false;
        codes -= at[len + 1];
        most = at[len + 1] ? len : most;
        at[len + 1] += at[len];
    }
    for (unsigned i = 0; i < *n; i++)
        if (lengths[i])
            sorted[at[lengths[i]]++] = (uint16_t)i;
    *n = at[LONGEST + 1];
    *whole = codes == 0;
    return *whole || (single && most <= 1);
}

/* Codes are packed with their first bit lowest. The one after `code`, of the same length, when read from there. */
static unsigned next_code(unsigned code, unsigned len)
{
    unsigned zeros = code ^ ((1U << len) - 1), top = zeros ? 1U << (31 - (unsigned)__builtin_clz(zeros)) : 0;

    return top ? (code & (top - 1)) | top : 0;
}

/* The table has 1 << `from` entries and gets 1 << `to`: the bits above a code may be anything. */
static void widen(uint32_t *table, unsigned from, unsigned to)
{
    for (; from < to; from++)
        memcpy(table + (1U << from), table, sizeof *table << from);
}

static bool build(uint32_t *table, unsigned bits, const uint8_t *lengths, unsigned n,
                  uint32_t (*entry)(unsigned symbol))
{
    const unsigned mask = (1U << bits) - 1, sub_size = 1U << (LONGEST - bits);
    uint16_t sorted[MAX_LITERALS];
    unsigned code = 0, wide = 1, prefix = 0, sub = 0, i = 0;
    bool whole;

    if (!sort(lengths, &n, bits != LENGTHS_BITS, sorted, &whole))
        return false;
    if (!whole)
        table[0] = table[1] = SPECIAL | 1;
    for (; i < n && lengths[sorted[i]] <= bits; i++) {
        unsigned len = lengths[sorted[i]];

        widen(table, wide, len);
        wide = len;
        table[code] = entry(sorted[i]) + len + (len << 8);
        code = next_code(code, len);
    }
    widen(table, wide, bits);
    for (; i < n; i++) {
        unsigned len = lengths[sorted[i]], left = len - bits;

        if (!sub || prefix != (code & mask)) {
            sub = sub ? sub + sub_size : mask + 1;
            prefix = code & mask;
            table[prefix] = SPECIAL | SUBTABLE | bits | sub << 16;
        }
        for (unsigned at = code >> bits; at < sub_size; at += 1U << left)
            table[sub + at] = entry(sorted[i]) + left + (left << 8);
        code = next_code(code, len);
    }
    return true;
}

static bool take_codes(struct jw_deflate *d, const uint8_t *lengths, unsigned literals, unsigned distances)
{
    if (!build(d->literals, LITERAL_BITS, lengths, literals, length_entry)
        || !build(d->distances, DISTANCE_BITS, lengths + literals, distances, distance_entry))
        return false;
    d->block = CODES;
    return true;
}

static enum jw_deflate_state fixed_codes(struct jw_deflate *d)
{
    uint8_t lengths[MAX_LITERALS + MAX_DISTANCES];

    for (unsigned i = 0; i < MAX_LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(lengths + MAX_LITERALS, 5, MAX_DISTANCES);
    return take_codes(d, lengths, MAX_LITERALS, MAX_DISTANCES) ? JW_DEFLATE_MORE : JW_DEFLATE_DAMAGED;
}

static enum jw_deflate_state own_codes(struct jw_deflate *d, struct jw_err *err)
{
    static const uint8_t order[N_LENGTHS] = {
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
    };
    uint8_t lengths[MAX_LITERALS + MAX_DISTANCES] = { 0 };
    unsigned literals = 257 + take_bits(&d->c, 5), distances = 1 + take_bits(&d->c, 5),
             n = 4 + take_bits(&d->c, 4), i;
    enum jw_deflate_state state = JW_DEFLATE_MORE;

    if (literals > 286 || distances > 30)
        return JW_DEFLATE_DAMAGED;
    for (i = 0; i < n && (state = ready(d, err)) == JW_DEFLATE_MORE; i++)
        lengths[order[i]] = (uint8_t)take_bits(&d->c, 3);
    if (state != JW_DEFLATE_MORE)
        return state;
    if (!build(d->distances, LENGTHS_BITS, lengths, N_LENGTHS, plain_entry))
        return JW_DEFLATE_DAMAGED;
    for (i = 0; i < literals + distances && (state = ready(d, err)) == JW_DEFLATE_MORE;) {
        uint32_t e = d->distances[d->c.bits & ((1 << LENGTHS_BITS) - 1)];
        unsigned symbol = e >> 16, times = 1;

        (void)take_bits(&d->c, e & 0xff);
        if (symbol == 16 && i == 0)
            return JW_DEFLATE_DAMAGED;
        uint8_t len = symbol < 16 ? (uint8_t)symbol : symbol == 16 ? lengths[i - 1] : 0;
        if (symbol >= 16)
            times = symbol == 16   ? 3 + take_bits(&d->c, 2)
                    : symbol == 17 ? 3 + take_bits(&d->c, 3)
                                   : 11 + take_bits(&d->c, 7);
        if (times > literals + distances - i)
            return JW_DEFLATE_DAMAGED;
        memset(lengths + i, len, times);
        i += times;
    }
    if (state != JW_DEFLATE_MORE)
        return state;
    return lengths[BLOCK_END] && take_codes(d, lengths, literals, distances) ? JW_DEFLATE_MORE
                                                                             : JW_DEFLATE_DAMAGED;
}

static enum jw_deflate_state stored(struct jw_deflate *d, struct jw_err *err)
{
    enum jw_deflate_state state;

    (void)take_bits(&d->c, d->c.n % 8);
    if ((state = ready(d, err)) != JW_DEFLATE_MORE)
        return state;
    d->stored = take_bits(&d->c, 16);
    if (take_bits(&d->c, 16) != (d->stored ^ 0xffff))
        return JW_DEFLATE_DAMAGED;
    d->c.in -= d->c.n / 8;
    d->c.bits = d->c.n = 0;
    d->block = STORED;
    return JW_DEFLATE_MORE;
}

static enum jw_deflate_state begin_block(struct jw_deflate *d, struct jw_err *err)
{
    enum jw_deflate_state state = ready(d, err);

    if (state != JW_DEFLATE_MORE)
        return state;
    (void)take_bits(&d->c, d->skip);
    d->skip = 0;
    d->last = take_bits(&d->c, 1);
    switch (take_bits(&d->c, 2)) {
    case 0: return stored(d, err);
    case 1: return fixed_codes(d);
    case 2: return own_codes(d, err);
    default: return JW_DEFLATE_DAMAGED;
    }
}

static enum jw_deflate_state copy_stored(struct jw_deflate *d, uint8_t *out, size_t *n, size_t until,
                                         struct jw_err *err)
{
    while (d->stored && *n < until) {
        if (d->c.in >= d->end) {
            enum jw_deflate_state state = fetch_input(d, err);

            if (state != JW_DEFLATE_MORE)
                return state;
        }
        size_t some = (size_t)jw_min(jw_min(d->stored, until - *n), (uint64_t)(d->end - d->c.in));

        memcpy(out + *n, d->c.in, some);
        d->c.in += some;
        d->stored -= some;
        *n += some;
    }
    if (d->stored == 0)
        d->block = BETWEEN;
    return JW_DEFLATE_MORE;
}

/* May write up to 31 bytes behind the match: most are short, and a length that is not looked at is not guessed
 * wrong. */
static inline void copy_match(uint8_t *to, size_t length, size_t distance)
{
    const uint8_t *from = to - distance, *end = to + length;

    if (distance < 16) {
        for (unsigned i = 0; i < 16; i++)
            to[i] = from[i];
        distance *= (15 + distance) / distance; /* the same bytes, at least sixteen back */
        to += 16;
        from = to - distance;
    }
    memcpy(to, from, 16);
    memcpy(to + 16, from + 16, 16);
    for (to += 32, from += 32; to < end; to += 16, from += 16)
        memcpy(to, from, 16);
}

static inline void drop_bits(struct jw_deflate_cursor *c, uint32_t e)
{
    c->bits >>= e & 0xff;
    c->n -= e & 0xff;
}

static inline uint8_t *put_literal(struct jw_deflate_cursor *c, uint8_t *to, uint32_t e)
{
    *to = (uint8_t)(e >> 16);
    drop_bits(c, e);
    return to + 1;
}

static inline uint32_t peek_entry(const struct jw_deflate_cursor *c, const uint32_t *table, unsigned bits)
{
    return table[c->bits & ((1U << bits) - 1)];
}

/* What a subtable says, when the table points to one. */
static inline uint32_t look_further(struct jw_deflate_cursor *c, const uint32_t *table, unsigned bits,
                                    uint32_t e)
{
    if (!(e & SUBTABLE))
        return e;
    drop_bits(c, bits);
    return peek_entry(c, table + (e >> 16), LONGEST - bits);
}

/* A length or distance, with the bits behind its code. */
static inline size_t value(struct jw_deflate_cursor *c, uint32_t e)
{
    uint64_t bits = c->bits;

    drop_bits(c, e);
    return (e >> 16) + ((bits & ((UINT64_C(1) << (e & 0xff)) - 1)) >> (e >> 8 & 15));
}

/*
 * Each look at a table goes before the refill that it does not need, so that one does not wait for the other. After a
 * refill there are 56 bits at least: three literals take 33 and leave a look; two and a length take 42 and leave a look
 * at the distances, a distance takes 28.
 */
static inline __attribute__((always_inline)) enum jw_deflate_state symbols(struct jw_deflate *d,
                                                                           const uint8_t *oldest,
                                                                           uint8_t **out,
                                                                           const uint8_t *until)
{
    const uint32_t *literals = d->literals, *distances = d->distances;
    const uint8_t *stop = d->stop;
    struct jw_deflate_cursor c = d->c;
    uint8_t *to = *out;
    enum jw_deflate_state state = JW_DEFLATE_MORE;

    refill(&c);
    uint32_t e = peek_entry(&c, literals, LITERAL_BITS);
    while (to < until && c.in < stop) {
        if (e & LITERAL) {
            to = put_literal(&c, to, e);
            e = peek_entry(&c, literals, LITERAL_BITS);
            if (e & LITERAL) {
                to = put_literal(&c, to, e);
                e = peek_entry(&c, literals, LITERAL_BITS);
                if (e & LITERAL) {
                    to = put_literal(&c, to, e);
                    e = peek_entry(&c, literals, LITERAL_BITS);
                    refill(&c);
                    continue;
                }
            }
        }
        if (e & SPECIAL) {
            e = look_further(&c, literals, LITERAL_BITS, e);
            if (e & LITERAL) {
                to = put_literal(&c, to, e);
                refill(&c);
                e = peek_entry(&c, literals, LITERAL_BITS);
                continue;
            }
            if (e & SPECIAL) {
                state = e & LAST_CODE ? JW_DEFLATE_MORE : JW_DEFLATE_DAMAGED;
                drop_bits(&c, e);
                d->block = BETWEEN;
                break;
            }
        }
        size_t length = value(&c, e);

        e = peek_entry(&c, distances, DISTANCE_BITS);
        refill(&c);
        e = look_further(&c, distances, DISTANCE_BITS, e);
        size_t distance = value(&c, e);

        if ((e & SPECIAL) || distance > (size_t)(to - oldest)) {
            state = JW_DEFLATE_DAMAGED;
            break;
        }
        e = peek_entry(&c, literals, LITERAL_BITS);
        refill(&c);
        copy_match(to, length, distance);
        to += length;
    }
    d->c = c;
    *out = to;
    return state;
}

#ifdef __x86_64__
/* BMI2 shifts by a variable in one instruction. */
__attribute__((target("bmi,bmi2"))) static enum jw_deflate_state symbols_bmi2(struct jw_deflate *d,
                                                                              const uint8_t *oldest,
                                                                              uint8_t **out,
                                                                              const uint8_t *until)
{
    return symbols(d, oldest, out, until);
}
#endif

static enum jw_deflate_state symbols_here(struct jw_deflate *d, const uint8_t *oldest, uint8_t **out,
                                          const uint8_t *until)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("bmi2"))
        return symbols_bmi2(d, oldest, out, until);
#endif
    return symbols(d, oldest, out, until);
}

static enum jw_deflate_state unpack_codes(struct jw_deflate *d, uint8_t *out, size_t *n, size_t until,
                                          struct jw_err *err)
{
    uint8_t *to = out + *n;
    enum jw_deflate_state state = JW_DEFLATE_MORE;

    while (state == JW_DEFLATE_MORE && d->block == CODES && to < out + until) {
        state = d->c.in < d->stop ? JW_DEFLATE_MORE : fetch_input(d, err);
        if (state == JW_DEFLATE_MORE)
            state = symbols_here(d, out, &to, out + until);
    }
    *n = (size_t)(to - out);
    return state;
}

enum jw_deflate_state jw_deflate_more(struct jw_deflate *d, uint8_t *out, size_t *n, size_t until,
                                      struct jw_err *err)
{
    enum jw_deflate_state state = JW_DEFLATE_MORE;

    if (d->block == BETWEEN)
        state = d->last ? JW_DEFLATE_END : begin_block(d, err);
    if (state == JW_DEFLATE_MORE && d->block == STORED)
        state = copy_stored(d, out, n, until, err);
    else if (state == JW_DEFLATE_MORE)
        state = unpack_codes(d, out, n, until, err);
    if (d->c.in - d->c.n / 8 > d->end && state != JW_DEFLATE_UNREADABLE)
        state = JW_DEFLATE_CUT_OFF;
    return state;
}

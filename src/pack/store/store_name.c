/*
 * DRIVER-sm_NN-STAMP-DIGEST.tar.zst
 *
 * DRIVER is the version, cut to 40 bytes, or "driver". STAMP is 20260107-225146 for "Jan  7 202622:51:46"; in a stamp of another
 * form all but lower-case letters and digits become %XX. DIGEST is the beginning of the body's.
 */
#include "base/buf.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "pack/store/store.h"

#include <stdio.h>
#include <string.h>

#define UNNAMED "driver"
#define ENDING ".tar.zst"

enum {
    MAX_NAME = 250,  /* bytes of a name, below what file systems allow */
    MAX_DRIVER = 40, /* of the version's text */
    DATED = 15,      /* "20260107-225146" */
    DIGITS = 12      /* of the digest */
};

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || jw_is_digit(c);
}

/* ---- from a key ---- */

static void put_plain(struct jw_buf *out, const char *text, const char *also)
{
    for (; *text; text++) {
        if (is_plain(*text) || strchr(also, *text))
            jw_buf_add(out, text, 1);
        else
            jw_buf_printf(out, "%%%02X", (unsigned)(uint8_t)*text);
    }
}

static void put_stamp(struct jw_buf *out, const char *stamp)
{
    uint64_t dated = jw_cache_stamp_time(stamp); /* 20260107225146 */

    if (dated)
        jw_buf_printf(out, "%08llu-%06llu", (unsigned long long)(dated / 1000000),
                      (unsigned long long)(dated % 1000000));
    else
        put_plain(out, stamp, "");
}

static void put_driver(struct jw_buf *out, const char *driver)
{
    char word[MAX_DRIVER + 1] = UNNAMED;

    if (driver && *driver) {
        size_t n = strlen(driver);

        if (n > MAX_DRIVER)
            n = MAX_DRIVER;
        memcpy(word, driver, n);
        word[n] = '\0';
    }
    put_plain(out, word, ".");
}

static void put_name(struct jw_buf *out, const struct jw_store_key *key, const char *digits)
{
    put_driver(out, key->driver);
    jw_buf_printf(out, "-sm_%u-", (unsigned)key->sm);
    put_stamp(out, key->stamp);
    jw_buf_printf(out, "-%.*s" ENDING, (int)DIGITS, digits);
}

/* A buffer that needs no memory of its own; its text is `name`. */
static bool write_pack_name(const struct jw_store_key *key, const char *digits, char name[MAX_NAME + 1])
{
    struct jw_buf out = { .p = (uint8_t *)name, .cap = MAX_NAME + 1, .max = MAX_NAME };

    put_name(&out, key, digits);
    (void)jw_buf_cstr(&out);
    return !out.bad;
}

bool jw_store_stamp(struct jw_buf *out, const char *stamp, struct jw_err *err)
{
    if (!stamp || strlen(stamp) != JW_CACHE_STAMP)
        return jw_fail(err, JW_E_USAGE, "the store needs a pack's driver build and architecture");
    put_stamp(out, stamp);
    return true;
}

char *jw_store_name(const struct jw_store_key *key, const uint8_t digest[JW_DIGEST], struct jw_arena *a,
                    struct jw_err *err)
{
    char text[MAX_NAME + 1], digits[2 * JW_DIGEST + 1];

    jw_digest_hex(digits, digest);
    if (!key->stamp || strlen(key->stamp) != JW_CACHE_STAMP || !key->sm
        || !write_pack_name(key, digits, text)) {
        (void)jw_fail(err, JW_E_USAGE, "the store needs a pack's driver build and architecture");
        return NULL;
    }
    return jw_arena_str(a, text);
}

/* ---- to a key ---- */

static unsigned hex(char c)
{
    return jw_is_digit(c) ? (unsigned)(c - '0') : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

/* The reverse of put_plain; false: not its output, or longer than `max`. */
static bool take_plain(const char *p, size_t n, char *out, size_t max)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++, k++) {
        if (k == max)
            return false;
        out[k] = p[i];
        if (p[i] != '%')
            continue;
        if (n - i < 3 || hex(p[i + 1]) > 15 || hex(p[i + 2]) > 15)
            return false;
        out[k] = (char)(hex(p[i + 1]) << 4 | hex(p[i + 2]));
        i += 2;
    }
    out[k] = '\0';
    return k > 0 && strlen(out) == k;
}

/* 20260107-225146; jw_store_parse checks it by writing it again. */
static bool take_dated(const char *p, char *out)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    unsigned month = (unsigned)(p[4] - '0') * 10 + (unsigned)(p[5] - '0');
    unsigned day = (unsigned)(p[6] - '0') * 10 + (unsigned)(p[7] - '0');

    for (size_t i = 0; i < DATED; i++)
        if (i == 8 ? p[i] != '-' : !jw_is_digit(p[i]))
            return false;
    if (month < 1 || month > 12)
        return false;
    (void)snprintf(out, JW_CACHE_STAMP + 1, "%.3s %2u %.4s%.2s:%.2s:%.2s", months + (size_t)3 * (month - 1),
                   day % 100, p, p + 9, p + 11, p + 13);
    return true;
}

struct parts {
    char driver[MAX_DRIVER + 1], stamp[JW_CACHE_STAMP + 1], digits[DIGITS + 1];
    uint64_t sm;
};

/* "-0123456789ab" at the end of `n` bytes. */
static bool take_digits(const char *p, size_t n, char digits[DIGITS + 1])
{
    if (n <= DIGITS || p[n - DIGITS - 1] != '-')
        return false;
    memcpy(digits, p + n - DIGITS, DIGITS);
    digits[DIGITS] = '\0';
    return strspn(digits, "0123456789abcdef") == DIGITS;
}

static bool take_sm(const char *p, size_t n, uint64_t *sm)
{
    char digits[6] = "";

    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, p, n);
    return jw_text_u64(digits, sm) && *sm && *sm <= UINT16_MAX;
}

static bool take_parts(const char *name, struct parts *out)
{
    size_t n = strlen(name);

    if (!jw_text_ends(name, ENDING) || n > MAX_NAME)
        return false;
    n -= sizeof ENDING - 1;
    if (!take_digits(name, n, out->digits))
        return false;
    n -= DIGITS + 1;

    const char *end = name + n, *driver = name, *arch = strchr(driver, '-'),
               *stamp = arch ? strchr(arch + 1, '-') : NULL;

    if (!stamp || stamp >= end || !jw_text_starts(arch, "-sm_")
        || !take_plain(driver, (size_t)(arch - driver), out->driver, MAX_DRIVER)
        || !take_sm(arch + 4, (size_t)(stamp - arch - 4), &out->sm))
        return false;
    stamp++;
    n = (size_t)(end - stamp);
    return n == DATED && take_dated(stamp, out->stamp) ? true
                                                       : take_plain(stamp, n, out->stamp, JW_CACHE_STAMP);
}

/* A valid name is what jw_store_name makes of its parts. */
bool jw_store_parse(const char *name, struct jw_arena *a, struct jw_store_key *key)
{
    struct parts parts = { .sm = 0 };
    char again[MAX_NAME + 1];

    *key = (struct jw_store_key){ 0 };
    if (!take_parts(name, &parts) || strlen(parts.stamp) != JW_CACHE_STAMP)
        return false;

    bool named = strcmp(parts.driver, UNNAMED) != 0;
    struct jw_store_key read = { parts.stamp, (uint16_t)parts.sm, parts.driver };

    if (!write_pack_name(&read, parts.digits, again) || strcmp(again, name) != 0)
        return false;
    read.stamp = jw_arena_str(a, parts.stamp);
    read.driver = named ? jw_arena_str(a, parts.driver) : NULL;
    *key = read;
    return true;
}

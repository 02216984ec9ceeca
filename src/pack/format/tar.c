#include "pack/format/tar.h"

#include "base/num.h"
#include "base/text.h"

#include <string.h>

enum {
    AT_MODE = 100,
    AT_USER = 108,
    AT_GROUP = 116,
    AT_SIZE = 124,
    AT_TIME = 136,
    AT_CHECKSUM = 148,
    AT_TYPE = 156,
    AT_MAGIC = 257,
    AT_MAJOR = 329,
    AT_MINOR = 337,
    SIZE_DIGITS = 11
};

/* ---- writing ---- */

static bool is_plain(char c)
{
    return jw_is_letter(c) || jw_is_digit(c) || c == '.' || c == '_' || c == '-';
}

/* The length of the part of a name at `p`; 0: the part is not allowed. */
static size_t part_length(const char *p)
{
    size_t n = 0, dots = 0;

    for (; is_plain(p[n]); n++)
        dots += p[n] == '.';
    return dots == n && n <= 2 ? 0 : n;
}

bool jw_tar_name_plain(const char *name)
{
    const char *p = name;

    if (strlen(name) >= JW_TAR_NAME)
        return false;
    for (;;) {
        size_t n = part_length(p);

        if (!n || (p[n] && p[n] != '/'))
            return false;
        if (!p[n])
            return true;
        p += n + 1;
    }
}

static void put_octal(uint8_t *out, unsigned digits, uint64_t v)
{
    for (; digits; v >>= 3)
        out[--digits] = (uint8_t)('0' + (v & 7));
}

/* Over the whole header, its own field taken as blanks. */
static void put_checksum(uint8_t *header)
{
    unsigned sum = 0;

    memset(header + AT_CHECKSUM, ' ', 8);
    for (unsigned i = 0; i < JW_TAR_BLOCK; i++)
        sum += header[i];
    put_octal(header + AT_CHECKSUM, 6, sum);
    header[AT_CHECKSUM + 6] = 0;
}

bool jw_tar_header(uint8_t out[JW_TAR_BLOCK], const char *name, uint64_t size, struct jw_err *err)
{
    static const uint8_t magic[8] = "ustar\00000";

    if (!jw_tar_name_plain(name))
        return jw_fail(err, JW_E_USAGE, "tar: a name that a pack's member cannot have: %.120s", name);
    if (size > JW_MAX_TAR)
        return jw_fail(err, JW_E_LIMIT, "tar: %s of %llu bytes, expected at most %llu", name,
                       (unsigned long long)size, (unsigned long long)JW_MAX_TAR);
    memset(out, 0, JW_TAR_BLOCK);
    memcpy(out, name, strlen(name));
    put_octal(out + AT_MODE, 7, 0644);
    put_octal(out + AT_USER, 7, 0);
    put_octal(out + AT_GROUP, 7, 0);
    put_octal(out + AT_SIZE, 11, size);
    put_octal(out + AT_TIME, 11, 0);
    out[AT_TYPE] = '0';
    memcpy(out + AT_MAGIC, magic, sizeof magic);
    put_octal(out + AT_MAJOR, 7, 0);
    put_octal(out + AT_MINOR, 7, 0);
    put_checksum(out);
    return true;
}

static const uint8_t zeros[JW_TAR_END];

bool jw_tar_put(struct jw_sink out, const char *name, struct jw_bytes data, struct jw_err *err)
{
    uint8_t header[JW_TAR_BLOCK];
    size_t padding = jw_tar_padding(data.n);

    return jw_tar_header(header, name, data.n, err) && out.put(out.ctx, header, sizeof header, err)
           && (!data.n || out.put(out.ctx, data.p, data.n, err))
           && (!padding || out.put(out.ctx, zeros, padding, err));
}

bool jw_tar_put_end(struct jw_sink out, struct jw_err *err)
{
    return out.put(out.ctx, zeros, sizeof zeros, err);
}

/* ---- reading ---- */

/* How many zeros come first. */
static size_t count_zeros(const uint8_t *p, size_t n)
{
    size_t i = 0;

    while (i < n && !p[i])
        i++;
    return i;
}

static bool take_octal(const uint8_t *p, unsigned digits, uint64_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < digits; i++) {
        if (p[i] < '0' || p[i] > '7')
            return false;
        *out = *out << 3 | (uint64_t)(p[i] - '0');
    }
    return true;
}

/* Name and size make the header; any other byte than ours is refused. */
static bool take_header(const uint8_t *h, uint64_t at, char name[JW_TAR_NAME], uint64_t *size,
                        struct jw_err *err)
{
    uint8_t ours[JW_TAR_BLOCK];
    size_t i = 0;

    memcpy(name, h, JW_TAR_NAME);
    if (name[JW_TAR_NAME - 1] || !jw_tar_name_plain(name))
        return jw_fail(err, JW_E_FORMAT,
                       "tar: the name at 0x%llx is not a plain relative one (A-Z a-z 0-9 . _ - and /)",
                       (unsigned long long)at);
    if (!take_octal(h + AT_SIZE, SIZE_DIGITS, size))
        return jw_fail(err, JW_E_FORMAT, "tar: the size at 0x%llx is not of %d octal digits",
                       (unsigned long long)at + AT_SIZE, SIZE_DIGITS);
    if (!jw_tar_header(ours, name, *size, err))
        return false;
    /* The checksum comes last: it differs wherever another field does. */
    while (i < JW_TAR_BLOCK && (ours[i] == h[i] || i - AT_CHECKSUM < 8))
        i++;
    for (size_t k = AT_CHECKSUM; i == JW_TAR_BLOCK && k < AT_CHECKSUM + 8; k++)
        if (ours[k] != h[k])
            i = k;
    return i == JW_TAR_BLOCK
           || jw_fail(err, JW_E_FORMAT, "tar: the header of %s is not as in a pack (0x%llx)", name,
                      (unsigned long long)at + i);
}

static bool truncated(const struct jw_tar_reader *r, const char *where, struct jw_err *err)
{
    return jw_fail(err, JW_E_FORMAT, "tar: cut off at 0x%zx, %s", r->in.n, where);
}

bool jw_tar_next(struct jw_tar_reader *r, struct jw_tar_member *out, bool *more, struct jw_err *err)
{
    const uint8_t *p = r->in.p + r->at;
    size_t left = r->in.n - r->at, padding, good;
    uint64_t size;

    *more = left && (left < JW_TAR_BLOCK || count_zeros(p, JW_TAR_BLOCK) < JW_TAR_BLOCK);
    if (!*more)
        return true;
    if (left < JW_TAR_BLOCK)
        return truncated(r, "inside a header", err);
    out->at = r->at;
    if (!take_header(p, r->at, out->name, &size, err))
        return false;
    p += JW_TAR_BLOCK;
    left -= JW_TAR_BLOCK;
    if (size > left)
        return truncated(r, "inside a member's data", err);
    out->data = (struct jw_bytes){ p, (size_t)size };
    left -= (size_t)size;
    padding = jw_tar_padding(size);
    good = count_zeros(p + size, (size_t)jw_min(padding, left));
    if (good < padding && good < left)
        return jw_fail(err, JW_E_FORMAT, "tar: something other than zeros behind the data of %s (0x%zx)",
                       out->name, (size_t)(p - r->in.p) + (size_t)size + good);
    if (padding > left)
        return truncated(r, "behind a member's data", err);
    r->at = r->in.n - left + padding;
    return true;
}

bool jw_tar_end(const struct jw_tar_reader *r, struct jw_err *err)
{
    size_t left = r->in.n - r->at, good = count_zeros(r->in.p + r->at, (size_t)jw_min(left, JW_TAR_END));

    if (good < JW_TAR_BLOCK && good < left)
        return jw_fail(err, JW_E_FORMAT, "tar: another member at 0x%zx, expected its end", r->at);
    if (good < JW_TAR_END && good < left)
        return jw_fail(err, JW_E_FORMAT, "tar: one block of zeros before 0x%zx, expected two at its end",
                       r->at + JW_TAR_BLOCK);
    if (left < JW_TAR_END)
        return truncated(r, left ? "inside its end blocks" : "before its end blocks", err);
    return left == JW_TAR_END
           || jw_fail(err, JW_E_FORMAT, "tar: something follows its end (0x%zx)", r->at + JW_TAR_END);
}

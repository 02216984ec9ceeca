#include "pack/format/tar.h"

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
    AT_MINOR = 337
};

/* ---- writing ---- */

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

void jw_tar_header(uint8_t out[JW_TAR_BLOCK], const char *name, uint64_t size)
{
    static const uint8_t magic[8] = "ustar\00000";

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
}

static const uint8_t zeros[JW_TAR_END];

bool jw_tar_put(struct jw_sink out, const char *name, struct jw_bytes data, struct jw_err *err)
{
    uint8_t header[JW_TAR_BLOCK];
    size_t padding = jw_tar_padding(data.n);

    jw_tar_header(header, name, data.n);
    return out.put(out.ctx, header, sizeof header, err) && (!data.n || out.put(out.ctx, data.p, data.n, err))
           && (!padding || out.put(out.ctx, zeros, padding, err));
}

bool jw_tar_put_end(struct jw_sink out, struct jw_err *err)
{
    return out.put(out.ctx, zeros, sizeof zeros, err);
}

/* ---- reading ---- */

static bool is_zero(const uint8_t *p, size_t n)
{
    return !n || (!*p && memcmp(p, p + 1, n - 1) == 0);
}

bool jw_tar_take(struct jw_bytes tar, size_t *at, const char *name, uint64_t size, struct jw_bytes *data,
                 struct jw_err *err)
{
    uint8_t ours[JW_TAR_BLOCK];
    struct jw_bytes member = { NULL, 0 };

    jw_tar_header(ours, name, size);
    if (!jw_slice(tar, *at, jw_tar_span(size), &member) || !member.p)
        return jw_fail(err, JW_E_FORMAT, "tar: cut off at 0x%zx, inside %s", tar.n, name);
    if (memcmp(member.p, ours, sizeof ours) != 0)
        return jw_fail(err, JW_E_FORMAT, "tar: at 0x%zx there is not the header of %s with %llu bytes", *at,
                       name, (unsigned long long)size);
    *data = (struct jw_bytes){ member.p + JW_TAR_BLOCK, (size_t)size };
    if (!is_zero(data->p + size, jw_tar_padding(size)))
        return jw_fail(err, JW_E_FORMAT, "tar: something other than zeros behind the data of %s", name);
    *at += member.n;
    return true;
}

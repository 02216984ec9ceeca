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

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'
           || c == '-';
}

/* Length of the part of a name at `p`; 0: it is none that may be there. */
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
    if (size > JW_TAR_MOST)
        return jw_fail(err, JW_E_LIMIT, "tar: %s of %llu bytes, expected at most %llu", name,
                       (unsigned long long)size, (unsigned long long)JW_TAR_MOST);
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

void jw_tar_write_begin(struct jw_tar_writer *w, struct jw_sink out)
{
    *w = (struct jw_tar_writer){ .out = out };
}

static bool is_complete(const struct jw_tar_writer *w, struct jw_err *err)
{
    return !w->left
           || jw_fail(err, JW_E_USAGE, "tar: a member is short of %llu of its %llu bytes",
                      (unsigned long long)w->left, (unsigned long long)w->size);
}

bool jw_tar_write_member(struct jw_tar_writer *w, const char *name, uint64_t size, struct jw_err *err)
{
    uint8_t header[JW_TAR_BLOCK];

    if (!is_complete(w, err) || !jw_tar_header(header, name, size, err))
        return false;
    w->size = w->left = size;
    return w->out.put(w->out.ctx, header, sizeof header, err);
}

bool jw_tar_write_data(struct jw_tar_writer *w, const void *p, size_t n, struct jw_err *err)
{
    static const uint8_t zeros[JW_TAR_BLOCK];
    size_t padding = jw_tar_padding(w->size);

    if (n > w->left)
        return jw_fail(err, JW_E_USAGE, "tar: %zu bytes for a member that is short of %llu of its %llu", n,
                       (unsigned long long)w->left, (unsigned long long)w->size);
    if (!n)
        return true;
    w->left -= n;
    return w->out.put(w->out.ctx, p, n, err)
           && (w->left || !padding || w->out.put(w->out.ctx, zeros, padding, err));
}

bool jw_tar_write_end(struct jw_tar_writer *w, struct jw_err *err)
{
    static const uint8_t zeros[JW_TAR_END];

    return is_complete(w, err) && w->out.put(w->out.ctx, zeros, sizeof zeros, err);
}

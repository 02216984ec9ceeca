#include "pack/format/tar.h"

#include "base/num.h"

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
    SIZE_DIGITS = 11,
    CHECKSUM_DIGITS = 6
};

/* ---- writing ---- */

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

/* ---- reading ---- */

/* All of a header, for naming what is wrong in it. */
static const struct {
    unsigned at;
    const char *name;
} fields[] = { { 0, "name" },          { 100, "mode" },   { 108, "user" },     { 116, "group" },
               { 124, "size" },        { 136, "time" },   { 148, "checksum" }, { 156, "type" },
               { 157, "link name" },   { 257, "magic" },  { 263, "version" },  { 265, "user name" },
               { 297, "group name" },  { 329, "device" }, { 337, "device" },   { 345, "name prefix" },
               { 500, "reserved end" } };

static const struct {
    char type;
    const char *name;
} types[] = { { '\0', "an old-style member" },
              { '1', "a hard link" },
              { '2', "a symbolic link" },
              { '3', "a character device" },
              { '4', "a block device" },
              { '5', "a folder" },
              { '6', "a FIFO" },
              { '7', "a contiguous file" },
              { 'g', "a pax header" },
              { 'x', "a pax header" },
              { 'L', "a GNU long name" },
              { 'K', "a GNU long link" },
              { 'S', "a sparse file" },
              { 'D', "a GNU folder" },
              { 'M', "a GNU volume part" },
              { 'V', "a GNU volume label" } };

static const char *type_name(char type)
{
    for (size_t i = 0; i < JW_COUNT(types); i++)
        if (types[i].type == type)
            return types[i].name;
    return "a member of unknown type";
}

static const char *field_name(size_t at)
{
    size_t i = JW_COUNT(fields) - 1;

    while (fields[i].at > at)
        i--;
    return fields[i].name;
}

/* How many zeros come first. */
static size_t zeros(const uint8_t *p, size_t n)
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

static uint64_t sum_of(const uint8_t *header)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < JW_TAR_BLOCK; i++)
        sum += i - AT_CHECKSUM < 8 ? ' ' : header[i];
    return sum;
}

/* Before a field is believed: is it a header, and undamaged? */
static bool check_sum(const uint8_t *h, uint64_t at, struct jw_err *err)
{
    uint64_t said, sum = sum_of(h);

    if (memcmp(h + AT_MAGIC, "ustar", 5) != 0)
        return jw_fail(err, JW_E_FORMAT, "tar: no header at 0x%llx (no \"ustar\" at 0x%llx)",
                       (unsigned long long)at, (unsigned long long)at + AT_MAGIC);
    if (!take_octal(h + AT_CHECKSUM, CHECKSUM_DIGITS, &said))
        return jw_fail(err, JW_E_FORMAT, "tar: the checksum at 0x%llx is no octal number",
                       (unsigned long long)at + AT_CHECKSUM);
    return said == sum
           || jw_fail(err, JW_E_FORMAT, "tar: the header at 0x%llx sums to %llu, its checksum says %llu",
                      (unsigned long long)at, (unsigned long long)sum, (unsigned long long)said);
}

static bool take_name(struct jw_tar_reader *r, uint64_t at, struct jw_err *err)
{
    if (r->block[JW_TAR_NAME - 1])
        return jw_fail(err, JW_E_FORMAT, "tar: the name at 0x%llx is longer than %d bytes",
                       (unsigned long long)at, JW_TAR_NAME - 1);
    memcpy(r->name, r->block, JW_TAR_NAME);
    return jw_tar_name_plain(r->name)
           || jw_fail(err, JW_E_FORMAT,
                      "tar: the name at 0x%llx is not a plain relative one (A-Z a-z 0-9 . _ - and /)",
                      (unsigned long long)at);
}

static bool take_size(struct jw_tar_reader *r, uint64_t at, struct jw_err *err)
{
    if (!take_octal(r->block + AT_SIZE, SIZE_DIGITS, &r->left))
        return jw_fail(err, JW_E_FORMAT, "tar: the size at 0x%llx is not of %d octal digits",
                       (unsigned long long)at + AT_SIZE, SIZE_DIGITS);
    return r->left <= r->max
           || jw_fail(err, JW_E_LIMIT, "tar: %s of %llu bytes (0x%llx), expected at most %llu", r->name,
                      (unsigned long long)r->left, (unsigned long long)at + AT_SIZE,
                      (unsigned long long)r->max);
}

/* Name and size make the header; any other byte than ours is refused by the name of its field. */
static bool is_as_written(const struct jw_tar_reader *r, uint64_t at, struct jw_err *err)
{
    uint8_t ours[JW_TAR_BLOCK];
    size_t i = 0;

    if (!jw_tar_header(ours, r->name, r->left, err))
        return false;
    /* The checksum comes last: it differs wherever another field does. */
    while (i < JW_TAR_BLOCK && (ours[i] == r->block[i] || i - AT_CHECKSUM < 8))
        i++;
    if (i == JW_TAR_BLOCK)
        for (i = AT_CHECKSUM; i < AT_CHECKSUM + 8 && ours[i] == r->block[i];)
            i++;
    return i == AT_CHECKSUM + 8
           || jw_fail(err, JW_E_FORMAT, "tar: the %s of %s is not as in a pack (0x%llx)", field_name(i),
                      r->name, (unsigned long long)at + i);
}

static bool end_member(struct jw_tar_reader *r, struct jw_err *err)
{
    r->state = JW_TAR_HEADER;
    return r->to.done(r->to.ctx, err);
}

static bool take_header(struct jw_tar_reader *r, uint64_t at, struct jw_err *err)
{
    char type = (char)r->block[AT_TYPE];

    if (!check_sum(r->block, at, err))
        return false;
    if (type != '0')
        return jw_fail(err, JW_E_FORMAT, "tar: %s at 0x%llx, where only regular files may be",
                       type_name(type), (unsigned long long)at);
    if (!take_name(r, at, err) || !take_size(r, at, err) || !is_as_written(r, at, err))
        return false;
    if (!r->to.member(r->to.ctx, r->name, r->left, err))
        return jw_wrap(err, "tar: member at 0x%llx", (unsigned long long)at);
    r->padding = jw_tar_padding(r->left);
    r->state = JW_TAR_DATA;
    return r->left || end_member(r, err);
}

static bool take_block(struct jw_tar_reader *r, struct jw_err *err)
{
    uint64_t at = r->at - JW_TAR_BLOCK;
    bool empty = zeros(r->block, JW_TAR_BLOCK) == JW_TAR_BLOCK;

    r->filled = 0;
    if (r->state == JW_TAR_HEADER && !empty)
        return take_header(r, at, err);
    if (!empty)
        return jw_fail(err, JW_E_FORMAT, "tar: one block of zeros before 0x%llx, expected two at its end",
                       (unsigned long long)at);
    r->state = r->state == JW_TAR_HEADER ? JW_TAR_LAST_ZEROS : JW_TAR_DONE;
    return true;
}

/* Each takes as much of the part as is its own, at least one byte, and counts it. */

static bool feed_block(struct jw_tar_reader *r, struct jw_bytes *part, struct jw_err *err)
{
    size_t n = (size_t)jw_min(part->n, JW_TAR_BLOCK - r->filled);

    memcpy(r->block + r->filled, part->p, n);
    r->filled += n;
    r->at += n;
    *part = (struct jw_bytes){ part->p + n, part->n - n };
    return r->filled < JW_TAR_BLOCK || take_block(r, err);
}

static bool feed_data(struct jw_tar_reader *r, struct jw_bytes *part, struct jw_err *err)
{
    size_t n = (size_t)jw_min(part->n, r->left);

    if (!r->to.data(r->to.ctx, part->p, n, err))
        return false;
    r->left -= n;
    r->at += n;
    *part = (struct jw_bytes){ part->p + n, part->n - n };
    if (r->left)
        return true;
    r->state = JW_TAR_PADDING;
    return r->padding || end_member(r, err);
}

static bool feed_padding(struct jw_tar_reader *r, struct jw_bytes *part, struct jw_err *err)
{
    size_t n = (size_t)jw_min(part->n, r->padding), good = zeros(part->p, n);

    if (good < n)
        return jw_fail(err, JW_E_FORMAT, "tar: something other than zeros behind the data of %s (0x%llx)",
                       r->name, (unsigned long long)r->at + good);
    r->padding -= n;
    r->at += n;
    *part = (struct jw_bytes){ part->p + n, part->n - n };
    return r->padding || end_member(r, err);
}

static bool feed(struct jw_tar_reader *r, struct jw_bytes *part, struct jw_err *err)
{
    switch (r->state) {
    case JW_TAR_HEADER:
    case JW_TAR_LAST_ZEROS: return feed_block(r, part, err);
    case JW_TAR_DATA: return feed_data(r, part, err);
    case JW_TAR_PADDING: return feed_padding(r, part, err);
    case JW_TAR_DONE:
        return jw_fail(err, JW_E_FORMAT, "tar: something follows its end (0x%llx)",
                       (unsigned long long)r->at);
    case JW_TAR_REFUSED: break;
    }
    return jw_fail(err, JW_E_FORMAT, "tar: refused before 0x%llx", (unsigned long long)r->at);
}

static bool put_part(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct jw_tar_reader *r = ctx;
    struct jw_bytes part = { p, n };

    while (part.n) {
        if (!feed(r, &part, err)) {
            r->state = JW_TAR_REFUSED;
            return false;
        }
    }
    return true;
}

void jw_tar_read_begin(struct jw_tar_reader *r, struct jw_tar_visitor to, uint64_t max)
{
    memset(r, 0, sizeof *r);
    r->to = to;
    r->max = max;
}

struct jw_sink jw_tar_read_sink(struct jw_tar_reader *r)
{
    return (struct jw_sink){ put_part, r };
}

bool jw_tar_read_end(const struct jw_tar_reader *r, struct jw_err *err)
{
    static const char *const inside[] = {
        [JW_TAR_HEADER] = "before its end blocks",   [JW_TAR_DATA] = "inside a member's data",
        [JW_TAR_PADDING] = "behind a member's data", [JW_TAR_LAST_ZEROS] = "inside its end blocks",
        [JW_TAR_REFUSED] = "where it was refused",
    };

    return r->state == JW_TAR_DONE
           || jw_fail(err, JW_E_FORMAT, "tar: cut off at 0x%llx, %s", (unsigned long long)r->at,
                      r->filled && r->state == JW_TAR_HEADER ? "inside a header" : inside[r->state]);
}

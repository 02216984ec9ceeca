#include "pack/format/tar.h"

#include <stdio.h>
#include <string.h>

enum {
    AT_MODE = 100,
    AT_USER = 108, /* and group */
    AT_SIZE = 124,
    AT_TIME = 136,
    AT_CHECKSUM = 148,
    AT_TYPE = 156,
    AT_MAGIC = 257,
    AT_DEVICE = 329
};

/* Over the whole header, its own field taken as blanks. */
static void put_checksum(uint8_t *header)
{
    unsigned sum = 0;

    memset(header + AT_CHECKSUM, ' ', 8);
    for (unsigned i = 0; i < JW_TAR_BLOCK; i++)
        sum += header[i];
    (void)snprintf((char *)header + AT_CHECKSUM, 7, "%06o", sum);
}

void jw_tar_header(uint8_t out[JW_TAR_BLOCK], const char *name, uint64_t size)
{
    static const uint8_t magic[8] = "ustar\00000";
    static const uint8_t nobody[16] = "0000000\0000000000"; /* two numbers */

    memset(out, 0, JW_TAR_BLOCK);
    memcpy(out, name, strlen(name));
    memcpy(out + AT_MODE, "0000644", 7);
    memcpy(out + AT_USER, nobody, sizeof nobody);
    (void)snprintf((char *)out + AT_SIZE, 12, "%011llo", (unsigned long long)size);
    memcpy(out + AT_TIME, "00000000000", 11);
    out[AT_TYPE] = '0';
    memcpy(out + AT_MAGIC, magic, sizeof magic);
    memcpy(out + AT_DEVICE, nobody, sizeof nobody);
    put_checksum(out);
}

void jw_tar_put(struct jw_buf *out, const char *name, struct jw_bytes data)
{
    uint8_t header[JW_TAR_BLOCK];

    jw_tar_header(header, name, data.n);
    jw_buf_add(out, header, sizeof header);
    jw_buf_add(out, data.p, data.n);
    jw_buf_fill(out, 0, jw_tar_padding(data.n));
}

static bool is_zero(const uint8_t *p, size_t n)
{
    return !n || (!*p && memcmp(p, p + 1, n - 1) == 0);
}

bool jw_tar_take(struct jw_bytes tar, size_t *at, const char *name, uint64_t size,
                 struct jw_bytes *data, struct jw_err *err)
{
    uint8_t ours[JW_TAR_BLOCK];
    struct jw_bytes member = {NULL, 0};

    jw_tar_header(ours, name, size);
    if (!jw_slice(tar, *at, jw_tar_span(size), &member) || !member.p)
        return jw_fail(err, JW_E_FORMAT, "tar: cut off at 0x%zx, inside %s", tar.n, name);
    if (memcmp(member.p, ours, sizeof ours) != 0)
        return jw_fail(err, JW_E_FORMAT,
                       "tar: at 0x%zx there is not the header of %s with %llu bytes", *at, name,
                       (unsigned long long)size);
    *data = (struct jw_bytes){member.p + JW_TAR_BLOCK, (size_t)size};
    if (!is_zero(data->p + size, jw_tar_padding(size)))
        return jw_fail(err, JW_E_FORMAT, "tar: something other than zeros behind the data of %s",
                       name);
    *at += member.n;
    return true;
}

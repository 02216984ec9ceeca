#include "gen/samples.h"

#include <string.h>
#include <zlib.h>

void gen_deflate(struct jw_buf *out, struct jw_bytes plain, int level)
{
    static const uint8_t nothing[1];
    z_stream z = {0};
    uint8_t chunk[4096];
    struct jw_err err = {JW_E_FORMAT, 0, "deflate"};
    int state = Z_OK;

    gen_must(deflateInit2(&z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK, &err);
    /* zlib reads through a pointer that is not const in old headers. */
    memcpy(&z.next_in, plain.n ? (const void *)&plain.p : (const void *)&(const uint8_t *){nothing},
           sizeof z.next_in);
    z.avail_in = (uInt)plain.n;
    while (state == Z_OK) {
        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        state = deflate(&z, Z_FINISH);
        jw_buf_add(out, chunk, sizeof chunk - z.avail_out);
    }
    gen_must(state == Z_STREAM_END, &err);
    (void)deflateEnd(&z);
    gen_check(out);
}

struct sizes {
    uint64_t packed, plain, at;
    uint32_t crc;
    uint16_t method;
};

static void zip_sizes(struct jw_buf *out, const struct gen_member *m, const struct sizes *s)
{
    gen_put32(out, s->crc);
    gen_put32(out, m->zip64 ? UINT32_MAX : s->packed);
    gen_put32(out, m->zip64 ? UINT32_MAX : s->plain);
}

static void zip_local(struct jw_buf *out, const struct gen_member *m, const struct sizes *s)
{
    jw_buf_text(out, "PK\3\4");
    gen_put16(out, m->zip64 ? 45 : 20);
    gen_put16(out, m->flags);
    gen_put16(out, s->method);
    gen_put32(out, 0);
    zip_sizes(out, m, s);
    gen_put16(out, strlen(m->name));
    gen_put16(out, m->zip64 ? 20 : 0);
    jw_buf_text(out, m->name);
    if (m->zip64) {
        gen_put16(out, 1);
        gen_put16(out, 16);
        gen_put64(out, s->plain);
        gen_put64(out, s->packed);
    }
}

static void zip_entry(struct jw_buf *out, const struct gen_member *m, const struct sizes *s)
{
    jw_buf_text(out, "PK\1\2");
    gen_put16(out, 0x31e);
    gen_put16(out, m->zip64 ? 45 : 20);
    gen_put16(out, m->flags);
    gen_put16(out, s->method);
    gen_put32(out, 0);
    zip_sizes(out, m, s);
    gen_put16(out, strlen(m->name));
    gen_put16(out, m->zip64 ? 36 : 0);
    jw_buf_fill(out, 0, 10);
    gen_put32(out, m->zip64 ? UINT32_MAX : s->at);
    jw_buf_text(out, m->name);
    if (m->zip64) {
        gen_put16(out, 0x5455); /* another extra field comes first */
        gen_put16(out, 4);
        gen_put32(out, 0);
        gen_put16(out, 1);
        gen_put16(out, 24);
        gen_put64(out, s->plain);
        gen_put64(out, s->packed);
        gen_put64(out, s->at);
    }
}

static void zip_end(struct jw_buf *out, size_t start, size_t n, uint64_t directory, bool zip64,
                    const char *comment)
{
    uint64_t here = out->n - start, size = here - directory;

    if (zip64) {
        jw_buf_text(out, "PK\6\6");
        gen_put64(out, 44);
        gen_put16(out, 0x31e);
        gen_put16(out, 45);
        gen_put64(out, 0);
        gen_put64(out, n);
        gen_put64(out, n);
        gen_put64(out, size);
        gen_put64(out, directory);
        jw_buf_text(out, "PK\6\7");
        gen_put32(out, 0);
        gen_put64(out, here);
        gen_put32(out, 1);
    }
    jw_buf_text(out, "PK\5\6");
    gen_put32(out, 0);
    gen_put16(out, zip64 ? 0xffff : n);
    gen_put16(out, zip64 ? 0xffff : n);
    gen_put32(out, zip64 ? UINT32_MAX : size);
    gen_put32(out, zip64 ? UINT32_MAX : directory);
    gen_put16(out, strlen(comment));
    jw_buf_text(out, comment);
}

struct gen_box gen_zip(struct jw_buf *out, const struct gen_member *members, size_t n,
                       const char *comment)
{
    struct gen_box box = {0};
    struct sizes sizes[GEN_MAX];
    size_t start = out->n;
    bool zip64 = false;

    for (size_t i = 0; i < n; i++) {
        const struct gen_member *m = &members[i];
        struct jw_buf packed = GEN_BUF;

        if (m->deflated)
            gen_deflate(&packed, m->data, 6);
        else
            jw_buf_add(&packed, m->data.p, m->data.n);
        box.header[i] = out->n - start;
        sizes[i] = (struct sizes){packed.n, m->plain ? m->plain : m->data.n, box.header[i], 0,
                                  m->method     ? m->method
                                  : m->deflated ? 8
                                                : 0};
        if (m->data.n)
            sizes[i].crc = (uint32_t)crc32(0, m->data.p, (uInt)m->data.n);
        zip_local(out, m, &sizes[i]);
        box.at[i] = out->n - start;
        jw_buf_add(out, packed.p, packed.n);
        zip64 |= m->zip64;
        jw_buf_free(&packed);
    }
    box.directory = out->n - start;
    for (size_t i = 0; i < n; i++)
        zip_entry(out, &members[i], &sizes[i]);
    box.end = out->n - start;
    zip_end(out, start, n, box.directory, zip64, comment);
    gen_check(out);
    return box;
}

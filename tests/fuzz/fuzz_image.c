/* A whole file, as scan and scan --deep see it; its name makes a COFF object or PTX of what has no magic. */
#include "base/buf.h"
#include "base/num.h"
#include "formats/image.h"
#include "formats/inflate.h"
#include "fuzz.h"

static void scan(const struct jw_source *src, const char *name, bool deep)
{
    struct jw_image image;
    struct jw_err err = { 0 };
    uint64_t end = 0;
    bool ok = jw_image_scan(src, name, (struct jw_image_options){ .deep = deep }, &image, &err);

    fuzz_error(ok, &err);
    for (size_t i = 0; ok && i < image.fats.n; i++) {
        const struct jw_fat *f = &image.fats.list[i];

        FUZZ_CHECK(f->at >= end && jw_within(f->at, f->size, src->size) && f->section);
        FUZZ_CHECK(f->first + f->n <= image.fats.n_entries);
        end = f->at + f->size;
    }
    for (size_t i = 0; i < image.problems.n; i++)
        FUZZ_CHECK(image.problems.text[i][0]);
    jw_image_free(&image);
}

/* As a member of a wheel it holds the same. */
static void scan_deflated(const uint8_t *data, size_t size)
{
    enum { BLOCK = 65535 };
    struct jw_bytes bytes = { data, size };
    struct jw_buf packed = JW_BUF(2 * size + 64);
    struct jw_inflate *z = jw_inflate_new();
    struct jw_source plain = jw_source_memory(&bytes);
    struct jw_image a, b;
    struct jw_err err;

    for (size_t at = 0; at < size; at += BLOCK) {
        size_t n = size - at < BLOCK ? size - at : BLOCK;
        uint8_t head[5] = { at + n == size, n & 0xff, (uint8_t)(n >> 8), ~n & 0xff, (uint8_t)(~n >> 8) };

        jw_buf_add(&packed, head, sizeof head);
        jw_buf_add(&packed, data + at, n);
    }
    struct jw_bytes stream = jw_buf_bytes(&packed);
    struct jw_source src = jw_source_memory(&stream);

    src = jw_inflate_source(z, &src, size);
    bool ok = jw_image_scan(&plain, "x.so", (struct jw_image_options){ 0 }, &a, &err);

    FUZZ_CHECK(ok == jw_image_scan(&src, "x.so", (struct jw_image_options){ 0 }, &b, &err));
    FUZZ_CHECK(!ok || (a.fats.n == b.fats.n && a.fats.n_entries == b.fats.n_entries));
    for (size_t i = 0; ok && i < a.fats.n; i++)
        FUZZ_CHECK(a.fats.list[i].at == b.fats.list[i].at && a.fats.list[i].n == b.fats.list[i].n);
    for (size_t i = 0; ok && i < a.fats.n_entries; i++)
        FUZZ_CHECK(a.fats.entries[i].at == b.fats.entries[i].at
                   && strcmp(a.fats.entries[i].options, b.fats.entries[i].options) == 0);
    jw_image_free(&a);
    jw_image_free(&b);
    jw_inflate_free(z);
    jw_buf_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);

    scan(&src, "x.obj", false);
    scan(&src, "x.ptx", true);
    scan_deflated(data, size);
    return 0;
}

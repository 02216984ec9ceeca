/* The directory, and each member's bytes: forward, then back to the middle. */
#include "formats/inflate.h"
#include "formats/zip.h"
#include "fuzz.h"

enum { MOST = 64 * 1024, MEMBERS = 4 };

static void read_all(const struct jw_source *data)
{
    uint8_t chunk[4096];
    struct jw_err err = { 0 };
    uint64_t size = data->size < MOST ? data->size : MOST;

    for (uint64_t at = 0; at < size; at += sizeof chunk) {
        bool ok = jw_source_read(data, at, chunk,
                                 (size_t)(size - at < sizeof chunk ? size - at : sizeof chunk), &err);

        fuzz_error(ok, &err);
        if (!ok)
            break;
    }
    if (size)
        fuzz_error(jw_source_read(data, size / 2, chunk, 1, &err), &err);
}

static void read_member(const struct jw_source *src, const struct jw_zip_member *m)
{
    struct jw_source data;
    struct jw_err err = { 0 };
    bool ok = jw_zip_data(src, m, &data, &err);

    fuzz_error(ok, &err);
    if (ok && m->method == JW_ZIP_STORED)
        read_all(&data);
    if (ok && m->method == JW_ZIP_DEFLATED) {
        struct jw_inflate *z = jw_inflate_new();
        struct jw_source plain = jw_inflate_source(z, &data, m->plain);

        fuzz_error(jw_inflate_plausible(m->packed, m->plain, &err), &err);
        read_all(&plain);
        jw_inflate_free(z);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_arena arena = { 0 };
    struct jw_zip zip = { 0 };
    struct jw_err err = { 0 };
    bool ok = jw_zip_open(&zip, &src, &arena, &err);

    fuzz_error(ok, &err);
    for (size_t i = 0; ok && i < zip.n && i < MEMBERS; i++) {
        FUZZ_CHECK(zip.list[i].name != NULL);
        read_member(&src, &zip.list[i]);
    }
    jw_zip_close(&zip);
    jw_arena_free(&arena);
    return 0;
}

/* A whole file, as scan and scan --deep see it; its name makes a COFF object or PTX of what has no magic. */
#include "base/num.h"
#include "formats/image.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);

    scan(&src, "x.obj", false);
    scan(&src, "x.ptx", true);
    return 0;
}

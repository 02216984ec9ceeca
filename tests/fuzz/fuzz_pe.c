#include "base/num.h"
#include "formats/pe.h"
#include "fuzz.h"

static void check(const struct jw_sections *s, size_t size)
{
    for (size_t i = 0; i < s->n; i++)
        FUZZ_CHECK(s->list[i].name && s->list[i].size && jw_within(s->list[i].at, s->list[i].size, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size }, head = { data, size < 64 ? size : 64 };
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_arena arena = { 0 };
    struct jw_sections image = { 0 }, object = { 0 };
    struct jw_err err = { 0 };
    bool ours = false;
    bool ok = jw_pe_sections(&src, &arena, &image, &ours, &err);

    fuzz_error(ok, &err);
    if (ok)
        check(&image, size);
    if (jw_coff_plausible(head, size)) {
        ok = jw_coff_sections(&src, &arena, &object, &err);
        fuzz_error(ok, &err);
        if (ok)
            check(&object, size);
    }
    jw_sections_free(&image);
    jw_sections_free(&object);
    jw_arena_free(&arena);
    return 0;
}

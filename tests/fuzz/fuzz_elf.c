#include "base/num.h"
#include "formats/elf.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_elf elf = jw_elf_header(bytes);
    struct jw_arena arena = { 0 };
    struct jw_sections sections = { 0 };
    struct jw_err err = { 0 };
    uint64_t at;

    if (!elf.ours)
        return 0;
    bool ok = jw_elf_sections(&src, &elf, &arena, &sections, &err);

    fuzz_error(ok, &err);
    jw_sections_sort(&sections);
    for (size_t i = 0; ok && i < sections.n; i++) {
        const struct jw_section *s = &sections.list[i];

        FUZZ_CHECK(s->name && jw_within(s->at, s->size, size));
        FUZZ_CHECK(jw_section_at(&sections, s->at) != NULL);
        if (jw_section_translate(&sections, s->addr, &at))
            FUZZ_CHECK(at < size);
        (void)jw_section_named(&sections, s->name);
    }
    jw_sections_free(&sections);
    jw_arena_free(&arena);
    return 0;
}

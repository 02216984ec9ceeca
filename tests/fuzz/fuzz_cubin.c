#include "formats/cubin.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_elf elf = jw_elf_header(bytes);
    struct jw_arena arena = { 0 };
    struct jw_cubin cubin;
    struct jw_err err = { 0 };

    if (!elf.ours)
        return 0;
    bool ok = jw_cubin_read(&src, &elf, &arena, &cubin, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || (cubin.target.sm && (cubin.target.suffix == '\0' || cubin.target.suffix == 'a')));
    jw_arena_free(&arena);
    return 0;
}

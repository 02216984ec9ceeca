#include "base/num.h"
#include "formats/ar.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_arena arena = { .max = 1 << 20 };
    struct jw_ar ar;
    struct jw_err err = { 0 };
    bool more = jw_ar_magic(bytes) && jw_ar_open(&ar, &src, &arena, &err);

    while (more) {
        struct jw_ar_member m;
        bool ok = jw_ar_next(&ar, &m, &more, &err);

        fuzz_error(ok, &err);
        if (!ok || !more)
            break;
        FUZZ_CHECK(m.name && (m.external || jw_within(m.at, m.size, size)));
    }
    jw_arena_free(&arena);
    return 0;
}

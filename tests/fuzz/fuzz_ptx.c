#include "formats/ptx.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes text = { data, size };
    struct jw_ptx ptx;
    struct jw_err err = { 0 };
    size_t at = 0, before = 0;
    bool ok = jw_ptx_read(text, &ptx, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || ptx.target.sm);
    (void)jw_ptx_plausible((struct jw_bytes){ data, size < 64 ? size : 64 });
    for (;;) {
        struct jw_bytes name = jw_ptx_next_kernel(text, &at);

        FUZZ_CHECK(at <= size);
        if (!name.n)
            break;
        FUZZ_CHECK(at > before && name.p >= data && name.p + name.n <= data + size);
        before = at;
    }
    return 0;
}

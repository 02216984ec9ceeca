/* What is read can be written again, and is the same text. */
#include "base/limits.h"
#include "fuzz.h"
#include "pack/format/pack_manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_arena a = { .max = (size_t)64 << 20 };
    struct jw_buf again = JW_BUF(JW_MAX_MANIFEST);
    struct jw_pack_manifest m;
    struct jw_err err = { 0 };
    bool ok = jw_pack_manifest_read((struct jw_bytes){ data, size }, &a, &m, &err);

    fuzz_error(ok, &err);
    if (ok) {
        FUZZ_CHECK(jw_pack_manifest_write(&again, &m, &err));
        FUZZ_CHECK(again.n == size && memcmp(again.p, data, size) == 0);
    }
    jw_buf_free(&again);
    jw_arena_free(&a);
    return 0;
}

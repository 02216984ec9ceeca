/* A trusted key's file: what it vouches for is never empty when it says that there is something. */
#include "fuzz.h"
#include "pack/keys/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_arena a = { .max = (size_t)16 << 20 };
    struct jw_trusted_key key;
    struct jw_err err = { 0 };
    bool ok = jw_key_file_read((struct jw_bytes){ data, size }, &a, &key, &err);

    fuzz_error(ok, &err);
    if (ok) {
        for (size_t i = 0; i < key.n_origins; i++)
            FUZZ_CHECK(key.origins[i] && key.origins[i][0]);
        /* Scoped in the text, scoped here: it never grows. */
        FUZZ_CHECK(key.n_origins || !memchr(data, '#', size) || jw_key_covers(&key, NULL));
        FUZZ_CHECK(!key.n_origins || !jw_key_covers(&key, NULL));
    }
    jw_arena_free(&a);
    return 0;
}

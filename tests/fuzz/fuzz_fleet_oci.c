/* OCI's index and manifest: what is read has digests that are safe in a path, and comes out the same when it is written. */
#include "fleet/format/oci.h"
#include "fleet/format/ref.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_arena a = { .max = (size_t)16 << 20 };
    struct jw_buf once = JW_BUF((size_t)16 << 20), twice = JW_BUF((size_t)16 << 20);
    struct jw_oci_doc doc, back;
    struct jw_err err = { 0 };
    bool ok = jw_oci_read((struct jw_bytes){ data, size }, &a, &doc, &err);

    fuzz_error(ok, &err);
    for (size_t i = 0; ok && i < doc.n; i++)
        FUZZ_CHECK(jw_ref_is_digest(doc.items[i].digest) && doc.items[i].media);
    if (ok && jw_oci_write(&once, &doc, &err) && jw_oci_read(jw_buf_bytes(&once), &a, &back, &err)
        && jw_oci_write(&twice, &back, &err))
        FUZZ_CHECK(once.n == twice.n && memcmp(once.p, twice.p, once.n) == 0);
    jw_buf_free(&once);
    jw_buf_free(&twice);
    jw_arena_free(&a);
    return 0;
}

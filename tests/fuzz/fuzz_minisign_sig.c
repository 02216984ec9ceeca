/* Of a key and a message: no text verifies but what minisign wrote, in whatever untrusted words and line ends. */
#include "fuzz.h"
#include "pack/format/minisign.h"

static const char message[] = "hello\n";
static const char *const trusted[] = { "hi there", "timestamp:1795181673\tfile:f\thashed" };

static void check_verified(const struct jw_minisign_sig *sig)
{
    const char *want = trusted[sig->prehashed];

    FUZZ_CHECK(sig->trusted.n == strlen(want) && memcmp(sig->trusted.p, want, sig->trusted.n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes line = JW_BYTES("RWS3ctVkGJ8aef4AKxEdId8yF6J3tw6ob6LhuXvP2QeWuUaM9o53WlR8");
    struct jw_minisign_public key;
    struct jw_minisign_sig sig;
    struct jw_err err = { 0 };
    bool ok;

    FUZZ_CHECK(jw_minisign_public_line(line, &key, &err));
    ok = jw_minisign_sig_read((struct jw_bytes){ data, size }, &sig, &err);
    fuzz_error(ok, &err);
    if (!ok)
        return 0;
    ok = jw_minisign_verify(&sig, &key, JW_BYTES(message), &err);
    fuzz_error(ok, &err);
    if (ok)
        check_verified(&sig);
    return 0;
}

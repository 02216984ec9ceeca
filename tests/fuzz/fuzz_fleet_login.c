/* What registries and other programs' files say about logins: challenge, docker's file, a token. Nothing of it can end a
 * header's line. */
#include "fleet/format/challenge.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_arena a = { .max = (size_t)16 << 20 };
    char *text = jw_arena_text(&a, (const char *)data, size);
    struct jw_bytes bytes = { data, size };
    struct jw_challenge c;
    const char *out;
    struct jw_err err = { 0 };

    if (text) {
        bool ok = jw_challenge_read(text, &a, &c, &err);

        fuzz_error(ok, &err);
        FUZZ_CHECK(!ok || c.kind != JW_CHALLENGE_BEARER || c.realm);
    }
    err = (struct jw_err){ 0 };
    bool ok = jw_fleet_login_read(bytes, "h", &a, &out, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || !out || (strchr(out, ':') && !strpbrk(out, "\r\n")));
    err = (struct jw_err){ 0 };
    ok = jw_token_read(bytes, &a, &out, &err);
    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || !strpbrk(out, "\r\n "));
    jw_arena_free(&a);
    return 0;
}

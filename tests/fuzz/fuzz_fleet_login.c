/* What registries and other programs' files say about logins: challenge, docker's file, a token. Nothing of it can end a
 * header's line. */
#include "fleet/format/challenge.h"
#include "fuzz.h"

#include <string.h>

static bool can_be_sent(const struct jw_login *l)
{
    return (!l->basic || (strchr(l->basic, ':') && !strpbrk(l->basic, "\r\n")))
           && (!l->identity || !strpbrk(l->identity, "\r\n"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_arena a = { .max = (size_t)16 << 20 };
    char *text = jw_arena_text(&a, (const char *)data, size);
    struct jw_bytes bytes = { data, size };
    struct jw_challenge c;
    struct jw_login login;
    char *out;
    struct jw_err err = { 0 };

    if (text) {
        bool ok = jw_challenge_read(text, &a, &c, &err);

        fuzz_error(ok, &err);
        FUZZ_CHECK(!ok || c.kind != JW_CHALLENGE_BEARER || c.realm);
    }
    err = (struct jw_err){ 0 };
    bool ok = jw_fleet_login_read(bytes, "h", &a, &login, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || can_be_sent(&login));
    FUZZ_CHECK(!ok || !login.helper || !strpbrk(login.helper, "/\\ \r\n"));
    err = (struct jw_err){ 0 };
    ok = jw_helper_read(bytes, &a, &login, &err);
    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || can_be_sent(&login));
    err = (struct jw_err){ 0 };
    ok = jw_token_read(bytes, &a, &out, &err);
    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || !strpbrk(out, "\r\n "));
    jw_arena_free(&a);
    return 0;
}

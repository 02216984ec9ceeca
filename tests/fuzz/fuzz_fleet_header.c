/* The head of a server's answer, line by line; and the challenge in it. */
#include "fleet/format/challenge.h"
#include "fleet/format/header.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct jw_http_answer a;
    struct jw_arena arena = { .max = (size_t)16 << 20 };
    struct jw_challenge c;
    struct jw_err err = { 0 };

    a = (struct jw_http_answer){ 0 };
    for (size_t at = 0, n; at < size; at += n) {
        const uint8_t *end = memchr(data + at, '\n', size - at);

        n = end ? (size_t)(end - data) - at + 1 : size - at;
        jw_http_header(&a, (const char *)data + at, n);
        FUZZ_CHECK(a.status >= 0 && a.status <= 999);
        FUZZ_CHECK(memchr(a.location, '\0', sizeof a.location) && memchr(a.range, '\0', sizeof a.range)
                   && memchr(a.challenge, '\0', sizeof a.challenge));
        FUZZ_CHECK(!strchr(a.location, '\n') && a.retry_after < 1000000000);
    }
    bool ok = jw_challenge_read(a.challenge, &arena, &c, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(ok);
    jw_arena_free(&arena);
    return 0;
}

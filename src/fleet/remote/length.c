#include "base/text.h"
#include "fleet/format/header.h"
#include "fleet/remote/wire.h"

#include <string.h>

enum { MAX_REDIRECTS = 5, LEFT_MS = 20000 };

struct answer {
    struct jw_http_answer headers;
    uint64_t length;
};

static void on_header(void *ctx, const char *line, size_t n)
{
    static const char name[] = "content-length:";
    struct answer *to = ctx;
    char value[24];
    size_t k = sizeof name - 1;

    jw_http_header(&to->headers, line, n);
    if (n <= k || n - k >= sizeof value)
        return;
    for (size_t i = 0; i < k; i++)
        if ((line[i] | 0x20) != (name[i] | 0x20))
            return;
    struct jw_bytes text = jw_text_trim((struct jw_bytes){ (const uint8_t *)line + k, n - k });

    memcpy(value, text.p, text.n);
    value[text.n] = '\0';
    if (!jw_text_u64(value, &to->length))
        to->length = 0;
}

static bool on_body(void *ctx, const void *p, size_t n)
{
    (void)ctx;
    (void)p;
    (void)n;
    return true;
}

uint64_t jw_remote_length(const char *url, const struct jw_run *run, struct jw_arena *a)
{
    const struct jw_remote_options o = { .run = run };
    struct jw_err ignored;
    struct wire *wire = jw_text_starts(url, "https://") ? wire_open(&o, a, &ignored) : NULL;
    uint64_t length = 0;

    for (unsigned i = 0; wire && i <= MAX_REDIRECTS; i++) {
        struct answer to = { .length = 0 };
        const struct wire_request r = { .method = "HEAD",
                                        .url = url,
                                        .once = true,
                                        .secure = true,
                                        .left_ms = LEFT_MS,
                                        .ctx = &to,
                                        .header = on_header,
                                        .body_part = on_body };

        if (!wire_do(wire, &r, &ignored))
            break;
        if (to.headers.status == 200)
            length = to.length;
        if (to.headers.status / 100 != 3 || !jw_text_starts(to.headers.location, "https://"))
            break;
        url = jw_arena_str(a, to.headers.location);
    }
    wire_close(wire);
    return length;
}

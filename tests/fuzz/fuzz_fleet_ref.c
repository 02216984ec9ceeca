/* References: what is taken can be part of a URL or a path as it is, and is the same when it is said again. */
#include "fleet/format/ref.h"
#include "fuzz.h"

#include <string.h>

static void check(const struct jw_ref *ref, struct jw_arena *a)
{
    struct jw_err err = { 0 };
    struct jw_ref again;
    const char *text = jw_ref_with_tag(ref, ref->tag, a);

    FUZZ_CHECK(!ref->tag || jw_ref_is_tag(ref->tag));
    FUZZ_CHECK(!ref->digest || jw_ref_is_digest(ref->digest));
    FUZZ_CHECK(!ref->host || !strpbrk(ref->host, "@/?# \r\n"));
    FUZZ_CHECK(!ref->name || (!strstr(ref->name, "..") && !strpbrk(ref->name, "?#% \r\n")));
    FUZZ_CHECK(ref->kind != JW_REF_WEB || !strpbrk(ref->path, "?# \r\n"));
    if (ref->kind != JW_REF_FOLDER && text)
        FUZZ_CHECK(jw_ref_parse(text, a, &again, &err) && strcmp(again.host, ref->host) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_arena a = { .max = (size_t)16 << 20 };
    char *text = jw_arena_text(&a, (const char *)data, size);
    struct jw_ref ref;
    struct jw_err err = { 0 };
    bool ok = text && jw_ref_parse(text, &a, &ref, &err);

    if (text)
        fuzz_error(ok, &err);
    if (ok)
        check(&ref, &a);
    jw_arena_free(&a);
    return 0;
}

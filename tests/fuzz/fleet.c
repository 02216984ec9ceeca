#include "fleet/format/oci.h"
#include "fleet/format/ref.h"
#include "fleet/remote/login.h"
#include "fuzz.h"

#include "base/text.h"

#include <string.h>

/* ---- fleet_login ---- */

/* What registries and other programs' files say about logins: challenge, docker's file, a token,
 * which cannot end a header's line. */

FUZZ(fleet_login)
{
    FREED(jw_arena) a = {.max = (size_t)16 << 20};
    char *text = jw_arena_text(&a, (const char *)data, size);
    struct jw_bytes bytes = {data, size};
    struct jw_credentials login;
    const char *out;
    struct jw_err err = {0};

    if (text) {
        struct jw_challenge c = jw_challenge_read(text, &a);

        FUZZ_CHECK((!c.realm || jw_text_find_nocase(text, "bearer"))
                   && (!c.basic || jw_text_find_nocase(text, "basic")));
    }
    err = (struct jw_err){0};
    bool ok = jw_login_read(bytes, "h", &a, &login, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || !login.helper || !strpbrk(login.helper, "/\\ \r\n"));
    err = (struct jw_err){0};
    ok = jw_helper_read(bytes, &a, &login, &err);
    fuzz_error(ok, &err);
    err = (struct jw_err){0};
    ok = jw_token_read(bytes, &a, &out, &err);
    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || !strpbrk(out, "\r\n "));
}

/* ---- fleet_oci ---- */

/* OCI's manifest: what is read has digests that are safe in a path, and comes out the same when it
 * is written. */

FUZZ(fleet_oci)
{
    FREED(jw_arena) a = {.max = (size_t)16 << 20};
    FREED(jw_buf) once = JW_BUF((size_t)16 << 20), twice = JW_BUF((size_t)16 << 20);
    struct jw_oci_manifest doc = {0}, back = {0};
    struct jw_err err = {0};
    bool ok = jw_oci_read((struct jw_bytes){data, size}, &a, &doc, &err);

    fuzz_error(ok, &err);
    for (size_t i = 0; ok && i < doc.n; i++)
        FUZZ_CHECK(jw_ref_is_digest(doc.layers[i].digest));
    if (ok && jw_oci_write(&once, &doc, &err) && jw_oci_read(jw_buf_bytes(&once), &a, &back, &err)
        && jw_oci_write(&twice, &back, &err))
        FUZZ_CHECK(once.n == twice.n && memcmp(once.p, twice.p, once.n) == 0);
}

/* ---- fleet_ref ---- */

/* References: what is taken can be part of a URL or a path as it is, and is the same when it is
 * said again. */

static void check_ref(const struct jw_ref *ref, struct jw_arena *a)
{
    struct jw_err err = {0};
    struct jw_ref again;

    FUZZ_CHECK(!ref->tag || jw_ref_is_tag(ref->tag));
    FUZZ_CHECK(!ref->host || !strpbrk(ref->host, "@/?# \r\n"));
    FUZZ_CHECK(!ref->name || (!strstr(ref->name, "..") && !strpbrk(ref->name, "?#% \r\n")));
    if (!ref->path)
        FUZZ_CHECK(
            jw_ref_parse(jw_arena_printf(a, "oci://%s/%s", ref->host, ref->name), a, &again, &err)
            && strcmp(again.host, ref->host) == 0);
}

FUZZ(fleet_ref)
{
    FREED(jw_arena) a = {.max = (size_t)16 << 20};
    char *text = jw_arena_text(&a, (const char *)data, size);
    struct jw_ref ref;
    struct jw_err err = {0};
    bool ok = text && jw_ref_parse(text, &a, &ref, &err);

    if (text)
        fuzz_error(ok, &err);
    if (ok)
        check_ref(&ref, &a);
}

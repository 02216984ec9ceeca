#include "check.h"

#include "fleet/format/ref.h"

#include <string.h>

#define HEX "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

static struct jw_arena arena;

static struct jw_ref good(const char *text)
{
    struct jw_ref ref;
    struct jw_err err = { 0 };

    if (!jw_ref_parse(text, &arena, &ref, &err))
        check_failed(__FILE__, __LINE__, err.msg);
    return ref;
}

static bool refused(const char *text)
{
    struct jw_ref ref;
    struct jw_err err = { 0 };

    return !jw_ref_parse(text, &arena, &ref, &err) && err.code == JW_E_USAGE;
}

TEST(a_registry)
{
    struct jw_ref ref = good("oci://reg.example:5000/team/jit_cache:v1.2-x");

    CHECK(ref.kind == JW_REF_REGISTRY && !ref.digest);
    CHECK_TEXT(ref.host, "reg.example:5000");
    CHECK_TEXT(ref.name, "team/jit_cache");
    CHECK_TEXT(ref.tag, "v1.2-x");
    ref = good("oci://[::1]:5000/jit");
    CHECK_TEXT(ref.host, "[::1]:5000");
    CHECK(!ref.tag);
    ref = good("oci://h/n:v1@sha256:" HEX);
    CHECK(!ref.tag);
    CHECK_TEXT(ref.digest, "sha256:" HEX);
    jw_arena_free(&arena);
}

TEST(a_folder)
{
    struct jw_ref ref = good("oci-layout:/srv/jit:v1");

    CHECK_TEXT(ref.path, "/srv/jit");
    CHECK_TEXT(ref.tag, "v1");
    ref = good("oci-layout:C:\\packs");
    CHECK_TEXT(ref.path, "C:\\packs");
    CHECK(!ref.tag);
    ref = good("oci-layout:a:b/c");
    CHECK_TEXT(ref.path, "a:b/c");
    ref = good("dir:a:b");
    CHECK_TEXT(ref.path, "a:b");
    CHECK(!ref.tag);
    jw_arena_free(&arena);
}

TEST(a_web_server)
{
    struct jw_ref ref = good("https://h.example/packs/x/");

    CHECK(ref.kind == JW_REF_WEB && !ref.plain);
    CHECK_TEXT(ref.path, "/packs/x");
    CHECK(good("http://localhost:8080/p").plain);
    jw_arena_free(&arena);
}

TEST(what_is_refused)
{
    static const char *const texts[] = {
        "",
        "jit",
        "oci://",
        "oci://host",
        "oci://host/",
        "oci://host/Upper",
        "oci://host/a//b",
        "oci://host/a..b",
        "oci://host/../x",
        "oci://host/a/",
        "oci://host/n:",
        "oci://host/n:-x",
        "oci://host/n@sha256:12",
        "oci://host/n@sha512:" HEX,
        "oci://user:password@host/n",
        "oci://host:99999/n",
        "oci://host:/n",
        "oci://ho st/n",
        "oci://host\n/n",
        "oci://[zz]/n",
        "oci-layout:",
        "oci-layout::v1",
        "oci-layout:d:bad tag",
        "dir:",
        "https://",
        "https://u@h/p",
        "https://h/a b",
        "https://h/a?b",
        "https://h/a\r\nX: y",
        "ftp://h/p",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!refused(texts[i]))
            check_failed(__FILE__, __LINE__, texts[i]);
    jw_arena_free(&arena);
}

TEST(loopback)
{
    CHECK(jw_ref_is_loopback("localhost") && jw_ref_is_loopback("localhost:5000"));
    CHECK(jw_ref_is_loopback("127.0.0.1:5000") && jw_ref_is_loopback("[::1]:5000"));
    CHECK(!jw_ref_is_loopback("127.0.0.1.example.com") && !jw_ref_is_loopback("localhost.example.com"));
    CHECK(!jw_ref_is_loopback("10.0.0.1") && !jw_ref_is_loopback("[::2]"));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(a_registry), T(a_folder), T(a_web_server), T(what_is_refused), T(loopback));
}

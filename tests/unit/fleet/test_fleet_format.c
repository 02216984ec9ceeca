#include "check.h"

#include "base/text.h"

#include "fleet/format/oci.h"
#include "fleet/format/ref.h"
#include "fleet/remote/login.h"

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

    CHECK(!ref.path);
    CHECK_TEXT(ref.host, "reg.example:5000");
    CHECK_TEXT(ref.name, "team/jit_cache");
    CHECK_TEXT(ref.tag, "v1.2-x");
    ref = good("oci://[::1]:5000/jit");
    CHECK_TEXT(ref.host, "[::1]:5000");
    CHECK(!ref.tag);
    jw_arena_free(&arena);
}

TEST(a_folder_is_what_can_only_be_a_path)
{
    static const char *const texts[] = {
        "/srv/jit",  "./packs",  "../packs",          ".",        "..",
        "C:\\packs", "d:/packs", "\\\\server\\packs", "/srv/a:b", ".\\packs"
    };

    for (size_t i = 0; i < JW_COUNT(texts); i++) {
        struct jw_ref ref = good(texts[i]);

        CHECK(!ref.host && !ref.tag);
        CHECK_TEXT(ref.path, texts[i]);
    }
    CHECK(refused("packs") && refused("host:5000") && refused("host/packs"));
    jw_arena_free(&arena);
}

TEST(what_is_refused)
{
    static const char *const texts[] = {
        "",
        "oci://",
        "oci://host",
        "oci://host/",
        "oci://host/Upper",
        "oci://host/a//b",
        "oci://host/a..b",
        "oci://host/a/",
        "oci://host/n:",
        "oci://host/n:-x",
        "oci://host/n:v1@sha256:" HEX,
        "oci://user:password@host/n",
        "oci://:5000/n",
        "oci://-host/n",
        "oci://host:/n",
        "oci://host:99999/n",
        "oci://a:b:c/n",
        "oci://[::1/n",
        "oci://[::1]x.example/n",
        "oci://ho st/n",
        "oci://host\n/n",
        "https://h/p",
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

#define HEX_OCI "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
#define MEDIA "{\"mediaType\":\"" JW_OCI_PACK "\","
#define ITEM MEDIA "\"digest\":\"" HEX_OCI "\",\"size\":2}"

static bool read(const char *text, struct jw_arena *a, struct jw_oci_manifest *doc, struct jw_err *err)
{
    return jw_oci_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, a, doc, err);
}

TEST_ARENA(what_is_written_is_read)
{
    struct jw_oci_layer item = { .digest = HEX_OCI, .size = 7, .title = "x", .software = "y", .names = HEX };
    struct jw_oci_manifest doc = { .layers = &item, .n = 1 }, back = { 0 };
    FREED(jw_buf) text = JW_BUF(JW_OCI_MAX_TEXT), again = JW_BUF(JW_OCI_MAX_TEXT);

    CHECK(jw_oci_write(&text, &doc, &err) && jw_oci_read(jw_buf_bytes(&text), a, &back, &err));
    CHECK(back.n == 1 && back.layers[0].size == 7 && !back.layers[0].key);
    CHECK_TEXT(back.layers[0].names, HEX);
    CHECK(jw_oci_write(&again, &back, &err) && again.n == text.n && memcmp(again.p, text.p, text.n) == 0);
}

TEST_ARENA(a_manifest_has_the_empty_config)
{
    struct jw_oci_manifest doc = { 0 }, back = { 0 };
    FREED(jw_buf) text = JW_BUF(JW_OCI_MAX_TEXT);

    CHECK(jw_oci_write(&text, &doc, &err));
    CHECK_HAS(jw_buf_cstr(&text),
              "\"config\":{\"mediaType\":\"" JW_OCI_EMPTY "\",\"digest\":\"" HEX_OCI "\",\"size\":2}");
    CHECK(jw_oci_read(jw_buf_bytes(&text), a, &back, &err) && back.n == 0);
}

TEST_ARENA(what_could_not_be_read_is_not_written)
{
    struct jw_oci_manifest doc = { jw_arena_alloc(a, (JW_OCI_MAX_LAYERS + 1) * sizeof *doc.layers),
                                   JW_OCI_MAX_LAYERS + 1 };
    FREED(jw_buf) text = JW_BUF(JW_OCI_MAX_TEXT);

    for (size_t i = 0; i < doc.n; i++)
        doc.layers[i].digest = HEX_OCI;
    CHECK_REFUSED(jw_oci_write(&text, &doc, &err), err, "4097 packs are more than");
}

TEST_ARENA(what_is_refused_oci)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"schemaVersion\":1,\"layers\":[]}",
        "{\"schemaVersion\":2}",
        "{\"schemaVersion\":2,\"layers\":[],\"manifests\":[]}",
        "{\"schemaVersion\":2,\"manifests\":[]}",
        "{\"schemaVersion\":2,\"layers\":[" MEDIA "\"size\":2}]}",
        "{\"schemaVersion\":2,\"layers\":[" MEDIA "\"digest\":\"../../x\",\"size\":2}]}",
        "{\"schemaVersion\":2,\"layers\":[" MEDIA "\"digest\":\"" HEX_OCI "\"}]}",
        "{\"schemaVersion\":2,\"layers\":[" MEDIA "\"digest\":\"" HEX_OCI "\",\"size\":-1}]}",
        "{\"schemaVersion\":2,\"layers\":[" MEDIA "\"digest\":\"" HEX_OCI "\",\"size\":1.5}]}",
        "{\"schemaVersion\":2,\"layers\":[" MEDIA "\"digest\":\"" HEX_OCI "\",\"size\":1e300}]}",
        "{\"schemaVersion\":2,\"layers\":[" ITEM "]} x",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct jw_oci_manifest doc = { 0 };

        err = (struct jw_err){ 0 };
        if (read(texts[i], a, &doc, &err) || err.code != JW_E_FORMAT)
            check_failed(__FILE__, __LINE__, texts[i]);
    }
}

TEST_ARENA(what_is_read_over)
{
    struct jw_oci_manifest doc = { 0 };

    CHECK(read("{\"schemaVersion\":2,\"config\":7,\"annotations\":[1],\"layers\":[{},7,{\"mediaType\":\"m\","
               "\"size\":-1}," MEDIA "\"x\":[],\"urls\":[\"u\"],\"annotations\":{\"io.jitwarm.names\":1,"
               "\"org.opencontainers.image.title\":[]},"
               "\"digest\":\"" HEX_OCI "\",\"size\":2}]}",
               a, &doc, &err));
    CHECK(doc.n == 1 && !doc.layers[0].names);
    CHECK_TEXT(doc.layers[0].title, HEX_OCI);
    CHECK_TEXT(doc.layers[0].software, JW_OCI_UNKNOWN);
}

TEST_ARENA(challenges)
{
    static const struct {
        const char *text, *realm, *service, *scope;
        bool basic;
    } cases[] = {
        { "Bearer realm=\"https://auth.example/token\",service=\"reg, x\",scope=\"repository:a/b:pull,push\"",
          "https://auth.example/token", "reg, x", "repository:a/b:pull,push", false },
        { "basic realm=x", NULL, NULL, NULL, true },
        { "Basic realm=\"r\", Bearer realm=\"https://t\"", "https://t", NULL, NULL, true },
        { "Bearer realm=\"https://t\", Basic realm=\"r\", service=\"other\"", "https://t", NULL, NULL,
          false },
        { "Bearer realm=https://t, Bearer realm=https://u, scope=s", "https://t", NULL, NULL, false },
        { "Negotiate YWJj/g==, Custom a=\"bearer realm=x, basic\", Bearer realm=t, scope=\"a b\"", "t", NULL,
          "a b", false },
        { "", NULL, NULL, NULL, false },
        { "Negotiate", NULL, NULL, NULL, false },
        { "Bearer service=x", NULL, "x", NULL, false },
        { "Bearer realm=\"open", NULL, NULL, NULL, false },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_challenge c = jw_challenge_read(cases[i].text, a);

        if (!jw_text_same(c.realm, cases[i].realm) || !jw_text_same(c.service, cases[i].service)
            || !jw_text_same(c.scope, cases[i].scope) || c.basic != cases[i].basic)
            check_failed(__FILE__, __LINE__, cases[i].text);
    }
}

static struct jw_login helper(const char *text, const char *host, bool *ok)
{
    struct jw_login out;

    *ok = jw_login_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, host, &arena, &out,
                        JW_IGNORED);
    return out;
}

static const char *login(const char *text, const char *host, bool *ok)
{
    struct jw_login out = helper(text, host, ok);

    return *ok ? out.basic : NULL;
}

static bool helped(const char *text, struct jw_login *out)
{
    return jw_helper_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, &arena, out, JW_IGNORED);
}

TEST(helpers)
{
    static const char file[] =
        "{\"auths\":{\"https://index.docker.io/v1/\":{},\"b\":{\"auth\":\"Ym9iOng=\"},"
        "\"t\":{\"auth\":\"Ym9iOng=\",\"identitytoken\":\"abc\"}},"
        "\"credHelpers\":{\"h.example\":\"ecr-login\",\"bad\":\"../x\"},\"credsStore\":\"desktop\"}";
    bool ok;
    struct jw_login l = helper(file, "h.example", &ok);

    CHECK(ok && !l.basic && !l.identity);
    CHECK_TEXT(l.helper, "ecr-login");
    CHECK_TEXT(l.asked_as, "h.example");
    l = helper(file, "index.docker.io", &ok);
    CHECK_TEXT(l.helper, "desktop");
    CHECK_TEXT(l.asked_as, "https://index.docker.io/v1/");
    l = helper(file, "b", &ok);
    CHECK(ok && !l.helper);
    CHECK_TEXT(l.basic, "bob:x");
    l = helper(file, "t", &ok);
    CHECK(ok && !l.basic);
    CHECK_TEXT(l.identity, "abc");
    (void)helper(file, "bad", &ok);
    CHECK(!ok);
    CHECK(helped("{\"ServerURL\":\"x\",\"Username\":\"ada\",\"Secret\":\"s\"}", &l));
    CHECK_TEXT(l.basic, "ada:s");
    CHECK(helped("{\"Username\":\"<token>\",\"Secret\":\"s\"}", &l) && !l.basic);
    CHECK_TEXT(l.identity, "s");
    CHECK(!helped("{}", &l) && !helped("{\"Username\":\"a\",\"Secret\":\"\"}", &l));
    jw_arena_free(&arena);
}

TEST(logins)
{
    static const char file[] = "{\"auths\":{\"https://a.example/v1/"
                               "\":{\"auth\":\"YWRhOnNlY3JldA==\"},\"b.example:5000\":{\"auth\":\"Ym9iOng=\"}"
                               ",\"b.example:5000/lab\":{\"auth\":\"YWRhOnNlY3JldA==\"},"
                               "\"c\":{},\"d\":{\"auth\":\"bm9uZQ==\"},\"e\":{\"auth\":\"!\"}}}";
    bool ok;

    CHECK_TEXT(login(file, "a.example", &ok), "ada:secret");
    CHECK_TEXT(login(file, "b.example:5000/laboratory", &ok), "bob:x");
    CHECK_TEXT(login(file, "b.example:5000/lab/jit", &ok),
               "ada:secret"); /* podman login b.example:5000/lab */
    CHECK(!login(file, "b.example", &ok) && ok);
    CHECK(!login(file, "c", &ok) && ok);
    CHECK(!login(file, "d", &ok) && !ok); /* no colon */
    CHECK(!login(file, "e", &ok) && !ok);
    CHECK(!login("{", "a", &ok) && !ok);
    CHECK(!login("{\"auths\":7}", "a", &ok) && ok);
    jw_arena_free(&arena);
}

static bool token(const char *text, const char **out)
{
    return jw_token_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, &arena, out, JW_IGNORED);
}

TEST(tokens)
{
    const char *out;

    CHECK(token("{\"token\":\"abc\"}", &out));
    CHECK_TEXT(out, "abc");
    CHECK(token("{\"access_token\":\"x.y\"}", &out));
    CHECK(!token("{}", &out) && !token("{\"token\":\"\"}", &out)
          && !token("{\"token\":\"a\\r\\nX: y\"}", &out) && !token("{\"token\":\"a\\u007f\"}", &out));
    jw_arena_free(&arena);
}

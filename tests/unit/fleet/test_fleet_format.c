#include "check.h"

#include "base/text.h"

#include "fleet/format/oci.h"
#include "fleet/format/ref.h"
#include "fleet/push.h"
#include "fleet/remote/login.h"
#include "rigs/pack_rig.h"
#include "rigs/scratch.h"

#define HEX "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

static struct jw_ref good(struct jw_arena *a, const char *text)
{
    struct jw_ref ref;
    struct jw_err err = {0};

    if (!jw_ref_parse(text, a, &ref, &err))
        check_failed(__FILE__, __LINE__, err.msg);
    return ref;
}

static bool refused(struct jw_arena *a, const char *text)
{
    struct jw_ref ref;
    struct jw_err err = {0};

    return !jw_ref_parse(text, a, &ref, &err) && err.code == JW_E_USAGE;
}

TEST_ARENA(a_registry)
{
    struct jw_ref ref = good(a, "oci://reg.example:5000/team/jit_cache:v1.2-x");

    CHECK(!ref.path);
    CHECK_TEXT(ref.host, "reg.example:5000");
    CHECK_TEXT(ref.name, "team/jit_cache");
    CHECK_TEXT(ref.tag, "v1.2-x");
    ref = good(a, "oci://[::1]:5000/jit");
    CHECK_TEXT(ref.host, "[::1]:5000");
    CHECK(!ref.tag);
}

TEST_ARENA(a_folder_is_what_can_only_be_a_path)
{
    static const char *const texts[] = {"/srv/jit", "./packs",   "../packs", ".",
                                        "..",       "C:\\packs", "d:/packs", "\\\\server\\packs",
                                        "/srv/a:b", ".\\packs"};

    for (size_t i = 0; i < JW_COUNT(texts); i++) {
        struct jw_ref ref = good(a, texts[i]);

        CHECK(!ref.host && !ref.tag);
        CHECK_TEXT(ref.path, texts[i]);
    }
    CHECK(refused(a, "packs") && refused(a, "host:5000") && refused(a, "host/packs"));
}

TEST_ARENA(what_is_refused)
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
        if (!refused(a, texts[i]))
            check_failed(__FILE__, __LINE__, texts[i]);
}

TEST(loopback)
{
    CHECK(jw_ref_is_loopback("localhost") && jw_ref_is_loopback("localhost:5000"));
    CHECK(jw_ref_is_loopback("127.0.0.1:5000") && jw_ref_is_loopback("[::1]:5000"));
    CHECK(!jw_ref_is_loopback("127.0.0.1.example.com")
          && !jw_ref_is_loopback("localhost.example.com"));
    CHECK(!jw_ref_is_loopback("10.0.0.1") && !jw_ref_is_loopback("[::2]"));
}

#define HEX_OCI "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
#define MEDIA "{\"mediaType\":\"" JW_OCI_PACK "\","
#define ITEM MEDIA "\"digest\":\"" HEX_OCI "\",\"size\":2}"

static bool read(const char *text, struct jw_arena *a, struct jw_oci_manifest *doc,
                 struct jw_err *err)
{
    return jw_oci_read((struct jw_bytes){(const uint8_t *)text, strlen(text)}, a, doc, err);
}

TEST_ARENA(what_is_written_is_read_and_has_the_empty_config)
{
    struct jw_oci_layer item = {
        .digest = HEX_OCI, .size = 7, .title = "x", .software = "y", .names = HEX};
    struct jw_oci_manifest doc = {.layers = &item, .n = 1}, back = {0};
    FREED(jw_buf) text = JW_BUF(JW_OCI_MAX_TEXT), again = JW_BUF(JW_OCI_MAX_TEXT);

    CHECK(jw_oci_write(&text, &doc, &err) && jw_oci_read(jw_buf_bytes(&text), a, &back, &err));
    CHECK(back.n == 1 && back.layers[0].size == 7 && !back.layers[0].key);
    CHECK_TEXT(back.layers[0].names, HEX);
    CHECK_HAS(jw_buf_cstr(&text), "\"config\":{\"mediaType\":\"" JW_OCI_EMPTY
                                  "\",\"digest\":\"" HEX_OCI "\",\"size\":2}");
    CHECK(jw_oci_write(&again, &back, &err) && again.n == text.n
          && memcmp(again.p, text.p, text.n) == 0);
}

TEST_ARENA(what_could_not_be_read_is_not_written)
{
    struct jw_oci_manifest doc = {jw_arena_alloc(a, (JW_OCI_MAX_LAYERS + 1) * sizeof *doc.layers),
                                  JW_OCI_MAX_LAYERS + 1};
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
        struct jw_oci_manifest doc = {0};

        err = (struct jw_err){0};
        if (read(texts[i], a, &doc, &err) || err.code != JW_E_FORMAT)
            check_failed(__FILE__, __LINE__, texts[i]);
    }
}

TEST_ARENA(what_is_read_over)
{
    struct jw_oci_manifest doc = {0};

    CHECK(read("{\"schemaVersion\":2,\"config\":7,\"annotations\":[1],\"layers\":[{},7,{"
               "\"mediaType\":\"m\","
               "\"size\":-1}," MEDIA
               "\"x\":[],\"urls\":[\"u\"],\"annotations\":{\"io.jitwarm.names\":1,"
               "\"org.opencontainers.image.title\":[]},"
               "\"digest\":\"" HEX_OCI "\",\"size\":2}]}",
               a, &doc, &err));
    CHECK(doc.n == 1 && !doc.layers[0].names);
    CHECK_TEXT(doc.layers[0].title, HEX_OCI);
    CHECK_TEXT(doc.layers[0].software, JW_OCI_UNKNOWN);
}

TEST_ARENA(a_pack_that_is_named_again_is_there_once)
{
    struct jw_oci_manifest doc = {0};

    CHECK(read("{\"schemaVersion\":2,\"layers\":[" ITEM "," ITEM "," ITEM "]}", a, &doc, &err));
    CHECK(doc.n == 1);
}

TEST_ARENA(challenges)
{
    static const struct {
        const char *text, *realm, *service, *scope;
        bool basic;
    } cases[] = {
        {"Bearer realm=\"https://auth.example/token\",service=\"reg, "
         "x\",scope=\"repository:a/b:pull,push\"",
         "https://auth.example/token", "reg, x", "repository:a/b:pull,push", false},
        {"basic realm=x", NULL, NULL, NULL, true},
        {"Basic realm=\"r\", Bearer realm=\"https://t\"", "https://t", NULL, NULL, true},
        {"Bearer realm=\"https://t\", Basic realm=\"r\", service=\"other\"", "https://t", NULL,
         NULL, false},
        {"Bearer realm=https://t, Bearer realm=https://u, scope=s", "https://t", NULL, NULL, false},
        {"Negotiate YWJj/g==, Custom a=\"bearer realm=x, basic\", Bearer realm=t, scope=\"a b\"",
         "t", NULL, "a b", false},
        {"", NULL, NULL, NULL, false},
        {"Negotiate", NULL, NULL, NULL, false},
        {"Bearer service=x", NULL, "x", NULL, false},
        {"Bearer realm=\"open", NULL, NULL, NULL, false},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_challenge c = jw_challenge_read(cases[i].text, a);

        if (!jw_text_same(c.realm, cases[i].realm) || !jw_text_same(c.service, cases[i].service)
            || !jw_text_same(c.scope, cases[i].scope) || c.basic != cases[i].basic)
            check_failed(__FILE__, __LINE__, cases[i].text);
    }
}

static struct jw_credentials helper(struct jw_arena *a, const char *text, const char *host,
                                    bool *ok)
{
    struct jw_credentials out;

    *ok = jw_login_read((struct jw_bytes){(const uint8_t *)text, strlen(text)}, host, a, &out,
                        JW_IGNORED);
    return out;
}

static const char *login(struct jw_arena *a, const char *text, const char *host, bool *ok)
{
    struct jw_credentials out = helper(a, text, host, ok);

    return *ok ? out.basic : NULL;
}

static bool helped(struct jw_arena *a, const char *text, struct jw_credentials *out)
{
    return jw_helper_read((struct jw_bytes){(const uint8_t *)text, strlen(text)}, a, out,
                          JW_IGNORED);
}

TEST_ARENA(helpers)
{
    static const char file[] =
        "{\"auths\":{\"https://index.docker.io/v1/\":{},\"b\":{\"auth\":\"Ym9iOng=\"},"
        "\"t\":{\"auth\":\"Ym9iOng=\",\"identitytoken\":\"abc\"}},"
        "\"credHelpers\":{\"h.example\":\"ecr-login\",\"bad\":\"../"
        "x\"},\"credsStore\":\"desktop\"}";
    bool ok;
    struct jw_credentials l = helper(a, file, "h.example", &ok);

    CHECK(ok && !l.basic && !l.identity);
    CHECK_TEXT(l.helper, "ecr-login");
    CHECK_TEXT(l.asked_as, "h.example");
    l = helper(a, file, "index.docker.io", &ok);
    CHECK_TEXT(l.helper, "desktop");
    CHECK_TEXT(l.asked_as, "https://index.docker.io/v1/");
    l = helper(a, file, "b", &ok);
    CHECK(ok && !l.helper);
    CHECK_TEXT(l.basic, "bob:x");
    l = helper(a, file, "t", &ok);
    CHECK(ok && !l.basic);
    CHECK_TEXT(l.identity, "abc");
    (void)helper(a, file, "bad", &ok);
    CHECK(!ok);
    CHECK(helped(a, "{\"ServerURL\":\"x\",\"Username\":\"ada\",\"Secret\":\"s\"}", &l));
    CHECK_TEXT(l.basic, "ada:s");
    CHECK(helped(a, "{\"Username\":\"<token>\",\"Secret\":\"s\"}", &l) && !l.basic);
    CHECK_TEXT(l.identity, "s");
    CHECK(!helped(a, "{}", &l) && !helped(a, "{\"Username\":\"a\",\"Secret\":\"\"}", &l));
}

TEST_ARENA(logins)
{
    static const char file[] =
        "{\"auths\":{\"https://a.example/v1/"
        "\":{\"auth\":\"YWRhOnNlY3JldA==\"},\"b.example:5000\":{\"auth\":\"Ym9iOng=\"}"
        ",\"b.example:5000/lab\":{\"auth\":\"YWRhOnNlY3JldA==\"},"
        "\"c\":{},\"d\":{\"auth\":\"bm9uZQ==\"},\"e\":{\"auth\":\"!\"}}}";
    bool ok;

    CHECK_TEXT(login(a, file, "a.example", &ok), "ada:secret");
    CHECK_TEXT(login(a, file, "b.example:5000/laboratory", &ok), "bob:x");
    CHECK_TEXT(login(a, file, "b.example:5000/lab/jit", &ok), "ada:secret"); /* of podman login */
    CHECK(!login(a, file, "b.example", &ok) && ok && !login(a, file, "c", &ok) && ok);
    CHECK(!login(a, file, "d", &ok) && !ok && !login(a, file, "e", &ok) && !ok); /* d: no colon */
    CHECK(!login(a, "{", "a", &ok) && !ok);
    CHECK(!login(a, "{\"auths\":7}", "a", &ok) && ok);
}

static bool token(struct jw_arena *a, const char *text, const char **out)
{
    return jw_token_read((struct jw_bytes){(const uint8_t *)text, strlen(text)}, a, out,
                         JW_IGNORED);
}

TEST_ARENA(tokens)
{
    const char *out;

    CHECK(token(a, "{\"token\":\"abc\"}", &out));
    CHECK_TEXT(out, "abc");
    CHECK(token(a, "{\"access_token\":\"x.y\"}", &out));
    CHECK(!token(a, "{}", &out) && !token(a, "{\"token\":\"\"}", &out)
          && !token(a, "{\"token\":\"a\\r\\nX: y\"}", &out)
          && !token(a, "{\"token\":\"a\\u007f\"}", &out));
}

#ifndef _WIN32 /* where a file that is open keeps its name */
static void replace_pack(void *ctx, const struct jw_progress *now)
{
    CHECK(strcmp(now->at, "checking the pack") != 0 || now->done < now->total
          || rename(scratch("other"), ctx) == 0);
}

TEST_ARENA(what_is_said_of_a_pack_is_of_its_bytes_also_if_another_takes_its_name)
{
    static struct pack_rig rig;
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    const char *file = scratch("pack.tar.zst");
    struct jw_ref ref = good(a, "oci://127.0.0.1:1/nobody");
    struct jw_run run = {.a = a, .progress = replace_pack, .ctx = (void *)(uintptr_t)file};
    const struct jw_remote_options net = {.ref = &ref, .answer_ms = 1};
    struct jw_push_report out;
    uint8_t digest[crypto_hash_sha256_BYTES];

    pack_rig_make(&rig, 3, 900, 300);
    pack_rig_write(&rig, NULL, &pack);
    CHECK_OK(jw_file_put(file, 0, jw_buf_bytes(&pack), &err), err);
    scratch_put("other", "another pack");
    CHECK(!jw_push(&run, &net, (struct jw_texts){&file, 1}, &out, &err) && err.code == JW_E_NET
          && out.n);
    (void)crypto_hash_sha256(digest, pack.p, pack.n);
    CHECK_TEXT(out.layers[0].layer.digest + strlen("sha256:"), jw_digest_text(digest).text);
    pack_rig_free(&rig);
}
#endif

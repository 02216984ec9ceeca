#include "check.h"

#include "fleet/format/challenge.h"

#include <string.h>

static struct jw_arena arena;

static struct jw_challenge read(const char *text)
{
    struct jw_challenge c;
    struct jw_err err = { 0 };

    if (!jw_challenge_read(text, &arena, &c, &err))
        check_failed(__FILE__, __LINE__, err.msg);
    return c;
}

TEST(challenges)
{
    struct jw_challenge c = read("Bearer realm=\"https://auth.example/token\",service=\"reg "
                                 "\\\"x\\\"\",scope=\"repository:a/b:pull,push\"");

    CHECK(c.kind == JW_CHALLENGE_BEARER);
    CHECK_TEXT(c.realm, "https://auth.example/token");
    CHECK_TEXT(c.service, "reg \"x\"");
    CHECK_TEXT(c.scope, "repository:a/b:pull,push");
    CHECK(read("basic realm=x").kind == JW_CHALLENGE_BASIC);
    c = read("Basic realm=\"r\", Bearer realm=\"https://t\"");
    CHECK(c.kind == JW_CHALLENGE_BEARER);
    CHECK_TEXT(c.realm, "https://t");
    c = read("Bearer realm=\"https://t\", Basic realm=\"r\"");
    CHECK(c.kind == JW_CHALLENGE_BEARER);
    CHECK_TEXT(c.realm, "https://t");
    CHECK(read("").kind == JW_CHALLENGE_NONE && read("Negotiate").kind == JW_CHALLENGE_NONE);
    CHECK(read("Bearer service=x").kind == JW_CHALLENGE_NONE
          && read("Bearer realm=\"open").kind == JW_CHALLENGE_NONE);
    jw_arena_free(&arena);
}

static const char *login(const char *text, const char *host, bool *ok)
{
    struct jw_err err = { 0 };
    struct jw_login out;

    *ok = jw_fleet_login_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, host, &arena, &out,
                              &err);
    return *ok ? out.basic : NULL;
}

static struct jw_login helper(const char *text, const char *host, bool *ok)
{
    struct jw_err err = { 0 };
    struct jw_login out;

    *ok = jw_fleet_login_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, host, &arena, &out,
                              &err);
    return out;
}

static bool helped(const char *text, struct jw_login *out)
{
    struct jw_err err = { 0 };

    return jw_helper_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, &arena, out, &err);
}

TEST(helpers)
{
    static const char file[] =
        "{\"auths\":{\"https://index.docker.io/v1/\":{},\"b\":{\"auth\":\"Ym9iOng=\"},"
        "\"t\":{\"auth\":\"Ym9iOng=\",\"identitytoken\":\"abc\"}},"
        "\"credHelpers\":{\"h.example\":\"ecr-login\",\"bad\":\"../x\"},\"credsStore\":\"desktop\"}";
    struct jw_login l;
    bool ok;

    l = helper(file, "h.example", &ok);
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
    CHECK(!helped("{}", &l) && !helped("{\"Username\":\"a\",\"Secret\":\"\"}", &l)
          && !helped("{\"Username\":\"a\\r\",\"Secret\":\"s\"}", &l)
          && !helped("{\"Username\":\"<token>\",\"Secret\":\"a\\r\\nX: y\"}", &l));
    jw_arena_free(&arena);
}

TEST(logins)
{
    static const char file[] =
        "{\"auths\":{\"https://a.example/v1/"
        "\":{\"auth\":\"YWRhOnNlY3JldA==\"},\"b.example:5000\":{\"auth\":\"Ym9iOng=\"},"
        "\"c\":{},\"d\":{\"auth\":\"bm9uZQ==\"},\"e\":{\"auth\":\"!\"}}}";
    bool ok;

    CHECK_TEXT(login(file, "a.example", &ok), "ada:secret");
    CHECK_TEXT(login(file, "b.example:5000", &ok), "bob:x");
    CHECK(!login(file, "b.example", &ok) && ok);
    CHECK(!login(file, "example", &ok) && ok);
    CHECK(!login(file, "c", &ok) && ok);
    CHECK(!login(file, "d", &ok) && !ok); /* no colon */
    CHECK(!login(file, "e", &ok) && !ok);
    CHECK(!login("{", "a", &ok) && !ok);
    CHECK(!login("{\"auths\":7}", "a", &ok) && ok);
    jw_arena_free(&arena);
}

static bool token(const char *text, char **out)
{
    struct jw_err err = { 0 };

    return jw_token_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, &arena, out, &err);
}

TEST(tokens)
{
    char *out;

    CHECK(token("{\"token\":\"abc\"}", &out));
    CHECK_TEXT(out, "abc");
    CHECK(token("{\"access_token\":\"x.y\"}", &out));
    CHECK(!token("{}", &out) && !token("{\"token\":\"\"}", &out)
          && !token("{\"token\":\"a\\r\\nX: y\"}", &out));
    jw_arena_free(&arena);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(challenges), T(logins), T(helpers), T(tokens));
}

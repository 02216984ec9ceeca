#include "fleet/format/login.h"

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"

#include <string.h>

enum { MAX_HEADER = 8192, MAX_TOKEN = 65536 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define TOKEN LETTERS "!#$%&'*+-.^_`|~"

/* ---- the challenge ---- */

/* The text of NAME="text" or NAME=text; NULL: it is not there, or has no end. */
static const char *parameter(const char *in, const char *name, struct jw_arena *a)
{
    const char *at = jw_text_find_nocase(in, name);

    if (!at)
        return NULL;
    at += strlen(name);
    bool quoted = *at == '"';
    size_t n = quoted ? strcspn(at + 1, "\"") : strspn(at, TOKEN "/:");

    return (quoted ? !at[n + 1] : !n) ? NULL : jw_arena_text(a, at + quoted, n);
}

struct jw_challenge jw_challenge_read(const char *text, struct jw_arena *a)
{
    const char *bearer = jw_text_find_nocase(text, "bearer ");
    struct jw_challenge out = { 0 };

    if (bearer)
        out = (struct jw_challenge){ JW_CHALLENGE_BEARER, parameter(bearer, "realm=", a),
                                     parameter(bearer, "service=", a), parameter(bearer, "scope=", a) };
    if (!out.realm)
        out.kind = !bearer && jw_text_find_nocase(text, "basic") ? JW_CHALLENGE_BASIC : JW_CHALLENGE_NONE;
    return out;
}

/* ---- logins ---- */

static bool decode_login(const char *text, struct jw_arena *a, const char **out, struct jw_err *err)
{
    size_t n = strlen(text), pad = n < 2 || text[n - 1] != '=' ? 0 : text[n - 2] == '=' ? 2 : 1;
    size_t bytes = n < 4 ? 0 : n / 4 * 3 - pad;
    char *plain;

    if (n > MAX_HEADER || n % 4 || !n)
        return jw_fail(err, JW_E_FORMAT, "its auth is not base64");
    plain = jw_arena_alloc(a, bytes + 1);
    if (!jw_base64_get((uint8_t *)plain, bytes, (struct jw_bytes){ (const uint8_t *)text, n })
        || strlen(plain) != bytes || !strchr(plain, ':') || strpbrk(plain, "\r\n"))
        return jw_fail(err, JW_E_FORMAT, "its auth is not USER:PASSWORD in base64");
    *out = plain;
    return true;
}

/* Keys may be https://HOST/v1/ (docker) or HOST/path (podman). Only the host is compared. */
static bool names_host(const char *key, const char *host)
{
    size_t n = strlen(host);

    if (jw_text_starts(key, "https://"))
        key += strlen("https://");
    return strncmp(key, host, n) == 0 && (!key[n] || key[n] == '/');
}

/* Copies a token, which is sent in a header. */
static bool copy_secret(const char *text, struct jw_arena *a, const char **out, struct jw_err *err)
{
    bool ok = strlen(text) <= MAX_TOKEN;

    for (const char *c = text; ok && *c; c++)
        ok = *c > ' ' && *c < 0x7f;
    if (ok)
        *out = jw_arena_str(a, text);
    return ok || jw_fail(err, JW_E_FORMAT, "the login has characters that HTTP cannot send");
}

/* It becomes part of a program's name. */
static bool is_helper(const char *name)
{
    size_t n = strspn(name, LETTERS "._-");

    return n && n <= 64 && !name[n];
}

static const cJSON *of_host(const cJSON *list, const char *host)
{
    const cJSON *v;

    cJSON_ArrayForEach(v, list) if (v->string && names_host(v->string, host)) return v;
    return NULL;
}

static bool read_auth(const cJSON *v, struct jw_arena *a, struct jw_login *out, struct jw_err *err)
{
    const char *auth = jw_json_get_text(v, "auth"), *identity = jw_json_get_text(v, "identitytoken");

    if (identity && *identity)
        return copy_secret(identity, a, &out->identity, err);
    return !auth || !*auth || decode_login(auth, a, &out->basic, err);
}

static bool read_helper(const cJSON *root, const char *host, struct jw_arena *a, struct jw_login *out,
                        struct jw_err *err)
{
    const char *helper = jw_json_get_text(root, "credsStore");
    const cJSON *v;

    v = of_host(jw_json_get(root, "credHelpers"), host);
    if (v)
        helper = cJSON_GetStringValue(v);
    else
        v = of_host(jw_json_get(root, "auths"), host);
    if (!helper || !*helper)
        return true;
    if (!is_helper(helper))
        return jw_fail(err, JW_E_FORMAT, "its credential helper has an invalid name");
    out->helper = jw_arena_str(a, helper);
    out->asked_as = jw_arena_str(a, v ? v->string : host);
    return true;
}

bool jw_login_read(struct jw_bytes file, const char *host, struct jw_arena *a, struct jw_login *out,
                   struct jw_err *err)
{
    cJSON *doc = NULL;

    *out = (struct jw_login){ 0 };
    bool ok =
        jw_json_parse(&doc, file, err) && read_auth(of_host(jw_json_get(doc, "auths"), host), a, out, err);

    if (ok && !out->basic && !out->identity)
        ok = read_helper(doc, host, a, out, err);
    cJSON_Delete(doc);
    return ok;
}

bool jw_helper_read(struct jw_bytes answer, struct jw_arena *a, struct jw_login *out, struct jw_err *err)
{
    cJSON *doc = NULL;
    bool ok = jw_json_parse(&doc, answer, err);
    const char *user = jw_json_get_text(doc, "Username");
    const char *secret = jw_json_get_text(doc, "Secret");

    *out = (struct jw_login){ 0 };
    ok = ok && ((user && secret && *secret) || jw_fail(err, JW_E_FORMAT, "it printed no login"));
    if (ok && strcmp(user, "<token>") == 0)
        ok = copy_secret(secret, a, &out->identity, err);
    else if (ok) {
        ok = (strlen(user) + strlen(secret) < MAX_HEADER && !strpbrk(user, ":\r\n")
              && !strpbrk(secret, "\r\n"))
             || jw_fail(err, JW_E_FORMAT, "the login has characters that HTTP cannot send");
        out->basic = ok ? jw_arena_printf(a, "%s:%s", user, secret) : NULL;
    }
    cJSON_Delete(doc);
    return ok;
}

bool jw_token_read(struct jw_bytes answer, struct jw_arena *a, const char **out, struct jw_err *err)
{
    cJSON *doc = NULL;
    bool ok = jw_json_parse(&doc, answer, err);
    const char *token = jw_json_get_text(doc, "token");

    token = token ? token : jw_json_get_text(doc, "access_token");
    *out = NULL;
    ok = ok && ((token && *token) || jw_fail(err, JW_E_FORMAT, "it holds no token"))
         && copy_secret(token, a, out, err);
    cJSON_Delete(doc);
    return ok;
}

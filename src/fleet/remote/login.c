#include "fleet/remote/login.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

enum { MAX_HEADER = 8192, MAX_TOKEN = 65536, HELPER_MS = 30000, MAX_ANSWER = 65536 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define TOKEN LETTERS "!#$%&'*+-.^_`|~"

/* ---- the challenge ---- */

/* A value behind NAME=, quoted or not; moves behind it. NULL: it has no end. */
static const char *take_value(const char **at, struct jw_arena *a)
{
    bool quoted = **at == '"';
    const char *text = *at + quoted;
    size_t n = quoted ? strcspn(text, "\"") : strspn(text, TOKEN "/:");

    *at = text + n + (quoted && text[n]);
    return quoted && !text[n] ? NULL : jw_arena_text(a, text, n);
}

/* A word with = behind it is a parameter of the scheme before it; another word is the next scheme. */
struct jw_challenge jw_challenge_read(const char *text, struct jw_arena *a)
{
    static const char *const names[] = { "realm=", "service=", "scope=" };
    struct jw_challenge out = { 0 };
    const char **const slots[] = { &out.realm, &out.service, &out.scope };
    bool bearer = false;

    for (size_t n; *text; text += n) {
        n = strspn(text, TOKEN);
        if (n && text[n] == '=') {
            const char *at = text + n + 1, *value = take_value(&at, a);

            for (size_t i = 0; bearer && i < JW_COUNT(names); i++)
                if (jw_text_starts_nocase(text, names[i]) && !*slots[i])
                    *slots[i] = value;
            n = (size_t)(at - text);
        } else if (n && !out.realm) {
            bearer = jw_text_starts_nocase(text, "bearer ");
            out.basic |= jw_text_starts_nocase(text, "basic");
        } else if (n)
            bearer = false;
        n += !n;
    }
    return out;
}

/* ---- the files of docker and podman, helpers, token servers ---- */

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
    const cJSON *v = of_host(jw_json_get(root, "credHelpers"), host);

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

/* ---- where logins are ---- */

/* Exit code 1 means: no login. Its output may hold secrets and is not printed. */
static bool ask_helper(const struct jw_login *from, const struct jw_run *run, struct jw_arena *a,
                       struct jw_login *out, struct jw_err *err)
{
    struct jw_buf name = JW_BUF_IN(a, 128), path = JW_BUF_IN(a, JW_MAX_PATH);
    struct jw_buf answer = JW_BUF_IN(a, MAX_ANSWER);
    bool found = false;
    int code = 0;

    jw_buf_printf(&name, "docker-credential-%s", from->helper);
    bool ok = jw_buf_ok(&name, err) && jw_process_find(jw_buf_cstr(&name), &path, &found, err)
              && (found || jw_fail(err, JW_E_NET, "it is not in PATH"));

    if (ok) {
        const char *argv[] = { jw_buf_cstr(&path), "get", NULL };
        const struct jw_command c = { .exe = argv[0],
                                      .argv = argv,
                                      .input = { (const uint8_t *)from->asked_as, strlen(from->asked_as) },
                                      .interrupted = run ? run->interrupted : NULL };

        ok = jw_process_run(&c, HELPER_MS, &answer, &code, err);
    }
    if (ok && code == 0)
        ok = jw_helper_read(jw_buf_bytes(&answer), a, out, err);
    if (!ok && err->code != JW_E_INTERRUPTED)
        (void)(jw_wrap(err, "%.100s", jw_buf_cstr(&name)));
    return ok;
}

static bool read_login_file(const char *path, const char *host, const struct jw_run *run, struct jw_arena *a,
                            struct jw_login *out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_CONF);
    bool found = false;
    bool ok = (jw_file_slurp(path, &text, &found, err)
               && (!found || jw_login_read(jw_buf_bytes(&text), host, a, out, err)))
              || jw_wrap(err, "%.200s", path);

    if (!ok && err->code == JW_E_FORMAT)
        err->code = JW_E_NET;
    if (ok && out->helper) {
        const struct jw_login from = *out;

        *out = (struct jw_login){ 0 };
        ok = ask_helper(&from, run, a, out, err);
    }
    return ok;
}

/* Docker's name for Docker Hub. */
static const char *key_of(const char *host)
{
    return strcmp(host, "registry-1.docker.io") == 0 ? "index.docker.io" : host;
}

bool login_find(const char *host, const char *given, const struct jw_run *run, struct jw_arena *a,
                struct jw_login *out, struct jw_err *err)
{
    const struct {
        const char *dir, *name;
    } places[] = { { jw_env(a, "REGISTRY_AUTH_FILE"), NULL },
                   { jw_env(a, "XDG_RUNTIME_DIR"), "containers/auth.json" },
                   { jw_env_config_user(a), "containers/auth.json" },
                   { jw_env(a, "DOCKER_CONFIG"), "config.json" },
                   { jw_env_home(a), ".docker/config.json" } };

    *out = (struct jw_login){ 0 };
    jw_process_shield();
    if (given && *given) {
        out->basic = given;
        return (strchr(given, ':') && !strpbrk(given, "\r\n"))
               || jw_fail(err, JW_E_USAGE, "JITWARM_LOGIN is not USER:PASSWORD");
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && !out->basic && !out->identity; i++) {
        const char *path = places[i].dir && *places[i].dir && places[i].name
                               ? jw_path_join(a, places[i].dir, places[i].name)
                               : places[i].dir;

        if (path && *path && !read_login_file(path, key_of(host), run, a, out, err))
            return false;
    }
    return true;
}

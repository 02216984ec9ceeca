#include "fleet/remote/login.h"

#include "base/base64.h"
#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

enum { HELPER_MS = 30000, MAX_ANSWER = 65536 };

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

/* A word with = behind it is a parameter of the scheme before it; another word is the next
 * scheme. */
struct jw_challenge jw_challenge_read(const char *text, struct jw_arena *a)
{
    static const char *const names[] = {"realm=", "service=", "scope="};
    struct jw_challenge out = {0};
    const char **const slots[] = {&out.realm, &out.service, &out.scope};
    bool bearer = false;

    for (size_t n; *text; text += n) {
        n = strspn(text, TOKEN);
        if (n && text[n] == '=') {
            const char *at = text + n + 1;
            const char *value = take_value(&at, a);

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
    size_t n = strlen(text);
    size_t bytes = n / 4 * 3;
    char *plain = jw_arena_alloc(a, bytes + 1);

    for (size_t i = 1; bytes && i <= 2 && text[n - i] == '='; i++)
        bytes--;
    if (!jw_base64_get((uint8_t *)plain, bytes, (struct jw_bytes){(const uint8_t *)text, n})
        || !strchr(plain, ':'))
        return jw_fail(err, JW_E_FORMAT, "its auth is not USER:PASSWORD in base64");
    *out = plain;
    return true;
}

/* Keys are HOST, https://HOST/v1/ (docker), or HOST/PART of a repository's path (podman), of which
 * the longest counts. */
static const cJSON *of_place(const cJSON *list, const char *place)
{
    const cJSON *v, *best = NULL;
    size_t longest = 0;

    cJSON_ArrayForEach(v, list)
    {
        const char *key = v->string ? v->string : "";

        key += jw_text_starts(key, "https://") ? strlen("https://") : 0;
        size_t n = jw_text_ends(key, "/v1/") || jw_text_ends(key, "/v2/") ? strcspn(key, "/")
                                                                          : strlen(key);

        if (n > longest && strncmp(key, place, n) == 0 && (!place[n] || place[n] == '/')) {
            best = v;
            longest = n;
        }
    }
    return best;
}

bool jw_login_read(struct jw_bytes file, const char *place, struct jw_arena *a,
                   struct jw_credentials *out, struct jw_err *err)
{
    cJSON *doc = NULL;
    bool ok = jw_json_parse(&doc, file, err);
    const cJSON *own = of_place(jw_json_get(doc, "auths"), place);
    const cJSON *helps = of_place(jw_json_get(doc, "credHelpers"), place);
    const char *auth = jw_json_get_text(own, "auth");
    const char *identity = jw_json_get_text(own, "identitytoken");
    const char *helper = helps ? cJSON_GetStringValue(helps) : jw_json_get_text(doc, "credsStore");

    *out = (struct jw_credentials){0};
    if (identity && *identity)
        out->identity = jw_arena_str(a, identity);
    else if (auth && *auth)
        ok = decode_login(auth, a, &out->basic, err);
    else if (helper
             && helper[strspn(helper, LETTERS "._-")]) /* it becomes part of a program's name */
        ok = jw_fail(err, JW_E_FORMAT, "its credential helper has an invalid name");
    else if (helper && *helper) {
        out->helper = jw_arena_str(a, helper);
        out->asked_as = jw_arena_text(a, place, strcspn(place, "/"));
        if (helps || own)
            out->asked_as = jw_arena_str(a, (helps ? helps : own)->string);
    }
    cJSON_Delete(doc);
    return ok;
}

bool jw_helper_read(struct jw_bytes answer, struct jw_arena *a, struct jw_credentials *out,
                    struct jw_err *err)
{
    cJSON *doc = NULL;
    bool ok = jw_json_parse(&doc, answer, err);
    const char *user = jw_json_get_text(doc, "Username");
    const char *secret = jw_json_get_text(doc, "Secret");

    *out = (struct jw_credentials){0};
    ok = ok && ((user && secret && *secret) || jw_fail(err, JW_E_FORMAT, "it printed no login"));
    if (ok && strcmp(user, "<token>") == 0)
        out->identity = jw_arena_str(a, secret);
    else if (ok)
        out->basic = jw_arena_printf(a, "%s:%s", user, secret);
    cJSON_Delete(doc);
    return ok;
}

/* The token becomes a line of the header as it is, so only visible ASCII is accepted. */
bool jw_token_read(struct jw_bytes answer, struct jw_arena *a, const char **out, struct jw_err *err)
{
    cJSON *doc = NULL;
    bool ok = jw_json_parse(&doc, answer, err);
    const char *token = jw_json_get_text(doc, "token"), *end;

    end = token = token ? token : jw_json_get_text(doc, "access_token");
    while (end && *end > ' ' && *end < 0x7f)
        end++;
    ok = ok && ((end && end > token && !*end) || jw_fail(err, JW_E_FORMAT, "it holds no token"));
    *out = ok ? jw_arena_str(a, token) : NULL;
    cJSON_Delete(doc);
    return ok;
}

/* ---- where logins are ---- */

/* Exit code 1 means: no login. Its output may hold secrets and is not printed. */
static bool ask_helper(struct jw_credentials from, const struct jw_run *run,
                       struct jw_credentials *out, struct jw_err *err)
{
    struct jw_arena *a = run->a;
    struct jw_buf answer = JW_BUF_IN(a, MAX_ANSWER);
    const char *name = jw_arena_printf(a, "docker-credential-%s", from.helper);
    const char *path = jw_process_path(name, a);
    int code = 1;
    bool ok = path || jw_fail(err, JW_E_NET, "it is not in PATH");

    if (ok) {
        const char *argv[] = {path, "get", NULL};
        const struct jw_command c = {
            .exe = argv[0],
            .argv = argv,
            .input = {(const uint8_t *)from.asked_as, strlen(from.asked_as)},
            .interrupted = run->interrupted};

        ok = jw_process_run(&c, HELPER_MS, &answer, &code, err)
             && (code || jw_helper_read(jw_buf_bytes(&answer), a, out, err));
    }
    return ok || (err->code != JW_E_INTERRUPTED && jw_wrap(err, "%.100s", name));
}

static bool read_login_file(const char *path, const char *place, const struct jw_run *run,
                            struct jw_credentials *out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(run->a, JW_MAX_CONF);
    bool found = false;
    bool ok = jw_file_slurp(path, &text, &found, err);

    if (ok && found)
        ok = jw_login_read(jw_buf_bytes(&text), place, run->a, out, err);
    if (!ok)
        (void)jw_wrap(err, "%.200s", path);
    else if (out->helper)
        ok = ask_helper(*out, run, out, err);
    if (!ok)
        jw_err_becomes_all(err, JW_E_NET); /* the server is not reached */
    return ok;
}

bool login_find(const char *host, const char *name, const char *given, const struct jw_run *run,
                struct jw_credentials *out, struct jw_err *err)
{
    struct jw_arena *a = run->a;
    const struct {
        const char *dir, *name;
    } places[] = {{jw_env(a, "REGISTRY_AUTH_FILE"), NULL},
                  {jw_env(a, "XDG_RUNTIME_DIR"), "containers/auth.json"},
                  {jw_env_config_user(a), "containers/auth.json"},
                  {jw_env(a, "DOCKER_CONFIG"), "config.json"},
                  {jw_env_home(a), ".docker/config.json"}};

    *out = (struct jw_credentials){0};
    if (strcmp(host, "registry-1.docker.io") == 0)
        host = "index.docker.io"; /* docker's name for Docker Hub */
    jw_process_shield();
    if (given && *given) {
        out->basic = given;
        return strchr(given, ':') || jw_fail(err, JW_E_USAGE, "JITWARM_LOGIN is not USER:PASSWORD");
    }
    for (size_t i = 0; i < JW_COUNT(places) && !out->basic && !out->identity; i++) {
        const char *path = places[i].dir && *places[i].dir && places[i].name
                               ? jw_path_join(a, places[i].dir, places[i].name)
                               : places[i].dir;

        if (path && *path
            && !read_login_file(path, jw_arena_printf(a, "%s/%s", host, name), run, out, err))
            return false;
    }
    return true;
}

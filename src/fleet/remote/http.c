#include "fleet/remote/http.h"

#include "base/base64.h"
#include "base/num.h"
#include "base/text.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_TRIES = 3,
    MAX_PARTS = 1000,
    MAX_REDIRECTS = 5,
    MAX_LOGINS = 2,
    MAX_WAIT_S = 60,
    DEADLINE_MS = 3600 * 1000,
    MAX_TOKEN_ANSWER = 1 << 20,
    PROGRESS = 1 << 20 /* bytes; a try that brought so many counts for nothing */
};

#define MS ((uint64_t)1000000)

/* ---- URLs ---- */

/* Only these URLs get the login. Servers put the port that the scheme means anyway into those that
 * they name. */
static bool is_same_host(const struct jw_remote *h, const char *url)
{
    const char *usual = h->secure ? ":443" : ":80";

    if (!jw_text_starts(url, h->base))
        return false;
    url += strlen(h->base);
    url += jw_text_starts(url, usual) ? strlen(usual) : 0;
    return !*url || strchr("/?", *url);
}

static bool is_safe_enough(const struct jw_remote *h, const char *url, const char *what,
                           struct jw_err *err)
{
    return jw_text_starts(url, "https://") || (!h->secure && jw_text_starts(url, "http://"))
           || jw_fail(err, JW_E_NET, "%.200s %s that is not https", h->host, what);
}

const char *http_follow(struct jw_remote *h, const char *url, const char *location,
                        struct jw_err *err)
{
    size_t scheme = strcspn(url, "/");
    size_t origin = scheme + 2 + strcspn(url + scheme + 2, "/?");
    size_t kept = origin + strcspn(url + origin, "?");

    while (kept > origin && location[0] != '?'
           && url[kept - 1] != '/') /* beside the last part of the path */
        kept--;
    if (location[strcspn(location, ":/?")] == ':')
        kept = 0;
    else if (location[0] == '/')
        kept = location[1] == '/' ? scheme : origin;
    location = jw_arena_printf(h->run->a, "%.*s%s%s", (int)kept, url,
                               kept == origin && location[0] != '/' ? "/" : "", location);
    return is_safe_enough(h, location, "redirects to a URL", err) ? location : NULL;
}

bool http_unexpected(struct jw_remote *h, const char *what, long status, struct jw_err *err)
{
    /* Servers answer so to http on their https port. */
    return jw_fail(err, JW_E_NET, "%.200s: %.100s failed (HTTP %ld)%s", h->host, what, status,
                   status != 400 || h->secure
                       ? ""
                       : "; it may need https: cacert in jitwarm.conf, or the host's name");
}

/* ---- one transfer ---- */

bool wire_take(const struct wire_request *r, struct wire_answer *out, const void *p, size_t n,
               struct jw_err *err)
{
    if (!r->sink.put || out->status / 100 != 2)
        return true;
    if (r->max - out->got < n)
        return jw_fail(err, JW_E_NET, "it sent more bytes than expected");
    out->got += n;
    return r->sink.put(r->sink.ctx, p, n, err);
}

void wire_take_head(struct wire_answer *out, struct jw_bytes bytes)
{
    char line[WIRE_MAX_HEADER], *value;
    size_t n = strlen(out->challenge);

    bytes = jw_text_trim(bytes);
    if (bytes.n >= sizeof line || memchr(bytes.p, '\0', bytes.n))
        return;
    (void)snprintf(line, sizeof line, "%.*s", (int)bytes.n, (const char *)bytes.p);
    value = line + strcspn(line, ": ");
    value += strspn(value, ": \t");
    if (jw_text_starts(line, "HTTP/"))
        *out = (struct wire_answer){.status = (long)jw_min(strtoull(value, NULL, 10), 999)};
    else if (jw_text_starts_nocase(line, "location:"))
        (void)snprintf(out->location, sizeof out->location, "%s", value);
    else if (jw_text_starts_nocase(line, "www-authenticate:")
             && n + strlen(value) + 3 < sizeof out->challenge)
        (void)snprintf(out->challenge + n, sizeof out->challenge - n, "%s%s", n ? ", " : "", value);
    else if (jw_text_starts_nocase(line, "retry-after:"))
        out->retry_after = strtoull(value, NULL, 10); /* of a date: 0 */
    else if (jw_text_starts_nocase(line, "content-length:"))
        out->length = strtoull(value, NULL, 10);
}

static bool transfer(struct jw_remote *h, const struct wire_request *r, const char *url,
                     const char *login, struct wire_answer *out, struct jw_err *err)
{
    uint64_t now = jw_time_monotonic_ns();
    struct wire_request w = *r;

    *out = (struct wire_answer){0};
    w.left_ms = now < h->deadline ? (long)((h->deadline - now) / MS) + 1 : 1;
    w.url = url;
    w.login = login;
    /* The note about a source names it already. */
    return wire_do(h->wire, &w, out, err)
           || (err->code == JW_E_NET && !h->o.answer_ms && jw_wrap(err, "%.150s", h->host));
}

/* ---- login ---- */

static const char *basic_line(const struct jw_remote *h)
{
    size_t n = strlen(h->login.basic);
    char *text = jw_arena_alloc(h->run->a, JW_BASE64(n) + 1);

    jw_base64_put(text, h->login.basic, n);
    return jw_arena_printf(h->run->a, "Authorization: Basic %s", text);
}

/* The answer is 401 or 403. Returns false. A source does not get JITWARM_LOGIN. */
static bool denied(const struct jw_remote *h, const char *who, struct jw_err *err)
{
    if (h->login.basic || h->login.identity)
        return jw_fail(err, JW_E_NET, "%.200s%s refused the login", h->host, who);
    return jw_fail(err, JW_E_NET, "%.150s needs a login: run docker login or podman login%s",
                   h->host, h->o.answer_ms ? "" : ", or set JITWARM_LOGIN");
}

static void add_field(struct jw_buf *out, const char *name, const char *text, size_t n)
{
    jw_buf_printf(out, "%s=", name);
    for (; n; text++, n--)
        if (jw_is_name_letter(*text) || *text == '-' || *text == '.')
            jw_buf_add(out, text, 1);
        else
            jw_buf_printf(out, "%%%02X", (unsigned)(uint8_t)*text);
}

/* The token server may be another host. It gets the login, as with docker, but only over TLS. */
static bool get_token(struct jw_remote *h, const struct jw_challenge *c, struct jw_err *err)
{
    const char *token;
    const char *identity = h->login.identity;
    const char *service = c->service ? c->service : "";
    struct jw_buf query = JW_BUF_IN(h->run->a, MAX_TOKEN_ANSWER);
    struct jw_buf answer = JW_BUF_IN(h->run->a, MAX_TOKEN_ANSWER);
    struct wire_request r = {
        .method = "GET", .url = c->realm, .sink = jw_sink_buf(&answer), .max = MAX_TOKEN_ANSWER};
    struct wire_answer got;

    add_field(&query, "service", service, strlen(service));
    for (const char *at = c->scope; at && *(at += strspn(at, " ")); at += strcspn(at, " "))
        add_field(&query, "&scope", at, strcspn(at, " "));
    if (identity) {
        add_field(&query, "&client_id=jitwarm&grant_type=refresh_token&refresh_token", identity,
                  strlen(identity));
        r.method = "POST";
        r.body = jw_buf_bytes(&query);
    } else
        r.url = jw_arena_printf(h->run->a, "%s%s%s", c->realm, strchr(c->realm, '?') ? "&" : "?",
                                jw_buf_cstr(&query));
    if (!is_safe_enough(h, c->realm, "names a token server", err) || !jw_buf_ok(&query, err)
        || !transfer(h, &r, r.url, h->login.basic ? basic_line(h) : NULL, &got, err))
        return false;
    if (got.status == 401 || got.status == 403)
        return denied(h, ": the token server", err);
    if (got.status != 200)
        return http_unexpected(h, "asking the token server", got.status, err);
    if (!jw_token_read(jw_buf_bytes(&answer), h->run->a, &token, err))
        return jw_fail(err, JW_E_NET, "%.200s: the token server sent no token", h->host);
    h->authorization = jw_arena_printf(h->run->a, "Authorization: Bearer %s", token);
    return true;
}

static bool log_in(struct jw_remote *h, const char *challenge, struct jw_err *err)
{
    const struct jw_challenge c = jw_challenge_read(challenge, h->run->a);

    h->authorization = NULL;
    if (!login_find(h->host, h->o.ref->name, h->o.login, h->run, &h->login, err))
        return false;
    if (c.realm)
        return get_token(h, &c, err);
    if (!c.basic)
        return jw_fail(err, JW_E_NET, "%.200s needs another login method than basic or bearer",
                       h->host);
    if (!h->login.basic)
        return denied(h, "", err);
    h->authorization = basic_line(h);
    return true;
}

/* ---- requests ---- */

static bool may_redirect(const struct wire_request *r, const struct wire_answer *a)
{
    return (strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0) && a->status >= 301
           && a->status <= 308 && a->status != 304 && a->location[0];
}

/* Judges an answer when no login and no redirect is left to try. `*again`: the server is busy. */
static bool check_answer(const struct jw_remote *h, const struct wire_request *r,
                         const struct wire_answer *a, bool *again, struct jw_err *err)
{
    *again = a->status == 429 || (a->status >= 500 && a->status <= 504 && a->status != 501);
    if (*again)
        return jw_fail(err, JW_E_NET, "%.200s is busy, or failing (%ld)", h->host, a->status);
    if (a->status == 401)
        return denied(h, "", err);
    if (a->status == 403 || a->status == 407)
        return jw_fail(err, JW_E_NET, "%.150s%s denies access (%ld)", h->host,
                       a->status == 407 ? ": the proxy" : "", a->status);
    return !may_redirect(r, a) || jw_fail(err, JW_E_NET, "%.200s redirects too often", h->host);
}

/* One try, with its logins and redirects. `*again`: another one may help where this one failed. */
static bool attempt(struct jw_remote *h, const struct wire_request *r, struct wire_answer *out,
                    bool *again, struct jw_err *err)
{
    const char *url = r->url;

    for (unsigned logins = 0, redirects = 0; url;) {
        bool at_home = is_same_host(h, url);

        if (!transfer(h, r, url, at_home ? h->authorization : NULL, out, err)) {
            *again = out->broken && (h->answered || !out->unreachable);
            return false;
        }
        if (may_redirect(r, out) && redirects++ < MAX_REDIRECTS)
            url = http_follow(h, url, out->location, err);
        else if (out->status != 401 || !at_home || logins++ == MAX_LOGINS)
            return check_answer(h, r, out, again, err);
        else if (!log_in(h, out->challenge, err))
            return false;
    }
    return false;
}

/* Of a source that nobody waits for, and that has not answered yet? */
static bool is_first(const struct jw_remote *h) { return h->o.answer_ms && !h->answered; }

static uint64_t deadline_of(const struct jw_remote *h)
{
    unsigned ms = is_first(h) ? h->o.answer_ms : DEADLINE_MS;
    uint64_t end = jw_time_monotonic_ns() + ms * MS;

    return h->o.until ? jw_min(end, h->o.until) : end;
}

/* Waits before another try. False with the reason that is in `err`: none may help. */
static bool wait_for(const struct jw_remote *h, unsigned tries, uint64_t seconds,
                     struct jw_err *err)
{
    uint64_t end = jw_time_after_ms(jw_time_limit_ms((unsigned)jw_min(seconds, MAX_WAIT_S) * 1000));

    if (is_first(h) || tries == MAX_TRIES || seconds > MAX_WAIT_S || end > h->deadline)
        return false;
    *err = (struct jw_err){0};
    for (; jw_time_monotonic_ns() < end; jw_time_sleep_ms(50))
        if (!jw_run_goes_on(h->run, err))
            return false;
    return true;
}

bool http_do(struct jw_remote *h, struct wire_request *r, struct wire_answer *out,
             struct jw_err *err)
{
    for (unsigned tries = 0, parts = 0;; tries++) {
        bool again = false;

        h->deadline = deadline_of(h);
        if (r->ready && !r->ready(h, r, err))
            return false;
        if (attempt(h, r, out, &again, err))
            return true;
        if (out->got >= PROGRESS && out->status == 206
            && parts++ < MAX_PARTS) /* a 200 begins again */
            tries = 0;
        if (!again || (out->got && !r->ready)
            || !wait_for(h, tries, out->retry_after ? out->retry_after : 1U << tries, err))
            return false;
    }
}

/* ---- open and close ---- */

bool jw_remote_open(const struct jw_remote_options *o, struct jw_run *run, struct jw_remote **out,
                    struct jw_err *err)
{
    struct jw_remote *h = jw_arena_alloc(run->a, sizeof *h);

    *out = h;
    *h = (struct jw_remote){.run = run, .o = *o, .host = o->ref->host};
    h->secure =
        !o->plain_http && (!jw_ref_is_loopback(h->host) || o->cacert); /* on this machine plain */
    if (strcmp(h->host, "docker.io") == 0)
        h->host = "registry-1.docker.io";
    h->base = jw_arena_printf(h->run->a, "%s://%s", h->secure ? "https" : "http", h->host);
    h->wire = wire_open(&h->o, run, err);
    return h->wire != NULL;
}

void jw_remote_close(struct jw_remote *h)
{
    if (h && h->wire)
        wire_close(h->wire);
}

#include "fleet/remote/http.h"

#include "base/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_TRIES = 3,
    MAX_REDIRECTS = 5,
    MAX_LOGINS = 2,
    MAX_WAIT_S = 60,
    DEADLINE_MS = 3600 * 1000,
    MAX_TOKEN_ANSWER = 1 << 20
};

#define MS ((uint64_t)1000000)

/* ---- URLs ---- */

const char *http_url(struct jw_remote *h, const char *path)
{
    return jw_arena_printf(h->a, "%s://%s%s", h->secure ? "https" : "http", h->host, path);
}

/* The length of "host:port" without the port that the scheme means anyway: servers put it into the URLs that they name. */
static size_t host_length(const char *host, bool secure)
{
    const char *usual = secure ? ":443" : ":80";
    size_t n = strcspn(host, "/?"), tail = strlen(usual);

    return n > tail && strncmp(host + n - tail, usual, tail) == 0 ? n - tail : n;
}

/* Only these URLs get the login. */
static bool is_same_host(const struct jw_remote *h, const char *url)
{
    const char *scheme = h->secure ? "https://" : "http://", *host = url + strlen(scheme);

    if (!jw_text_starts(url, scheme))
        return false;
    size_t n = host_length(host, h->secure);

    return n == host_length(h->host, h->secure) && strncmp(host, h->host, n) == 0;
}

static bool is_safe_enough(const struct jw_remote *h, const char *url, const char *what, struct jw_err *err)
{
    return jw_text_starts(url, "https://") || (!h->secure && jw_text_starts(url, "http://"))
           || jw_fail(err, JW_E_NET, "%.200s %s that is not https", h->host, what);
}

const char *http_follow(struct jw_remote *h, const char *location, struct jw_err *err)
{
    if (location[0] == '/' && location[1] != '/')
        return http_url(h, location);
    return is_safe_enough(h, location, "redirects to a URL", err) ? jw_arena_str(h->a, location) : NULL;
}

bool http_unexpected(struct jw_remote *h, const char *what, long status, struct jw_err *err)
{
    /* Servers answer so to http on their https port. */
    return jw_fail(err, JW_E_NET, "%.200s: %.100s failed (HTTP %ld)%s", h->host, what, status,
                   status != 400 || h->secure ? "" : "; it may need https (--cacert FILE)");
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
    uint64_t number = 0;

    bytes = jw_text_trim(bytes);
    if (bytes.n >= sizeof line || memchr(bytes.p, '\0', bytes.n))
        return;
    (void)snprintf(line, sizeof line, "%.*s", (int)bytes.n, (const char *)bytes.p);
    value = line + strcspn(line, ": ");
    value += strspn(value, ": \t");
    if (jw_text_starts(line, "HTTP/")) {
        value[strcspn(value, " ")] = '\0';
        *out = (struct wire_answer){ .status = jw_text_u64(value, &number) ? (long)jw_min(number, 999) : 0 };
    } else if (jw_text_starts_nocase(line, "location:"))
        (void)snprintf(out->location, sizeof out->location, "%s", value);
    else if (jw_text_starts_nocase(line, "www-authenticate:")
             && n + strlen(value) + 3 < sizeof out->challenge)
        (void)snprintf(out->challenge + n, sizeof out->challenge - n, "%s%s", n ? ", " : "", value);
    else if (jw_text_starts_nocase(line, "retry-after:"))
        out->retry_after = jw_text_u64(value, &number) ? number : 0;
    else if (jw_text_starts_nocase(line, "content-length:"))
        out->length = jw_text_u64(value, &number) ? number : 0;
}

static bool is_patient(const struct jw_remote *h)
{
    return h->answered || !h->o.answer_ms;
}

static bool transfer(struct jw_remote *h, const struct wire_request *r, const char *url,
                     const char *authorization, struct wire_answer *out, struct jw_err *err)
{
    uint64_t now = jw_time_monotonic_ns();
    struct wire_request w = *r;
    size_t n = 0;

    *out = (struct wire_answer){ 0 };
    if (now >= h->deadline)
        return jw_fail(err, JW_E_NET, "%.200s %s", h->host,
                       is_patient(h) ? "takes longer than an hour" : "does not reply in time");
    w.left_ms = (long)((h->deadline - now) / MS) + 1;
    w.url = url;
    while (w.headers[n])
        n++;
    w.headers[n] = authorization;
    if (wire_do(h->wire, &w, out, err))
        return true;
    return err->code == JW_E_NET && jw_wrap(err, "%.150s", h->host);
}

/* ---- login ---- */

static const char *basic_line(const struct jw_remote *h)
{
    size_t n = strlen(h->login.basic);
    char *text = jw_arena_alloc(h->a, JW_BASE64(n) + 1);

    jw_base64_put(text, h->login.basic, n);
    return jw_arena_printf(h->a, "Authorization: Basic %s", text);
}

static bool has_login(const struct jw_remote *h)
{
    return h->login.basic || h->login.identity;
}

/* Returns false. Sources (answer_ms) do not get JITWARM_LOGIN. */
static bool needs_login(const struct jw_remote *h, struct jw_err *err)
{
    return jw_fail(err, JW_E_NET, "%.150s needs a login: run docker login or podman login%s", h->host,
                   h->o.answer_ms ? "" : ", or set JITWARM_LOGIN");
}

static void add_field(struct jw_buf *out, const char *name, const char *text, size_t n)
{
    jw_buf_printf(out, "%s=", name);
    for (; n; text++, n--)
        if (jw_is_name_letter(*text) || *text == '-' || *text == '.' || *text == '~')
            jw_buf_add(out, text, 1);
        else
            jw_buf_printf(out, "%%%02X", (unsigned)(uint8_t)*text);
}

/* The scopes "a b" become &scope=a&scope=b. */
static void add_question(struct jw_buf *out, const struct jw_challenge *c)
{
    const char *service = c->service ? c->service : "";

    add_field(out, "service", service, strlen(service));
    for (const char *at = c->scope; at && *(at += strspn(at, " ")); at += strcspn(at, " "))
        add_field(out, "&scope", at, strcspn(at, " "));
}

static bool ask_token_server(struct jw_remote *h, const struct jw_challenge *c, struct jw_buf *answer,
                             struct jw_err *err)
{
    const char *identity = h->login.identity;
    const char *basic = h->login.basic ? basic_line(h) : NULL;
    struct jw_buf query = JW_BUF_IN(h->a, MAX_TOKEN_ANSWER);
    struct wire_request r = { .method = "GET", .sink = jw_sink_buf(answer), .max = MAX_TOKEN_ANSWER };
    struct wire_answer got;

    r.url = c->realm;
    add_question(&query, c);
    if (identity) {
        add_field(&query, "&client_id=jitwarm&grant_type=refresh_token&refresh_token", identity,
                  strlen(identity));
        r.method = "POST";
        r.body = jw_buf_cstr(&query);
        r.body_n = query.n;
    } else
        r.url =
            jw_arena_printf(h->a, "%s%s%s", c->realm, strchr(c->realm, '?') ? "&" : "?", jw_buf_cstr(&query));
    bool ok = jw_buf_ok(&query, err) && transfer(h, &r, r.url, basic, &got, err);
    bool refused = ok && (got.status == 401 || got.status == 403);

    if (refused && !has_login(h))
        ok = needs_login(h, err);
    else if (ok && got.status != 200)
        ok = jw_fail(err, JW_E_NET, "%.200s: the token server returned %ld%s", h->host, got.status,
                     refused ? ": login refused" : "");
    return ok;
}

/* The token server may be another host. It gets the login, as with docker, but only over TLS. */
static bool get_token(struct jw_remote *h, const struct jw_challenge *c, struct jw_err *err)
{
    struct jw_buf answer = JW_BUF_IN(h->a, MAX_TOKEN_ANSWER);
    const char *token = NULL;
    bool ok = is_safe_enough(h, c->realm, "names a token server", err) && ask_token_server(h, c, &answer, err)
              && (jw_token_read(jw_buf_bytes(&answer), h->a, &token, err)
                  || jw_fail(err, JW_E_NET, "%.200s: the token server sent no token", h->host));

    if (ok)
        h->authorization = jw_arena_printf(h->a, "Authorization: Bearer %s", token);
    return ok;
}

static bool log_in(struct jw_remote *h, const char *challenge, struct jw_err *err)
{
    struct jw_challenge c = jw_challenge_read(challenge, h->a);

    if (!h->looked && !login_find(h->host, h->o.login, h->o.run, h->a, &h->login, err))
        return false;
    h->looked = true;
    h->authorization = NULL;
    if (c.realm)
        return get_token(h, &c, err);
    if (!c.basic)
        return jw_fail(err, JW_E_NET, "%.200s needs another login method than basic or bearer", h->host);
    if (!h->login.basic)
        return needs_login(h, err);
    h->authorization = basic_line(h);
    return true;
}

/* ---- requests ---- */

struct request_state { /* of one request */
    const char *url;
    unsigned tries, redirects, logins;
};

/* Waits before a retry. Fails with the reason that is in `err` where none may help. */
static bool wait_for(struct jw_remote *h, const struct wire_request *r, struct request_state *g,
                     uint64_t seconds, struct jw_err *err)
{
    uint64_t end = jw_time_monotonic_ns() + seconds * 1000 * MS;

    if (r->once || !is_patient(h) || g->tries++ == MAX_TRIES || seconds > MAX_WAIT_S || end > h->deadline)
        return false;
    *err = (struct jw_err){ 0 };
    for (; jw_time_monotonic_ns() < end; jw_time_sleep_ms(50))
        if (!jw_run_goes_on(h->o.run, err))
            return false;
    return true;
}

static bool may_redirect(const struct wire_request *r, const struct wire_answer *a)
{
    return (strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0) && a->status >= 301
           && a->status <= 308 && a->status != 304 && a->location[0];
}

/* Handles logins, redirects and busy servers. `*done`: the response is final. */
static bool handle_answer(struct jw_remote *h, const struct wire_request *r, struct request_state *g,
                          struct wire_answer *a, bool *done, struct jw_err *err)
{
    if (a->status == 401 && is_same_host(h, g->url)) {
        if (g->logins++ < MAX_LOGINS)
            return log_in(h, a->challenge, err);
        return has_login(h) ? jw_fail(err, JW_E_NET, "%.200s refused the login", h->host)
                            : needs_login(h, err);
    }
    if (a->status == 407)
        return jw_fail(
            err, JW_E_NET, "%.150s: the proxy refused the login, or needs one%s", h->host,
            jw_os_is_windows() ? "" : ": set HTTPS_PROXY or HTTP_PROXY to http://USER:PASSWORD@HOST:PORT");
    if (a->status == 401 || a->status == 403)
        return jw_fail(err, JW_E_NET, "%.200s denies access (%ld)", h->host, a->status);
    if (may_redirect(r, a)) {
        if (g->redirects++ == MAX_REDIRECTS)
            return jw_fail(err, JW_E_NET, "%.200s redirects too often", h->host);
        g->url = http_follow(h, a->location, err);
        return g->url != NULL;
    }
    *done = a->status != 429 && (a->status < 500 || a->status > 504 || a->status == 501);
    if (*done)
        return true;
    (void)jw_fail(err, JW_E_NET, "%.200s is busy, or failing (%ld)", h->host, a->status);
    g->url = r->url;
    return wait_for(h, r, g, a->retry_after ? a->retry_after : 1U << g->tries, err);
}

bool http_do(struct jw_remote *h, const struct wire_request *r, struct wire_answer *out, struct jw_err *err)
{
    struct request_state g = { .url = r->url };
    bool done = false;

    h->deadline = jw_time_monotonic_ns() + (is_patient(h) ? DEADLINE_MS : h->o.answer_ms) * MS;
    while (!done) {
        const char *login = is_same_host(h, g.url) ? h->authorization : NULL;
        bool came = transfer(h, r, g.url, login, out, err);

        if (came ? !handle_answer(h, r, &g, out, &done, err)
                 : !out->broken || out->got || !wait_for(h, r, &g, 1U << g.tries, err))
            return false;
    }
    return true;
}

/* ---- open and close ---- */

bool jw_remote_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                    struct jw_err *err)
{
    struct jw_remote *h = jw_arena_alloc(a, sizeof *h);

    *h = (struct jw_remote){ .a = a, .o = *o, .host = o->ref->host };
    *out = h;
    /* By TLS, but on this machine. */
    h->secure = !o->plain_http && (!jw_ref_is_loopback(h->host) || o->cacert);
    if (strcmp(h->host, "docker.io") == 0)
        h->host = "registry-1.docker.io";
    h->wire = wire_open(&h->o, a, err);
    return h->wire != NULL;
}

void jw_remote_close(struct jw_remote *h)
{
    if (h)
        wire_close(h->wire);
}

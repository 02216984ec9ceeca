#include "fleet/remote/http.h"

#include "base/base64.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/text.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_TRIES = 5,
    MAX_REDIRECTS = 5,
    MAX_LOGINS = 2,
    MAX_WAIT_S = 60,
    USUAL_DEADLINE_S = 3600,
    MAX_TOKEN_ANSWER = 1 << 20
};

#define SECOND ((uint64_t)1000000000)

/* ---- what one transfer needs ---- */

struct transfer {
    struct http *h;
    const struct wire_request *r;
    struct jw_http_answer *out;
    struct jw_err err; /* of the sink */
};

static void on_header(void *ctx, const char *line, size_t n)
{
    jw_http_header(((struct transfer *)ctx)->out, line, n);
}

static bool on_body(void *ctx, const void *p, size_t n)
{
    struct transfer *t = ctx;

    if (!t->r->sink.put || t->out->status / 100 != 2)
        return true;
    if (t->r->max - t->out->got < n)
        return jw_fail(&t->err, JW_E_NET, "%.200s sent more bytes than expected", t->h->host);
    t->out->got += n;
    return t->r->sink.put(t->r->sink.ctx, p, n, &t->err);
}

/* ---- URLs ---- */

static const char *format_url(struct http *h, struct jw_err *err, const char *fmt, va_list args)
{
    struct jw_buf text = JW_BUF_IN(h->a, JW_MAX_URL);
    char rest[JW_MAX_URL];
    const char *out = NULL;

    (void)vsnprintf(rest, sizeof rest, fmt, args);
    jw_buf_printf(&text, "%s://%s%s", h->scheme, h->host, rest);
    if (!text.bad)
        out = jw_buf_cstr(&text);
    if (!out)
        (void)jw_fail(err, JW_E_LIMIT, "a URL of more than %d bytes", JW_MAX_URL);
    return out;
}

const char *http_url(struct http *h, struct jw_err *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *out = format_url(h, err, fmt, args);
    va_end(args);
    return out;
}

/* The length of "host:port" without the port that the scheme means anyway: servers put it into the URLs that they name. */
static size_t host_length(const char *host, bool secure)
{
    const char *usual = secure ? ":443" : ":80";
    size_t n = strcspn(host, "/?"), tail = strlen(usual);

    return n > tail && strncmp(host + n - tail, usual, tail) == 0 ? n - tail : n;
}

/* Only these URLs get the login. */
static bool is_same_host(const struct http *h, const char *url)
{
    size_t scheme = strlen(h->scheme);
    bool secure = strcmp(h->scheme, "https") == 0;

    if (strncmp(url, h->scheme, scheme) != 0 || strncmp(url + scheme, "://", 3) != 0)
        return false;
    const char *host = url + scheme + 3;
    size_t n = host_length(host, secure);

    return n == host_length(h->host, secure) && strncmp(host, h->host, n) == 0;
}

const char *http_follow(struct http *h, const char *location, struct jw_err *err)
{
    bool secure = strcmp(h->scheme, "https") == 0;

    if (location[0] == '/' && location[1] != '/')
        return http_url(h, err, "%s", location);
    if (!jw_text_starts(location, "https://") && (secure || !jw_text_starts(location, "http://"))) {
        (void)jw_fail(err, JW_E_NET, "%.200s redirects to a URL that is not https", h->host);
        return NULL;
    }
    return jw_arena_str(h->a, location);
}

bool http_unexpected(struct http *h, const char *what, long status, struct jw_err *err)
{
    bool secure = strcmp(h->scheme, "https") == 0;

    /* Servers answer so to http on their https port. */
    return jw_fail(err, JW_E_NET, "%.200s: %.100s failed (HTTP %ld)%s", h->host, what, status,
                   status != 400 || secure ? "" : "; it may need https (--cacert FILE)");
}

/* ---- one transfer ---- */

static bool is_patient(const struct http *h)
{
    return h->answered || !h->o->answer_ms;
}

static bool time_left(const struct http *h, long *ms, struct jw_err *err)
{
    uint64_t now = jw_time_monotonic_ns();

    *ms = now < h->deadline ? (long)((h->deadline - now) / 1000000) : 0;
    return *ms > 0
           || (is_patient(h) ? jw_fail(err, JW_E_NET, "%.200s: it took longer than an hour", h->host)
                             : jw_fail(err, JW_E_NET, "%.200s does not reply in time", h->host));
}

/* `*again`: the connection failed and a retry may help. */
static bool transfer(struct http *h, const struct wire_request *r, const char *url,
                     struct jw_http_answer *out, bool *again, struct jw_err *err)
{
    struct transfer t = { .h = h, .r = r, .out = out };
    struct wire_request w = *r;
    size_t n = 0;

    *again = false;
    *out = (struct jw_http_answer){ 0 };
    w.url = url;
    w.secure = strcmp(h->scheme, "https") == 0;
    w.ctx = &t;
    w.header = on_header;
    w.body_part = on_body;
    while (w.headers[n])
        n++;
    if (h->authorization && is_same_host(h, url))
        w.headers[n] = h->authorization;
    if (!time_left(h, &w.left_ms, err))
        return false;
    if (wire_do(h->wire, &w, err))
        return true;
    if (t.err.code != JW_OK) {
        *err = t.err;
        return false;
    }
    *again = err->code == JW_E_NET && !r->once && is_patient(h);
    return err->code == JW_E_NET ? jw_wrap(err, "%.150s", h->host) : false;
}

/* ---- login ---- */

static void escape_into(struct jw_buf *out, const char *text)
{
    for (; *text; text++)
        if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9')
            || strchr("-._~", *text))
            jw_buf_add(out, text, 1);
        else
            jw_buf_printf(out, "%%%02X", (unsigned)(uint8_t)*text);
}

static void set_authorization(struct http *h, const char *scheme, const char *what)
{
    size_t room = strlen(scheme) + strlen(what) + 24;
    char *line = jw_arena_alloc(h->a, room);

    (void)snprintf(line, room, "Authorization: %s %s", scheme, what);
    if (h->authorization)
        jw_secret_wipe(h->authorization, strlen(h->authorization));
    h->authorization = line;
}

static void set_basic(struct http *h)
{
    size_t n = strlen(h->login.basic);
    char *text = jw_alloc(JW_BASE64(n) + 1);

    jw_base64_put(text, h->login.basic, n);
    set_authorization(h, "Basic", text);

    jw_secret_wipe(text, JW_BASE64(n));
    jw_free(text);
}

static bool look_for_login(struct http *h, struct jw_err *err)
{
    if (h->looked)
        return true;
    h->looked = true;
    return login_find(h->host, h->o->login, h->o->run, h->a, &h->login, err);
}

static bool has_login(const struct http *h)
{
    return h->login.basic || h->login.identity;
}

/* Returns false. Sources (answer_ms) do not get JITWARM_LOGIN. */
static bool needs_login(const struct http *h, struct jw_err *err)
{
    return jw_fail(err, JW_E_NET, "%.150s needs a login: run docker login or podman login%s", h->host,
                   h->o->answer_ms ? "" : ", or set JITWARM_LOGIN");
}

/* "a b" becomes &scope=a&scope=b. */
static void put_scopes(struct jw_buf *out, const char *scopes)
{
    char one[JW_MAX_HEADER];

    for (size_t n; *scopes; scopes += n + (scopes[n] == ' ')) {
        n = strcspn(scopes, " ");
        if (!n || n >= sizeof one)
            continue;
        memcpy(one, scopes, n);
        one[n] = '\0';
        jw_buf_text(out, "&scope=");
        escape_into(out, one);
    }
}

static bool ask_for_token(struct http *there, const struct http *h, const struct jw_challenge *c,
                          struct jw_buf *answer, struct jw_err *err)
{
    const char *identity = h->login.identity;
    struct jw_buf query = JW_BUF_IN(there->a, JW_MAX_URL + MAX_TOKEN_ANSWER),
                  url = JW_BUF_IN(there->a, JW_MAX_URL);
    struct wire_request r = {
        .method = "GET", .sink = jw_sink_buf(answer), .max = MAX_TOKEN_ANSWER, .once = true
    };
    struct jw_http_answer got;
    bool again;

    jw_buf_text(&query, "service=");
    escape_into(&query, c->service ? c->service : "");
    put_scopes(&query, c->scope ? c->scope : "");
    jw_buf_text(&url, c->realm);
    if (identity) {
        jw_buf_text(&query, "&client_id=jitwarm&grant_type=refresh_token&refresh_token=");
        escape_into(&query, identity);
        r.method = "POST";
        r.body = jw_buf_cstr(&query);
        r.body_n = query.n;
    } else
        jw_buf_printf(&url, "%s%s", strchr(c->realm, '?') ? "&" : "?", jw_buf_cstr(&query));
    r.url = jw_buf_cstr(&url);
    bool ok = jw_buf_ok(&query, err) && jw_buf_ok(&url, err) && transfer(there, &r, r.url, &got, &again, err);
    bool refused = ok && (got.status == 401 || got.status == 403);

    if (refused && !has_login(h))
        ok = needs_login(h, err);
    else if (ok)
        ok = got.status == 200
             || jw_fail(err, JW_E_NET, "%.200s: the token server returned %ld%s", h->host, got.status,
                        refused ? ": login refused" : "");

    if (query.p)
        jw_secret_wipe(query.p, query.n);
    return ok;
}

/* The token server may be another host. It gets the login, as with docker, but only over TLS. */
static bool get_token(struct http *h, const struct jw_challenge *c, struct jw_err *err)
{
    struct jw_buf answer = JW_BUF_IN(h->a, MAX_TOKEN_ANSWER);
    struct http there = *h;
    char *token = NULL;
    bool plain = jw_text_starts(c->realm, "http://");
    bool ok = (jw_text_starts(c->realm, "https://") || (plain && strcmp(h->scheme, "http") == 0))
              || jw_fail(err, JW_E_NET, "%.200s names a token server that is not https", h->host);

    there.authorization = NULL;
    there.scheme = plain ? "http" : "https";
    const char *host = ok ? c->realm + strlen(there.scheme) + 3 : "";

    there.host = jw_arena_text(h->a, host, strcspn(host, "/?"));
    if (ok && h->login.basic)
        set_basic(&there);
    ok = ok && ask_for_token(&there, h, c, &answer, err)
         && (jw_token_read(jw_buf_bytes(&answer), h->a, &token, err)
             || jw_fail(err, JW_E_NET, "%.200s: the token server sent no token", h->host));
    if (ok)
        set_authorization(h, "Bearer", token);
    if (token)
        jw_secret_wipe(token, strlen(token));
    if (there.authorization)
        jw_secret_wipe(there.authorization, strlen(there.authorization));
    if (answer.p)
        jw_secret_wipe(answer.p, answer.n);
    return ok;
}

static bool log_in(struct http *h, const char *challenge, struct jw_err *err)
{
    struct jw_challenge c;

    if (!jw_challenge_read(challenge, h->a, &c, err))
        return jw_fail(err, JW_E_NET, "%.200s sent a login challenge that jitwarm cannot read", h->host);
    if (!look_for_login(h, err))
        return false;
    if (c.kind == JW_CHALLENGE_BEARER)
        return get_token(h, &c, err);
    if (c.kind != JW_CHALLENGE_BASIC)
        return jw_fail(err, JW_E_NET, "%.200s needs another login method than basic or bearer", h->host);
    if (!h->login.basic)
        return needs_login(h, err);
    set_basic(h);
    return true;
}

/* ---- requests ---- */

/* Waits before a retry. If the deadline is earlier, it fails with `why`. */
static bool wait_for(struct http *h, unsigned seconds, const struct jw_err *why, struct jw_err *err)
{
    uint64_t end = jw_time_monotonic_ns() + seconds * SECOND;

    if (end > h->deadline) {
        *err = *why;
        return false;
    }
    while (jw_time_monotonic_ns() < end) {
        if (!jw_run_goes_on(h->o->run, err))
            return false;
        jw_time_sleep_ms(50);
    }
    return true;
}

static bool is_busy(long status)
{
    return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

static bool is_redirect(const struct wire_request *r, const struct jw_http_answer *a)
{
    return (strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0) && a->status >= 301
           && a->status <= 308 && a->status != 304 && a->location[0];
}

struct request_state { /* of one request */
    const char *url;
    unsigned tries, redirects, logins;
};

/* Handles logins, redirects and busy servers. `*done`: the response is final. */
static bool handle_answer(struct http *h, const struct wire_request *r, struct request_state *g,
                          struct jw_http_answer *a, bool *done, struct jw_err *err)
{
    if (a->status == 401 && is_same_host(h, g->url)) {
        if (g->logins++ < MAX_LOGINS)
            return log_in(h, a->challenge, err);
        return has_login(h) ? jw_fail(err, JW_E_NET, "%.200s refused the login", h->host)
                            : needs_login(h, err);
    }
    if (a->status == 407)
        return jw_fail(err, JW_E_NET, "%.150s: the proxy refused the login, or needs one: %s", h->host,
                       wire_proxy_login);
    if (a->status == 401 || a->status == 403)
        return jw_fail(err, JW_E_NET, "%.200s denies access (%ld)", h->host, a->status);
    if (is_redirect(r, a)) {
        if (g->redirects++ >= MAX_REDIRECTS)
            return jw_fail(err, JW_E_NET, "%.200s redirects too often", h->host);
        g->url = http_follow(h, a->location, err);
        return g->url != NULL;
    }
    if (is_busy(a->status)) {
        unsigned wait = a->retry_after ? a->retry_after : 1u << g->tries;
        struct jw_err why = { 0 };

        if (wait > MAX_WAIT_S)
            (void)jw_fail(&why, JW_E_NET, "%.200s is busy (%ld), and asks to wait %u seconds", h->host,
                          a->status, wait);
        else
            (void)jw_fail(&why, JW_E_NET, "%.200s is %s (%ld)", h->host,
                          a->status == 429 || a->status == 503 ? "busy" : "failing", a->status);
        g->url = r->url;
        if (g->tries++ < MAX_TRIES && !r->once && is_patient(h) && wait <= MAX_WAIT_S)
            return wait_for(h, wait, &why, err);
        *err = why;
        return false;
    }
    *done = true;
    return true;
}

bool http_do(struct http *h, const struct wire_request *r, struct jw_http_answer *out, struct jw_err *err)
{
    struct request_state g = { .url = r->url };
    bool done = false;

    while (!done) {
        struct jw_err why = { 0 };
        bool again;

        if (transfer(h, r, g.url, out, &again, &why)) {
            if (!handle_answer(h, r, &g, out, &done, err))
                return false;
        } else if (!again || out->got || g.tries >= 2) {
            *err = why;
            return false;
        } else if (!wait_for(h, 1u << g.tries++, &why, err))
            return false;
    }
    return true;
}

/* ---- open and close ---- */

void http_begin(struct http *h)
{
    h->deadline = jw_time_monotonic_ns() + (h->o->deadline_s ? h->o->deadline_s : USUAL_DEADLINE_S) * SECOND;
}

bool http_open(struct http *h, const struct jw_remote_options *o, struct jw_arena *a, struct jw_err *err)
{
    *h = (struct http){ .a = a, .o = o, .host = o->ref->host };
    /* By TLS, but on this machine. */
    h->scheme = o->plain_http || (jw_ref_is_loopback(h->host) && !o->cacert) ? "http" : "https";
    if (strcmp(h->host, "docker.io") == 0)
        h->host = "registry-1.docker.io";
    http_begin(h);
    if (o->answer_ms)
        h->deadline = jw_time_monotonic_ns() + o->answer_ms * (SECOND / 1000);
    h->wire = wire_open(o, a, err);
    return h->wire != NULL;
}

void http_close(struct http *h)
{
    wire_close(h->wire);
    login_wipe(&h->login);
    if (h->authorization)
        jw_secret_wipe(h->authorization, strlen(h->authorization));
    h->wire = NULL;
    h->authorization = NULL;
}

bool http_text(struct http *h, const char *url, const char *accept, struct jw_buf *out, bool *found,
               struct jw_err *err)
{
    const struct wire_request r = {
        .method = "GET", .url = url, .headers = { accept }, .sink = jw_sink_buf(out), .max = out->max
    };
    struct jw_http_answer a;

    *found = false;
    if (!url || !http_do(h, &r, &a, err))
        return false;
    *found = a.status == 200;
    if (!is_patient(h)) {
        h->answered = true;
        http_begin(h);
    }
    return a.status == 404 || a.status == 200 || http_unexpected(h, "reading a document", a.status, err);
}

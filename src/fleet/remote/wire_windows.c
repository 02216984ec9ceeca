/* WinHTTP. Every step is asynchronous, so that Ctrl-C, --deadline and a stall can end the wait for it. */
#include "fleet/remote/wire.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "os/files/winpath.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <windows.h>

#include <winhttp.h>

#include <stdio.h>
#include <string.h>

enum { PART = 1 << 16 };

#define MS ((uint64_t)1000000)

const char wire_proxy_login[] = "on Windows jitwarm sends a proxy none";

struct wire {
    const struct jw_remote_options *o;
    struct jw_arena *a;
    HINTERNET session;
    const char *proxy;      /* of the session: "proxy:3128"; "": none; NULL: the system's settings */
    HANDLE stepped, closed; /* events */
    DWORD n, error;         /* of the last step: bytes; 0: it went well */
};

/* ---- open ---- */

static void CALLBACK on_status(HINTERNET request, DWORD_PTR ctx, DWORD status, LPVOID info, DWORD n)
{
    struct wire *w = (struct wire *)ctx;

    if (!w)
        return;
    (void)request;
    switch (status) {
    case WINHTTP_CALLBACK_STATUS_REQUEST_ERROR:
        w->error = ((const WINHTTP_ASYNC_RESULT *)info)->dwError;
        /* fall through */
    case WINHTTP_CALLBACK_STATUS_SENDREQUEST_COMPLETE:
    case WINHTTP_CALLBACK_STATUS_WRITE_COMPLETE:
    case WINHTTP_CALLBACK_STATUS_HEADERS_AVAILABLE: SetEvent(w->stepped); break;
    case WINHTTP_CALLBACK_STATUS_READ_COMPLETE:
        w->n = n;
        SetEvent(w->stepped);
        break;
    case WINHTTP_CALLBACK_STATUS_HANDLE_CLOSING: SetEvent(w->closed); break;
    default: break;
    }
}

/* One session for all requests by the same way. */
static bool open_session(struct wire *w, const char *proxy, struct jw_err *err)
{
    static const DWORD wanted = WINHTTP_CALLBACK_FLAG_ALL_COMPLETIONS | WINHTTP_CALLBACK_FLAG_HANDLES;
    uint16_t *wide = NULL;

    if (w->session && jw_text_same(proxy, w->proxy))
        return true;
    if (w->session)
        WinHttpCloseHandle(w->session);
    w->session = NULL;
    w->proxy = proxy;
    if (proxy && *proxy && !jw_utf16_from(proxy, &wide, err))
        return false;
    w->session = WinHttpOpen(L"jitwarm/" JITWARM_VERSION,
                             !proxy   ? WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY
                             : *proxy ? WINHTTP_ACCESS_TYPE_NAMED_PROXY
                                      : WINHTTP_ACCESS_TYPE_NO_PROXY,
                             (wchar_t *)wide, NULL, WINHTTP_FLAG_ASYNC);
    jw_free(wide);
    return (w->session
            && WinHttpSetStatusCallback(w->session, on_status, wanted, 0) != WINHTTP_INVALID_STATUS_CALLBACK
            && WinHttpSetTimeouts(w->session, WIRE_CONNECT_MS, WIRE_CONNECT_MS, WIRE_IDLE_S * 1000,
                                  WIRE_IDLE_S * 1000))
           || jw_fail(err, JW_E_NET, "WinHTTP cannot be used%s%.150s",
                      proxy && *proxy ? " with the proxy " : "", proxy ? proxy : "");
}

struct wire *wire_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_err *err)
{
    struct wire *w = jw_arena_alloc(a, sizeof *w);

    *w = (struct wire){ .o = o, .a = a };
    if (o->cacert) {
        (void)jw_fail(err, JW_E_USAGE,
                      "%.250s: Windows trusts the authorities in its own store; add this one with certutil "
                      "-user -addstore Root FILE, and leave out cacert",
                      o->cacert);
        return NULL;
    }
    w->stepped = CreateEventW(NULL, FALSE, FALSE, NULL);
    w->closed = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (w->stepped && w->closed)
        return w;
    (void)jw_fail(err, JW_E_NET, "WinHTTP cannot be used");
    return NULL;
}

void wire_close(struct wire *w)
{
    if (!w)
        return;
    if (w->session)
        WinHttpCloseHandle(w->session);
    CloseHandle(w->stepped);
    CloseHandle(w->closed);
}

/* ---- one request ---- */

struct request {
    struct wire *w;
    const struct wire_request *r;
    HINTERNET connection, handle;
    struct wire_answer *out;
    uint64_t end; /* of the monotonic clock */
};

static bool fail_winhttp(struct request *g, DWORD code, struct jw_err *err)
{
    static const struct {
        DWORD code;
        const char *why;
    } known[] = { { ERROR_WINHTTP_NAME_NOT_RESOLVED, "unknown host" },
                  { ERROR_WINHTTP_CANNOT_CONNECT, "cannot connect" },
                  { ERROR_WINHTTP_TIMEOUT, "timed out" },
                  { ERROR_WINHTTP_CONNECTION_ERROR, "the connection broke" },
                  { ERROR_WINHTTP_INVALID_SERVER_RESPONSE, "the response is not HTTP" },
                  { ERROR_WINHTTP_SECURE_FAILURE, "its certificate is not trusted, or TLS failed" },
                  { ERROR_WINHTTP_SECURE_CHANNEL_ERROR, "TLS failed" } };

    /* One that stalls is not asked for the rest: each part would wait as long. */
    g->out->broken = code != ERROR_WINHTTP_TIMEOUT || !g->out->got;
    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (known[i].code == code)
            return jw_fail(err, JW_E_NET, "%s", known[i].why);
    return jw_fail(err, JW_E_NET, "WinHTTP error %lu", (unsigned long)code);
}

/* Waits for a step. `began`: the return value of the call that started it. */
static bool wait_step(struct request *g, BOOL began, struct jw_err *err)
{
    struct wire *w = g->w;
    uint64_t now = jw_time_monotonic_ns(), idle = now + WIRE_IDLE_S * 1000 * MS;

    if (!began)
        return fail_winhttp(g, GetLastError(), err);
    while (WaitForSingleObject(w->stepped, 50) != WAIT_OBJECT_0) {
        now = jw_time_monotonic_ns();
        if (!jw_run_goes_on(w->o->run, err))
            return false;
        if (now > g->end || now > idle)
            return fail_winhttp(g, ERROR_WINHTTP_TIMEOUT, err);
    }
    return !w->error || fail_winhttp(g, w->error, err);
}

/* "proxy:3128" of "http://ada:word@proxy:3128/". NULL: there is none. A login is not used. */
static const char *find_proxy(bool secure, struct jw_arena *a)
{
    const char *set = jw_env(a, secure ? "HTTPS_PROXY" : "HTTP_PROXY"), *at;

    if (!set || !*set)
        set = jw_env(a, "ALL_PROXY");
    if (!set || !*set)
        return NULL;
    at = strstr(set, "://");
    set = at ? at + 3 : set;
    at = strrchr(set, '@');
    set = at ? at + 1 : set;
    return jw_arena_text(a, set, strcspn(set, "/"));
}

/* Is the host at the end of, or below, a name of NO_PROXY? */
static bool is_excepted(const char *host, struct jw_arena *a)
{
    const char *list = jw_env(a, "NO_PROXY");
    size_t n = strcspn(host, ":");

    for (size_t k; list && *list; list += k + (list[k] != '\0')) {
        k = strcspn(list, ", ");
        size_t dot = k && *list == '.';

        if ((k == 1 && *list == '*')
            || (k > dot && n >= k - dot && strncmp(host + n - (k - dot), list + dot, k - dot) == 0
                && (n == k - dot || host[n - (k - dot) - 1] == '.')))
            return true;
    }
    return false;
}

/* The variables decide, as with libcurl; without them the system's settings, which are not for this machine itself. */
static bool find_session(struct wire *w, bool secure, const char *host, struct jw_err *err)
{
    const char *proxy = is_excepted(host, w->a) ? "" : find_proxy(secure, w->a);

    return open_session(w, !proxy && jw_ref_is_loopback(host) ? "" : proxy, err);
}

/* "https://host:5000/path?query" */
static bool connect_to(struct request *g, struct jw_err *err)
{
    const char *url = g->r->url;
    bool secure = jw_text_starts(url, "https://");
    const char *at = url + (secure ? 8 : 7), *path = at + strcspn(at, "/?"), *colon;
    char host[300], full[300];
    uint64_t port = secure ? INTERNET_DEFAULT_HTTPS_PORT : INTERNET_DEFAULT_HTTP_PORT;
    uint16_t *wide = NULL, *rest = NULL, *method = NULL;
    DWORD off = WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
    DWORD never = WINHTTP_AUTOLOGON_SECURITY_LEVEL_HIGH;
    DWORD_PTR self = (DWORD_PTR)g->w;

    (void)snprintf(full, sizeof full, "%.*s", (int)(path - at), at);
    (void)snprintf(host, sizeof host, "%s", full);
    colon = strrchr(host, ':');
    if (colon && !strchr(colon, ']')) {
        if (!jw_text_u64(colon + 1, &port) || port > 65535)
            return jw_fail(err, JW_E_NET, "invalid port");
        host[colon - host] = '\0';
    }
    if (!find_session(g->w, secure, full, err))
        return false;
    if (!jw_utf16_from(host, &wide, err) || !jw_utf16_from(*path ? path : "/", &rest, err)
        || !jw_utf16_from(g->r->method, &method, err)) {
        jw_free(wide);
        jw_free(rest);
        return false;
    }
    g->connection = WinHttpConnect(g->w->session, (wchar_t *)wide, (INTERNET_PORT)port, 0);
    if (g->connection)
        g->handle = WinHttpOpenRequest(g->connection, (wchar_t *)method, (wchar_t *)rest, NULL, NULL, NULL,
                                       WINHTTP_FLAG_ESCAPE_DISABLE | WINHTTP_FLAG_ESCAPE_DISABLE_QUERY
                                           | (secure ? WINHTTP_FLAG_SECURE : 0));
    jw_free(wide);
    jw_free(rest);
    jw_free(method);
    if (!g->handle || !WinHttpSetOption(g->handle, WINHTTP_OPTION_CONTEXT_VALUE, &self, sizeof self)
        || !WinHttpSetOption(g->handle, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof off))
        return fail_winhttp(g, GetLastError(), err);
    /* The login of Windows goes to no server; a certificate is not looked for. */
    (void)WinHttpSetOption(g->handle, WINHTTP_OPTION_AUTOLOGON_POLICY, &never, sizeof never);
    if (secure)
        (void)WinHttpSetOption(g->handle, WINHTTP_OPTION_CLIENT_CERT_CONTEXT, WINHTTP_NO_CLIENT_CERT_CONTEXT,
                               0);
    return true;
}

static void wipe_wide(uint16_t *text)
{
    for (volatile uint16_t *c = text; c && *c; c++)
        *c = 0;
    jw_free(text);
}

static bool add_header(struct request *g, const char *line, struct jw_err *err)
{
    uint16_t *wide;

    if (!jw_utf16_from(line, &wide, err))
        return false;
    BOOL ok = WinHttpAddRequestHeaders(g->handle, (wchar_t *)wide, (DWORD)-1,
                                       WINHTTP_ADDREQ_FLAG_ADD | WINHTTP_ADDREQ_FLAG_REPLACE);
    DWORD code = GetLastError();

    wipe_wide(wide); /* it may be a login */
    return ok || fail_winhttp(g, code, err);
}

static bool add_headers(struct request *g, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(g->r->headers) && g->r->headers[i]; i++)
        if (!add_header(g, g->r->headers[i], err))
            return false;
    return true;
}

static bool send_body(struct request *g, uint8_t *part, struct jw_err *err)
{
    const struct wire_request *r = g->r;
    size_t got;

    for (uint64_t at = 0; r->file && at < r->file_n; at += got)
        if (!jw_file_read(r->file, at, part, (size_t)jw_min(PART, r->file_n - at), &got, err)
            || (!got && !jw_fail(err, JW_E_IO, "the file became shorter"))
            || !wait_step(g, WinHttpWriteData(g->handle, part, (DWORD)got, NULL), err))
            return false;
    return true;
}

/* False: there is none, or it is no number. */
static bool query_number(struct request *g, DWORD what, DWORD *out)
{
    DWORD n = sizeof *out;

    return WinHttpQueryHeaders(g->handle, what | WINHTTP_QUERY_FLAG_NUMBER, NULL, out, &n, NULL);
}

/* All headers of this name. */
static void query_text(struct request *g, DWORD what, char out[WIRE_MAX_HEADER])
{
    wchar_t wide[WIRE_MAX_HEADER];
    uint8_t text[WIRE_MAX_HEADER];
    DWORD n = sizeof wide, index = 0;

    for (; WinHttpQueryHeaders(g->handle, what, NULL, wide, &n, &index); n = sizeof wide) {
        n /= sizeof *wide;
        for (size_t i = 0; i < n; i++)
            text[i] = wide[i] < 0x100 ? (uint8_t)wide[i] : '?';
        wire_add_header(out, (struct jw_bytes){ text, n });
    }
}

static bool read_head(struct request *g, struct jw_err *err)
{
    DWORD status, seconds;

    if (!query_number(g, WINHTTP_QUERY_STATUS_CODE, &status))
        return fail_winhttp(g, GetLastError(), err);
    g->out->status = (long)status;
    g->out->retry_after =
        query_number(g, WINHTTP_QUERY_RETRY_AFTER, &seconds) ? (long)jw_min(seconds, LONG_MAX) : 0;
    query_text(g, WINHTTP_QUERY_LOCATION, g->out->location);
    query_text(g, WINHTTP_QUERY_WWW_AUTHENTICATE, g->out->challenge);
    return true;
}

static bool read_body(struct request *g, uint8_t *part, struct jw_err *err)
{
    char length[WIRE_MAX_HEADER] = "";
    uint64_t got = 0, all;

    do {
        g->w->n = 0;
        if (!wait_step(g, WinHttpReadData(g->handle, part, PART, NULL), err))
            return false;
        got += g->w->n;
        if (g->w->n && !wire_take(g->r, g->out, part, g->w->n, err))
            return false;
    } while (g->w->n);
    query_text(g, WINHTTP_QUERY_CONTENT_LENGTH, length);
    return !jw_text_u64(length, &all) || got >= all || strcmp(g->r->method, "HEAD") == 0
           || fail_winhttp(g, ERROR_WINHTTP_CONNECTION_ERROR, err);
}

/* WinHTTP takes the length as 32 bits. A longer one is a header, and the number says that it is one. */
static bool set_length(struct request *g, uint64_t n, DWORD *total, struct jw_err *err)
{
    char line[64];

    *total = n < UINT32_MAX ? (DWORD)n : WINHTTP_IGNORE_REQUEST_TOTAL_LENGTH;
    (void)snprintf(line, sizeof line, "Content-Length: %llu", (unsigned long long)n);
    return n < UINT32_MAX || add_header(g, line, err);
}

static bool send_request(struct request *g, uint8_t *part, struct jw_err *err)
{
    const struct wire_request *r = g->r;
    DWORD total;

    return set_length(g, r->file ? r->file_n : r->body_n, &total, err)
           && wait_step(g,
                        WinHttpSendRequest(g->handle, NULL, 0, r->body_n ? (void *)(uintptr_t)r->body : NULL,
                                           (DWORD)r->body_n, total, (DWORD_PTR)g->w),
                        err)
           && send_body(g, part, err) && wait_step(g, WinHttpReceiveResponse(g->handle, NULL), err);
}

static bool go(struct request *g, uint8_t *part, struct jw_err *err)
{
    return connect_to(g, err) && add_headers(g, err) && send_request(g, part, err) && read_head(g, err)
           && read_body(g, part, err);
}

bool wire_do(struct wire *w, const struct wire_request *r, struct wire_answer *out, struct jw_err *err)
{
    struct request g = {
        .w = w, .r = r, .out = out, .end = jw_time_monotonic_ns() + (uint64_t)r->left_ms * MS
    };
    uint8_t *part = jw_alloc(PART);

    w->error = 0;
    ResetEvent(w->stepped);
    ResetEvent(w->closed);
    bool ok = go(&g, part, err);

    if (g.handle) { /* callbacks may use `part` until it is closed */
        WinHttpCloseHandle(g.handle);
        (void)WaitForSingleObject(w->closed, WIRE_CONNECT_MS);
    }
    if (g.connection)
        WinHttpCloseHandle(g.connection);
    jw_free(part);
    return ok;
}

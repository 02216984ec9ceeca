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

enum { PART = 1 << 16, MAX_LINES = 1 << 18 /* of headers: a token may be long */ };

#define MS ((uint64_t)1000000)

struct wire {
    const struct jw_remote_options *o;
    struct jw_arena *a;
    HINTERNET session;
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

/* The way to a server is what the system's settings say, which may be a script. */
static bool open_session(struct wire *w)
{
    static const DWORD wanted = WINHTTP_CALLBACK_FLAG_ALL_COMPLETIONS | WINHTTP_CALLBACK_FLAG_HANDLES;

    w->stepped = CreateEventW(NULL, FALSE, FALSE, NULL);
    w->closed = CreateEventW(NULL, FALSE, FALSE, NULL);
    w->session = WinHttpOpen(L"jitwarm/" JITWARM_VERSION, WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY, NULL, NULL,
                             WINHTTP_FLAG_ASYNC);
    return w->stepped && w->closed && w->session
           && WinHttpSetStatusCallback(w->session, on_status, wanted, 0) != WINHTTP_INVALID_STATUS_CALLBACK
           && WinHttpSetTimeouts(w->session, WIRE_CONNECT_MS, WIRE_CONNECT_MS, WIRE_IDLE_S * 1000,
                                 WIRE_IDLE_S * 1000);
}

struct wire *wire_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_err *err)
{
    struct wire *w = jw_arena_alloc(a, sizeof *w);

    *w = (struct wire){ .o = o, .a = a };
    if (o->cacert)
        (void)jw_fail(err, JW_E_USAGE,
                      "%.250s: Windows trusts the authorities in its own store; add this one with certutil "
                      "-user -addstore Root FILE, and leave out cacert",
                      o->cacert);
    else if (open_session(w))
        return w;
    else
        (void)jw_fail(err, JW_E_NET, "WinHTTP cannot be used");
    return NULL;
}

void wire_close(struct wire *w)
{
    if (!w)
        return;
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

/* NULL: see err. */
static wchar_t *wide(struct wire *w, const char *text, struct jw_err *err)
{
    uint16_t *made = NULL;
    wchar_t *out = NULL;

    if (jw_utf16_from(text, &made, err))
        out = jw_arena_copy(w->a, made, (wcslen((wchar_t *)made) + 1) * sizeof *out);
    jw_free(made);
    return out;
}

/* The login of Windows goes to no server, a certificate is not looked for, and this machine is asked by no proxy. */
static bool set_options(struct request *g, bool secure)
{
    DWORD off = WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
    DWORD never = WINHTTP_AUTOLOGON_SECURITY_LEVEL_HIGH;
    WINHTTP_PROXY_INFO none = { .dwAccessType = WINHTTP_ACCESS_TYPE_NO_PROXY };
    DWORD_PTR self = (DWORD_PTR)g->w;
    const char *host = strstr(g->r->url, "://") + 3;

    (void)WinHttpSetOption(g->handle, WINHTTP_OPTION_AUTOLOGON_POLICY, &never, sizeof never);
    if (secure)
        (void)WinHttpSetOption(g->handle, WINHTTP_OPTION_CLIENT_CERT_CONTEXT, WINHTTP_NO_CLIENT_CERT_CONTEXT,
                               0);
    if (jw_ref_is_loopback(jw_arena_text(g->w->a, host, strcspn(host, "/?"))))
        (void)WinHttpSetOption(g->handle, WINHTTP_OPTION_PROXY, &none, sizeof none);
    return WinHttpSetOption(g->handle, WINHTTP_OPTION_CONTEXT_VALUE, &self, sizeof self)
           && WinHttpSetOption(g->handle, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof off);
}

static bool connect_to(struct request *g, struct jw_err *err)
{
    wchar_t *url = wide(g->w, g->r->url, err), *method = wide(g->w, g->r->method, err), *host;
    URL_COMPONENTS at = { .dwStructSize = sizeof at, .dwHostNameLength = 1, .dwUrlPathLength = 1 };

    if (!url || !method)
        return false;
    if (!WinHttpCrackUrl(url, 0, 0, &at))
        return jw_fail(err, JW_E_NET, "invalid URL");
    bool secure = jw_text_starts(g->r->url, "https://");

    host = jw_arena_copy(g->w->a, at.lpszHostName, (at.dwHostNameLength + 1) * sizeof *host);
    host[at.dwHostNameLength] = L'\0';
    g->connection = WinHttpConnect(g->w->session, host, at.nPort, 0);
    if (g->connection)
        g->handle = WinHttpOpenRequest(g->connection, method, at.lpszUrlPath, NULL, NULL, NULL,
                                       WINHTTP_FLAG_ESCAPE_DISABLE | WINHTTP_FLAG_ESCAPE_DISABLE_QUERY
                                           | (secure ? WINHTTP_FLAG_SECURE : 0));
    return (g->handle && set_options(g, secure)) || fail_winhttp(g, GetLastError(), err);
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

static bool read_head(struct request *g, uint8_t *part, struct jw_err *err)
{
    void *head = part;
    DWORD n = PART;

    if (!WinHttpQueryHeaders(g->handle, WINHTTP_QUERY_RAW_HEADERS_CRLF, NULL, head, &n, NULL))
        return fail_winhttp(g, GetLastError(), err);
    n /= sizeof(wchar_t);
    for (DWORD i = 0; i < n; i++) {
        wchar_t c = ((wchar_t *)head)[i];

        part[i] = c < 0x80 ? (uint8_t)c : '?';
    }
    for (size_t at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && part[end] != '\n';)
            end++;
        wire_take_head(g->out, (struct jw_bytes){ part + at, end - at });
    }
    return true;
}

static bool read_body(struct request *g, uint8_t *part, struct jw_err *err)
{
    uint64_t got = 0;

    do {
        g->w->n = 0;
        if (!wait_step(g, WinHttpReadData(g->handle, part, PART, NULL), err))
            return false;
        got += g->w->n;
        if (g->w->n && !wire_take(g->r, g->out, part, g->w->n, err))
            return false;
    } while (g->w->n);
    return got >= g->out->length || strcmp(g->r->method, "HEAD") == 0
           || fail_winhttp(g, ERROR_WINHTTP_CONNECTION_ERROR, err);
}

/* WinHTTP takes the length as 32 bits. A longer one is a header, and the number says that it is one. */
static bool send_request(struct request *g, uint8_t *part, struct jw_err *err)
{
    const struct wire_request *r = g->r;
    uint64_t n = r->file ? r->file_n : r->body_n;
    DWORD total = n < UINT32_MAX ? (DWORD)n : WINHTTP_IGNORE_REQUEST_TOTAL_LENGTH;
    struct jw_buf lines = JW_BUF_IN(g->w->a, MAX_LINES);

    for (size_t i = 0; i < JW_COUNT(r->headers) && r->headers[i]; i++)
        jw_buf_printf(&lines, "%s\r\n", r->headers[i]);
    if (n >= UINT32_MAX)
        jw_buf_printf(&lines, "Content-Length: %llu\r\n", (unsigned long long)n);

    wchar_t *head = jw_buf_ok(&lines, err) ? wide(g->w, jw_buf_cstr(&lines), err) : NULL;

    return head
           && wait_step(g,
                        WinHttpSendRequest(g->handle, head, (DWORD)-1,
                                           r->body_n ? (void *)(uintptr_t)r->body : NULL, (DWORD)r->body_n,
                                           total, (DWORD_PTR)g->w),
                        err)
           && send_body(g, part, err) && wait_step(g, WinHttpReceiveResponse(g->handle, NULL), err);
}

static bool go(struct request *g, uint8_t *part, struct jw_err *err)
{
    return connect_to(g, err) && send_request(g, part, err) && read_head(g, part, err)
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

/* WinHTTP. Every step is asynchronous, so that Ctrl-C and a stall can end the wait for it. */
#include "fleet/remote/wire.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "os/files/winpath.h"
#include "os/machine/time.h"

#include <windows.h>

#include <winhttp.h>

#include <stdio.h>
#include <string.h>

enum { PART = 1 << 16, MAX_LINES = 1 << 18 /* of headers: a token may be long */ };

#define MS ((uint64_t)1000000)

struct wire {
    const struct jw_run *run;
    HINTERNET session;
    HANDLE stepped, closed; /* events */
    DWORD n, error;         /* of the last step: bytes; 0: it went well */
    /* the request that is under way */
    const struct wire_request *r;
    HINTERNET connection, handle;
    struct wire_answer *out;
    uint64_t end;       /* of the monotonic clock */
    uint8_t part[PART]; /* of a body; of the head */
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
    static const DWORD wanted =
        WINHTTP_CALLBACK_FLAG_ALL_COMPLETIONS | WINHTTP_CALLBACK_FLAG_HANDLES;

    w->stepped = CreateEventW(NULL, FALSE, FALSE, NULL);
    w->closed = CreateEventW(NULL, FALSE, FALSE, NULL);
    w->session = WinHttpOpen(L"jitwarm/" JITWARM_VERSION, WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY, NULL,
                             NULL, WINHTTP_FLAG_ASYNC);
    return w->stepped && w->closed && w->session
           && WinHttpSetStatusCallback(w->session, on_status, wanted, 0)
                  != WINHTTP_INVALID_STATUS_CALLBACK
           && WinHttpSetTimeouts(w->session, WIRE_CONNECT_MS, WIRE_CONNECT_MS, WIRE_IDLE_S * 1000,
                                 WIRE_IDLE_S * 1000);
}

struct wire *wire_open(const struct jw_remote_options *o, const struct jw_run *run,
                       struct jw_err *err)
{
    struct wire *w = jw_arena_alloc(run->a, sizeof *w);

    *w = (struct wire){.run = run};
    if (o->cacert)
        (void)jw_fail(
            err, JW_E_USAGE,
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
    WinHttpCloseHandle(w->session);
    CloseHandle(w->stepped);
    CloseHandle(w->closed);
}

/* ---- one request ---- */

static bool fail_winhttp(struct wire *w, DWORD code, struct jw_err *err)
{
    static const struct {
        DWORD code;
        const char *why;
    } known[] = {
        {ERROR_WINHTTP_NAME_NOT_RESOLVED, "unknown host"},
        {ERROR_WINHTTP_CANNOT_CONNECT, "cannot connect"},
        {ERROR_WINHTTP_TIMEOUT, "timed out"},
        {ERROR_WINHTTP_CONNECTION_ERROR, "the connection broke"},
        {ERROR_WINHTTP_INVALID_SERVER_RESPONSE, "the response is not HTTP"},
        {ERROR_WINHTTP_SECURE_FAILURE, "its certificate is not trusted, or TLS failed"},
        {ERROR_WINHTTP_SECURE_CHANNEL_ERROR, "TLS failed, or its certificate is not trusted"}};

    /* A server that stalls is not asked for the rest: each part would take as long. */
    w->out->broken = code != ERROR_WINHTTP_TIMEOUT || !w->out->got;
    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (known[i].code == code)
            return jw_fail(err, JW_E_NET, "%s", known[i].why);
    return jw_fail(err, JW_E_NET, "WinHTTP error %lu", (unsigned long)code);
}

/* Waits for a step. `began`: the return value of the call that started it. */
static bool wait_step(struct wire *w, BOOL began, struct jw_err *err)
{
    uint64_t now = jw_time_monotonic_ns();
    uint64_t idle = now + WIRE_IDLE_S * 1000 * MS;

    if (!began)
        return fail_winhttp(w, GetLastError(), err);
    while (WaitForSingleObject(w->stepped, 50) != WAIT_OBJECT_0) {
        now = jw_time_monotonic_ns();
        if (!jw_run_goes_on(w->run, err))
            return false;
        if (now > w->end || now > idle)
            return fail_winhttp(w, ERROR_WINHTTP_TIMEOUT, err);
    }
    return !w->error || fail_winhttp(w, w->error, err);
}

/* NULL: see err. */
static wchar_t *wide(struct wire *w, const char *text, struct jw_err *err)
{
    uint16_t *made = NULL;
    wchar_t *out = NULL;

    if (jw_utf16_from(text, &made, err))
        out = jw_arena_copy(w->run->a, made, (wcslen((wchar_t *)made) + 1) * sizeof *out);
    jw_free(made);
    return out;
}

/* The login of Windows goes to no server, a certificate is not looked for, and this machine is
 * asked by no proxy. */
static bool set_options(struct wire *w, bool secure)
{
    DWORD off =
        WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
    DWORD never = WINHTTP_AUTOLOGON_SECURITY_LEVEL_HIGH;
    WINHTTP_PROXY_INFO none = {.dwAccessType = WINHTTP_ACCESS_TYPE_NO_PROXY};
    DWORD_PTR self = (DWORD_PTR)w;
    const char *host = strstr(w->r->url, "://") + 3;

    (void)WinHttpSetOption(w->handle, WINHTTP_OPTION_AUTOLOGON_POLICY, &never, sizeof never);
    if (secure)
        (void)WinHttpSetOption(w->handle, WINHTTP_OPTION_CLIENT_CERT_CONTEXT,
                               WINHTTP_NO_CLIENT_CERT_CONTEXT, 0);
    if (jw_ref_is_loopback(jw_arena_text(w->run->a, host, strcspn(host, "/?"))))
        (void)WinHttpSetOption(w->handle, WINHTTP_OPTION_PROXY, &none, sizeof none);
    return WinHttpSetOption(w->handle, WINHTTP_OPTION_CONTEXT_VALUE, &self, sizeof self)
           && WinHttpSetOption(w->handle, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof off);
}

static bool connect_to(struct wire *w, struct jw_err *err)
{
    wchar_t *url = wide(w, w->r->url, err), *method = wide(w, w->r->method, err), *host;
    URL_COMPONENTS at = {.dwStructSize = sizeof at, .dwHostNameLength = 1, .dwUrlPathLength = 1};

    if (!url || !method)
        return false;
    if (!WinHttpCrackUrl(url, 0, 0, &at))
        return jw_fail(err, JW_E_NET, "invalid URL");
    bool secure = jw_text_starts(w->r->url, "https://");

    host = jw_arena_copy(w->run->a, at.lpszHostName, (at.dwHostNameLength + 1) * sizeof *host);
    host[at.dwHostNameLength] = L'\0';
    w->connection = WinHttpConnect(w->session, host, at.nPort, 0);
    if (w->connection)
        w->handle =
            WinHttpOpenRequest(w->connection, method, at.lpszUrlPath, NULL, NULL, NULL,
                               WINHTTP_FLAG_ESCAPE_DISABLE | WINHTTP_FLAG_ESCAPE_DISABLE_QUERY
                                   | (secure ? WINHTTP_FLAG_SECURE : 0));
    return (w->handle && set_options(w, secure)) || fail_winhttp(w, GetLastError(), err);
}

static bool send_body(struct wire *w, struct jw_err *err)
{
    const struct wire_request *r = w->r;
    size_t got;

    for (uint64_t at = 0; r->file && at < r->file_n; at += got)
        if (!jw_file_read(r->file, at, w->part, (size_t)jw_min(PART, r->file_n - at), &got, err)
            || (!got && !jw_fail(err, JW_E_IO, "the file became shorter"))
            || !wait_step(w, WinHttpWriteData(w->handle, w->part, (DWORD)got, NULL), err))
            return false;
    return true;
}

static bool read_head(struct wire *w, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(w->run->a, MAX_LINES);
    DWORD n = PART;
    size_t line;

    if (!WinHttpQueryHeaders(w->handle, WINHTTP_QUERY_RAW_HEADERS_CRLF, NULL, w->part, &n, NULL))
        return fail_winhttp(w, GetLastError(), err);
    jw_utf16_to(&text, (const void *)w->part);
    for (const char *at = jw_buf_cstr(&text); *at; at += line + (at[line] == '\n')) {
        line = strcspn(at, "\n");
        wire_take_head(w->out, (struct jw_bytes){(const uint8_t *)at, line});
    }
    return true;
}

static bool read_body(struct wire *w, struct jw_err *err)
{
    uint64_t got = 0;

    do {
        w->n = 0;
        if (!wait_step(w, WinHttpReadData(w->handle, w->part, PART, NULL), err))
            return false;
        got += w->n;
        if (w->n && !wire_take(w->r, w->out, w->part, w->n, err))
            return false;
    } while (w->n);
    return got >= w->out->length || strcmp(w->r->method, "HEAD") == 0
           || fail_winhttp(w, ERROR_WINHTTP_CONNECTION_ERROR, err);
}

/* WinHTTP takes the length as 32 bits. A longer one is a header, and the number says that it is
 * one. */
static bool send_request(struct wire *w, struct jw_err *err)
{
    const struct wire_request *r = w->r;
    uint64_t n = r->file ? r->file_n : r->body.n;
    DWORD total = n < UINT32_MAX ? (DWORD)n : WINHTTP_IGNORE_REQUEST_TOTAL_LENGTH;
    struct jw_buf lines = JW_BUF_IN(w->run->a, MAX_LINES);

    if (r->header)
        jw_buf_printf(&lines, "%s\r\n", r->header);
    if (r->login)
        jw_buf_printf(&lines, "%s\r\n", r->login);
    if (n >= UINT32_MAX)
        jw_buf_printf(&lines, "Content-Length: %llu\r\n", (unsigned long long)n);

    wchar_t *head = jw_buf_ok(&lines, err) ? wide(w, jw_buf_cstr(&lines), err) : NULL;

    return head
           && wait_step(w,
                        WinHttpSendRequest(w->handle, head, (DWORD)-1,
                                           r->body.n ? (void *)(uintptr_t)r->body.p : NULL,
                                           (DWORD)r->body.n, total, (DWORD_PTR)w),
                        err)
           && send_body(w, err) && wait_step(w, WinHttpReceiveResponse(w->handle, NULL), err);
}

bool wire_do(struct wire *w, const struct wire_request *r, struct wire_answer *out,
             struct jw_err *err)
{
    w->r = r;
    w->out = out;
    w->end = jw_time_monotonic_ns() + (uint64_t)r->left_ms * MS;
    w->connection = w->handle = NULL;
    w->error = 0;
    ResetEvent(w->stepped);
    ResetEvent(w->closed);
    bool ok = connect_to(w, err) && send_request(w, err) && read_head(w, err) && read_body(w, err);

    if (w->handle) { /* callbacks may use `part` until it is closed */
        WinHttpCloseHandle(w->handle);
        (void)WaitForSingleObject(w->closed, WIRE_CONNECT_MS);
    }
    if (w->connection)
        WinHttpCloseHandle(w->connection);
    return ok;
}

/* WinHTTP. Each step is asynchronous and waited for, so that Ctrl-C, --deadline and a stall end it. */
#include "fleet/remote/wire.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "fleet/format/header.h"
#include "os/files/winpath.h"
#include "os/machine/env.h"
#include "os/machine/lib.h"
#include "os/machine/time.h"

#include <windows.h>

#include <wincrypt.h>
#include <winhttp.h>

#include <stdio.h>
#include <string.h>

enum { PART = 1 << 16, MOST_HEAD = 1 << 18, MOST_CA = 1 << 22 };

#define MS ((uint64_t)1000000)
#define FUNCTIONS(F, G)                                                                                      \
    F(WinHttpOpen)                                                                                           \
    F(WinHttpConnect)                                                                                        \
    F(WinHttpOpenRequest)                                                                                    \
    F(WinHttpSetOption)                                                                                      \
    F(WinHttpQueryOption)                                                                                    \
    F(WinHttpSetStatusCallback)                                                                              \
    F(WinHttpSetTimeouts)                                                                                    \
    F(WinHttpAddRequestHeaders)                                                                              \
    F(WinHttpSendRequest)                                                                                    \
    F(WinHttpWriteData)                                                                                      \
    F(WinHttpReceiveResponse)                                                                                \
    F(WinHttpQueryHeaders)                                                                                   \
    F(WinHttpReadData)                                                                                       \
    F(WinHttpCloseHandle)                                                                                    \
    G(CertOpenStore)                                                                                         \
    G(CertCloseStore)                                                                                        \
    G(CertAddEncodedCertificateToStore)                                                                      \
    G(CertCreateCertificateChainEngine)                                                                      \
    G(CertFreeCertificateChainEngine)                                                                        \
    G(CertGetCertificateChain)                                                                               \
    G(CertFreeCertificateChain)                                                                              \
    G(CertFreeCertificateContext)                                                                            \
    G(CryptStringToBinaryA)

struct wire {
    const struct jw_remote_options *o;
    struct jw_lib http, crypt;
#define FIELD(name) __typeof__(&(name)) name;
    FUNCTIONS(FIELD, FIELD)
#undef FIELD
    HINTERNET session;
    HCERTSTORE roots; /* of --cacert; NULL: the system's */
    HCERTCHAINENGINE engine;
    HANDLE stepped, closed; /* events */
    DWORD n, error;         /* of the last step: bytes; 0: it went well */
    atomic_bool stranger;   /* the server's certificate is not of --cacert */
};

/* ---- open ---- */

static bool find(const struct jw_lib *lib, const char *name, void *slot)
{
    jw_lib_fn fn = jw_lib_symbol(lib, name);

    memcpy(slot, &fn, sizeof fn);
    return fn != NULL;
}

static bool load(struct wire *w)
{
    struct jw_err ignored;
    bool ok =
        jw_lib_open(&w->http, "winhttp.dll", &ignored) && jw_lib_open(&w->crypt, "crypt32.dll", &ignored);

#define FIND_HTTP(name) ok = ok && find(&w->http, #name, &w->name);
#define FIND_CRYPT(name) ok = ok && find(&w->crypt, #name, &w->name);
    FUNCTIONS(FIND_HTTP, FIND_CRYPT)
    return ok;
}

static bool add_root(struct wire *w, const char *pem, DWORD n)
{
    BYTE der[PART / 4];
    DWORD got = sizeof der;

    return w->CryptStringToBinaryA(pem, n, CRYPT_STRING_BASE64HEADER, der, &got, NULL, NULL)
           && w->CertAddEncodedCertificateToStore(w->roots, X509_ASN_ENCODING, der, got,
                                                  CERT_STORE_ADD_ALWAYS, NULL);
}

static bool read_roots(struct wire *w, const char *file, struct jw_err *err)
{
    static const char begin[] = "-----BEGIN CERTIFICATE-----", end[] = "-----END CERTIFICATE-----";
    CERT_CHAIN_ENGINE_CONFIG config = { .cbSize = offsetof(CERT_CHAIN_ENGINE_CONFIG, dwExclusiveFlags) };
    struct jw_buf text = JW_BUF(MOST_CA);
    bool found = false, some = false;

    w->roots = w->CertOpenStore(CERT_STORE_PROV_MEMORY, 0, 0, 0, NULL);
    if (!jw_file_slurp(file, &text, &found, err) || !found) {
        jw_buf_free(&text);
        return jw_fail(err, JW_E_NET, "--cacert %.250s cannot be read", file);
    }
    for (const char *at = strstr(jw_buf_cstr(&text), begin), *to; at; at = strstr(to, begin)) {
        to = strstr(at, end);
        if (!to)
            break;
        to += strlen(end);
        some = add_root(w, at, (DWORD)(to - at)) || some;
    }
    jw_buf_free(&text);
    config.hExclusiveRoot = w->roots;
    return (some && w->CertCreateCertificateChainEngine(&config, &w->engine))
           || jw_fail(err, JW_E_NET, "--cacert %.250s holds no certificate", file);
}

/* Before a request leaves: is the certificate one of --cacert's? */
static bool is_known(const struct wire *w, HINTERNET request)
{
    CERT_CHAIN_PARA para = { .cbSize = sizeof para };
    PCCERT_CONTEXT cert = NULL;
    PCCERT_CHAIN_CONTEXT chain = NULL;
    DWORD n = sizeof cert;
    bool ok = w->WinHttpQueryOption(request, WINHTTP_OPTION_SERVER_CERT_CONTEXT, &cert, &n) && cert
              && w->CertGetCertificateChain(w->engine, cert, NULL, cert->hCertStore, &para, 0, NULL, &chain)
              && chain->TrustStatus.dwErrorStatus == CERT_TRUST_NO_ERROR;

    if (chain)
        w->CertFreeCertificateChain(chain);
    if (cert)
        w->CertFreeCertificateContext(cert);
    return ok;
}

static void CALLBACK on_status(HINTERNET request, DWORD_PTR ctx, DWORD status, LPVOID info, DWORD n)
{
    struct wire *w = (struct wire *)ctx;

    if (!w)
        return;
    switch (status) {
    case WINHTTP_CALLBACK_STATUS_SENDING_REQUEST:
        if (w->roots && !is_known(w, request)) {
            atomic_store(&w->stranger, true);
            w->WinHttpCloseHandle(request);
        }
        break;
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

struct wire *wire_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_err *err)
{
    static const wchar_t agent[] = L"jitwarm/" JITWARM_VERSION;
    struct wire *w = jw_arena_alloc(a, sizeof *w);

    memset(w, 0, sizeof *w);
    w->o = o;
    if (o->cert || o->cert_key) {
        (void)jw_fail(err, JW_E_USAGE, "--cert and --cert-key are not for Windows yet");
        return NULL;
    }
    if (!load(w)) {
        (void)jw_fail(err, JW_E_NET, "the WinHTTP of this system cannot be used");
        return NULL;
    }
    w->session = w->WinHttpOpen(agent, WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY, NULL, NULL, WINHTTP_FLAG_ASYNC);
    if (!w->session) /* before Windows 8.1 */
        w->session = w->WinHttpOpen(agent, WINHTTP_ACCESS_TYPE_DEFAULT_PROXY, NULL, NULL, WINHTTP_FLAG_ASYNC);
    w->stepped = CreateEventW(NULL, FALSE, FALSE, NULL);
    w->closed = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (w->session && w->stepped && w->closed
        && w->WinHttpSetStatusCallback(w->session, on_status,
                                       WINHTTP_CALLBACK_FLAG_ALL_COMPLETIONS | WINHTTP_CALLBACK_FLAG_HANDLES
                                           | WINHTTP_CALLBACK_FLAG_SEND_REQUEST,
                                       0)
               != WINHTTP_INVALID_STATUS_CALLBACK
        && w->WinHttpSetTimeouts(w->session, WIRE_CONNECT_MS, WIRE_CONNECT_MS, WIRE_IDLE_S * 1000,
                                 WIRE_IDLE_S * 1000)) {
        if (!o->cacert || read_roots(w, o->cacert, err))
            return w;
    } else
        (void)jw_fail(err, JW_E_NET, "the WinHTTP of this system cannot be used");
    wire_close(w);
    return NULL;
}

void wire_close(struct wire *w)
{
    if (!w)
        return;
    if (w->session)
        w->WinHttpCloseHandle(w->session);
    if (w->engine)
        w->CertFreeCertificateChainEngine(w->engine);
    if (w->roots)
        w->CertCloseStore(w->roots, 0);
    if (w->stepped)
        CloseHandle(w->stepped);
    if (w->closed)
        CloseHandle(w->closed);
}

/* ---- one request ---- */

struct going {
    struct wire *w;
    const struct wire_request *r;
    HINTERNET connection, request;
    uint64_t end; /* of the monotonic clock */
    uint64_t length, got;
    bool sized; /* the answer says its length */
};

static bool failed(const struct wire *w, DWORD code, struct jw_err *err)
{
    static const struct {
        DWORD code;
        const char *why;
    } known[] = { { ERROR_WINHTTP_NAME_NOT_RESOLVED, "no such host is known" },
                  { ERROR_WINHTTP_CANNOT_CONNECT, "nothing answers there" },
                  { ERROR_WINHTTP_TIMEOUT, "no answer in time" },
                  { ERROR_WINHTTP_CONNECTION_ERROR, "the connection broke" },
                  { ERROR_WINHTTP_INVALID_SERVER_RESPONSE, "the answer is no HTTP" },
                  { ERROR_WINHTTP_SECURE_FAILURE, "its certificate is not trusted, or TLS failed" },
                  { ERROR_WINHTTP_CLIENT_AUTH_CERT_NEEDED, "it wants a client certificate" } };

    if (atomic_load(&w->stranger))
        return jw_fail(err, JW_E_NET, "its certificate is not of an authority of --cacert");
    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (known[i].code == code)
            return jw_fail(err, JW_E_NET, "%s", known[i].why);
    return jw_fail(err, JW_E_NET, "WinHTTP error %lu", (unsigned long)code);
}

/* `began`: what the call that begins a step returned. */
static bool step(struct going *g, BOOL began, struct jw_err *err)
{
    struct wire *w = g->w;
    uint64_t now = jw_time_monotonic_ns(), idle = now + WIRE_IDLE_S * 1000 * MS;

    if (!began)
        return failed(w, GetLastError(), err);
    while (WaitForSingleObject(w->stepped, 50) != WAIT_OBJECT_0) {
        now = jw_time_monotonic_ns();
        if (w->o->interrupted && atomic_load(w->o->interrupted))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (now > g->end || now > idle || atomic_load(&w->stranger))
            return failed(w, ERROR_WINHTTP_TIMEOUT, err);
    }
    return !w->error || failed(w, w->error, err);
}

/* NULL: none. "http://ada:word@proxy:3128/" is named as proxy:3128. */
static const char *proxy_for(const struct wire_request *r, struct jw_arena *a, char *out, size_t room)
{
    bool secure = jw_text_starts(r->url, "https:");
    const char *set = jw_env(a, secure ? "HTTPS_PROXY" : "HTTP_PROXY"), *at;

    if (!set || !*set)
        return NULL;
    at = strstr(set, "://");
    set = at ? at + 3 : set;
    at = strrchr(set, '@');
    set = at ? at + 1 : set;
    (void)snprintf(out, room, "%.*s", (int)strcspn(set, "/"), set);
    return out;
}

/* Is the host at the end of, or below, a name of NO_PROXY? */
static bool goes_past(const char *host, struct jw_arena *a)
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
    return jw_ref_is_loopback(host);
}

static void set_proxy(struct going *g, const char *host)
{
    struct jw_arena a = { 0 };
    WINHTTP_PROXY_INFO info = { .dwAccessType = WINHTTP_ACCESS_TYPE_NO_PROXY };
    char text[300];
    uint16_t *wide = NULL;
    struct jw_err ignored;
    bool past = goes_past(host, &a);

    if (!past && proxy_for(g->r, &a, text, sizeof text) && jw_utf16_from(text, &wide, &ignored)) {
        info.dwAccessType = WINHTTP_ACCESS_TYPE_NAMED_PROXY;
        info.lpszProxy = (wchar_t *)wide;
    }
    if (past || wide)
        g->w->WinHttpSetOption(g->request, WINHTTP_OPTION_PROXY, &info, sizeof info);
    jw_free(wide);
    jw_arena_free(&a);
}

/* "https://host:5000/path?query" */
static bool connect_to(struct going *g, struct jw_err *err)
{
    const char *url = g->r->url;
    bool secure = jw_text_starts(url, "https://");
    const char *at = url + (secure ? 8 : 7), *path = at + strcspn(at, "/?"), *colon;
    char host[300], full[300];
    uint64_t port = secure ? INTERNET_DEFAULT_HTTPS_PORT : INTERNET_DEFAULT_HTTP_PORT;
    uint16_t *wide = NULL, *rest = NULL, *method = NULL;
    DWORD off = WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
    DWORD unknown = SECURITY_FLAG_IGNORE_UNKNOWN_CA; /* is_known judges in its place */
    DWORD_PTR self = (DWORD_PTR)g->w;

    if (g->r->secure && !secure)
        return jw_fail(err, JW_E_NET, "not https");
    (void)snprintf(full, sizeof full, "%.*s", (int)(path - at), at);
    (void)snprintf(host, sizeof host, "%s", full);
    colon = strrchr(host, ':');
    if (colon && !strchr(colon, ']')) {
        if (!jw_text_u64(colon + 1, &port) || port > 65535)
            return jw_fail(err, JW_E_NET, "a port that makes no sense");
        host[colon - host] = '\0';
    }
    if (!jw_utf16_from(host, &wide, err) || !jw_utf16_from(*path ? path : "/", &rest, err)
        || !jw_utf16_from(g->r->method, &method, err)) {
        jw_free(wide);
        jw_free(rest);
        return false;
    }
    g->connection = g->w->WinHttpConnect(g->w->session, (wchar_t *)wide, (INTERNET_PORT)port, 0);
    if (g->connection)
        g->request =
            g->w->WinHttpOpenRequest(g->connection, (wchar_t *)method, (wchar_t *)rest, NULL, NULL, NULL,
                                     WINHTTP_FLAG_ESCAPE_DISABLE | WINHTTP_FLAG_ESCAPE_DISABLE_QUERY
                                         | (secure ? WINHTTP_FLAG_SECURE : 0));
    jw_free(wide);
    jw_free(rest);
    jw_free(method);
    if (!g->request || !g->w->WinHttpSetOption(g->request, WINHTTP_OPTION_CONTEXT_VALUE, &self, sizeof self)
        || !g->w->WinHttpSetOption(g->request, WINHTTP_OPTION_DISABLE_FEATURE, &off, sizeof off)
        || (secure && g->w->roots
            && !g->w->WinHttpSetOption(g->request, WINHTTP_OPTION_SECURITY_FLAGS, &unknown, sizeof unknown)))
        return failed(g->w, GetLastError(), err);
    set_proxy(g, full);
    return true;
}

static bool add_headers(struct going *g, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(g->r->headers) && g->r->headers[i]; i++) {
        uint16_t *wide;

        if (!jw_utf16_from(g->r->headers[i], &wide, err))
            return false;
        BOOL ok = g->w->WinHttpAddRequestHeaders(g->request, (wchar_t *)wide, (DWORD)-1,
                                                 WINHTTP_ADDREQ_FLAG_ADD | WINHTTP_ADDREQ_FLAG_REPLACE);
        DWORD code = GetLastError();

        for (uint16_t *c = wide; *c; c++) /* it may be a login */
            *(volatile uint16_t *)c = 0;
        jw_free(wide);
        if (!ok)
            return failed(g->w, code, err);
    }
    return true;
}

static bool send_body(struct going *g, uint8_t *part, struct jw_err *err)
{
    const struct wire_request *r = g->r;
    size_t got;

    for (uint64_t at = 0; r->file && at < r->file_n; at += got)
        if (!jw_file_read(r->file, r->file_at + at, part, (size_t)jw_min(PART, r->file_n - at), &got, err)
            || (!got && !jw_fail(err, JW_E_IO, "the file became shorter"))
            || !step(g, g->w->WinHttpWriteData(g->request, part, (DWORD)got, NULL), err))
            return false;
    return true;
}

static bool read_head(struct going *g, struct jw_err *err)
{
    DWORD n = MOST_HEAD;
    wchar_t *wide = jw_alloc(MOST_HEAD + sizeof *wide);
    char line[JW_MOST_HEADER + 64];
    size_t k = 0;

    if (!g->w->WinHttpQueryHeaders(g->request, WINHTTP_QUERY_RAW_HEADERS_CRLF, NULL, wide, &n, NULL)) {
        jw_free(wide);
        return failed(g->w, GetLastError(), err);
    }
    for (size_t i = 0; i < n / sizeof *wide; i++) {
        if (wide[i] != L'\n' && k < sizeof line - 1) {
            line[k++] = wide[i] < 0x100 ? (char)wide[i] : '?';
            continue;
        }
        if (wide[i] != L'\n')
            continue;
        line[k] = '\0';
        g->r->header(g->r->ctx, line, k);
        while (k && line[k - 1] == '\r')
            line[--k] = '\0';
        if (_strnicmp(line, "content-length:", 15) == 0)
            g->sized = jw_text_u64(line + 15 + strspn(line + 15, " "), &g->length);
        k = 0;
    }
    jw_free(wide);
    return true;
}

static bool read_body(struct going *g, uint8_t *part, struct jw_err *err)
{
    do {
        g->w->n = 0;
        if (!step(g, g->w->WinHttpReadData(g->request, part, PART, NULL), err))
            return false;
        g->got += g->w->n;
        if (g->w->n && !g->r->body_part(g->r->ctx, part, g->w->n)) {
            *err = (struct jw_err){ 0 };
            return false;
        }
    } while (g->w->n);
    return !g->sized || g->got >= g->length || strcmp(g->r->method, "HEAD") == 0
           || failed(g->w, ERROR_WINHTTP_CONNECTION_ERROR, err);
}

static bool go(struct going *g, uint8_t *part, struct jw_err *err)
{
    const struct wire_request *r = g->r;
    DWORD total = (DWORD)(r->file ? r->file_n : r->body_n);
    struct wire *w = g->w;

    return connect_to(g, err) && add_headers(g, err)
           && step(g,
                   w->WinHttpSendRequest(g->request, NULL, 0, r->body_n ? (void *)(uintptr_t)r->body : NULL,
                                         (DWORD)r->body_n, total, (DWORD_PTR)w),
                   err)
           && send_body(g, part, err) && step(g, w->WinHttpReceiveResponse(g->request, NULL), err)
           && read_head(g, err) && read_body(g, part, err);
}

bool wire_do(struct wire *w, const struct wire_request *r, struct jw_err *err)
{
    struct going g = { .w = w, .r = r, .end = jw_time_monotonic_ns() + (uint64_t)r->left_ms * MS };
    uint8_t *part = jw_alloc(PART);

    w->error = 0;
    atomic_store(&w->stranger, false);
    ResetEvent(w->stepped);
    ResetEvent(w->closed);
    bool ok = go(&g, part, err);

    if (g.request) { /* nothing is called back, and `part` is nobody's, once it is closed */
        if (!atomic_load(&w->stranger))
            w->WinHttpCloseHandle(g.request);
        (void)WaitForSingleObject(w->closed, WIRE_CONNECT_MS);
    }
    if (g.connection)
        w->WinHttpCloseHandle(g.connection);
    jw_free(part);
    return ok;
}

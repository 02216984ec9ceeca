/* libcurl, loaded at run time: a build needs its headers, and a machine without it can use folders. */
#define CURL_DISABLE_TYPECHECK   /* its functions are called through pointers */
#define CURL_DISABLE_DEPRECATION /* CURLOPT_PROTOCOLS_STR is younger than libraries in use */

#include "fleet/remote/wire.h"

#include "os/machine/lib.h"

#include <curl/curl.h>

#include <string.h>

enum {
    SLOW_BYTES = 512, /* a second; less for WIRE_IDLE_S is a stall */
    RECEIVED =
        256 << 10 /* bytes at once, at most: libcurl's own 16 KiB cost four calls of the system for each */
};

#define FUNCTIONS(F)                                                                                         \
    F(global_init)                                                                                           \
    F(easy_init)                                                                                             \
    F(easy_reset)                                                                                            \
    F(easy_cleanup)                                                                                          \
    F(easy_setopt)                                                                                           \
    F(easy_perform)                                                                                          \
    F(easy_strerror)                                                                                         \
    F(slist_append)                                                                                          \
    F(slist_free_all)

struct wire {
    const struct jw_remote_options *o;
    struct jw_lib lib;
    CURL *handle;
#define FIELD(name) __typeof__(&(curl_##name)) name;
    FUNCTIONS(FIELD)
#undef FIELD
};

/* ---- the library ---- */

static bool find_curl(const struct wire *w, const char *name, void *slot)
{
    jw_lib_fn fn = jw_lib_symbol(&w->lib, name);

    memcpy(slot, &fn, sizeof fn);
    return fn != NULL;
}

struct wire *wire_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_err *err)
{
    struct wire *w = jw_arena_alloc(a, sizeof *w);
    struct jw_err ignored;
    bool ok = true;

    *w = (struct wire){ .o = o };
    if (!jw_lib_open(&w->lib, "libcurl.so.4", &ignored)
        && !jw_lib_open(&w->lib, "libcurl-gnutls.so.4", &ignored)) {
        (void)jw_fail(err, JW_E_NET,
                      "libcurl is not installed (Debian: apt install libcurl4); folders work without it");
        return NULL;
    }
#define FIND(name) ok = ok && find_curl(w, "curl_" #name, &w->name);
    FUNCTIONS(FIND)
#undef FIND
    if (ok && w->global_init(CURL_GLOBAL_ALL) == CURLE_OK)
        w->handle = w->easy_init();
    if (w->handle)
        return w;
    (void)jw_fail(err, JW_E_NET, "libcurl cannot be used");
    return NULL;
}

void wire_close(struct wire *w)
{
    if (w)
        w->easy_cleanup(w->handle);
}

/* ---- one request ---- */

struct request {
    struct wire *w;
    const struct wire_request *r;
    struct wire_answer *out;
    uint64_t sent;
    struct jw_err err; /* of the file or the sink */
};

static size_t on_header(char *line, size_t one, size_t n, void *ctx)
{
    wire_take_head(((struct request *)ctx)->out, (struct jw_bytes){ (const uint8_t *)line, one * n });
    return one * n;
}

static size_t on_body(char *p, size_t one, size_t n, void *ctx)
{
    struct request *g = ctx;

    return wire_take(g->r, g->out, p, one * n, &g->err) ? one * n : 0;
}

static size_t on_read(char *p, size_t one, size_t n, void *ctx)
{
    struct request *g = ctx;
    size_t got = 0;

    n *= one;
    if (n > g->r->file_n - g->sent)
        n = (size_t)(g->r->file_n - g->sent);
    if (n && !jw_file_read(g->r->file, g->sent, p, n, &got, &g->err))
        return CURL_READFUNC_ABORT;
    g->sent += got;
    jw_run_show(g->w->o->run, "sending", g->sent, g->r->file_n);
    return got;
}

static int on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct wire *w = ((struct request *)ctx)->w;
    struct jw_err ignored;

    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return !jw_run_goes_on(w->o->run, &ignored);
}

static void set_body(struct wire *w, struct request *g)
{
    const struct wire_request *r = g->r;

    if (r->file) {
        w->easy_setopt(w->handle, CURLOPT_UPLOAD, 1L);
        w->easy_setopt(w->handle, CURLOPT_READFUNCTION, on_read);
        w->easy_setopt(w->handle, CURLOPT_READDATA, g);
        w->easy_setopt(w->handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->file_n);
    } else if (r->body) {
        w->easy_setopt(w->handle, CURLOPT_POSTFIELDS, r->body);
        w->easy_setopt(w->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_n);
    }
    if (strcmp(r->method, "HEAD") == 0)
        w->easy_setopt(w->handle, CURLOPT_NOBODY, 1L);
    else
        w->easy_setopt(w->handle, CURLOPT_CUSTOMREQUEST, r->method);
}

static void set_up_request(struct wire *w, struct request *g, char *why)
{
    const struct wire_request *r = g->r;
    CURL *e = w->handle;

    w->easy_reset(e);
    w->easy_setopt(e, CURLOPT_URL, r->url);
    w->easy_setopt(e, CURLOPT_ERRORBUFFER, why);
    w->easy_setopt(e, CURLOPT_USERAGENT, "jitwarm/" JITWARM_VERSION);
    w->easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    w->easy_setopt(e, CURLOPT_BUFFERSIZE, (long)RECEIVED);
    w->easy_setopt(e, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    w->easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)WIRE_CONNECT_MS);
    w->easy_setopt(e, CURLOPT_TIMEOUT_MS, r->left_ms);
    w->easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
    w->easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long)WIRE_IDLE_S);
#if LIBCURL_VERSION_NUM >= 0x075700
    w->easy_setopt(e, CURLOPT_QUICK_EXIT, 1L); /* does not wait for a name server after the time is over */
#endif
    w->easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    w->easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    w->easy_setopt(e, CURLOPT_HEADERDATA, g);
    w->easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    w->easy_setopt(e, CURLOPT_WRITEDATA, g);
    w->easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
    w->easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
    w->easy_setopt(e, CURLOPT_XFERINFODATA, g);
    if (w->o->cacert)
        w->easy_setopt(e, CURLOPT_CAINFO, w->o->cacert);
    set_body(w, g);
}

bool wire_do(struct wire *w, const struct wire_request *r, struct wire_answer *out, struct jw_err *err)
{
    struct request g = { .w = w, .r = r, .out = out };
    struct curl_slist *list = w->slist_append(NULL, "Expect:");
    char why[CURL_ERROR_SIZE] = "";
    CURLcode code;

    set_up_request(w, &g, why);
    for (size_t i = 0; i < JW_COUNT(r->headers) && r->headers[i]; i++)
        list = w->slist_append(list, r->headers[i]);
    w->easy_setopt(w->handle, CURLOPT_HTTPHEADER, list);
    code = list ? w->easy_perform(w->handle) : CURLE_OUT_OF_MEMORY;
    w->slist_free_all(list);
    if (code == CURLE_OK)
        return true;
    if (g.err.code != JW_OK)
        *err = g.err;
    else if (code == CURLE_ABORTED_BY_CALLBACK)
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    else {
        /* One that stalls is not asked for the rest: each part would wait as long. */
        out->broken = code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_CACERT_BADFILE
                      && !(code == CURLE_OPERATION_TIMEDOUT && out->got);
        return jw_fail(err, JW_E_NET, "%.180s", *why ? why : w->easy_strerror(code));
    }
    return false;
}

/* libcurl, loaded at run time: a build needs its headers, and a machine without it can use
 * folders. */
#define CURL_DISABLE_TYPECHECK   /* its functions are called through pointers */
#define CURL_DISABLE_DEPRECATION /* CURLOPT_PROTOCOLS_STR is younger than libraries in use */

#include "fleet/remote/wire.h"

#include "base/num.h"
#include "os/machine/lib.h"

#include <curl/curl.h>

#include <string.h>

enum {
    SLOW_BYTES = 512, /* a second; less for WIRE_IDLE_S is a stall */
    RECEIVED =
        256 << 10 /* bytes at once: libcurl's own 16 KiB cost four calls of the system for each */
};

#define FUNCTIONS(F)                                                                               \
    F(global_init)                                                                                 \
    F(easy_init)                                                                                   \
    F(easy_reset)                                                                                  \
    F(easy_cleanup)                                                                                \
    F(easy_setopt)                                                                                 \
    F(easy_perform)                                                                                \
    F(easy_strerror)                                                                               \
    F(slist_append)                                                                                \
    F(slist_free_all)

struct wire {
    const char *cacert;
    const struct jw_run *run;
    struct jw_lib lib;
    CURL *handle;
    const struct wire_request *r; /* that is under way */
    struct wire_answer *out;
    uint64_t sent;
    struct jw_err err; /* of the file or the sink, or an interruption */
#define FIELD(name) __typeof__(&(curl_##name)) name;
    FUNCTIONS(FIELD)
#undef FIELD
};

/* ---- the library ---- */

struct wire *wire_open(const struct jw_remote_options *o, const struct jw_run *run,
                       struct jw_err *err)
{
    struct wire *w = jw_arena_alloc(run->a, sizeof *w);
    bool ok;
    jw_lib_fn fn;

    *w = (struct wire){.cacert = o->cacert, .run = run};
    ok = jw_lib_open(&w->lib, "libcurl.so.4", err)
         || jw_lib_open(&w->lib, "libcurl-gnutls.so.4", err);
#define FIND(name)                                                                                 \
    fn = ok ? jw_lib_symbol(&w->lib, "curl_" #name) : NULL;                                        \
    memcpy(&w->name, &fn, sizeof fn);                                                              \
    ok = fn != NULL;
    FUNCTIONS(FIND)
#undef FIND
    if (ok && w->global_init(CURL_GLOBAL_ALL) == CURLE_OK)
        w->handle = w->easy_init();
    *err = (struct jw_err){0};
    if (!w->handle)
        (void)jw_fail(
            err, JW_E_NET,
            "libcurl cannot be used (Debian: apt install libcurl4); folders work without it");
    return w->handle ? w : NULL;
}

void wire_close(struct wire *w) { w->easy_cleanup(w->handle); }

/* ---- one request ---- */

static size_t on_header(char *line, size_t one, size_t n, void *ctx)
{
    wire_take_head(((struct wire *)ctx)->out, (struct jw_bytes){(const uint8_t *)line, one * n});
    return one * n;
}

static size_t on_body(char *p, size_t one, size_t n, void *ctx)
{
    struct wire *w = ctx;

    return wire_take(w->r, w->out, p, one * n, &w->err) ? one * n : 0;
}

static size_t on_read(char *p, size_t one, size_t n, void *ctx)
{
    struct wire *w = ctx;
    size_t got = 0;

    n = (size_t)jw_min(one * n, w->r->file_n - w->sent);
    if (n && !jw_file_read(w->r->file, w->sent, p, n, &got, &w->err))
        return CURL_READFUNC_ABORT;
    w->sent += got;
    jw_run_show(w->run, "sending", w->sent, w->r->file_n);
    return got;
}

/* A connection of an earlier request may be closed: the body begins again on another one. */
static int on_seek(void *ctx, curl_off_t at, int from)
{
    ((struct wire *)ctx)->sent = (uint64_t)at;
    return from == SEEK_SET ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

static int on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    struct wire *w = ctx;

    (void)(a + b + c + d);
    return !jw_run_goes_on(w->run, &w->err);
}

static void set_up_request(struct wire *w, const struct wire_request *r, char *why)
{
    CURL *e = w->handle;

    w->easy_reset(e);
    w->easy_setopt(e, CURLOPT_URL, r->url);
    w->easy_setopt(e, CURLOPT_ERRORBUFFER, why);
    w->easy_setopt(e, CURLOPT_USERAGENT, "jitwarm/" JITWARM_VERSION);
    w->easy_setopt(e, CURLOPT_BUFFERSIZE, (long)RECEIVED);
    w->easy_setopt(e, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    w->easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)WIRE_CONNECT_MS);
    w->easy_setopt(e, CURLOPT_TIMEOUT_MS, r->left_ms);
    w->easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
    w->easy_setopt(e, CURLOPT_LOW_SPEED_TIME, (long)WIRE_IDLE_S);
#if LIBCURL_VERSION_NUM >= 0x075700
    w->easy_setopt(e, CURLOPT_QUICK_EXIT,
                   1L); /* does not wait for a name server after the time is over */
#endif
    w->easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    w->easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    w->easy_setopt(e, CURLOPT_HEADERDATA, w);
    w->easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    w->easy_setopt(e, CURLOPT_WRITEDATA, w);
    w->easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
    w->easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
    w->easy_setopt(e, CURLOPT_XFERINFODATA, w);
    if (w->cacert)
        w->easy_setopt(e, CURLOPT_CAINFO, w->cacert);
    if (r->file) {
        w->easy_setopt(e, CURLOPT_UPLOAD, 1L);
        w->easy_setopt(e, CURLOPT_READFUNCTION, on_read);
        w->easy_setopt(e, CURLOPT_READDATA, w);
        w->easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
        w->easy_setopt(e, CURLOPT_SEEKDATA, w);
        w->easy_setopt(e, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->file_n);
    } else if (r->body.p) {
        w->easy_setopt(e, CURLOPT_POSTFIELDS, r->body.p);
        w->easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
    } else if (strcmp(r->method, "HEAD") == 0)
        w->easy_setopt(e, CURLOPT_NOBODY, 1L);
    w->easy_setopt(e, CURLOPT_CUSTOMREQUEST, r->method);
}

bool wire_do(struct wire *w, const struct wire_request *r, struct wire_answer *out,
             struct jw_err *err)
{
    const char *const lines[] = {"Expect:", r->header, r->login};
    struct curl_slist *list = NULL;
    char why[CURL_ERROR_SIZE] = "";
    CURLcode code;

    w->r = r;
    w->out = out;
    w->sent = 0;
    w->err = (struct jw_err){0};
    set_up_request(w, r, why);
    for (size_t i = 0; i < JW_COUNT(lines); i++)
        list = lines[i] ? w->slist_append(list, lines[i]) : list;
    w->easy_setopt(w->handle, CURLOPT_HTTPHEADER, list);
    code = list ? w->easy_perform(w->handle) : CURLE_OUT_OF_MEMORY;
    w->slist_free_all(list);
    if (code == CURLE_OK)
        return true;
    *err = w->err;
    if (err->code != JW_OK)
        return false;
    /* A server that stalls is not asked for the rest: each part would take as long. */
    out->broken = code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_CACERT_BADFILE
                  && !(code == CURLE_OPERATION_TIMEDOUT && out->got);
    const char *reason = *why ? why : w->easy_strerror(code);

    out->unreachable = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
    if (out->unreachable)
        return jw_fail(err, JW_E_NET, "%.180s. Is the address right, and does the registry run?",
                       reason);
    return jw_fail(err, JW_E_NET, "%.180s", reason);
}

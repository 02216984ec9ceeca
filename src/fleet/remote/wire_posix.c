/* libcurl, loaded at run time: none of its headers is needed. */
#include "fleet/remote/wire.h"

#include "base/mem.h"
#include "os/machine/lib.h"

#include <string.h>

enum curl_option {
    CURL_LOW_SPEED_LIMIT = 19,
    CURL_LOW_SPEED_TIME = 20,
    CURL_NOPROGRESS = 43,
    CURL_NOBODY = 44,
    CURL_UPLOAD = 46,
    CURL_NOSIGNAL = 99,
    CURL_TIMEOUT_MS = 155,
    CURL_CONNECTTIMEOUT_MS = 156,
    CURL_PROTOCOLS = 181,
    CURL_SUPPRESS_CONNECT_HEADERS = 265,
    CURL_WRITEDATA = 10001,
    CURL_URL = 10002,
    CURL_READDATA = 10009,
    CURL_ERRORBUFFER = 10010,
    CURL_POSTFIELDS = 10015,
    CURL_USERAGENT = 10018,
    CURL_HTTPHEADER = 10023,
    CURL_SSLCERT = 10025,
    CURL_HEADERDATA = 10029,
    CURL_CUSTOMREQUEST = 10036,
    CURL_XFERINFODATA = 10057,
    CURL_CAINFO = 10065,
    CURL_SSLKEY = 10087,
    CURL_WRITEFUNCTION = 20011,
    CURL_READFUNCTION = 20012,
    CURL_HEADERFUNCTION = 20079,
    CURL_XFERINFOFUNCTION = 20219,
    CURL_INFILESIZE_LARGE = 30115,
    CURL_POSTFIELDSIZE_LARGE = 30120
};

enum {
    CURL_DONE = 0,
    CURL_WRITE_REFUSED = 23, /* by body_part */
    CURL_NO_MEMORY = 27,
    CURL_ABORTED = 42, /* by on_progress */
    CURL_HTTP = 1,
    CURL_HTTPS = 2,
    CURL_ERROR_SIZE = 256
};

enum { EVERYTHING = 3, SLOW_BYTES = 512 /* a second; less for WIRE_IDLE_S is a stall */ };

struct curl_list;

struct wire {
    const struct jw_remote_options *o;
    struct jw_lib lib;
    void *handle;
    void *(*init)(void);
    void (*reset)(void *);
    void (*cleanup)(void *);
    int (*set)(void *, int, ...);
    int (*perform)(void *);
    const char *(*error)(int);
    struct curl_list *(*append)(struct curl_list *, const char *);
    void (*free_list)(struct curl_list *);
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
    int (*global)(long) = NULL;
    struct jw_err ignored;

    *w = (struct wire){ .o = o };
    if (!jw_lib_open(&w->lib, "libcurl.so.4", &ignored)
        && !jw_lib_open(&w->lib, "libcurl-gnutls.so.4", &ignored)) {
        (void)jw_fail(
            err, JW_E_NET,
            "libcurl is not installed (Debian: apt install libcurl4); oci-layout: and dir: work without it");
        return NULL;
    }
    if (find_curl(w, "curl_global_init", &global) && find_curl(w, "curl_easy_init", &w->init)
        && find_curl(w, "curl_easy_reset", &w->reset) && find_curl(w, "curl_easy_cleanup", &w->cleanup)
        && find_curl(w, "curl_easy_setopt", &w->set) && find_curl(w, "curl_easy_perform", &w->perform)
        && find_curl(w, "curl_easy_strerror", &w->error) && find_curl(w, "curl_slist_append", &w->append)
        && find_curl(w, "curl_slist_free_all", &w->free_list) && global(EVERYTHING) == 0)
        w->handle = w->init();
    if (w->handle)
        return w;
    (void)jw_fail(err, JW_E_NET, "libcurl cannot be used");
    return NULL;
}

void wire_close(struct wire *w)
{
    if (w)
        w->cleanup(w->handle);
}

/* ---- one request ---- */

struct going {
    struct wire *w;
    const struct wire_request *r;
    uint64_t sent;
    struct jw_err err; /* of the file */
};

static size_t on_header(char *line, size_t one, size_t n, void *ctx)
{
    const struct wire_request *r = ((struct going *)ctx)->r;

    r->header(r->ctx, line, one * n);
    return one * n;
}

static size_t on_body(char *p, size_t one, size_t n, void *ctx)
{
    const struct wire_request *r = ((struct going *)ctx)->r;

    return r->body_part(r->ctx, p, one * n) ? one * n : 0;
}

static size_t on_read(char *p, size_t one, size_t n, void *ctx)
{
    static const size_t refused = 0x10000000; /* CURL_READFUNC_ABORT */
    struct going *g = ctx;
    size_t got = 0;

    n *= one;
    if (n > g->r->file_n - g->sent)
        n = (size_t)(g->r->file_n - g->sent);
    if (n && !jw_file_read(g->r->file, g->r->file_at + g->sent, p, n, &got, &g->err))
        return refused;
    g->sent += got;
    return got;
}

static int on_progress(void *ctx, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const struct wire *w = ((struct going *)ctx)->w;

    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return w->o->interrupted && atomic_load(w->o->interrupted);
}

static void set_body(struct wire *w, struct going *g)
{
    const struct wire_request *r = g->r;

    if (r->file) {
        w->set(w->handle, CURL_UPLOAD, 1L);
        w->set(w->handle, CURL_READFUNCTION, on_read);
        w->set(w->handle, CURL_READDATA, g);
        w->set(w->handle, CURL_INFILESIZE_LARGE, (int64_t)r->file_n);
    } else if (r->body) {
        w->set(w->handle, CURL_POSTFIELDS, r->body);
        w->set(w->handle, CURL_POSTFIELDSIZE_LARGE, (int64_t)r->body_n);
    }
    if (strcmp(r->method, "HEAD") == 0)
        w->set(w->handle, CURL_NOBODY, 1L);
    else
        w->set(w->handle, CURL_CUSTOMREQUEST, r->method);
}

static void set_up_request(struct wire *w, struct going *g, char *why)
{
    const struct wire_request *r = g->r;
    void *e = w->handle;

    w->reset(e);
    w->set(e, CURL_URL, r->url);
    w->set(e, CURL_ERRORBUFFER, why);
    w->set(e, CURL_USERAGENT, "jitwarm/" JITWARM_VERSION);
    w->set(e, CURL_NOSIGNAL, 1L);
    w->set(e, CURL_PROTOCOLS, r->secure ? (long)CURL_HTTPS : (long)(CURL_HTTP | CURL_HTTPS));
    w->set(e, CURL_CONNECTTIMEOUT_MS, (long)WIRE_CONNECT_MS);
    w->set(e, CURL_TIMEOUT_MS, r->left_ms);
    w->set(e, CURL_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
    w->set(e, CURL_LOW_SPEED_TIME, (long)WIRE_IDLE_S);
    w->set(e, CURL_SUPPRESS_CONNECT_HEADERS, 1L);
    w->set(e, CURL_HEADERFUNCTION, on_header);
    w->set(e, CURL_HEADERDATA, g);
    w->set(e, CURL_WRITEFUNCTION, on_body);
    w->set(e, CURL_WRITEDATA, g);
    w->set(e, CURL_NOPROGRESS, 0L);
    w->set(e, CURL_XFERINFOFUNCTION, on_progress);
    w->set(e, CURL_XFERINFODATA, g);
    if (w->o->cacert)
        w->set(e, CURL_CAINFO, w->o->cacert);
    if (w->o->cert)
        w->set(e, CURL_SSLCERT, w->o->cert);
    if (w->o->cert_key)
        w->set(e, CURL_SSLKEY, w->o->cert_key);
    set_body(w, g);
}

bool wire_do(struct wire *w, const struct wire_request *r, struct jw_err *err)
{
    struct going g = { .w = w, .r = r };
    struct curl_list *list = w->append(NULL, "Expect:");
    char why[CURL_ERROR_SIZE] = "";
    int code;

    set_up_request(w, &g, why);
    for (size_t i = 0; i < JW_COUNT(r->headers) && r->headers[i]; i++)
        list = w->append(list, r->headers[i]);
    w->set(w->handle, CURL_HTTPHEADER, list);
    code = list ? w->perform(w->handle) : CURL_NO_MEMORY;
    w->free_list(list);
    if (code == CURL_DONE)
        return true;
    if (code == CURL_WRITE_REFUSED)
        *err = (struct jw_err){ 0 };
    else if (g.err.code != JW_OK)
        *err = g.err;
    else if (code == CURL_ABORTED)
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    else
        return jw_fail(err, JW_E_NET, "%.180s", *why ? why : w->error(code));
    return false;
}

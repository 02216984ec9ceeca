#include "driver/worker/nvjitlink.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "driver/worker/nvrtc_worker.h"
#include "os/files/append.h"
#include "os/files/file.h"

#include <string.h>

enum { ASK_MS = 60 * 1000 };

/* Whatever keeps its process from an answer. */
static bool fail_process(const char *path, struct jw_err *err)
{
    if (err->code != JW_E_INTERRUPTED)
        err->code = JW_E_DRIVER;
    return !strstr(err->msg, path) && jw_wrap(err, "%s", path);
}

bool jw_nvjitlink_ask(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                      struct jw_nvjitlink *out, struct jw_err *err)
{
    const struct jw_nvrtc_worker_options o = {
        .library = path, .nvjitlink = true, .release = true, .timeout_ms = ASK_MS, .interrupted = interrupted
    };
    struct jw_nvrtc_worker *w;

    *out = (struct jw_nvjitlink){ .path = path };
    if (!jw_nvrtc_worker_start(&w, &o, err))
        return fail_process(path, err);

    const struct jw_nvrtc_library *l = jw_nvrtc_worker_library(w);
    bool ok = (*l->release && strlen(l->release) <= JW_MAX_PACK_WORD
               && !l->release[strspn(l->release, "0123456789.")])
              || jw_fail(err, JW_E_DRIVER, "%s: nvJitLink names no release", path);

    out->major = l->major;
    out->minor = l->minor;
    out->version = jw_arena_str(a, l->release);
    jw_nvrtc_worker_stop(w);
    return ok;
}

static bool slurp_ptx(const char *path, struct jw_buf *ptx, struct jw_err *err)
{
    bool found = false;

    return (jw_file_slurp(path, ptx, &found, err) && (found || jw_fail(err, JW_E_IO, "no such file")))
           || jw_wrap(err, "%s", path);
}

static bool write_code(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_append out = JW_APPEND_CLOSED;
    bool ok = jw_append_open(&out, path, err) && jw_append_cut(&out, 0, err)
              && jw_append_write(&out, bytes.p, bytes.n, err);

    jw_append_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool refuse_module(const struct jw_nvjitlink *by, struct jw_buf *log, struct jw_err *err)
{
    struct jw_buf clean = JW_BUF(4 * JW_MAX_RTC_LOG);

    jw_text_clean(&clean, jw_buf_cstr(log));
    (void)jw_fail(err, JW_E_FORMAT, "nvJitLink %s refuses it: %.200s", by->version, jw_buf_cstr(&clean));
    jw_buf_free(&clean);
    return false;
}

bool jw_nvjitlink_compile(const struct jw_nvjitlink *by, const struct jw_nvjitlink_job *job,
                          struct jw_err *err)
{
    const struct jw_nvrtc_worker_options o = {
        .library = by->path, .nvjitlink = true, .timeout_ms = job->timeout_ms, .interrupted = job->interrupted
    };
    struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN), code = JW_BUF((size_t)JW_MAX_CACHE_PAYLOAD),
                  log = JW_BUF(JW_MAX_RTC_LOG + 1);
    struct jw_nvrtc_worker *w = NULL;
    struct jw_nvrtc_result result = { 0 };
    bool ok = slurp_ptx(job->in, &ptx, err);

    if (ok) {
        const struct jw_nvrtc_job it = { "module", jw_buf_bytes(&ptx), job->options, job->n_options };

        ok =
            (jw_nvrtc_worker_start(&w, &o, err) && jw_nvrtc_worker_compile(w, &it, &code, &log, &result, err))
            || fail_process(by->path, err);
    }
    ok = ok && (!result.code || refuse_module(by, &log, err))
         && (!code.n || write_code(job->out, jw_buf_bytes(&code), err));
    jw_nvrtc_worker_stop(w);
    jw_buf_free(&ptx);
    jw_buf_free(&code);
    jw_buf_free(&log);
    return ok;
}

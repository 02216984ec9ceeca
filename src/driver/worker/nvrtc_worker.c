#include "driver/worker/nvrtc_worker.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "driver/worker/child.h"
#include "driver/worker/proto.h"
#include "driver/worker/talk.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>
#include <string.h>

enum { START_MS = 60 * 1000, JOB_MS = 30 * 60 * 1000 };

struct jw_nvrtc_worker {
    struct jw_talk talk;
    struct jw_arena arena;
    struct jw_nvrtc_library library;
    struct jw_buf out;
    unsigned job_ms;
    const char *name; /* of the library, for messages */
};

static const struct jw_child_edit edits[] = { { "LD_PRELOAD", NULL }, { "LD_AUDIT", NULL } };

static bool start_child(struct jw_nvrtc_worker *w, const struct jw_nvrtc_worker_options *o,
                        struct jw_err *err)
{
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    const char *args[] = { JW_NVRTC_VERB, o->library };

    if (!o->exe && !jw_process_self(&self, err)) {
        jw_buf_free(&self);
        return false;
    }

    struct jw_child_options c = { .exe = o->exe ? o->exe : jw_buf_cstr(&self),
                                  .args = args,
                                  .n_args = JW_COUNT(args),
                                  .edits = edits,
                                  .n_edits = jw_os_is_windows() ? 0 : JW_COUNT(edits) };
    bool ok = jw_child_start(&w->talk.child, &c, err) || jw_wrap(err, "start %s", c.exe);

    jw_buf_free(&self);
    return ok;
}

static bool receive_first(struct jw_nvrtc_worker *w, uint64_t end, unsigned ms, struct jw_rtc_msg *m,
                          struct jw_err *err)
{
    enum jw_received what = jw_talk_receive(&w->talk, end, err);

    if (what == JW_RECEIVED)
        return jw_rtc_get(jw_buf_bytes(&w->talk.in), m, err);
    if (what == JW_RECEIVE_FAILED)
        return false;
    if (what == JW_RECEIVED_NOTHING)
        return jw_fail(err, JW_E_DRIVER, "NVRTC %s could not be loaded within %g s and was ended", w->name,
                       ms / 1000.0);
    return jw_fail(err, JW_E_DRIVER, "NVRTC %s ended its process while it was loaded: %s", w->name,
                   jw_talk_finish(&w->talk, false).name);
}

static bool receive_hello(struct jw_nvrtc_worker *w, uint64_t end, unsigned ms, struct jw_err *err)
{
    struct jw_rtc_msg m;

    if (!receive_first(w, end, ms, &m, err))
        return false;
    if (m.kind != JW_RTC_HELLO)
        return jw_fail(err, JW_E_FORMAT, "the worker is another program: its first record is no greeting");
    return m.as.hello.protocol == JW_RTC_PROTO_VERSION
           || jw_fail(err, JW_E_FORMAT,
                      "the worker has protocol %u instead of %d: its program is another version of jitwarm",
                      (unsigned)m.as.hello.protocol, JW_RTC_PROTO_VERSION);
}

static void keep_library(struct jw_nvrtc_worker *w, const struct jw_rtc_msg *m)
{
    uint16_t *archs = jw_arena_copy(&w->arena, m->as.library.archs, sizeof m->as.library.archs);

    w->library = (struct jw_nvrtc_library){ .path = jw_arena_str(&w->arena, m->as.library.path),
                                            .major = m->as.library.major,
                                            .minor = m->as.library.minor,
                                            .archs = archs,
                                            .n_archs = m->as.library.n_archs };
}

static bool receive_library(struct jw_nvrtc_worker *w, unsigned ms, struct jw_err *err)
{
    uint64_t end = jw_time_monotonic_ns() + (uint64_t)ms * 1000000;
    struct jw_rtc_msg m;

    if (!receive_hello(w, end, ms, err) || !receive_first(w, end, ms, &m, err))
        return false;
    if (m.kind == JW_RTC_ABSENT)
        return jw_fail(err, JW_E_DRIVER, "%s", m.as.refused.text);
    if (m.kind != JW_RTC_LIBRARY)
        return jw_fail(err, JW_E_FORMAT, "NVRTC worker: a record of kind %u comes too early",
                       (unsigned)m.kind);
    keep_library(w, &m);
    return true;
}

bool jw_nvrtc_worker_start(struct jw_nvrtc_worker **out, const struct jw_nvrtc_worker_options *o,
                           struct jw_err *err)
{
    struct jw_nvrtc_worker *w = jw_alloc(sizeof *w);

    *out = NULL;
    w->talk.interrupted = o->interrupted;
    w->talk.in = JW_BUF(JW_MAX_RECORD);
    w->out = JW_BUF(JW_RECORD_PREFIX + JW_MAX_RECORD);
    w->job_ms = o->timeout_ms ? o->timeout_ms : JOB_MS;
    w->name = jw_arena_str(&w->arena, o->library);
    bool ok = start_child(w, o, err) && receive_library(w, o->timeout_ms ? o->timeout_ms : START_MS, err);
    if (ok)
        *out = w;
    else
        jw_nvrtc_worker_stop(w);
    return ok;
}

const struct jw_nvrtc_library *jw_nvrtc_worker_library(const struct jw_nvrtc_worker *w)
{
    return &w->library;
}

void jw_nvrtc_worker_stop(struct jw_nvrtc_worker *w)
{
    if (!w)
        return;
    jw_talk_close(&w->talk);
    jw_buf_free(&w->out);
    jw_arena_free(&w->arena);
    jw_free(w);
}

/* ---- one job ---- */

static bool send_record(struct jw_nvrtc_worker *w, const struct jw_rtc_msg *m, struct jw_err *err)
{
    jw_buf_clear(&w->out);
    jw_rtc_put(&w->out, m);
    if (!jw_buf_ok(&w->out, err))
        return jw_wrap(err, "the options of %s", w->name);
    if (jw_child_send(w->talk.child, w->out.p, w->out.n, w->job_ms, err))
        return true;
    return jw_fail(err, JW_E_DRIVER, "NVRTC %s ended its process before it got the source: %s", w->name,
                   jw_talk_finish(&w->talk, false).name);
}

static bool send_job(struct jw_nvrtc_worker *w, const struct jw_nvrtc_job *job, struct jw_err *err)
{
    struct jw_rtc_msg m = { .kind = JW_RTC_JOB };

    if (job->n_options > JW_MAX_RTC_OPTIONS)
        return jw_fail(err, JW_E_LIMIT, "more than %zu options for NVRTC", JW_MAX_RTC_OPTIONS);
    if (job->source.n > JW_MAX_CU_SOURCE)
        return jw_fail(err, JW_E_LIMIT, "a source of more than %zu bytes", (size_t)JW_MAX_CU_SOURCE);
    m.as.job.size = job->source.n;
    m.as.job.name = job->name;
    m.as.job.n_options = (uint16_t)job->n_options;
    for (size_t i = 0; i < job->n_options; i++)
        m.as.job.options[i] = job->options[i];
    if (!send_record(w, &m, err))
        return false;
    m.kind = JW_RTC_SOURCE;
    for (size_t at = 0; at < job->source.n; at += m.as.part.n) {
        m.as.part = (struct jw_bytes){ job->source.p + at, (size_t)jw_min(job->source.n - at, JW_RTC_PART) };
        if (!send_record(w, &m, err))
            return false;
    }
    return true;
}

static bool fail_died(struct jw_nvrtc_worker *w, bool silent, struct jw_err *err)
{
    struct jw_talk_end end = jw_talk_finish(&w->talk, silent);

    if (silent)
        return jw_fail(err, JW_E_DRIVER, "NVRTC %u.%u (%s) did not finish within %g s and was ended",
                       w->library.major, w->library.minor, w->name, w->job_ms / 1000.0);
    return jw_fail(err, JW_E_DRIVER, "NVRTC %u.%u (%s) ended its process while it compiled: %s",
                   w->library.major, w->library.minor, w->name, end.name);
}

static bool add_part(const struct jw_rtc_msg *m, struct jw_buf *to, struct jw_err *err)
{
    jw_buf_add(to, m->as.part.p, m->as.part.n);
    return jw_buf_ok(to, err);
}

/* `*more` false: this was the last record. */
static bool read_answer(const struct jw_rtc_msg *m, struct jw_buf *ptx, struct jw_buf *log,
                        struct jw_nvrtc_result *out, bool *more, struct jw_err *err)
{
    switch (m->kind) {
    case JW_RTC_PTX: return add_part(m, ptx, err) || jw_wrap(err, "what it compiled");
    case JW_RTC_LOG: return add_part(m, log, err) || jw_wrap(err, "the log");
    case JW_RTC_REFUSED: return jw_fail(err, (enum jw_code)m->as.refused.code, "%s", m->as.refused.text);
    case JW_RTC_DONE:
        *more = false;
        *out = (struct jw_nvrtc_result){ .code = m->as.done.result };
        (void)snprintf(out->name, sizeof out->name, "%s", m->as.done.name);
        return true;
    default:
        return jw_fail(err, JW_E_FORMAT, "NVRTC worker: a record of kind %u was not expected",
                       (unsigned)m->kind);
    }
}

bool jw_nvrtc_worker_compile(struct jw_nvrtc_worker *w, const struct jw_nvrtc_job *job, struct jw_buf *ptx,
                             struct jw_buf *log, struct jw_nvrtc_result *out, struct jw_err *err)
{
    uint64_t end = jw_time_monotonic_ns() + (uint64_t)w->job_ms * 1000000;
    bool more = true;

    *out = (struct jw_nvrtc_result){ 0 };
    if (!w->talk.child)
        return jw_fail(err, JW_E_DRIVER, "the worker has ended");
    if (!send_job(w, job, err))
        return false;
    while (more) {
        struct jw_rtc_msg m;
        enum jw_received what = jw_talk_receive(&w->talk, end, err);

        if (what == JW_RECEIVE_FAILED)
            return false;
        if (what != JW_RECEIVED)
            return fail_died(w, what == JW_RECEIVED_NOTHING, err);
        if (!jw_rtc_get(jw_buf_bytes(&w->talk.in), &m, err) || !read_answer(&m, ptx, log, out, &more, err))
            return false;
    }
    return true;
}

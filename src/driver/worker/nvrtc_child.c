#include "driver/worker/nvrtc_child.h"

#include "base/num.h"
#include "driver/api/nvrtc.h"
#include "driver/worker/nvrtc_proto.h"
#include "driver/worker/record.h"
#include "os/machine/time.h"
#include "os/process/parent.h"

#include <string.h>

struct child {
    struct jw_parent parent;
    struct jw_rtc rtc;
    struct jw_buf in, out;
    struct jw_buf job,
        source; /* the record of the job, whose texts are borrowed from it; what is to compile */
    struct jw_buf ptx, log;
};

static bool say(struct child *c, const struct jw_rtc_msg *m, struct jw_err *err)
{
    jw_buf_clear(&c->out);
    jw_rtc_put(&c->out, m);
    return jw_buf_ok(&c->out, err) && jw_parent_write(&c->parent, c->out.p, c->out.n, err);
}

static bool say_refused(struct child *c, enum jw_rtc_msg_kind kind, const struct jw_err *why,
                        struct jw_err *err)
{
    struct jw_rtc_msg m = { .kind = kind };

    m.as.refused.code = why->code;
    m.as.refused.text = why->msg;
    return say(c, &m, err);
}

static bool say_parts(struct child *c, enum jw_rtc_msg_kind kind, const struct jw_buf *text,
                      struct jw_err *err)
{
    struct jw_rtc_msg m = { .kind = kind };

    for (size_t at = 0; at < text->n; at += m.as.part.n) {
        m.as.part = (struct jw_bytes){ text->p + at, (size_t)jw_min(text->n - at, JW_RTC_PART) };
        if (!say(c, &m, err))
            return false;
    }
    return true;
}

/* ---- what is here ---- */

static bool say_library(struct child *c, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_rtc_msg m = { .kind = JW_RTC_LIBRARY };
    struct jw_err ignored;

    if (!jw_lib_path(&c->rtc.lib, &path, &ignored))
        jw_buf_clear(&path);
    m.as.library.path = jw_buf_cstr(&path);
    m.as.library.major = (uint16_t)c->rtc.major;
    m.as.library.minor = (uint16_t)c->rtc.minor;
    m.as.library.simulated = c->rtc.simulated;
    m.as.library.n_archs = (uint16_t)c->rtc.n_archs;
    memcpy(m.as.library.archs, c->rtc.archs, sizeof c->rtc.archs);
    bool ok = say(c, &m, err);
    jw_buf_free(&path);
    return ok;
}

static bool say_hello(struct child *c, struct jw_err *err)
{
    struct jw_rtc_msg m = { .kind = JW_RTC_HELLO };

    m.as.hello.protocol = JW_RTC_PROTO_VERSION;
    m.as.hello.program = JITWARM_VERSION;
    return say(c, &m, err);
}

/* ---- one job ---- */

/* The next record, in `in`. */
static bool hear(struct child *c, struct jw_buf *in, struct jw_rtc_msg *m, bool *gone, struct jw_err *err)
{
    return jw_record_hear(&c->parent, in, gone, err) && (*gone || jw_rtc_get(jw_buf_bytes(in), m, err));
}

static bool hear_source(struct child *c, uint64_t size, bool *gone, struct jw_err *err)
{
    struct jw_rtc_msg m;

    jw_buf_clear(&c->source);
    while (c->source.n < size) {
        if (!hear(c, &c->in, &m, gone, err))
            return false;
        if (*gone)
            return true;
        if (m.kind != JW_RTC_SOURCE || m.as.part.n > size - c->source.n)
            return jw_fail(err, JW_E_FORMAT, "nvrtc worker: the source is not as long as its job says");
        jw_buf_add(&c->source, m.as.part.p, m.as.part.n);
        if (!jw_buf_ok(&c->source, err))
            return false;
    }
    return true;
}

static bool work(struct child *c, const struct jw_rtc_msg *job, struct jw_err *err)
{
    struct jw_rtc_source source = { jw_buf_cstr(&c->source), job->as.job.name, job->as.job.options,
                                    job->as.job.n_options };
    struct jw_rtc_msg done = { .kind = JW_RTC_DONE };
    struct jw_rtc_outcome outcome;
    struct jw_err why = { 0 };

    jw_buf_clear(&c->ptx);
    jw_buf_clear(&c->log);

    uint64_t before = jw_time_monotonic_ns();

    if (!jw_rtc_compile(&c->rtc, &source, &c->ptx, &c->log, &outcome, &why))
        return say_refused(c, JW_RTC_REFUSED, &why, err);
    done.as.done.milliseconds = (uint32_t)jw_min((jw_time_monotonic_ns() - before) / 1000000, UINT32_MAX);
    done.as.done.result = outcome.result;
    done.as.done.name = outcome.name;
    done.as.done.log_cut = outcome.log_cut;
    return say_parts(c, JW_RTC_LOG, &c->log, err) && say_parts(c, JW_RTC_PTX, &c->ptx, err)
           && say(c, &done, err);
}

static bool serve(struct child *c, struct jw_err *err)
{
    struct jw_rtc_msg job;
    bool gone = false;

    for (;;) {
        if (!hear(c, &c->job, &job, &gone, err))
            return false;
        if (gone)
            return true;
        if (job.kind != JW_RTC_JOB)
            return jw_fail(err, JW_E_FORMAT, "nvrtc worker: a record of kind %u is not for a worker",
                           (unsigned)job.kind);
        if (!hear_source(c, job.as.job.size, &gone, err))
            return false;
        if (gone)
            return true;
        if (!work(c, &job, err))
            return false;
    }
}

bool jw_nvrtc_serve(const struct jw_nvrtc_child *o, struct jw_err *err)
{
    struct child c = { .in = JW_BUF(JW_MAX_RECORD),
                       .out = JW_BUF(JW_RECORD_PREFIX + JW_MAX_RECORD),
                       .job = JW_BUF(JW_MAX_RECORD),
                       .source = JW_BUF(JW_MAX_CU_SOURCE + 1), /* and a NUL */
                       .ptx = JW_BUF(JW_MAX_PLAIN + 1),
                       .log = JW_BUF(JW_MAX_RTC_LOG) };
    struct jw_err why = { 0 };
    bool ok = jw_parent_open(&c.parent, o->in, o->out, err) && say_hello(&c, err);

    if (ok && jw_rtc_open(&c.rtc, o->library, &why))
        ok = say_library(&c, err) && serve(&c, err);
    else if (ok)
        ok = say_refused(&c, JW_RTC_ABSENT, &why, err);
    jw_buf_free(&c.in);
    jw_buf_free(&c.out);
    jw_buf_free(&c.job);
    jw_buf_free(&c.source);
    jw_buf_free(&c.ptx);
    jw_buf_free(&c.log);
    return ok; /* the library stays loaded: it may have threads, and this process is about to end */
}

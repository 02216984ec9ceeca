#include "driver/worker/nvrtc_worker.h"

#include "base/limits.h"
#include "driver/worker/child.h"
#include "driver/worker/proto.h"
#include "driver/worker/talk.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>

enum { START_MS = 60 * 1000, JOB_MS = 30 * 60 * 1000 };

struct nvrtc_talk {
    const struct jw_nvrtc_job *job;
    struct jw_nvrtc_answer *out;
    struct jw_buf *ptx, *log;
    struct jw_talk talk;
    unsigned ms;
    uint64_t end;
};

static void wait_for(struct nvrtc_talk *r, unsigned usual_ms)
{
    r->ms = r->job->timeout_ms ? r->job->timeout_ms : usual_ms;
    r->end = jw_time_monotonic_ns() + (uint64_t)r->ms * 1000000;
}

static bool start_child(struct nvrtc_talk *r, struct jw_err *err)
{
    static const struct jw_child_edit edits[] = { { "LD_PRELOAD", NULL }, { "LD_AUDIT", NULL } };
    const struct jw_nvrtc_job *job = r->job;
    struct jw_arch_name arch = jw_arch_name("compute_", job->target);
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    char cuda[16];

    (void)snprintf(cuda, sizeof cuda, "%u", job->driver_cuda);
    bool ok = jw_process_self(&self, err);
    const char *exe = jw_buf_cstr(&self);
    const char *argv[] = { exe,
                           JW_NVRTC_VERB,
                           job->library,
                           job->source,
                           job->digest,
                           arch.text,
                           job->older ? JW_NVRTC_OLDER : JW_WORKER_NONE,
                           cuda,
                           NULL };
    const struct jw_command c = {
        .exe = exe, .argv = argv, .edits = edits, .n_edits = jw_os_is_windows() ? 0 : JW_COUNT(edits)
    };

    ok = ok && (jw_process_start(&r->talk.child, &c, err) || jw_wrap(err, "start %s", exe));
    jw_buf_free(&self);
    wait_for(r, START_MS);
    return ok;
}

static void note_death(struct nvrtc_talk *r, bool silent)
{
    struct jw_nvrtc_answer *out = r->out;
    struct jw_process_end end = jw_talk_finish(&r->talk, silent);
    bool loaded = out->major != 0;
    char how[240];

    out->end = JW_NVRTC_BROKEN;
    if (silent)
        (void)snprintf(how, sizeof how, "%s within %g s and was ended",
                       loaded ? "did not finish" : "could not be loaded", r->ms / 1000.0);
    else
        (void)snprintf(how, sizeof how, "ended its process while it %s: %s",
                       loaded ? "compiled" : "was loaded", end.how);
    (void)snprintf(out->why, sizeof out->why, "NVRTC %.130s %s", r->job->library, how);
}

/* `*more` false: this was the last record. */
static bool take_record(struct nvrtc_talk *r, const struct jw_rtc_msg *m, bool *more, struct jw_err *err)
{
    struct jw_nvrtc_answer *out = r->out;
    struct jw_buf *to = m->kind == JW_RTC_PTX ? r->ptx : r->log;

    switch (m->kind) {
    case JW_RTC_LOADED:
        out->major = m->as.loaded.major;
        out->minor = m->as.loaded.minor;
        wait_for(r, JOB_MS);
        return true;
    case JW_RTC_PTX:
    case JW_RTC_LOG:
        jw_buf_add(to, m->as.part.p, m->as.part.n);
        return jw_buf_ok(to, err) || jw_wrap(err, m->kind == JW_RTC_PTX ? "what it compiled" : "the log");
    case JW_RTC_END: break;
    }
    *more = false;
    out->end = (enum jw_nvrtc_end)m->as.end.end;
    out->code = (enum jw_code)m->as.end.code;
    out->target = (struct jw_arch){ m->as.end.sm, (char)m->as.end.suffix };
    (void)snprintf(out->why, sizeof out->why, "%s", m->as.end.why);
    return true;
}

bool jw_nvrtc_run(const struct jw_nvrtc_job *job, struct jw_buf *ptx, struct jw_buf *log,
                  struct jw_nvrtc_answer *out, struct jw_err *err)
{
    struct nvrtc_talk r = { .job = job,
                            .out = out,
                            .ptx = ptx,
                            .log = log,
                            .talk = { .interrupted = job->interrupted, .in = JW_BUF(JW_MAX_RECORD) } };
    bool more = true;

    *out = (struct jw_nvrtc_answer){ .end = JW_NVRTC_BROKEN };
    bool ok = start_child(&r, err);

    while (ok && more) {
        struct jw_rtc_msg m;
        enum jw_received what = jw_talk_receive(&r.talk, r.end, err);

        if (what == JW_RECEIVED_NOTHING || what == JW_RECEIVED_END) {
            note_death(&r, what == JW_RECEIVED_NOTHING);
            break;
        }
        ok = what == JW_RECEIVED && jw_rtc_get(jw_buf_bytes(&r.talk.in), &m, err)
             && take_record(&r, &m, &more, err);
    }
    jw_talk_close(&r.talk);
    return ok;
}

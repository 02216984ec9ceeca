#include "driver/worker/talk.h"

#include "base/num.h"
#include "driver/worker/proto.h"
#include "os/machine/time.h"

#include <stdio.h>

enum {
    LOOK_MS = 100,       /* between checks for an interrupt */
    DEATH_GRACE_MS = 500 /* for the child to exit after it closed its pipe */
};

static enum jw_received read_exactly(struct jw_talk *t, uint8_t *dst, size_t n, uint64_t end,
                                     struct jw_err *err)
{
    while (n) {
        uint64_t now = jw_time_monotonic_ns(), left = now < end ? (end - now) / 1000000 + 1 : 0;
        enum jw_process_read what;
        size_t got;

        if (!jw_not_interrupted(t->interrupted, err))
            return JW_RECEIVE_FAILED;
        if (!jw_process_read(t->child, dst, n, (unsigned)jw_min(left, t->interrupted ? LOOK_MS : UINT32_MAX),
                             &what, &got, err))
            return JW_RECEIVE_FAILED;
        if (what == JW_PROCESS_SILENT && left > LOOK_MS && t->interrupted)
            continue;
        if (what != JW_PROCESS_DATA)
            return what == JW_PROCESS_SILENT ? JW_RECEIVED_NOTHING : JW_RECEIVED_END;
        dst += got;
        n -= got;
    }
    return JW_RECEIVED;
}

enum jw_received jw_talk_receive(struct jw_talk *t, uint64_t end, struct jw_err *err)
{
    uint8_t prefix[JW_RECORD_PREFIX];
    size_t n;
    enum jw_received what = read_exactly(t, prefix, sizeof prefix, end, err);

    if (what != JW_RECEIVED)
        return what;
    if (!jw_record_length(prefix, &n, err))
        return JW_RECEIVE_FAILED;
    jw_buf_clear(&t->in);
    jw_buf_fill(&t->in, 0, n);
    if (!jw_buf_ok(&t->in, err))
        return JW_RECEIVE_FAILED;
    return read_exactly(t, t->in.p, n, end, err);
}

struct jw_process_end jw_talk_finish(struct jw_talk *t, bool silent)
{
    struct jw_process_end end;

    jw_process_finish(t->child, silent ? 0 : DEATH_GRACE_MS, &end);
    jw_process_free(t->child);
    t->child = NULL;
    if (end.killed)
        (void)snprintf(end.how, sizeof end.how, "%s", silent ? "timeout" : "it stopped talking");
    return end;
}

void jw_talk_close(struct jw_talk *t)
{
    jw_process_free(t->child);
    jw_buf_free(&t->in);
    *t = (struct jw_talk){ 0 };
}

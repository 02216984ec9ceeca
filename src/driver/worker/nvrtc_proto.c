/*
 * us <-> a child that holds an NVRTC, over two inherited pipes, in records as proto.h has them.
 *
 *   HELLO    u32 protocol   text version of the program      first; another protocol is refused
 *   ABSENT   u32 code   text why                             it cannot be used; nothing follows
 *   LIBRARY  u8 simulated   u16 major   u16 minor   text path   u16 n   n times u16 architecture
 *   JOB      u64 bytes of source   text name   u16 n   n times text option
 *   SOURCE   bytes                                           behind the JOB, as many as that says
 *   PTX      bytes                                           any number of them, and of LOG, before the DONE
 *   LOG      bytes
 *   DONE     u32 nvrtcResult   u32 milliseconds   u8 log was cut   text name of the result
 *   REFUSED  u32 code   text why                             in place of a DONE: it was not NVRTC that failed
 */
#include "driver/worker/nvrtc_proto.h"

#include "base/fields.h"
#include "driver/worker/proto.h"

#include <string.h>

/* ---- to bytes ---- */

static void put_library(struct jw_buf *out, const struct jw_rtc_msg *m)
{
    jw_field8(out, m->as.library.simulated);
    jw_field16(out, m->as.library.major);
    jw_field16(out, m->as.library.minor);
    jw_field_text(out, m->as.library.path);
    jw_field16(out, m->as.library.n_archs);
    for (size_t i = 0; i < m->as.library.n_archs; i++)
        jw_field16(out, m->as.library.archs[i]);
}

static void put_job(struct jw_buf *out, const struct jw_rtc_msg *m)
{
    jw_field64(out, m->as.job.size);
    jw_field_text(out, m->as.job.name);
    jw_field16(out, m->as.job.n_options);
    for (size_t i = 0; i < m->as.job.n_options; i++)
        jw_field_text(out, m->as.job.options[i]);
}

static void put_done(struct jw_buf *out, const struct jw_rtc_msg *m)
{
    jw_field32(out, m->as.done.result);
    jw_field32(out, m->as.done.milliseconds);
    jw_field8(out, m->as.done.log_cut);
    jw_field_text(out, m->as.done.name);
}

void jw_rtc_put(struct jw_buf *out, const struct jw_rtc_msg *m)
{
    size_t begin = jw_record_begin(out, (uint16_t)m->kind);

    switch (m->kind) {
    case JW_RTC_HELLO:
        jw_field32(out, m->as.hello.protocol);
        jw_field_text(out, m->as.hello.program);
        break;
    case JW_RTC_LIBRARY: put_library(out, m); break;
    case JW_RTC_JOB: put_job(out, m); break;
    case JW_RTC_SOURCE:
    case JW_RTC_PTX:
    case JW_RTC_LOG: jw_buf_add(out, m->as.part.p, m->as.part.n); break;
    case JW_RTC_DONE: put_done(out, m); break;
    case JW_RTC_ABSENT:
    case JW_RTC_REFUSED:
        jw_field32(out, m->as.refused.code);
        jw_field_text(out, m->as.refused.text);
        break;
    }
    jw_record_end(out, begin);
}

/* ---- from bytes ---- */

static uint16_t get_count(struct jw_reader *r, size_t most)
{
    uint16_t n = jw_u16(r);

    if (n > most)
        r->bad = true;
    return r->bad ? 0 : n;
}

static void get_library(struct jw_reader *r, struct jw_rtc_msg *m)
{
    m->as.library.simulated = jw_take_bool(r);
    m->as.library.major = jw_u16(r);
    m->as.library.minor = jw_u16(r);
    m->as.library.path = jw_take_text(r);
    m->as.library.n_archs = get_count(r, JW_MAX_RTC_ARCHS);
    for (size_t i = 0; i < m->as.library.n_archs; i++)
        m->as.library.archs[i] = jw_u16(r);
}

static void get_job(struct jw_reader *r, struct jw_rtc_msg *m)
{
    m->as.job.size = jw_u64(r);
    m->as.job.name = jw_take_text(r);
    m->as.job.n_options = get_count(r, JW_MAX_RTC_OPTIONS);
    for (size_t i = 0; i < m->as.job.n_options; i++)
        m->as.job.options[i] = jw_take_text(r);
    if (m->as.job.size > JW_MAX_CU_SOURCE)
        r->bad = true;
}

static void get_done(struct jw_reader *r, struct jw_rtc_msg *m)
{
    m->as.done.result = jw_u32(r);
    m->as.done.milliseconds = jw_u32(r);
    m->as.done.log_cut = jw_take_bool(r);
    m->as.done.name = jw_take_text(r);
}

static void get_part(struct jw_reader *r, struct jw_rtc_msg *m)
{
    m->as.part = jw_take(r, r->in.n - r->at);
    if (!m->as.part.n)
        r->bad = true;
}

static void get_refused(struct jw_reader *r, struct jw_rtc_msg *m)
{
    m->as.refused.code = jw_u32(r);
    m->as.refused.text = jw_take_text(r);
    if (m->as.refused.code == JW_OK || m->as.refused.code > JW_E_INTERRUPTED)
        r->bad = true;
}

static bool get_body(struct jw_reader *r, struct jw_rtc_msg *m)
{
    switch (m->kind) {
    case JW_RTC_HELLO:
        m->as.hello.protocol = jw_u32(r);
        m->as.hello.program = jw_take_text(r);
        return true;
    case JW_RTC_LIBRARY: get_library(r, m); return true;
    case JW_RTC_JOB: get_job(r, m); return true;
    case JW_RTC_SOURCE:
    case JW_RTC_PTX:
    case JW_RTC_LOG: get_part(r, m); return true;
    case JW_RTC_DONE: get_done(r, m); return true;
    case JW_RTC_ABSENT:
    case JW_RTC_REFUSED: get_refused(r, m); return true;
    }
    return false;
}

/* A later protocol may say more in a HELLO: it must be read as far as its number to be refused. */
static bool is_foreign_hello(struct jw_bytes record, struct jw_rtc_msg *m)
{
    if (m->kind != JW_RTC_HELLO || record.n < 6 || m->as.hello.protocol == JW_RTC_PROTO_VERSION)
        return false;
    m->as.hello.program = "";
    return true;
}

bool jw_rtc_get(struct jw_bytes record, struct jw_rtc_msg *m, struct jw_err *err)
{
    struct jw_reader r = jw_reader(record);
    unsigned kind = jw_u16(&r);

    memset(m, 0, sizeof *m);
    m->kind = (enum jw_rtc_msg_kind)kind;
    if (r.bad || !get_body(&r, m))
        return jw_fail(err, JW_E_FORMAT, "nvrtc worker: no record is of kind %u", kind);
    if (is_foreign_hello(record, m))
        return true;
    return (!r.bad && r.at == record.n)
           || jw_fail(err, JW_E_FORMAT, "nvrtc worker: a record of kind %u is not as its fields say", kind);
}

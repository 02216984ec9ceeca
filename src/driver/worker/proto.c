#include "driver/worker/proto.h"
#include "base/fields.h"
#include "base/limits.h"

#include <string.h>

enum { KIND = 2 };

/* Begins a record; the end sets its length. A record over JW_MAX_RECORD makes the buffer bad. */
static size_t jw_record_begin(struct jw_buf *out, uint16_t kind)
{
    size_t begin = out->n;

    jw_field32(out, 0);
    jw_field16(out, kind);
    return begin;
}

static void jw_record_end(struct jw_buf *out, size_t begin)
{
    if (!out->bad && out->n - begin > JW_RECORD_PREFIX + JW_MAX_RECORD)
        out->bad = true;
    if (!out->bad)
        jw_put32(out->p + begin, (uint32_t)(out->n - begin - JW_RECORD_PREFIX));
}

bool jw_record_length(const uint8_t prefix[JW_RECORD_PREFIX], size_t *n, struct jw_err *err)
{
    *n = jw_le32(prefix);
    return (*n >= KIND && *n <= JW_MAX_RECORD)
           || jw_fail(err, JW_E_FORMAT, "worker: no record has %zu bytes", *n);
}

bool jw_record_receive(struct jw_parent *parent, struct jw_buf *in, bool *gone, struct jw_err *err)
{
    uint8_t prefix[JW_RECORD_PREFIX];
    size_t n;

    if (!jw_parent_read(parent, prefix, sizeof prefix, gone, err))
        return false;
    if (*gone)
        return true;
    if (!jw_record_length(prefix, &n, err))
        return false;
    jw_buf_clear(in);
    jw_buf_fill(in, 0, n);
    return jw_buf_ok(in, err) && jw_parent_read(parent, in->p, n, gone, err);
}

/*
 * Records to and from a worker, over two inherited pipes (a driver may print to standard output). Little-endian.
 *
 *   u32 length of what follows    u16 kind    body[length - 2]
 *
 *   HELLO    u32 protocol   text version of the program      first; another protocol is refused
 *   LIBRARY  u8 simulated   text path                        sent before cuInit, which may crash
 *   DRIVER   i32 CUresult of cuInit   u32 CUDA version   text its name   text path
 *   DEVICE   u32 index   u16 sm   u64 memory   u32 compute mode   u8 MIG   u8 integrated
 *            text uuid   text name   text pci
 *   READY                                                    the last device was sent
 *   JOB      u32 id   u32 device   u8 what (0 load, 1 explain, 2 launch)   u32 x   u8 text   u16 target (0: the device's)   u64 offset   u64 size   32 BLAKE2b-256   text path
 *   STARTED  u32 id   u64 free   u64 total                   sent before the driver gets the module;
 *                                                            bytes of the device, 0: unknown
 *   LOG      u32 id   text                                   the driver's log, for JW_JOB_EXPLAIN
 *   DONE     u32 id   u32 milliseconds   u32 number       the kernel's result, or 0
 *   FAIL     u32 id   u32 CUresult   u32 code   u32 milliseconds   text
 *   BYE                                                      to the worker: end
 *
 *   text     u32 length   bytes   0
 */
/* ---- to bytes ---- */

static void put_device(struct jw_buf *out, const struct jw_worker_device *d)
{
    jw_field32(out, d->index);
    jw_field16(out, d->sm);
    jw_field64(out, d->memory);
    jw_field32(out, d->compute_mode);
    jw_field8(out, d->mig);
    jw_field8(out, d->integrated);
    jw_field_text(out, d->uuid);
    jw_field_text(out, d->name);
    jw_field_text(out, d->pci);
}

static void put_job(struct jw_buf *out, const struct jw_msg *m)
{
    const struct jw_worker_job *job = &m->as.job.what;

    jw_field32(out, m->as.job.id);
    jw_field32(out, m->as.job.device);
    jw_field8(out, (uint8_t)m->as.job.do_what);
    jw_field32(out, m->as.job.x);
    jw_field8(out, job->text);
    jw_field16(out, job->target);
    jw_field64(out, job->at);
    jw_field64(out, job->size);
    jw_buf_add(out, job->digest, sizeof job->digest);
    jw_field_text(out, job->path);
}

static void put_fail(struct jw_buf *out, const struct jw_msg *m)
{
    jw_field32(out, m->as.fail.id);
    jw_field32(out, m->as.fail.result);
    jw_field32(out, m->as.fail.code);
    jw_field32(out, m->as.fail.milliseconds);
    jw_field_text(out, m->as.fail.text);
}

static void put_body(struct jw_buf *out, const struct jw_msg *m)
{
    switch (m->kind) {
    case JW_MSG_HELLO:
        jw_field32(out, m->as.hello.protocol);
        jw_field_text(out, m->as.hello.program);
        break;
    case JW_MSG_LIBRARY:
        jw_field8(out, m->as.library.simulated);
        jw_field_text(out, m->as.library.path);
        break;
    case JW_MSG_DRIVER:
        jw_field32(out, (uint32_t)m->as.driver.result);
        jw_field32(out, m->as.driver.cuda_version);
        jw_field_text(out, m->as.driver.name);
        jw_field_text(out, m->as.driver.path);
        break;
    case JW_MSG_DEVICE: put_device(out, &m->as.device); break;
    case JW_MSG_JOB: put_job(out, m); break;
    case JW_MSG_STARTED:
        jw_field32(out, m->as.started.id);
        jw_field64(out, m->as.started.gpu_free);
        jw_field64(out, m->as.started.gpu_total);
        break;
    case JW_MSG_LOG:
        jw_field32(out, m->as.log.id);
        jw_field_text(out, m->as.log.text);
        break;
    case JW_MSG_DONE:
        jw_field32(out, m->as.done.id);
        jw_field32(out, m->as.done.milliseconds);
        jw_field32(out, m->as.done.number);
        break;
    case JW_MSG_FAIL: put_fail(out, m); break;
    case JW_MSG_READY:
    case JW_MSG_BYE: break;
    }
}

void jw_proto_put(struct jw_buf *out, const struct jw_msg *m)
{
    size_t begin = jw_record_begin(out, (uint16_t)m->kind);

    put_body(out, m);
    jw_record_end(out, begin);
}

/* ---- from bytes ---- */

/* Reads into a fixed array; a longer text is an error. */
static void get_array(struct jw_reader *r, char *out, size_t room)
{
    const char *text = jw_take_text(r);
    size_t n = strlen(text);

    if (n >= room)
        r->bad = true;
    else
        memcpy(out, text, n + 1);
}

static void get_device(struct jw_reader *r, struct jw_worker_device *d)
{
    d->index = jw_u32(r);
    d->sm = jw_u16(r);
    d->memory = jw_u64(r);
    d->compute_mode = jw_u32(r);
    d->mig = jw_take_bool(r);
    d->integrated = jw_take_bool(r);
    get_array(r, d->uuid, sizeof d->uuid);
    get_array(r, d->name, sizeof d->name);
    get_array(r, d->pci, sizeof d->pci);
}

static void get_job(struct jw_reader *r, struct jw_msg *m)
{
    struct jw_worker_job *job = &m->as.job.what;
    struct jw_bytes digest;

    m->as.job.id = jw_u32(r);
    m->as.job.device = jw_u32(r);
    uint8_t what = jw_u8(r);

    if (what >= JW_JOB_WHATS)
        r->bad = true;
    m->as.job.do_what = r->bad ? JW_JOB_LOAD : (enum jw_job_what)what;
    m->as.job.x = jw_u32(r);
    job->text = jw_take_bool(r);
    job->target = jw_u16(r);
    job->at = jw_u64(r);
    job->size = jw_u64(r);
    digest = jw_take(r, sizeof job->digest);
    if (digest.n)
        memcpy(job->digest, digest.p, digest.n);
    job->path = jw_take_text(r);
}

static void get_fail(struct jw_reader *r, struct jw_msg *m)
{
    m->as.fail.id = jw_u32(r);
    m->as.fail.result = jw_u32(r);
    m->as.fail.code = jw_u32(r);
    m->as.fail.milliseconds = jw_u32(r);
    m->as.fail.text = jw_take_text(r);
    if (m->as.fail.code > JW_E_INTERRUPTED)
        r->bad = true;
}

static bool get_body(struct jw_reader *r, struct jw_msg *m)
{
    switch (m->kind) {
    case JW_MSG_HELLO:
        m->as.hello.protocol = jw_u32(r);
        m->as.hello.program = jw_take_text(r);
        return true;
    case JW_MSG_LIBRARY:
        m->as.library.simulated = jw_take_bool(r);
        m->as.library.path = jw_take_text(r);
        return true;
    case JW_MSG_DRIVER:
        m->as.driver.result = (int32_t)jw_u32(r);
        m->as.driver.cuda_version = jw_u32(r);
        m->as.driver.name = jw_take_text(r);
        m->as.driver.path = jw_take_text(r);
        return true;
    case JW_MSG_DEVICE: get_device(r, &m->as.device); return true;
    case JW_MSG_JOB: get_job(r, m); return true;
    case JW_MSG_STARTED:
        m->as.started.id = jw_u32(r);
        m->as.started.gpu_free = jw_u64(r);
        m->as.started.gpu_total = jw_u64(r);
        return true;
    case JW_MSG_LOG:
        m->as.log.id = jw_u32(r);
        m->as.log.text = jw_take_text(r);
        return true;
    case JW_MSG_DONE:
        m->as.done.id = jw_u32(r);
        m->as.done.milliseconds = jw_u32(r);
        m->as.done.number = jw_u32(r);
        return true;
    case JW_MSG_FAIL: get_fail(r, m); return true;
    case JW_MSG_READY:
    case JW_MSG_BYE: return true;
    }
    return false;
}

bool jw_proto_get(struct jw_bytes record, struct jw_msg *m, struct jw_err *err)
{
    struct jw_reader r = jw_reader(record);
    unsigned kind = jw_u16(&r);

    memset(m, 0, sizeof *m);
    m->kind = (enum jw_msg_kind)kind;
    if (r.bad || !get_body(&r, m))
        return jw_fail(err, JW_E_FORMAT, "worker: no record is of kind %u", kind);
    /* A later protocol's HELLO may have more fields: read the number to reject it. */
    if (m->kind == JW_MSG_HELLO && record.n >= 6 && m->as.hello.protocol != JW_PROTO_VERSION) {
        m->as.hello.program = "";
        return true;
    }
    if (r.bad || r.at != record.n)
        return jw_fail(err, JW_E_FORMAT, "worker: a record of kind %u is not as long as its fields", kind);
    return true;
}

/*
 * Records to and from an NVRTC worker, in the same form.
 *
 *   HELLO    u32 protocol   text version of the program      first; another protocol is refused
 *   ABSENT   u32 code   text why                             it cannot be used; the last record
 *   LIBRARY  u8 simulated   u16 major   u16 minor   text path   u16 n   n times u16 architecture
 *   JOB      u64 bytes of source   text name   u16 n   n times text option
 *   SOURCE   bytes                                           after the JOB, until its size is reached
 *   PTX      bytes                                           any number of PTX and LOG before the DONE
 *   LOG      bytes
 *   DONE     u32 nvrtcResult   u32 milliseconds   u8 log was cut   text name of the result
 *   REFUSED  u32 code   text why                             instead of a DONE: the worker failed, not NVRTC
 */
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

static void rtc_put_job(struct jw_buf *out, const struct jw_rtc_msg *m)
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
    case JW_RTC_JOB: rtc_put_job(out, m); break;
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

static void rtc_get_job(struct jw_reader *r, struct jw_rtc_msg *m)
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

static bool rtc_get_body(struct jw_reader *r, struct jw_rtc_msg *m)
{
    switch (m->kind) {
    case JW_RTC_HELLO:
        m->as.hello.protocol = jw_u32(r);
        m->as.hello.program = jw_take_text(r);
        return true;
    case JW_RTC_LIBRARY: get_library(r, m); return true;
    case JW_RTC_JOB: rtc_get_job(r, m); return true;
    case JW_RTC_SOURCE:
    case JW_RTC_PTX:
    case JW_RTC_LOG: get_part(r, m); return true;
    case JW_RTC_DONE: get_done(r, m); return true;
    case JW_RTC_ABSENT:
    case JW_RTC_REFUSED: get_refused(r, m); return true;
    }
    return false;
}

/* As above: only the number of a later protocol's HELLO is read. */
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
    if (r.bad || !rtc_get_body(&r, m))
        return jw_fail(err, JW_E_FORMAT, "nvrtc worker: no record is of kind %u", kind);
    if (is_foreign_hello(record, m))
        return true;
    return (!r.bad && r.at == record.n)
           || jw_fail(err, JW_E_FORMAT, "nvrtc worker: a record of kind %u is not as its fields say", kind);
}

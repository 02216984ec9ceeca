#include "driver/worker/proto.h"
#include "base/fields.h"

enum { KIND = 2 };

bool jw_message_length(const uint8_t prefix[JW_MESSAGE_PREFIX], size_t *n, struct jw_err *err)
{
    *n = jw_le32(prefix);
    return (*n >= KIND && *n <= JW_MAX_RECORD)
           || jw_fail(err, JW_E_FORMAT, "worker: no message has %zu bytes", *n);
}

bool jw_message_receive(struct jw_parent *parent, struct jw_buf *in, bool *gone, struct jw_err *err)
{
    uint8_t prefix[JW_MESSAGE_PREFIX];
    size_t n;

    if (!jw_parent_read(parent, prefix, sizeof prefix, gone, err))
        return false;
    if (*gone)
        return true;
    if (!jw_message_length(prefix, &n, err))
        return false;
    jw_buf_clear(in);
    jw_buf_fill(in, 0, n);
    return jw_buf_ok(in, err) && jw_parent_read(parent, in->p, n, gone, err);
}

/* The messages to and from a worker, over inherited streams, as a driver may print to standard
 * output. Numbers are little-endian.
 *
 *   u32 length of what follows   u16 kind   body[length - 2]
 *
 *   HELLO    u32 protocol. First; another protocol is refused
 *   DRIVER   i32 CUresult of cuInit   u32 CUDA version   text its name   text path   u8 preloads
 *            Sent before cuInit, which may crash, and after it
 *   DEVICE   u32 index   u16 sm   u64 memory   u32 compute mode   text uuid   text name
 *   READY    the last device was sent
 *   JOB      u32 device   u8 explain   u8 text   u8 link   u16 sm (0: the device's)
 *            u64 offset   u64 size   32 BLAKE2b-256   text path
 *   STARTED  u64 free   u64 total: bytes of the device; 0: unknown. The driver gets the module now
 *   DONE     u32 milliseconds
 *   FAIL     u32 CUresult   u32 code   u32 milliseconds   text   text the log, if the JOB explains
 *
 *   text     u32 length   bytes   0 */
#define FIELD(m) JW_FIELD(struct jw_msg, as.m)

static const struct jw_field none[] = {{0}};
static const struct jw_field hello[] = {FIELD(hello.protocol), {0}};
static const struct jw_field driver[] = {FIELD(driver.result),   FIELD(driver.cuda_version),
                                         FIELD(driver.name),     FIELD(driver.path),
                                         FIELD(driver.preloads), {0}};
static const struct jw_field device[] = {
    FIELD(device.index),
    FIELD(device.sm),
    FIELD(device.memory),
    FIELD(device.compute_mode),
    FIELD(device.uuid),
    FIELD(device.name),
    {0},
};
static const struct jw_field job[] = {
    FIELD(job.device),      FIELD(job.explain),
    FIELD(job.module.text), FIELD(job.module.link),
    FIELD(job.sm),          FIELD(job.module.at),
    FIELD(job.module.size), FIELD(job.module.digest),
    FIELD(job.module.disk), {0},
};
static const struct jw_field started[] = {FIELD(started.gpu_free), FIELD(started.gpu_total), {0}};
static const struct jw_field done[] = {FIELD(done.milliseconds), {0}};
static const struct jw_field fail[] = {
    FIELD(fail.result),       JW_FIELD_UP_TO(struct jw_msg, as.fail.code, JW_E_INTERRUPTED),
    FIELD(fail.milliseconds), FIELD(fail.text),
    FIELD(fail.log),          {0},
};

static const struct jw_field *const bodies[] = {
    [JW_MSG_HELLO] = hello, [JW_MSG_DRIVER] = driver, [JW_MSG_DEVICE] = device,
    [JW_MSG_READY] = none,  [JW_MSG_JOB] = job,       [JW_MSG_STARTED] = started,
    [JW_MSG_DONE] = done,   [JW_MSG_FAIL] = fail,
};
JW_ROW_FOR_EACH(bodies, JW_MSG_KINDS, 9); /* kinds are counted from 1 */

void jw_proto_put(struct jw_buf *out, const struct jw_msg *m)
{
    size_t begin = out->n;

    jw_field_number(out, 0, 4);
    jw_field_number(out, m->kind, 2);
    jw_fields_put(out, bodies[m->kind], m);
    out->bad |= out->n - begin > JW_MESSAGE_PREFIX + JW_MAX_RECORD;
    if (!out->bad)
        jw_put32(out->p + begin, (uint32_t)(out->n - begin - JW_MESSAGE_PREFIX));
}

bool jw_proto_get(struct jw_bytes bytes, struct jw_msg *m, struct jw_err *err)
{
    struct jw_reader r = jw_reader(bytes);
    unsigned kind = jw_u16(&r);

    *m = (struct jw_msg){.kind = (enum jw_msg_kind)kind};
    if (r.bad || kind >= JW_COUNT(bodies) || !bodies[kind])
        return jw_fail(err, JW_E_FORMAT, "worker: no message is of kind %u", kind);
    jw_fields_get(&r, bodies[kind], NULL, m);
    return (!r.bad && r.at == bytes.n)
           || jw_fail(err, JW_E_FORMAT, "worker: a message of kind %u is not as its fields say",
                      kind);
}

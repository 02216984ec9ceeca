/* The records between us and a worker; their layout is in proto.c. Pure: bytes in, values out. */
#ifndef DRIVER_WORKER_PROTO_H
#define DRIVER_WORKER_PROTO_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "driver/worker/worker.h"
#include "jitwarm/err.h"
#include "os/process/child.h"

#include <stdbool.h>
#include <stdint.h>

enum { JW_PROTO_VERSION = 4 };

enum jw_msg_kind {
    JW_MSG_HELLO = 1,
    JW_MSG_LIBRARY,
    JW_MSG_DRIVER,
    JW_MSG_DEVICE,
    JW_MSG_READY,
    JW_MSG_JOB,
    JW_MSG_STARTED,
    JW_MSG_DONE,
    JW_MSG_FAIL,
    JW_MSG_BYE,
    JW_MSG_LOG
};

/* What the driver is to do with a module. */
enum jw_job_what {
    JW_JOB_LOAD,
    JW_JOB_EXPLAIN, /* load, and say what there is to say of it */
    JW_JOB_LAUNCH,  /* load, and run its one kernel */
    JW_JOB_WHATS
};

/* Texts are borrowed: of what was read, from the record. */
struct jw_msg {
    enum jw_msg_kind kind;
    union {
        struct {
            uint32_t protocol;
            const char *program; /* its version */
        } hello;
        struct {
            const char *path;
            bool simulated;
        } library;
        struct {
            int32_t result; /* -1: there is none, and `name` says why */
            uint32_t cuda_version;
            const char *name, *path;
        } driver;
        struct jw_worker_device device;
        struct {
            uint32_t id, device;
            enum jw_job_what do_what;
            uint32_t x;                /* for the kernel */
            struct jw_worker_job what; /* but for its time, which is the parent's to watch */
        } job;
        struct {
            uint32_t id;
            uint64_t gpu_free, gpu_total;
        } started;
        struct {
            uint32_t id, milliseconds;
            uint32_t number; /* that the kernel wrote */
        } done;
        struct {
            uint32_t id, result, code,
                milliseconds; /* result 0: the worker itself refused, with `code` of enum jw_code */
            const char *text;
        } fail;
        struct {
            uint32_t id;
            const char *text;
        } log;
    } as;
};

/* Appends the record, length first. A text or record over its ceiling makes the buffer bad. */
void jw_proto_put(struct jw_buf *out, const struct jw_msg *m);

/* `record`: what follows the length, all of it. False for what it is not, and for what stands behind its
 * end. */
bool jw_proto_get(struct jw_bytes record, struct jw_msg *m, struct jw_err *err) JW_MUST;

/*
 * What the records between us and a child are made of. Little-endian:
 *
 *   u32 length of what follows    u16 kind    body[length - 2]
 *
 * The fields of a body are those of base/fields.h.
 */

enum { JW_RECORD_PREFIX = 4 };

/* The length of what follows the first JW_RECORD_PREFIX bytes; false: no record of ours is so long, or so
 * short. */
bool jw_record_length(const uint8_t prefix[JW_RECORD_PREFIX], size_t *n, struct jw_err *err) JW_MUST;

/* In a child: the next record of its parent into `in`, without its length. `*gone`: there is no parent any more. */
bool jw_record_hear(struct jw_parent *parent, struct jw_buf *in, bool *gone, struct jw_err *err) JW_MUST;

/* The records between us and a child that holds an NVRTC; their layout is in proto.c. */
enum { JW_RTC_PROTO_VERSION = 1 };

/* Of a text that travels in parts: so many bytes in each, at most. */
#define JW_RTC_PART ((size_t)1 << 17)

enum jw_rtc_msg_kind {
    JW_RTC_HELLO = 1,
    JW_RTC_ABSENT,
    JW_RTC_LIBRARY,
    JW_RTC_JOB,
    JW_RTC_SOURCE,
    JW_RTC_PTX,
    JW_RTC_LOG,
    JW_RTC_DONE,
    JW_RTC_REFUSED
};

/* Texts and parts are borrowed: of what was read, from the record. */
struct jw_rtc_msg {
    enum jw_rtc_msg_kind kind;
    union {
        struct {
            uint32_t protocol;
            const char *program; /* its version */
        } hello;
        struct {
            const char *path;
            uint16_t major, minor;
            bool simulated;
            uint16_t archs[JW_MAX_RTC_ARCHS], n_archs;
        } library;
        struct {
            const char *name;
            uint64_t size; /* of the source */
            const char *options[JW_MAX_RTC_OPTIONS];
            uint16_t n_options;
        } job;
        struct jw_bytes part; /* SOURCE, PTX, LOG */
        struct {
            uint32_t result, milliseconds;
            bool log_cut;
            const char *name;
        } done;
        struct {
            uint32_t code; /* enum jw_code */
            const char *text;
        } refused; /* and ABSENT */
    } as;
};

/* Appends the record, length first. One over a ceiling makes the buffer bad. */
void jw_rtc_put(struct jw_buf *out, const struct jw_rtc_msg *m);

/* `record`: what follows the length, all of it. False for what it is not, and for what stands behind its
 * end. */
bool jw_rtc_get(struct jw_bytes record, struct jw_rtc_msg *m, struct jw_err *err) JW_MUST;

#endif

/* The records between us and a child that holds an NVRTC; their layout is in nvrtc_proto.c. Pure: bytes
 * in, values out. */
#ifndef DRIVER_WORKER_NVRTC_PROTO_H
#define DRIVER_WORKER_NVRTC_PROTO_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

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

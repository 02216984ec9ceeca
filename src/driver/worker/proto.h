/* The messages between jitwarm and its worker processes. proto.c has their layout. Pure: bytes in,
 * values out. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "driver/worker/worker.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

enum { JW_PROTO_VERSION = 13 };

enum jw_msg_kind {
    JW_MSG_HELLO = 1,
    JW_MSG_DRIVER,
    JW_MSG_DEVICE,
    JW_MSG_READY,
    JW_MSG_JOB,
    JW_MSG_STARTED,
    JW_MSG_DONE,
    JW_MSG_FAIL
};
enum { JW_MSG_KINDS = JW_MSG_FAIL + 1 };

/* A message. Its texts, if it was read, point into the bytes that were read. */
struct jw_msg {
    enum jw_msg_kind kind;
    union {
        struct {
            uint32_t protocol;
        } hello;
        struct {
            int32_t result; /* -1: no driver; `name` says why */
            uint32_t cuda_version;
            bool preloads;
            const char *name, *path;
        } driver;
        struct jw_device device;
        struct {
            uint32_t device;
            uint16_t sm;
            bool explain;
            /* `path` and `entry` are not sent, and the parent keeps the time */
            struct jw_place module;
        } job;
        struct {
            uint64_t gpu_free, gpu_total;
        } started;
        struct {
            uint32_t milliseconds;
        } done;
        struct {
            /* result 0: the worker refused the module; `code` is of enum jw_code */
            uint32_t result, code, milliseconds;
            const char *text, *log; /* log: the driver's, "" where the job does not say explain */
        } fail;
    } as;
};

/* Appends the message, length first. A text or message that is too long makes the buffer bad. */
void jw_proto_put(struct jw_buf *out, const struct jw_msg *m);

/* Reads a message without its length. False when it is malformed or has trailing bytes. */
bool jw_proto_get(struct jw_bytes bytes, struct jw_msg *m, struct jw_err *err) JW_MUST;

/* A message is little-endian: u32 length of the rest, u16 kind, body[length - 2]. base/fields.h
 * encodes the body. */
enum { JW_MESSAGE_PREFIX = 4 };

/* Reads the length of the rest. False: no message has this length. */
bool jw_message_length(const uint8_t prefix[JW_MESSAGE_PREFIX], size_t *n,
                       struct jw_err *err) JW_MUST;

/* In a child: reads the parent's next message into `in`, without its length. `*gone`: the parent
 * has ended. */
bool jw_message_receive(struct jw_parent *parent, struct jw_buf *in, bool *gone,
                        struct jw_err *err) JW_MUST;

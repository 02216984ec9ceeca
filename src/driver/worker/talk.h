/* Receives a child's records, with a deadline, until an interrupt. */
#ifndef DRIVER_WORKER_TALK_H
#define DRIVER_WORKER_TALK_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct jw_talk {
    struct jw_process *child;       /* NULL after it ended */
    const atomic_bool *interrupted; /* NULL: never */
    struct jw_buf in;               /* the last record, without its length */
};

enum jw_received {
    JW_RECEIVED,
    JW_RECEIVED_NOTHING, /* until the deadline */
    JW_RECEIVED_END,     /* its pipe was closed */
    JW_RECEIVE_FAILED    /* err: interrupted, or an invalid record */
};

/* `end`: of jw_time_monotonic_ns. */
enum jw_received jw_talk_receive(struct jw_talk *t, uint64_t end, struct jw_err *err) JW_MUST;

/* Ends a child that missed its deadline or closed its pipe, and returns how it ended; if it was killed: "timeout", or "it
 * stopped talking". */
struct jw_process_end jw_talk_finish(struct jw_talk *t, bool silent);

void jw_talk_close(struct jw_talk *t); /* kills the child; accepts a zeroed one */

#endif

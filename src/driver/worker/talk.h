/* Receives a child's records, with a deadline, until an interrupt. */
#ifndef DRIVER_WORKER_TALK_H
#define DRIVER_WORKER_TALK_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/child.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct jw_talk {
    struct jw_child *child;         /* NULL after it ended */
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

struct jw_talk_end {
    char name[160]; /* "signal 11 (SIGSEGV)", "exit 3", "exception 0xc0000005 (access violation)"; killed:
                       "timeout", or "it stopped talking" */
    bool by_others; /* another process ended it */
};

/* Ends a child that missed its deadline or closed its pipe, and returns how it ended. */
struct jw_talk_end jw_talk_finish(struct jw_talk *t, bool silent);

void jw_talk_close(struct jw_talk *t); /* kills the child; accepts a zeroed one */

#endif

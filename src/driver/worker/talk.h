/* A child's records as they arrive: whole, in time, and only while nobody wants us to end. */
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
    struct jw_child *child;         /* NULL once it is known to have ended */
    const atomic_bool *interrupted; /* NULL: never */
    struct jw_buf in;               /* the record that was heard last, without its length */
};

enum jw_heard {
    JW_HEARD,
    JW_HEARD_NOTHING, /* until the end of the time */
    JW_HEARD_END,     /* of its pipe */
    JW_HEARD_FAILED   /* err: interrupted, or no record */
};

/* `end`: of jw_time_monotonic_ns. */
enum jw_heard jw_talk_hear(struct jw_talk *t, uint64_t end, struct jw_err *err) JW_MUST;

struct jw_talk_end {
    char name[160]; /* "signal 11 (SIGSEGV)", "exit 3", "exception 0xc0000005 (access violation)"; of one that
                       had to be killed "timeout", or "it stopped talking" */
    bool by_others; /* others ended it */
};

/* Ends what is left of one that was silent, or whose pipe ended, and tells how it ended. */
struct jw_talk_end jw_talk_bury(struct jw_talk *t, bool silent);

void jw_talk_close(struct jw_talk *t); /* ends the child, without grace; accepts a zeroed one */

#endif

/* The frames of a pack, by as many threads as the memory allows, at least one: each has one frame
 * and room for the largest. */
#pragma once

#include "jitwarm/run.h"
#include "os/machine/thread.h"
#include "pack/format/pack_layout.h"

/* One thread's frame. */
struct frame {
    size_t at;             /* which */
    uint8_t *tar, *packed; /* room for the largest, plain and compressed */
    size_t n;              /* bytes in `packed` */
};

typedef bool frame_step(void *ctx, struct frame *k, struct jw_err *err);

struct frames {
    const struct jw_run *run; /* shows `what`, and the bytes of tar; or NULL */
    const char *what;
    frame_step *work; /* from several threads at once */
    frame_step *put;  /* then, in the order of the frames, one at a time; NULL: nothing */
    void *ctx;
    unsigned threads; /* at most */
    uint64_t memory;  /* of all threads; for a large frame one may use more */
    uint64_t more;    /* of one thread, beside its frame */
    size_t packed;    /* bytes of the largest frame, compressed */
    /* Set by frames_split: */
    struct jw_pack_frame *v; /* free it */
    size_t n, largest;       /* frames; bytes of the largest, plain */
    uint64_t total;          /* bytes of all, plain */
    /* Under the lock: */
    struct jw_lock *lock;
    size_t next, done; /* frames that were begun, and are done */
    uint64_t bytes;    /* that are done */
    bool stop;
    struct jw_err err; /* of the first that failed */
};

void frames_split(struct frames *f, const struct jw_pack_manifest *m);
/* After the first failure no other frame is begun or put; it is `err`, unchanged. */
bool frames_run(struct frames *f, struct jw_err *err);

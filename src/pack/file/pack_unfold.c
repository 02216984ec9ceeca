#include "pack/file/pack_unfold.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "pack/format/zstd_stream.h"

enum {
    RING = 8 << 20, /* what one thread may be ahead */
    SLURP =
        12 << 20, /* a frame of no more compressed bytes is read at once, and then the next thread may read */
    PART = 256 << 10, /* read, written, or told at a time */
    MAX_LANES = 8,
    USUAL_LANES = 3
};
#define WINDOWS                                                                                              \
    ((uint64_t)64 << 20) /* that all threads look back together, but for a frame that needs more alone */

struct run;

/* One thread, and the frame that it is at. */
struct lane {
    struct run *run;
    struct jw_thread *thread;
    struct jw_zstd_unpack z;
    struct jw_buf in;
    uint8_t *ring;
    size_t frame;
    uint64_t window;
    uint64_t made, given; /* bytes of the frame */
    bool busy, whole;
};

struct run {
    const struct jw_unfold *u;
    struct jw_lock *lock;
    /* Under the lock: */
    size_t next;
    bool reading, stop;
    uint64_t windows;
    struct jw_err err;
    /* Of the thread that is reading: */
    uint64_t at;
    struct lane lanes[MAX_LANES];
    unsigned n_lanes;
    size_t ring; /* of each lane: RING, or as much as the largest frame holds */
};

bool jw_unfold_measure(const struct jw_source *bytes, uint64_t at, uint64_t end, uint64_t content,
                       struct jw_zstd_frame *out, bool *cut, struct jw_err *err)
{
    if (!jw_zstd_frame_measure(bytes, at, end, out, cut, err))
        return false;
    if (out->content != content)
        return jw_fail(err, JW_E_FORMAT,
                       "zstd: the frame at 0x%llx says that it holds %llu bytes, expected %llu",
                       (unsigned long long)at, (unsigned long long)out->content, (unsigned long long)content);
    if (!out->checksum)
        return jw_fail(err, JW_E_FORMAT, "zstd: the frame at 0x%llx has no checksum, as a pack's have",
                       (unsigned long long)at);
    return out->window <= JW_ZSTD_WINDOW
           || jw_fail(
               err, JW_E_LIMIT, "zstd: the frame at 0x%llx looks back %llu bytes, expected at most %llu",
               (unsigned long long)at, (unsigned long long)out->window, (unsigned long long)JW_ZSTD_WINDOW);
}

/* ---- one frame, by its lane's thread ---- */

static bool is_interrupted(const struct jw_unfold *u, struct jw_err *err)
{
    return u->interrupted && atomic_load(u->interrupted) && !jw_fail(err, JW_E_INTERRUPTED, "interrupted");
}

/* Room in the ring, at least one byte; false when all is to end. */
static bool wait_for_room(struct lane *l, size_t *room)
{
    struct run *r = l->run;
    bool go;

    jw_lock_take(r->lock);
    while (!r->stop && l->made - l->given == r->ring)
        jw_lock_wait(r->lock, 0);
    go = !r->stop;
    *room = (size_t)jw_min(r->ring - (l->made - l->given), r->ring - l->made % r->ring);
    jw_lock_drop(r->lock);
    return go;
}

static bool too_long(const struct lane *l, struct jw_err *err)
{
    uint64_t said = l->run->u->contents[l->frame];

    return l->made > said
           && !jw_fail(err, JW_E_FORMAT, "zstd: a frame holds more than the %llu bytes that it says",
                       (unsigned long long)said);
}

static void count_made(struct lane *l, size_t n)
{
    jw_lock_take(l->run->lock);
    l->made += n;
    jw_lock_wake_all(l->run->lock);
    jw_lock_drop(l->run->lock);
}

/* All of `in`. False without an error: somebody else has stopped. */
static bool unpack_part(struct lane *l, struct jw_bytes in, struct jw_err *err)
{
    size_t room, made = 0;

    do {
        if (is_interrupted(l->run->u, err) || !wait_for_room(l, &room))
            return false;
        room = room < PART ? room : PART;
        if (!jw_zstd_unpack_some(&l->z, &in, l->ring + l->made % l->run->ring, room, &made, err))
            return false;
        count_made(l, made);
        if (too_long(l, err))
            return false;
    } while (in.n || (made == room && !l->z.whole));
    return true;
}

static bool read_part(struct lane *l, size_t n, struct jw_err *err)
{
    struct run *r = l->run;

    jw_buf_clear(&l->in);
    jw_buf_fill(&l->in, 0, n);
    if (!jw_buf_ok(&l->in, err) || !jw_source_read(r->u->bytes, r->at, l->in.p, n, err))
        return false;
    r->at += n;
    return r->u->raw.put(r->u->raw.ctx, l->in.p, n, err);
}

static void end_reading(struct run *r)
{
    jw_lock_take(r->lock);
    r->reading = false;
    jw_lock_wake_all(r->lock);
    jw_lock_drop(r->lock);
}

static bool unpack_frame(struct lane *l, uint64_t bytes, struct jw_err *err)
{
    bool ok = jw_zstd_unpack_begin(&l->z, err);

    if (bytes <= SLURP) {
        ok = ok && read_part(l, (size_t)bytes, err);
        end_reading(l->run);
        return ok && unpack_part(l, jw_buf_bytes(&l->in), err);
    }
    for (size_t n; ok && bytes; bytes -= n) {
        n = (size_t)jw_min(bytes, PART);
        ok = read_part(l, n, err) && unpack_part(l, jw_buf_bytes(&l->in), err);
    }
    end_reading(l->run);
    return ok;
}

static bool came_whole(const struct lane *l, struct jw_err *err)
{
    uint64_t said = l->run->u->contents[l->frame];

    return (l->z.whole && l->made == said)
           || jw_fail(err, JW_E_FORMAT, "zstd: a frame holds %llu bytes, it says %llu",
                      (unsigned long long)l->made, (unsigned long long)said);
}

/* ---- which frame ---- */

/* The next one, and the right to read; false: there is none. */
static bool claim(struct lane *l)
{
    struct run *r = l->run;
    bool go;

    jw_lock_take(r->lock);
    while (!r->stop && r->next < r->u->n && (r->reading || l->busy))
        jw_lock_wait(r->lock, 0);
    go = !r->stop && r->next < r->u->n;
    if (go) {
        r->reading = l->busy = true;
        l->frame = r->next++;
        l->made = l->given = 0;
        l->whole = false;
    }
    jw_lock_drop(r->lock);
    return go;
}

static bool wait_for_memory(struct lane *l, uint64_t window)
{
    struct run *r = l->run;
    bool go;

    jw_lock_take(r->lock);
    while (!r->stop && r->windows && r->windows + window > WINDOWS)
        jw_lock_wait(r->lock, 0);
    go = !r->stop;
    if (go) {
        l->window = window;
        r->windows += window;
    }
    jw_lock_drop(r->lock);
    return go;
}

static bool do_frame(struct lane *l, struct jw_err *err)
{
    const struct jw_unfold *u = l->run->u;
    struct jw_zstd_frame frame;

    if (!jw_unfold_measure(u->bytes, l->run->at, u->end, u->contents[l->frame], &frame, NULL, err)
        || !wait_for_memory(l, frame.window))
        return false;
    return unpack_frame(l, frame.bytes, err) && came_whole(l, err);
}

static void stop(struct run *r, const struct jw_err *err)
{
    jw_lock_take(r->lock);
    if (!r->stop && err->code != JW_OK)
        r->err = *err;
    r->stop = true;
    jw_lock_wake_all(r->lock);
    jw_lock_drop(r->lock);
}

static void settle(struct lane *l)
{
    struct run *r = l->run;

    jw_lock_take(r->lock);
    l->whole = true;
    r->windows -= l->window;
    l->window = 0;
    jw_lock_wake_all(r->lock);
    jw_lock_drop(r->lock);
}

static void work(void *ctx)
{
    struct lane *l = ctx;
    struct jw_err err = { 0 };

    while (claim(l)) {
        if (!do_frame(l, &err)) {
            stop(l->run, &err);
            return;
        }
        settle(l);
    }
}

/* ---- in order, by the caller's thread ---- */

static struct lane *lane_of(struct run *r, size_t frame)
{
    for (unsigned i = 0; i < r->n_lanes; i++)
        if (r->lanes[i].busy && r->lanes[i].frame == frame)
            return &r->lanes[i];
    return NULL;
}

/* What there is of `frame`. False: stopped, or the frame is at its end (`*ended`). */
static bool wait_for_part(struct run *r, size_t frame, struct lane **out, struct jw_bytes *part, bool *ended)
{
    struct lane *l;
    bool go = false;

    *ended = false;
    jw_lock_take(r->lock);
    for (;;) {
        l = lane_of(r, frame);
        go = !r->stop && l && l->made > l->given;
        if (r->stop || go || (l && l->whole))
            break;
        jw_lock_wait(r->lock, 0);
    }
    if (go) {
        *part = (struct jw_bytes){ l->ring + l->given % r->ring,
                                   (size_t)jw_min(PART,
                                                  jw_min(l->made - l->given, r->ring - l->given % r->ring)) };
    } else if (!r->stop) {
        *ended = true;
        l->busy = false;
        jw_lock_wake_all(r->lock);
    }
    *out = l;
    jw_lock_drop(r->lock);
    return go;
}

static bool give(struct run *r, struct lane *l, struct jw_bytes part, struct jw_err *err)
{
    if (is_interrupted(r->u, err) || !r->u->plain.put(r->u->plain.ctx, part.p, part.n, err))
        return false;
    jw_lock_take(r->lock);
    l->given += part.n;
    jw_lock_wake_all(r->lock);
    jw_lock_drop(r->lock);
    return true;
}

/* False without an error: a lane has one. */
static bool give_all(struct run *r, struct jw_err *err)
{
    uint64_t done = 0, total = 0;
    struct jw_bytes part = { NULL, 0 };
    struct lane *l;
    bool ended;

    for (size_t i = 0; i < r->u->n; i++)
        total += r->u->contents[i];
    for (size_t i = 0; i < r->u->n; i++) {
        while (wait_for_part(r, i, &l, &part, &ended)) {
            if (!give(r, l, part, err))
                return false;
            done += part.n;
            if (r->u->progress)
                r->u->progress(r->u->ctx, done, total);
        }
        if (!ended)
            return false;
    }
    return true;
}

/* ---- all of it ---- */

static bool lane_open(struct run *r, struct lane *l, struct jw_err *err)
{
    l->run = r;
    l->in = JW_BUF(SLURP);
    l->ring = jw_alloc(r->ring);
    return jw_zstd_unpack_open(&l->z, err);
}

static void lane_close(struct lane *l)
{
    jw_thread_join(l->thread);
    jw_zstd_unpack_close(&l->z);
    jw_buf_free(&l->in);
    jw_free(l->ring);
}

/* As many as there are processors and frames for; with the first one it can be done. */
static bool start(struct run *r, struct jw_err *err)
{
    unsigned n = r->u->threads, cores = jw_cpu_count();
    struct jw_err why = { 0 };

    n = n ? n : cores < USUAL_LANES ? cores : USUAL_LANES;
    n = (unsigned)jw_min(n, jw_min(MAX_LANES, r->u->n));
    for (unsigned i = 0; i < n; i++) {
        struct lane *l = &r->lanes[i];
        bool ok = lane_open(r, l, &why);

        if (ok) { /* before it starts, so that nobody reads it while it grows */
            jw_lock_take(r->lock);
            r->n_lanes++;
            jw_lock_drop(r->lock);
            ok = jw_thread_start(&l->thread, work, l, &why);
        }
        if (!ok && i == 0) {
            *err = why;
            return false;
        }
        if (!ok)
            break;
    }
    return true;
}

static size_t ring_for(const struct jw_unfold *u)
{
    uint64_t most = 1;

    for (size_t i = 0; i < u->n; i++)
        most = jw_max(most, u->contents[i]);
    return (size_t)jw_min(RING, most);
}

static bool ended_at_end(const struct run *r, struct jw_err *err)
{
    return r->at == r->u->end
           || jw_fail(err, JW_E_FORMAT, "zstd: something follows the last frame (0x%llx)",
                      (unsigned long long)r->at);
}

bool jw_unfold_run(const struct jw_unfold *u, struct jw_err *err)
{
    struct run r = { .u = u, .at = u->at, .lock = jw_lock_new(), .ring = ring_for(u) };
    struct jw_err why = { 0 };
    bool ok;

    ok = (!u->n || start(&r, &why)) && give_all(&r, &why);
    stop(&r, &why);
    for (unsigned i = 0; i < MAX_LANES; i++)
        lane_close(&r.lanes[i]);
    jw_lock_free(r.lock);
    if (!ok)
        *err = why.code != JW_OK ? why : r.err;
    return ok && ended_at_end(&r, err);
}

#include "pack/file/pack_spool.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "cache/format/jitcache.h"
#include "os/machine/thread.h"
#include "pack/format/tar.h"
#include "pack/format/zstd_stream.h"

#include <stdio.h>
#include <string.h>

/* What the threads hold together, at levels without the long look back, and with it. */
#define NEAR_MEMORY ((uint64_t)192 << 20)
#define FAR_MEMORY ((uint64_t)1 << 30)

struct run {
    struct jw_spool *s;
    struct jw_pack_tar *tar;
    const struct jw_pack_write_options *o;
    int level;
    struct jw_lock *lock;
    /* Under the lock: */
    bool
        tar_taken; /* the first thread to come takes the digest of the tar: nothing else takes so long in one piece */
    size_t next;
    uint64_t done;
    bool stop;
    struct jw_err err;
};

/* One thread, and the frame that it makes. */
struct packer {
    struct run *run;
    unsigned number;
    struct jw_zstd_pack z;
    struct jw_tar_writer tar;
    uint64_t filled; /* bytes of its file */
    uint8_t *entry;  /* the one that it is at */
    size_t room;
};

/* ---- the plan ---- */

static void plan_sizes(struct jw_spool *s, const struct jw_pack_entry *entries, size_t n)
{
    s->sizes = jw_alloc((n + 1) * sizeof *s->sizes);
    for (size_t i = 0; i < n; i++)
        s->sizes[i + 1] = jw_pack_entry_bytes(&entries[i]);
}

static bool plan_frames(struct jw_spool *s, size_t members, struct jw_err *err)
{
    struct jw_pack_frame frame;
    size_t cap = 0;

    for (size_t first = 1; first < members; first += frame.n) {
        if (!jw_pack_frame_at(s->sizes, members, first, &frame, err)
            || !jw_grow(&s->frames, sizeof frame, s->n, &cap, JW_MAX_PACK_ENTRIES, err))
            return false;
        s->frames[s->n++] = frame;
        s->tar_bytes += frame.bytes;
    }
    s->spooled = jw_alloc(s->n * sizeof *s->spooled);
    return true;
}

static uint64_t largest(const uint64_t *sizes, size_t n)
{
    uint64_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = jw_max(most, sizes[i]);
    return most;
}

/* So many that they fit into memory: each holds one entry and what zstd needs. */
static unsigned choose_threads(const struct jw_spool *s, size_t members, const struct run *r)
{
    unsigned n = jw_pack_threads(r->o);
    uint64_t entry = largest(s->sizes, members);
    uint64_t each = entry + jw_zstd_pack_memory(r->level, jw_max(entry, JW_PACK_FRAME));
    uint64_t fit = (r->level <= JW_ZSTD_NEAR ? NEAR_MEMORY : FAR_MEMORY) / each;

    n = (unsigned)jw_min(n, s->n + 1);
    return (unsigned)jw_max(1, jw_min(n, fit));
}

/* ---- one frame ---- */

static bool put_file(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct packer *k = ctx;

    if (!jw_file_write(&k->run->s->files[k->number], k->filled, p, n, err))
        return jw_wrap(err, "a file of our own in %s", k->run->o->spool_dir);
    k->filled += n;
    return true;
}

static bool put_tar(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct packer *k = ctx;

    return jw_zstd_pack_put(&k->z, p, n, err);
}

/* The bytes of an entry are those of a sound one, of this name and these sizes. */
static bool check_entry(struct jw_bytes file, const struct jw_pack_entry *e, uint64_t sum, struct jw_err *err)
{
    struct jw_cache_entry found;

    if (!jw_cache_entry_check_bytes(file, e->name, &found, err) || !jw_pack_is_the_same(&found, sum, err))
        return false;
    return (found.key_size == e->key_bytes && found.payload_size == e->payload_bytes)
           || jw_fail(err, JW_E_FORMAT,
                      "cache entry: key of %llu and payload of %llu bytes, expected %llu and %llu",
                      (unsigned long long)found.key_size, (unsigned long long)found.payload_size,
                      (unsigned long long)e->key_bytes, (unsigned long long)e->payload_bytes);
}

static bool pack_entry(struct packer *k, size_t i, struct jw_err *err)
{
    struct jw_pack_tar *t = k->run->tar;
    const struct jw_pack_entry *e = &t->entries[i];
    struct jw_pack_member member = jw_pack_member(e->name);
    size_t n = (size_t)jw_pack_entry_bytes(e);

    jw_room(&k->entry, &k->room, n);
    return (t->from.read(t->from.ctx, i, k->entry, n, err)
            && check_entry((struct jw_bytes){ k->entry, n }, e, t->sums[i], err)
            && jw_tar_write_member(&k->tar, member.text, n, err)
            && jw_tar_write_data(&k->tar, k->entry, n, err))
           || jw_wrap(err, "%s", member.text + sizeof "cache/" - 1);
}

static void tell(struct run *r, uint64_t bytes)
{
    jw_lock_take(r->lock);
    r->done += bytes;
    if (r->o->progress) /* the first half was their digests */
        r->o->progress(r->o->ctx, (r->s->tar_bytes + r->done) / 2, r->s->tar_bytes);
    jw_lock_drop(r->lock);
}

static bool pack_frame(struct packer *k, size_t f, struct jw_err *err)
{
    struct jw_spool *s = k->run->s;
    const struct jw_pack_frame *frame = &s->frames[f];
    uint64_t from = k->filled;

    if (!jw_zstd_pack_begin(&k->z, frame->bytes, (struct jw_sink){ put_file, k }, err))
        return false;
    jw_tar_write_begin(&k->tar, (struct jw_sink){ put_tar, k });
    for (size_t i = 0; i < frame->n; i++) {
        if (jw_pack_interrupted(k->run->o, err) || !pack_entry(k, frame->first + i - 1, err))
            return false;
        tell(k->run, jw_tar_span(s->sizes[frame->first + i]));
    }
    if (f + 1 == s->n) {
        if (!jw_tar_write_end(&k->tar, err))
            return false;
        tell(k->run, JW_TAR_END);
    }
    if (!jw_zstd_pack_end(&k->z, err))
        return false;
    s->spooled[f] = (struct jw_spooled){ .bytes = k->filled - from, .where = from, .file = k->number };
    return true;
}

/* ---- all frames ---- */

static bool claim(struct run *r, size_t *frame)
{
    bool go;

    jw_lock_take(r->lock);
    go = !r->stop && r->next < r->s->n;
    if (go)
        *frame = r->next++;
    jw_lock_drop(r->lock);
    return go;
}

static bool claim_tar(struct run *r)
{
    bool mine;

    jw_lock_take(r->lock);
    mine = !r->tar_taken;
    r->tar_taken = true;
    jw_lock_drop(r->lock);
    return mine;
}

static void stop(struct run *r, const struct jw_err *err)
{
    jw_lock_take(r->lock);
    if (!r->stop)
        r->err = *err;
    r->stop = true;
    jw_lock_drop(r->lock);
}

static void work(void *ctx, unsigned number)
{
    struct run *r = ctx;
    struct packer k = { .run = r, .number = number };
    struct jw_err err = { 0 };
    size_t frame;
    bool ok = (!claim_tar(r) || jw_pack_digest_tar(r->tar, &err)) && jw_zstd_pack_open(&k.z, r->level, &err);

    while (ok && claim(r, &frame))
        ok = pack_frame(&k, frame, &err);
    if (!ok)
        stop(r, &err);
    jw_zstd_pack_close(&k.z);
    jw_free(k.entry);
}

static void name_file(char out[32], unsigned i)
{
    (void)snprintf(out, 32, "frames-%u", i);
}

static bool open_files(struct jw_spool *s, const char *dir, unsigned n, struct jw_err *err)
{
    char name[32];
    bool found;

    if (!jw_tree_open(&s->folder, dir, err))
        return jw_wrap(err, "%s", dir);
    for (; s->n_files < n; s->n_files++) {
        name_file(name, s->n_files);
        if (!jw_tree_open_file(&s->folder, name, JW_TREE_MAKE, &s->files[s->n_files], &found, err))
            return jw_wrap(err, "%s/%s", dir, name);
    }
    return true;
}

static void place_frames(struct jw_spool *s)
{
    uint64_t at = 0;

    for (size_t i = 0; i < s->n; i++) {
        s->spooled[i].at = at;
        at += s->spooled[i].bytes;
    }
}

bool jw_spool_fill(struct jw_spool *s, struct jw_pack_tar *tar, const struct jw_pack_write_options *o,
                   struct jw_err *err)
{
    struct run r = { .s = s, .tar = tar, .o = o };
    unsigned threads;

    *s = (struct jw_spool){ .folder = JW_TREE_CLOSED };
    r.level = o->level ? o->level : JW_PACK_LEVEL;
    plan_sizes(s, tar->entries, tar->n);
    if (!plan_frames(s, tar->n + 1, err))
        return false;
    threads = choose_threads(s, tar->n + 1, &r);
    if (!open_files(s, o->spool_dir, threads, err))
        return false;
    r.lock = jw_lock_new();
    jw_parallel(threads, work, &r);
    jw_lock_free(r.lock);
    if (r.stop) {
        *err = r.err;
        return false;
    }
    place_frames(s);
    return true;
}

/* ---- as one source ---- */

/* The frame that holds this byte. */
static const struct jw_spooled *frame_of(const struct jw_spool *s, uint64_t at)
{
    size_t low = 0, high = s->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (s->spooled[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return &s->spooled[low];
}

static bool pull(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct jw_spool *s = ctx;
    uint8_t *to = dst;

    while (n) {
        const struct jw_spooled *f = frame_of(s, at);
        uint64_t skip = at - f->at;
        size_t part = (size_t)jw_min(n, f->bytes - skip), got;

        if (!jw_file_read(&s->files[f->file], f->where + skip, to, part, &got, err))
            return false;
        if (got < part)
            return jw_fail(err, JW_E_IO, "a file of our own became shorter while it was in use");
        to += part;
        at += part;
        n -= part;
    }
    return true;
}

struct jw_source jw_spool_source(struct jw_spool *s)
{
    uint64_t size = s->n ? s->spooled[s->n - 1].at + s->spooled[s->n - 1].bytes : 0;

    return (struct jw_source){ .size = size, .pull = pull, .ctx = s };
}

void jw_spool_close(struct jw_spool *s)
{
    struct jw_err ignored = { 0 };
    char name[32];

    for (unsigned i = 0; i < s->n_files; i++) {
        jw_file_close(&s->files[i]);
        name_file(name, i);
        if (!jw_tree_remove(&s->folder, name, &ignored))
            continue; /* the folder is removed by whoever made it */
    }
    if (s->n_files || s->frames || s->sizes)
        jw_tree_close(&s->folder);
    jw_free(s->sizes);
    jw_free(s->frames);
    jw_free(s->spooled);
    memset(s, 0, sizeof *s);
}

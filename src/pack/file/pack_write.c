#include "pack/file/pack_write.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "pack/format/pack_layout.h"
#include "pack/format/tar.h"
#include "pack/format/zstd.h"

#include <string.h>

enum { AHEAD = 8 << 20 /* bytes of a frame that wait for the frames before it */ };

#define MEMORY ((uint64_t)192 << 20) /* of all threads */

/* The sink, with digests of its bytes. */
struct outlet {
    struct jw_sink to;
    struct jw_digest_state digest, digest512;
    bool sign;
    uint64_t bytes;
};

static bool put_bytes(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct outlet *o = ctx;

    jw_digest_update(&o->digest, p, n);
    if (o->sign)
        jw_digest_update(&o->digest512, p, n);
    o->bytes += n;
    return o->to.put(o->to.ctx, p, n, err);
}

static void outlet_begin(struct outlet *o, struct jw_sink to, bool sign)
{
    *o = (struct outlet){ .to = to, .sign = sign };
    jw_digest_init(&o->digest);
    jw_digest512_init(&o->digest512);
}

/* ---- the entries' frames ---- */

struct run {
    struct outlet *out;
    struct jw_pack_entry *entries;
    size_t n_entries;
    struct jw_pack_source from;
    const struct jw_pack_write_options *o;
    struct jw_pack_frame *frames;
    size_t n;
    uint64_t total;
    uint64_t group; /* bytes of entries that a thread reads and checks at once; one entry may be more */
    struct jw_lock *lock;
    /* Under the lock: */
    size_t next, turn; /* the next frame to compress, and to write */
    uint64_t done;
    bool stop;
    struct jw_err err;
};

/* One thread and its frame. */
struct packer {
    struct run *run;
    size_t frame;
    struct jw_zstd_pack z;
    struct jw_buf ahead; /* compressed bytes before its turn */
    bool writes;         /* it is its turn */
    uint8_t *entries;    /* some of the frame's */
    size_t room;
};

static bool claim(struct packer *k)
{
    struct run *r = k->run;
    bool go;

    jw_lock_take(r->lock);
    go = !r->stop && r->next < r->n;
    if (go)
        k->frame = r->next++;
    jw_lock_drop(r->lock);
    return go;
}

/* False without an error: another thread failed. */
static bool wait_for_turn(struct packer *k, struct jw_err *err)
{
    struct run *r = k->run;

    if (k->writes)
        return true;
    jw_lock_take(r->lock);
    while (!r->stop && r->turn != k->frame)
        jw_lock_wait(r->lock, 0);
    k->writes = !r->stop;
    jw_lock_drop(r->lock);
    return k->writes && put_bytes(r->out, k->ahead.p, k->ahead.n, err);
}

static bool put_packed(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct packer *k = ctx;

    if (!k->writes && n <= AHEAD - k->ahead.n) {
        jw_buf_add(&k->ahead, p, n);
        return jw_buf_ok(&k->ahead, err);
    }
    return wait_for_turn(k, err) && put_bytes(k->run->out, p, n, err);
}

static bool put_tar(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    return jw_zstd_pack_put(&((struct packer *)ctx)->z, p, n, err);
}

static void notify_packed(struct run *r, uint64_t bytes)
{
    jw_lock_take(r->lock);
    r->done += bytes;
    if (r->o->progress)
        r->o->progress(r->o->ctx, r->done, r->total);
    jw_lock_drop(r->lock);
}

static bool has_sizes(const struct jw_cache_entry *found, const struct jw_pack_entry *e, struct jw_err *err)
{
    return (found->key_size == e->key_bytes && found->payload_size == e->payload_bytes)
           || jw_fail(err, JW_E_FORMAT,
                      "cache entry: key of %llu and payload of %llu bytes, expected %llu and %llu",
                      (unsigned long long)found->key_size, (unsigned long long)found->payload_size,
                      (unsigned long long)e->key_bytes, (unsigned long long)e->payload_bytes);
}

/* How many of the next entries are read at once: at least one. */
static size_t group(uint64_t most, const struct jw_pack_entry *entries, size_t n, uint64_t *bytes)
{
    size_t i = 0;

    for (*bytes = 0; i < n; i++) {
        uint64_t entry = jw_pack_entry_bytes(&entries[i]);

        if (i && entry > most - jw_min(*bytes, most))
            break;
        *bytes += entry;
    }
    return i;
}

static bool read_entries(struct packer *k, size_t first, size_t n, struct jw_cache_checked *list,
                         struct jw_err *err)
{
    struct run *r = k->run;
    uint8_t *at = k->entries;

    for (size_t i = 0; i < n; i++) {
        const struct jw_pack_entry *e = &r->entries[first + i];
        size_t bytes = (size_t)jw_pack_entry_bytes(e);

        if (!jw_not_interrupted(r->o->interrupted, err))
            return false;
        if (!r->from.read(r->from.ctx, first + i, at, bytes, err))
            return jw_wrap(err, "%s", jw_cache_name(e->name).text);
        list[i] = (struct jw_cache_checked){ .file = { at, bytes }, .name = e->name };
        at += bytes;
    }
    return true;
}

static bool check_entries(const struct jw_pack_entry *entries, struct jw_cache_checked *list, size_t n,
                          struct jw_err *err)
{
    size_t bad;
    bool ok = jw_cache_entries_check(list, n, &bad, err);

    for (bad = ok ? 0 : bad; ok && bad < n; bad += ok)
        ok = has_sizes(&list[bad].entry, &entries[bad], err);
    return ok || jw_wrap(err, "%s", jw_cache_name(entries[bad].name).text);
}

static void fill_digests(struct jw_pack_entry *entries, const struct jw_cache_checked *list, size_t n)
{
    struct jw_digest_text *files = jw_alloc(n * sizeof *files);

    for (size_t i = 0; i < n; i++)
        files[i].bytes = list[i].file;
    jw_digest_texts(files, n);
    for (size_t i = 0; i < n; i++)
        memcpy(entries[i].digest, files[i].digest, JW_DIGEST);
    jw_free(files);
}

static bool pack_entry(struct packer *k, const struct jw_pack_entry *e, struct jw_bytes file,
                       struct jw_err *err)
{
    if (!jw_not_interrupted(k->run->o->interrupted, err))
        return false;
    if (!jw_tar_put((struct jw_sink){ put_tar, k }, jw_pack_member(e->name).text, file, err))
        return false;
    notify_packed(k->run, jw_tar_span(file.n));
    return true;
}

static bool pack_group(struct packer *k, size_t first, size_t n, uint64_t bytes, struct jw_err *err)
{
    struct jw_pack_entry *entries = &k->run->entries[first];
    struct jw_cache_checked *list = jw_alloc(n * sizeof *list);
    bool ok;

    jw_room(&k->entries, &k->room, (size_t)bytes);
    ok = read_entries(k, first, n, list, err) && check_entries(entries, list, n, err);
    if (ok)
        fill_digests(entries, list, n);
    for (size_t i = 0; ok && i < n; i++)
        ok = pack_entry(k, &entries[i], list[i].file, err);
    jw_free(list);
    return ok;
}

static bool pack_entries(struct packer *k, const struct jw_pack_frame *f, struct jw_err *err)
{
    size_t end = f->first + f->n;
    uint64_t bytes;
    bool ok = true;

    for (size_t i = f->first, n; ok && i < end; i += n) {
        n = group(k->run->group, &k->run->entries[i], end - i, &bytes);
        ok = pack_group(k, i, n, bytes, err);
    }
    return ok;
}

static bool pack_frame(struct packer *k, struct jw_err *err)
{
    const struct jw_pack_frame *f = &k->run->frames[k->frame];

    k->writes = false;
    jw_buf_clear(&k->ahead);
    return jw_zstd_pack_begin(&k->z, f->bytes, (struct jw_sink){ put_packed, k }, err)
           && pack_entries(k, f, err) && jw_zstd_pack_end(&k->z, err) && wait_for_turn(k, err);
}

static void settle_packed(struct packer *k, bool ok, const struct jw_err *err)
{
    struct run *r = k->run;

    jw_lock_take(r->lock);
    if (ok) {
        r->turn++;
    } else if (!r->stop) {
        r->err = *err;
        r->stop = true;
    }
    jw_lock_wake_all(r->lock);
    jw_lock_drop(r->lock);
}

static void pack_frames(void *ctx, unsigned number)
{
    struct packer k = { .run = ctx, .ahead = JW_BUF(AHEAD) };
    struct jw_err err = { 0 };
    bool ok = true;

    (void)number;
    while (ok && claim(&k)) {
        ok = (k.z.z || jw_zstd_pack_open(&k.z, &err)) && pack_frame(&k, &err);
        settle_packed(&k, ok, &err);
    }
    jw_zstd_pack_close(&k.z);
    jw_buf_free(&k.ahead);
    jw_free(k.entries);
}

/* Limited by memory: each thread needs one entry, zstd's memory and AHEAD. What is left is for more entries at once. */
static unsigned choose_threads(struct run *r)
{
    unsigned asked = r->o->threads ? r->o->threads : jw_cpu_count();
    uint64_t entry = 0, own = AHEAD + JW_ZSTD_PACK_MEMORY, threads;

    for (size_t i = 0; i < r->n_entries; i++)
        entry = jw_max(entry, jw_pack_entry_bytes(&r->entries[i]));
    threads = jw_max(1, jw_min(jw_min(jw_min(asked, JW_PACK_THREADS), r->n), MEMORY / (entry + own)));
    r->group = jw_max(entry, MEMORY / threads - jw_min(own, MEMORY / threads));
    return (unsigned)threads;
}

static bool put_entries(struct run *r, struct jw_err *err)
{
    r->frames = jw_pack_split_frames(r->entries, r->n_entries, &r->n);
    for (size_t i = 0; i < r->n; i++)
        r->total += r->frames[i].bytes;
    r->lock = jw_lock_new();
    jw_parallel(choose_threads(r), pack_frames, r);
    jw_lock_free(r->lock);
    jw_free(r->frames);
    if (r->stop)
        *err = r->err;
    return !r->stop;
}

/* ---- the kit's frames, one after the other ---- */

static bool put_file(struct run *r, struct jw_zstd_pack *z, struct jw_kit *kit, size_t i, struct jw_err *err)
{
    struct jw_kit_file *f = &kit->files[i];
    uint8_t *bytes = jw_alloc((size_t)f->bytes + 1);
    struct packer k = { .run = r, .z = *z };
    bool ok = jw_not_interrupted(r->o->interrupted, err)
              && (r->from.file(r->from.ctx, i, bytes, (size_t)f->bytes, err) || jw_wrap(err, "%s", f->path));

    if (ok) {
        jw_digest(f->digest, bytes, (size_t)f->bytes);
        ok = jw_tar_put((struct jw_sink){ put_tar, &k }, jw_kit_member(i).text,
                        (struct jw_bytes){ bytes, (size_t)f->bytes }, err);
    }
    *z = k.z;
    jw_free(bytes);
    return ok;
}

static bool put_kit(struct run *r, struct jw_kit *kit, struct jw_err *err)
{
    struct jw_zstd_pack z = { 0 };
    size_t n = 0;
    struct jw_pack_frame *frames = jw_pack_split_kit(kit, &n);
    bool ok = !n || jw_zstd_pack_open(&z, err);

    for (size_t i = 0; ok && i < n; i++) {
        ok = jw_zstd_pack_begin(&z, frames[i].bytes, (struct jw_sink){ put_bytes, r->out }, err);
        for (size_t k = 0; ok && k < frames[i].n; k++)
            ok = put_file(r, &z, kit, frames[i].first + k, err);
        ok = ok && jw_zstd_pack_end(&z, err);
        r->total += frames[i].bytes;
    }
    jw_zstd_pack_close(&z);
    jw_free(frames);
    return ok;
}

/* ---- the manifest's frame ---- */

static bool tar_of_manifest(struct jw_buf *tar, const struct jw_pack_manifest *m, uint8_t digest[JW_DIGEST],
                            struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    bool ok = jw_pack_manifest_write(&text, m, err);

    jw_digest(digest, text.p, text.n);
    ok = ok && jw_tar_put(jw_sink_buf(tar), JW_PACK_MANIFEST_NAME, jw_buf_bytes(&text), err)
         && jw_tar_put_end(jw_sink_buf(tar), err);
    jw_buf_free(&text);
    return ok;
}

/* The manifest's frame and the pointer to it. */
static bool put_manifest(struct outlet *out, const struct jw_pack_manifest *m, struct jw_pack_written *w,
                         struct jw_err *err)
{
    struct jw_buf tar = JW_BUF(JW_MAX_MANIFEST + 4 * JW_TAR_BLOCK), pointer = JW_BUF(JW_PACK_POINTER);
    struct jw_zstd_pack z = { 0 };
    uint64_t began = out->bytes;
    bool ok = tar_of_manifest(&tar, m, w->manifest, err) && jw_zstd_pack_open(&z, err)
              && jw_zstd_pack_begin(&z, tar.n, (struct jw_sink){ put_bytes, out }, err)
              && jw_zstd_pack_put(&z, tar.p, tar.n, err) && jw_zstd_pack_end(&z, err);

    w->tar_bytes += tar.n;
    jw_pack_pointer_put(&pointer, out->bytes - began);
    ok = ok && put_bytes(out, pointer.p, pointer.n, err);
    jw_zstd_pack_close(&z);
    jw_buf_free(&pointer);
    jw_buf_free(&tar);
    return ok;
}

/* ---- the trailer ---- */

static bool sign(struct jw_buf *out, const uint8_t digest[JW_DIGEST512], const struct jw_pack_manifest *m,
                 const struct jw_minisign_secret *key, struct jw_err *err)
{
    struct jw_buf comment = JW_BUF(JW_MAX_MINISIGN_TRUSTED + 1);

    jw_buf_printf(&comment, "jitwarm pack for sm_%u, libcuda of %.11s %s, %zu %s", m->sm, m->stamp,
                  m->stamp + 11, m->n_entries, m->n_entries == 1 ? "entry" : "entries");
    bool ok = jw_minisign_sign(out, key, digest, NULL, jw_buf_cstr(&comment), err);

    jw_buf_free(&comment);
    return ok;
}

static bool put_trailer(struct outlet *out, const struct jw_pack_manifest *m,
                        const struct jw_pack_write_options *o, uint8_t digest_out[JW_DIGEST],
                        struct jw_err *err)
{
    struct jw_buf signature = JW_BUF(JW_MAX_SIGNATURE), frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_digest_state digest = out->digest, digest512 = out->digest512;
    struct jw_trailer t = { 0 };
    uint8_t body[JW_DIGEST512];
    bool ok;

    jw_digest_final(&digest, t.digest);
    memcpy(digest_out, t.digest, JW_DIGEST);
    jw_digest512_final(&digest512, body);
    ok = !o->key || sign(&signature, body, m, o->key, err);
    t.signature = jw_buf_bytes(&signature);
    ok = ok && jw_trailer_write(&frame, &t, err) && put_bytes(out, frame.p, frame.n, err);
    jw_buf_free(&signature);
    jw_buf_free(&frame);
    return ok;
}

/* ---- all of it ---- */

bool jw_pack_write(struct jw_sink to, struct jw_pack_manifest *m, struct jw_pack_entry *entries,
                   struct jw_pack_source from, const struct jw_pack_write_options *o,
                   struct jw_pack_written *w, struct jw_err *err)
{
    struct outlet out;
    struct run run = { .out = &out, .entries = entries, .n_entries = m->n_entries, .from = from, .o = o };

    m->entries = entries;
    *w = (struct jw_pack_written){ 0 };
    if (!jw_pack_manifest_check(m, err))
        return false;
    outlet_begin(&out, to, o->key != NULL);
    if (!put_entries(&run, err) || !put_kit(&run, &m->kit, err))
        return false;
    w->tar_bytes = run.total;
    if (!put_manifest(&out, m, w, err) || !put_trailer(&out, m, o, w->body, err))
        return false;
    w->bytes = out.bytes;
    jw_digest_final(&out.digest, w->digest);
    if (out.sign)
        jw_digest512_final(&out.digest512, w->digest512);
    return true;
}

bool jw_pack_minisig(struct jw_buf *out, const struct jw_pack_written *w, const struct jw_pack_manifest *m,
                     const struct jw_minisign_secret *key, struct jw_err *err)
{
    return sign(out, w->digest512, m, key, err);
}

#include "pack/file/pack_read.h"

#include "base/mem.h"
#include "base/num.h"
#include "os/machine/env.h"
#include "pack/file/frames.h"
#include "pack/format/pack_name.h"
#include "pack/format/tar.h"
#include "pack/format/zstd.h"

#include <string.h>

enum { MAGIC = 4 };
/* Of all, compressed. */
#define MAX_ENDING (JW_MAX_PACK_LIST + JW_MAX_MANIFEST + ((size_t)1 << 20))

static bool check_start(struct jw_bytes head, struct jw_err *err)
{
    static const uint8_t zstd[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};

    if (!head.n)
        return jw_fail(err, JW_E_FORMAT, "it is empty");
    return memcmp(head.p, zstd, (size_t)jw_min(head.n, MAGIC)) == 0
           || jw_fail(err, JW_E_FORMAT, "it is not a pack: it does not begin with a zstd frame");
}

static bool read_ending(struct jw_pack_in *in, struct jw_err *err)
{
    uint8_t pointer[JW_PACK_POINTER] = {0};
    uint64_t n, end = in->trailer_at - jw_min(in->trailer_at, sizeof pointer);

    if (!jw_source_read(&in->bytes, end, pointer, (size_t)(in->trailer_at - end), err))
        return false;
    if (!jw_pack_pointer_read(pointer, &n))
        return jw_fail(err, JW_E_FORMAT, "pack: the pointer to its manifest is missing (0x%llx)",
                       (unsigned long long)end);
    if (n > end || n > MAX_ENDING - sizeof pointer)
        return jw_fail(err, JW_E_FORMAT,
                       "pack: impossible size of the manifest: %llu bytes before 0x%llx",
                       (unsigned long long)n, (unsigned long long)end);
    in->list_at = end - n;
    jw_buf_fill(&in->ending, 0, (size_t)n);
    jw_buf_add(&in->ending, pointer, sizeof pointer);
    return jw_buf_ok(&in->ending, err)
           && jw_source_read(&in->bytes, in->list_at, in->ending.p, (size_t)n, err);
}

static bool measure_manifest(struct jw_bytes ending, struct jw_zstd_frame *out, struct jw_err *err)
{
    struct jw_source bytes = jw_source_memory(&ending);
    uint64_t max = jw_tar_span(JW_MAX_MANIFEST) + JW_TAR_END;
    uint64_t end = ending.n - JW_PACK_POINTER;

    if (!jw_zstd_frame_measure(&bytes, 0, end, (size_t)max, out, err))
        return false;
    if (out->content > max)
        return jw_fail(err, JW_E_LIMIT,
                       "zstd: the last frame claims %llu bytes, but a manifest has at most %llu",
                       (unsigned long long)out->content, (unsigned long long)max);
    return out->bytes == end || jw_fail(err, JW_E_FORMAT, "zstd: something follows the last frame");
}

/* Takes the list from in->ending, and decompresses the manifest that is there. */
static bool read_manifest(struct jw_pack_in *in, struct jw_arena *a, struct jw_pack_manifest *out,
                          struct jw_err *err)
{
    struct jw_bytes ending = jw_buf_bytes(&in->ending);
    struct jw_zstd_frame frame;
    uint8_t *tar;
    bool ok;

    if (!jw_pack_list_take(&ending, &in->digests) || ending.n < JW_PACK_POINTER)
        return jw_fail(err, JW_E_FORMAT, "pack: the list of its frames is missing (0x%llx)",
                       (unsigned long long)in->list_at);
    if (!measure_manifest(ending, &frame, err))
        return jw_wrap(err, "its manifest");
    tar = jw_alloc((size_t)frame.content);
    ok = jw_zstd_unpack((struct jw_bytes){ending.p, (size_t)frame.bytes}, tar,
                        (size_t)frame.content, err)
         && jw_pack_members_manifest((struct jw_bytes){tar, (size_t)frame.content}, a, out, err);
    jw_free(tar);
    return ok;
}

static bool find_end(struct jw_pack_in *in, struct jw_err *err)
{
    uint8_t head[MAGIC];
    size_t n = in->bytes.size < sizeof head ? (size_t)in->bytes.size : sizeof head;

    return jw_source_read(&in->bytes, 0, head, n, err)
           && check_start((struct jw_bytes){head, n}, err)
           && jw_trailer_find(&in->bytes, &in->frame, &in->trailer, &in->trailer_at, err)
           && read_ending(in, err);
}

bool jw_pack_open(struct jw_pack_in *in, const char *path, struct jw_err *err)
{
    struct jw_file_info info;

    *in = (struct jw_pack_in){.path = path,
                              .file = JW_FILE_CLOSED,
                              .frame = JW_BUF(JW_MAX_TRAILER),
                              .ending = JW_BUF(MAX_ENDING)};
    if (!jw_file_open(&in->file, path, err) || !jw_file_info(&in->file, &info, err))
        return false;
    in->bytes = jw_file_source(&in->file, info.size);
    return find_end(in, err);
}

void jw_pack_close(struct jw_pack_in *in)
{
    if (!in->path)
        return;
    jw_file_close(&in->file);
    jw_buf_free(&in->frame);
    jw_buf_free(&in->ending);
    *in = (struct jw_pack_in){.file = JW_FILE_CLOSED};
}

enum { HASH_PART = 256 << 10 /* stays in the processor's own cache */ };

struct checking {
    struct jw_pack_in *in;
    const struct jw_trusted_keys *keys;
    const struct jw_run *run;
    struct jw_arena *a;
    const char *where;         /* the signature is; NULL: it is not signed */
    struct jw_bytes signature; /* its text */
    bool beside;               /* it is of the whole file; else of the bytes before the trailer */
    uint8_t body512[JW_DIGEST512], whole512[JW_DIGEST512];
};

/* A signature that somebody put beside the pack counts instead of the one in it. */
static bool find_signature(struct checking *c, struct jw_err *err)
{
    const char *path = jw_arena_printf(c->a, "%s" JW_PACK_SIGNATURE, c->in->path);
    struct jw_buf text = JW_BUF_IN(c->a, JW_MAX_SIGNATURE);

    if (!jw_file_slurp(path, &text, &c->beside, err))
        return jw_wrap(err, "%s", path);
    c->signature = c->beside ? jw_buf_bytes(&text) : c->in->trailer.signature;
    c->where = c->beside ? path : c->signature.n ? "the pack itself" : NULL;
    return true;
}

static bool hash_range(struct checking *c, struct jw_digest_state *s, uint64_t at, uint64_t end,
                       uint8_t *part, struct jw_err *err)
{
    while (at < end) {
        size_t n = (size_t)jw_min(end - at, HASH_PART);

        if (!jw_run_goes_on(c->run, err) || !jw_source_read(&c->in->bytes, at, part, n, err))
            return false;
        jw_digest_update(s, part, n);
        at += n;
        jw_run_show(c->run, "checking the pack", at, c->in->bytes.size);
    }
    return true;
}

/* The trailer has the first half. */
static bool is_its_digest(struct checking *c, const struct jw_digest_state *body,
                          struct jw_err *err)
{
    struct jw_digest_state s = *body;

    jw_digest_final(&s, c->body512);
    return memcmp(c->body512, c->in->trailer.digest, JW_DIGEST) == 0
           || jw_fail(err, JW_E_FORMAT, "wrong digest: the pack is damaged or was changed");
}

/* Those of the manifest are hashed where they are, which is where they are decompressed from. */
static bool hash_all(struct checking *c, struct jw_err *err)
{
    struct jw_digest_state s;
    uint8_t *part = jw_alloc(HASH_PART);

    jw_digest512_init(&s);
    bool ok = hash_range(c, &s, 0, c->in->list_at, part, err);

    jw_digest_update(&s, c->in->ending.p, c->in->ending.n);
    ok = ok && is_its_digest(c, &s, err)
         && hash_range(c, &s, c->in->trailer_at, c->in->bytes.size, part, err);
    jw_digest_final(&s, c->whole512);
    jw_free(part);
    return ok;
}

static void check_signature(struct checking *c, struct jw_pack_verdict *v)
{
    struct jw_minisign_sig sig;
    struct jw_err why = {0};
    const struct jw_trusted_key *key = NULL;

    v->kind = JW_PACK_SIGNED_UNKNOWN;
    if (jw_minisign_sig_read(c->signature, &sig, &why)) {
        jw_minisign_show_id(v->key, sig.id);
        key = jw_keys_find(c->keys, sig.id);
    }
    if (key && jw_minisign_verify(&sig, &key->key, c->beside ? c->whole512 : c->body512, &why)) {
        v->kind = JW_PACK_SIGNED;
    } else if (why.code != JW_OK) {
        v->kind = JW_PACK_SIGNED_WRONG;
        v->why = jw_arena_printf(c->a, "its signature (%s) is invalid: %s; the pack is not used",
                                 c->where, why.msg);
    }
}

bool jw_pack_check(struct jw_pack_in *in, const struct jw_trusted_keys *keys,
                   const struct jw_run *run, struct jw_arena *a, struct jw_pack_verdict *out,
                   struct jw_err *err)
{
    struct checking c = {.in = in, .keys = keys, .run = run, .a = a};

    *out = (struct jw_pack_verdict){.kind = JW_PACK_UNCHECKED};
    if (!find_signature(&c, err) || !hash_all(&c, err))
        return false;
    *out = (struct jw_pack_verdict){.kind = JW_PACK_UNSIGNED, .beside = c.beside};
    if (c.where)
        check_signature(&c, out);
    return in->checked = true;
}

bool jw_pack_check_trust(const struct jw_pack_verdict *v, bool allow_unsigned, struct jw_err *err)
{
    switch (v->kind) {
    case JW_PACK_SIGNED: return true;
    case JW_PACK_SIGNED_WRONG: return jw_fail(err, JW_E_TRUST, "%s", v->why);
    case JW_PACK_SIGNED_UNKNOWN:
        return allow_unsigned
               || jw_fail(
                   err, JW_E_TRUST,
                   "it is signed with key %s, which you do not trust: ask its maker for KEY.pub",
                   v->key);
    case JW_PACK_UNSIGNED:
    case JW_PACK_UNCHECKED: break;
    }
    return allow_unsigned
           || jw_fail(err, JW_E_TRUST, "it is not signed, so anybody could have made it");
}

enum { MAX_THREADS = 5 };
/* Of all threads; one thread may use more for a large frame. */
#define MEMORY ((uint64_t)192 << 20)

struct reading {
    struct jw_pack_in *in;
    const struct jw_pack_manifest *m;
    struct jw_pack_visitor to;
    struct frames frames; /* as a writer cuts the entries of this manifest */
    uint64_t *at;         /* start of each, and the end of the last */
};

/* A limit is exceeded only by a bad pack. */
static bool refuse_pack(struct jw_err *err)
{
    jw_err_becomes(err, JW_E_LIMIT, JW_E_FORMAT);
    return false;
}

static bool measure_frames(struct reading *r, struct jw_err *err)
{
    struct frames *f = &r->frames;
    struct jw_zstd_frame is;

    frames_split(f, r->m);
    r->at = jw_alloc((f->n + 1) * sizeof *r->at);
    for (size_t i = 0; i < f->n; i++) {
        if (!jw_run_goes_on(f->run, err)
            || !jw_zstd_frame_measure(&r->in->bytes, r->at[i], r->in->list_at,
                                      (size_t)f->v[i].bytes, &is, err))
            return false;
        if (is.content != f->v[i].bytes)
            return jw_fail(err, JW_E_FORMAT,
                           "zstd: the frame at 0x%llx claims %llu bytes, expected %llu",
                           (unsigned long long)r->at[i], (unsigned long long)is.content,
                           (unsigned long long)f->v[i].bytes);
        r->at[i + 1] = r->at[i] + is.bytes;
        f->packed = (size_t)jw_max(f->packed, is.bytes);
    }
    if (r->at[f->n] != r->in->list_at)
        return jw_fail(err, JW_E_FORMAT,
                       "zstd: something follows the last frame of entries (0x%llx)",
                       (unsigned long long)r->at[f->n]);
    return r->in->digests.n == f->n * JW_DIGEST
           || jw_fail(err, JW_E_FORMAT, "pack: the list of its frames has %zu bytes, expected %zu",
                      r->in->digests.n, f->n * JW_DIGEST);
}

static bool has_its_digest(const struct reading *r, size_t f, struct jw_bytes raw,
                           struct jw_err *err)
{
    uint8_t digest[JW_DIGEST];

    jw_digest(digest, raw.p, raw.n);
    return memcmp(digest, r->in->digests.p + f * JW_DIGEST, JW_DIGEST) == 0
           || jw_fail(err, JW_E_FORMAT,
                      "pack: the frame at 0x%llx has not the digest that the list says",
                      (unsigned long long)r->at[f]);
}

static bool fail_by_pack(const struct reading *r, struct jw_err *err)
{
    return err->code == JW_E_IO ? jw_wrap(err, "%s", r->in->path) : refuse_pack(err);
}

static bool read_frame(void *ctx, struct frame *k, struct jw_err *err)
{
    const struct reading *r = ctx;
    const struct jw_pack_frame *is = &r->frames.v[k->at];
    const struct jw_bytes raw = {k->packed, (size_t)(r->at[k->at + 1] - r->at[k->at])};
    const struct jw_bytes tar = {k->tar, (size_t)is->bytes};
    struct jw_bytes *files = jw_alloc(is->n * sizeof *files);
    bool read = jw_run_goes_on(r->frames.run, err)
                && jw_source_read(&r->in->bytes, r->at[k->at], k->packed, raw.n, err)
                && has_its_digest(r, k->at, raw, err) && jw_zstd_unpack(raw, k->tar, tar.n, err)
                && jw_pack_members_entries(tar, &r->m->entries[is->first], is->n, files, err);
    bool ok = read ? r->to.entries(r->to.ctx, is->first, is->n, files, err) : fail_by_pack(r, err);

    jw_free(files);
    return ok;
}

bool jw_pack_manifest(struct jw_pack_in *in, struct jw_arena *a,
                      const struct jw_pack_manifest **out, struct jw_err *err)
{
    struct jw_pack_manifest *m = jw_arena_alloc(a, sizeof *m);

    *out = m;
    if (!in->checked)
        return jw_fail(err, JW_E_USAGE, "%s: read before it was checked", in->path);
    return read_manifest(in, a, m, err) || refuse_pack(err);
}

bool jw_pack_read(struct jw_pack_in *in, const struct jw_pack_manifest *m,
                  struct jw_pack_visitor to, unsigned threads, const struct jw_run *run,
                  struct jw_err *err)
{
    struct reading r = {.in = in, .m = m, .to = to};

    r.frames = (struct frames){
        .run = run,
        .what = "unpacking",
        .work = read_frame,
        .ctx = &r,
        .threads = (unsigned)jw_min(threads ? threads : jw_cpu_count(), MAX_THREADS),
        .memory = MEMORY};
    bool ok = measure_frames(&r, err) ? frames_run(&r.frames, err) : fail_by_pack(&r, err);

    jw_free(r.frames.v);
    jw_free(r.at);
    return ok;
}

bool jw_pack_peek(const char *path, const struct jw_trusted_keys *keys, struct jw_arena *a,
                  struct jw_pack_peeked *out, struct jw_err *err)
{
    struct jw_pack_verdict says = {.kind = JW_PACK_UNSIGNED};
    struct jw_pack_in in;
    struct checking c = {.in = &in, .a = a};
    struct jw_minisign_sig sig;

    *out = (struct jw_pack_peeked){.key = ""};
    bool ok = jw_pack_open(&in, path, err) && find_signature(&c, err);

    if (ok && jw_minisign_sig_read(c.signature, &sig, JW_IGNORED)) {
        says.kind = jw_keys_find(keys, sig.id) ? JW_PACK_SIGNED : JW_PACK_SIGNED_UNKNOWN;
        jw_minisign_show_id(says.key, sig.id);
    }
    memcpy(out->key, says.key, sizeof out->key);
    ok = ok && (!keys || jw_pack_check_trust(&says, false, err))
         && (read_manifest(&in, a, &out->manifest, err) || refuse_pack(err));
    jw_pack_close(&in);
    return ok;
}

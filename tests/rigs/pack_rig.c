#include "pack_rig.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/sort.h"
#include "pack/format/pack_layout.h"
#include "pack/format/zstd.h"
#include "rigs/cache_entry.h"
#include "rigs/digest512.h"
#include "rigs/scratch.h"

#define PACK_RIG_COMPILER "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* ---- entries ---- */

static void make_key(struct jw_buf *key, size_t i)
{
    char ptx[96];

    (void)snprintf(ptx, sizeof ptx,
                   ".version 8.0\n.target sm_80\n.visible .entry k%zu() { ret; }\n", i);
    jw_cache_key_make(key, "Jan  7 202662:51:46", "sm_86",
                      (struct jw_bytes){(uint8_t *)ptx, strlen(ptx)}, 2, NULL);
}

/* Without printf, of which a payload of 40 MiB would need five million. */
static void put_hex(struct jw_buf *out, uint32_t x)
{
    char text[] = "0x00000000 ";

    for (size_t i = sizeof text - 3; i > 1; i--, x >>= 4)
        text[i] = "0123456789abcdef"[x & 15];
    jw_buf_add(out, text, sizeof text - 1);
}

static const char *move_of(size_t k)
{
    static char moves[64][32];
    char *move = moves[k % JW_COUNT(moves)];

    if (!*move)
        (void)snprintf(move, sizeof *moves, "mov.u32 %%r%u, %%r1; ",
                       (unsigned)(k % JW_COUNT(moves)));
    return move;
}

/* PTX text, for a driver may keep that; half of it cannot be compressed. */
static void make_payload(struct jw_buf *out, size_t i, size_t size)
{
    static const char head[] = ".version 8.0\n.target sm_86\n//";
    uint32_t x = (uint32_t)i * 2654435761u + 1;

    jw_buf_text(out, head);
    for (size_t k = 0; out->n < size; k++) {
        x = x * 1664525u + 1013904223u;
        if (k % 2)
            jw_buf_text(out, move_of(k));
        else
            put_hex(out, x);
    }
}

/* The same, and it shrinks to almost nothing. */
static void make_plain(struct jw_buf *out, size_t i, size_t size)
{
    jw_buf_printf(out, ".version 8.0\n.target sm_86\n// %zu\n", i);
    while (out->n < size)
        jw_buf_text(out, "mov.u32 %r2, %r1; add.u32 %r1, %r2, %r3; bar.sync 0; // one line like "
                         "all the others\n");
}

static void make_entry(struct pack_rig *r, size_t i, size_t size, bool plain)
{
    struct jw_pack_entry *e = &r->entries[i];
    FREED(jw_buf) key = JW_BUF(4096), payload = JW_BUF(PACK_RIG_MAX), file = JW_BUF(PACK_RIG_MAX);
    void *copy;

    make_key(&key, i);
    (plain ? make_plain : make_payload)(&payload, i, size);
    CHECK(
        cache_entry_write(&file, jw_buf_bytes(&key), jw_buf_bytes(&payload), &e->name, JW_IGNORED));
    e->key_bytes = key.n;
    e->payload_bytes = payload.n;
    copy = jw_arena_copy(&r->a, file.p, file.n);
    r->files[i] = (struct jw_bytes){copy, file.n};
}

struct both {
    struct jw_pack_entry entry;
    struct jw_bytes file;
};

static int by_name(const void *a, const void *b)
{
    const struct both *x = a, *y = b;

    return (x->entry.name > y->entry.name) - (x->entry.name < y->entry.name);
}

static void sort(struct pack_rig *r)
{
    struct both *all = jw_arena_alloc(&r->a, r->n * sizeof *all);

    for (size_t i = 0; i < r->n; i++)
        all[i] = (struct both){r->entries[i], r->files[i]};
    jw_sort(all, r->n, sizeof *all, by_name);
    for (size_t i = 0; i < r->n; i++) {
        r->entries[i] = all[i].entry;
        r->files[i] = all[i].file;
    }
}

static void make(struct pack_rig *r, size_t n, size_t size, size_t first, bool plain)
{
    static const char *const software[] = {"libfirst.so", "libsecond.so"};

    memset(r, 0, sizeof *r);
    r->n = n;
    r->entries = jw_arena_alloc(&r->a, n * sizeof *r->entries);
    r->files = jw_arena_alloc(&r->a, n * sizeof *r->files);
    r->reads = jw_arena_alloc(&r->a, n * sizeof *r->reads);
    for (size_t i = 0; i < n; i++)
        make_entry(r, i, i ? size : first, plain);
    sort(r);
    r->manifest = (struct jw_pack_manifest){.tool = "0.0.1",
                                            .os = "linux",
                                            .arch = "x86_64",
                                            .driver = "580.126.09",
                                            .stamp = "Jan  7 202662:51:46",
                                            .compiler = PACK_RIG_COMPILER,
                                            .sm = 86,
                                            .software = software,
                                            .n_software = n > 2 ? 2 : n,
                                            .nameless = n / 3,
                                            .entries = r->entries,
                                            .n_entries = n};
}

void pack_rig_make(struct pack_rig *r, size_t n, size_t size, size_t first)
{
    make(r, n, size, first, false);
}

void pack_rig_make_plain(struct pack_rig *r, size_t n, size_t size, size_t first)
{
    make(r, n, size, first, true);
}

void pack_rig_free(struct pack_rig *r) { jw_arena_free(&r->a); }

/* ---- written ---- */

static bool read_entry(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err)
{
    struct pack_rig *r = ctx;

    if (entry == 1 && r->read_fails.code != JW_OK) {
        *err = r->read_fails;
        return false;
    }
    atomic_fetch_add(&r->reads[entry], 1);
    if (n != r->files[entry].n)
        return jw_fail(err, JW_E_USAGE, "%zu bytes were asked for", n);
    memcpy(dst, r->files[entry].p, n);
    return true;
}

struct jw_pack_content pack_rig_source(struct pack_rig *r)
{
    return (struct jw_pack_content){read_entry, r};
}

void pack_rig_write(struct pack_rig *r, const struct jw_pack_write_options *o, struct jw_buf *out)
{
    struct jw_pack_write_options usual = {0};
    size_t before = out->n;
    struct jw_err err = {0};
    uint64_t bytes;

    CHECK_OK(jw_pack_write(jw_sink_buf(out), &r->manifest, pack_rig_source(r), o ? o : &usual,
                           &bytes, &err),
             err);
    CHECK_NUM(bytes, out->n - before);
}

/* ---- read ---- */

static bool on_entries(void *ctx, size_t first, size_t n, const struct jw_bytes *files,
                       struct jw_err *err)
{
    struct pack_reader *p = ctx;

    if (p->refuse)
        return jw_fail(err, p->refuses_with, "%s", p->refuse);
    for (size_t i = 0; i < n; i++) {
        atomic_fetch_add(&p->whole, 1);
        if (p->rig) {
            struct jw_bytes want = p->rig->files[first + i];

            CHECK(files[i].n == want.n && memcmp(files[i].p, want.p, want.n) == 0);
        }
    }
    return true;
}

struct jw_pack_visitor pack_reader(struct pack_reader *to)
{
    return (struct jw_pack_visitor){on_entries, to};
}

bool pack_rig_entries(struct jw_pack_in *in, struct pack_reader *to, unsigned threads,
                      const struct jw_run *run, struct jw_arena *a, struct jw_err *err)
{
    return jw_pack_manifest(in, a, &to->manifest, err)
           && jw_pack_read(in, to->manifest, pack_reader(to), threads, run, err);
}

bool pack_rig_open(struct jw_pack_in *in, struct jw_bytes pack, struct jw_err *err)
{
    const char *path = scratch("open.tar.zst");

    (void)remove(
        path); /* ext4 writes one that is cut to nothing and filled again to the disk at once */
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(pack.p, 1, pack.n, f) == pack.n && fclose(f) == 0);
    return jw_pack_open(in, path, err);
}

bool pack_rig_read(struct jw_bytes pack, struct pack_reader *to, unsigned threads,
                   struct jw_err *err)
{
    struct jw_trusted_keys none = {0};
    struct jw_run check = {0};
    struct jw_pack_verdict verdict;
    FREED(jw_arena) a = {0};
    struct jw_pack_in in = {0};
    bool ok = pack_rig_open(&in, pack, err) && jw_pack_check(&in, &none, &check, &a, &verdict, err)
              && pack_rig_entries(&in, to, threads, NULL, &a, err);

    jw_pack_close(&in);
    to->manifest = NULL;
    return ok;
}

/* ---- in parts ---- */

void pack_rig_frame(struct jw_buf *out, struct jw_bytes content)
{
    uint8_t *frame = jw_alloc(jw_zstd_room(content.n));
    struct jw_err err = {0};
    size_t n = 0;

    CHECK_OK(jw_zstd_pack(content, frame, &n, &err), err);
    jw_buf_add(out, frame, n);
    jw_free(frame);
}

void pack_rig_list(struct jw_buf *out)
{
    FREED(jw_buf) list = JW_BUF(JW_MAX_PACK_LIST);
    struct jw_bytes bytes = jw_buf_bytes(out);
    struct jw_source all = jw_source_memory(&bytes);
    struct jw_zstd_frame f;

    for (size_t at = 0; jw_zstd_frame_measure(&all, at, out->n, PACK_RIG_MAX, &f, JW_IGNORED);
         at += f.bytes) {
        uint8_t digest[JW_DIGEST];

        jw_digest(digest, out->p + at, (size_t)f.bytes);
        jw_buf_add(&list, digest, JW_DIGEST);
    }
    jw_pack_list_put(out, jw_buf_bytes(&list));
}

void pack_rig_pointer(struct jw_buf *out, size_t list) { jw_pack_pointer_put(out, out->n - list); }

void pack_rig_trailer(struct jw_buf *out)
{
    struct jw_trailer t = {0};
    uint8_t digest[JW_DIGEST512];

    digest512(digest, out->p, out->n);
    memcpy(t.digest, digest, sizeof t.digest);
    CHECK(jw_trailer_write(out, &t, JW_IGNORED));
}

void pack_rig_minisig(struct jw_buf *out, struct jw_bytes pack,
                      const struct jw_minisign_secret *key)
{
    uint8_t digest[JW_DIGEST512];
    struct jw_err err = {0};

    digest512(digest, pack.p, pack.n);
    CHECK_OK(jw_minisign_sign(out, key, digest,
                              "jitwarm pack for sm_86, libcuda of 20260107-625146, 3 entries",
                              &err),
             err);
}

#include "formats/fatbin_unpack.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/work.h"
#include "facts/drivers.h"
#include "formats/cubin.h"
#include "formats/elf.h"
#include "formats/ptx.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

enum { IN = 64 * 1024, OUT = 128 * 1024, LZ4_RATIO = 255 };

/* One stream: its remaining compressed bytes and its output. */
struct jw_unpacking {
    const struct jw_source *src;
    uint64_t at, left;   /* of the input */
    uint64_t made, want; /* of the output */
    struct jw_sink out;
    uint8_t in[IN], plain[OUT];
};

static bool pull_packed(struct jw_unpacking *s, size_t *n, struct jw_err *err)
{
    *n = (size_t)jw_min(sizeof s->in, s->left);
    if (!jw_source_read(s->src, s->at, s->in, *n, err))
        return false;
    s->at += *n;
    s->left -= *n;
    return true;
}

static bool push_plain(struct jw_unpacking *s, const void *p, size_t n, struct jw_err *err)
{
    if (n > s->want - s->made)
        return jw_fail(err, JW_E_FORMAT, "unpacks to more than the %llu bytes that it claims",
                       (unsigned long long)s->want);
    s->made += n;
    jw_work_add(JW_WORK_BYTES_DECODED, n);
    return n == 0 || s->out.put(s->out.ctx, p, n, err);
}

static bool unpack_raw(struct jw_unpacking *s, struct jw_err *err)
{
    size_t n;

    while (s->left)
        if (!pull_packed(s, &n, err) || !push_plain(s, s->in, n, err))
            return false;
    return true;
}

static bool unpack_zstd(struct jw_unpacking *s, struct jw_err *err)
{
    ZSTD_DStream *z = ZSTD_createDStream();

    if (!z)
        jw_out_of_memory(ZSTD_DStreamInSize());

    ZSTD_inBuffer in = {s->in, 0, 0};
    size_t hint = 1;
    bool ok = true;

    while (ok && hint) {
        ZSTD_outBuffer out = {s->plain, sizeof s->plain, 0};

        if (in.pos == in.size) { /* at the end none: what it holds still comes */
            in.pos = 0;
            ok = pull_packed(s, &in.size, err);
            if (!ok)
                break;
        }
        bool starved = in.size == 0;

        hint = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(hint))
            ok = jw_fail(err, JW_E_FORMAT, "zstd: %s", ZSTD_getErrorName(hint));
        else if (hint && starved && out.pos == 0)
            ok = jw_fail(err, JW_E_FORMAT, "zstd: the stream is cut off");
        ok = ok && push_plain(s, s->plain, out.pos, err);
    }
    if (ok && (in.pos < in.size || s->left)) /* a file may be several, one behind another */
        ok = jw_fail(err, JW_E_FORMAT, "zstd: more than one stream");
    ZSTD_freeDStream(z);
    return ok;
}

static bool unpack_lz4_block(struct jw_unpacking *s, struct jw_err *err)
{
    if (s->left > LZ4_MAX_INPUT_SIZE || s->want > LZ4_MAX_INPUT_SIZE)
        return jw_fail(err, JW_E_LIMIT, "lz4: a block of %llu bytes", (unsigned long long)s->want);
    if (s->want / LZ4_RATIO > s->left) /* before allocating */
        return jw_fail(err, JW_E_FORMAT,
                       "lz4: a block of %llu bytes cannot unpack to the %llu that it claims",
                       (unsigned long long)s->left, (unsigned long long)s->want);

    size_t packed = (size_t)s->left;
    size_t plain = (size_t)s->want;
    char *in = jw_realloc(NULL, packed);
    char *out = jw_realloc(NULL, plain);
    bool ok = jw_source_read(s->src, s->at, in, packed, err);
    if (ok) {
        int n = LZ4_decompress_safe(in, out, (int)packed, (int)plain);

        if (n < 0)
            ok = jw_fail(err, JW_E_FORMAT, "lz4: the block is damaged");
        else
            ok = push_plain(s, out, (size_t)n, err);
    }
    s->left = 0;
    jw_free(in);
    jw_free(out);
    return ok;
}

static bool pack_zstd(struct jw_bytes plain, struct jw_buf *out, struct jw_err *err)
{
    size_t room = ZSTD_compressBound(plain.n);
    uint8_t *packed = jw_alloc(room);
    size_t n = ZSTD_compress(packed, room, plain.p, plain.n, 3);
    bool ok = !ZSTD_isError(n) || jw_fail(err, JW_E_FORMAT, "zstd: %s", ZSTD_getErrorName(n));

    if (ok)
        jw_buf_add(out, packed, n);
    jw_free(packed);
    return ok;
}

static bool pack_lz4_block(struct jw_bytes plain, struct jw_buf *out, struct jw_err *err)
{
    int room = LZ4_compressBound((int)plain.n);
    uint8_t *packed = jw_alloc((size_t)room);

    (void)err;
    jw_buf_add(
        out, packed,
        (size_t)LZ4_compress_default((const char *)plain.p, (char *)packed, (int)plain.n, room));
    jw_free(packed);
    return true;
}

static const struct jw_packing packings[] = {
    {JW_FAT_LZ4, "LZ4", 0, unpack_lz4_block, pack_lz4_block},
    {JW_FAT_ZSTD, "zstd", JW_ZSTD_FIRST_BRANCH, unpack_zstd, pack_zstd},
};

const struct jw_packing *jw_packing_of(uint64_t flags)
{
    for (size_t i = 0; i < JW_COUNT(packings); i++)
        if ((flags & JW_FAT_PACKED) == packings[i].flag)
            return &packings[i];
    return NULL;
}

static bool unpack_by_flag(struct jw_unpacking *s, const struct jw_fat_entry *e, struct jw_err *err)
{
    const struct jw_packing *packing = jw_packing_of(e->flags);

    if (e->flags & JW_FAT_OBFUSCATED)
        return jw_fail(err, JW_E_FORMAT, "is obfuscated, as all NVVM code is");
    if (packing)
        return packing->unpack(s, err);
    return e->packed ? jw_fail(err, JW_E_FORMAT, "has an unknown compression") : unpack_raw(s, err);
}

bool jw_fat_unpack(const struct jw_source *src, const struct jw_fat_entry *e, struct jw_sink out,
                   struct jw_err *err)
{
    struct jw_unpacking *s = NULL;
    uint64_t plain = jw_fat_plain(e);
    uint64_t packed = e->packed ? e->packed : e->stored;
    bool ok = (plain <= JW_MAX_PLAIN
               || jw_fail(err, JW_E_LIMIT, "claims to unpack to %llu bytes (at most 512 MiB)",
                          (unsigned long long)plain))
              && (packed <= e->stored
                  || jw_fail(err, JW_E_FORMAT, "has a compressed size larger than its payload"));

    if (ok) {
        s = jw_realloc(NULL, sizeof *s); /* not zeroed, because cuFFT has 23,984 entries */
        s->src = src;
        s->at = e->at + e->header;
        s->left = packed;
        s->made = 0;
        s->want = plain;
        s->out = out;
        jw_work_add(JW_WORK_MODULES_DECODED, 1);
        ok = unpack_by_flag(s, e, err)
             && (s->made == plain
                 || jw_fail(err, JW_E_FORMAT, "unpacks to %llu bytes, but claims %llu",
                            (unsigned long long)s->made, (unsigned long long)plain));
    }
    jw_free(s);
    return ok || jw_wrap(err, "fatbin: entry at 0x%llx", (unsigned long long)e->at);
}

struct beginning {
    uint8_t bytes[JW_ELF_HEADER];
    size_t n;
};

/* Ends the decoding when there are enough. */
static bool take_beginning(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct beginning *b = ctx;
    size_t take = jw_min(n, sizeof b->bytes - b->n);

    memcpy(b->bytes + b->n, p, take);
    b->n += take;
    return b->n < sizeof b->bytes || jw_fail(err, JW_E_LIMIT, "enough");
}

bool jw_fat_toolkit(const struct jw_source *src, struct jw_fat_entry *e, struct jw_err *err)
{
    struct beginning b = {.n = 0};
    struct jw_err why = {0};

    if (!jw_fat_unpack(src, e, (struct jw_sink){take_beginning, &b}, &why)
        && why.code == JW_E_INTERRUPTED)
        return jw_pass(err, why);
    const struct jw_elf elf = jw_elf_header((struct jw_bytes){b.bytes, b.n});

    if (elf.ours && elf.machine == JW_EM_CUDA && elf.version <= UINT16_MAX)
        e->toolkit = (uint16_t)elf.version;
    return true;
}

/* Checks PTX as a worker reads it for the driver: behind the text there are zeros alone. */
static bool check_text(struct jw_bytes plain, struct jw_arch *target, struct jw_err *err)
{
    struct jw_ptx ptx;
    bool ok = jw_ptx_read(plain, &ptx, err);
    const uint8_t *nul = ok ? memchr(plain.p, 0, plain.n) : NULL;

    for (size_t i = nul ? (size_t)(nul - plain.p) : plain.n; ok && i < plain.n; i++)
        ok = !plain.p[i]
             || jw_fail(err, JW_E_FORMAT, "ptx: the text has a NUL at 0x%zx",
                        (size_t)(nul - plain.p));
    *target = ptx.target;
    return ok && (jw_ptx_is_whole(plain) || jw_fail(err, JW_E_FORMAT, "ptx: the text is cut off"));
}

static bool check_code(struct jw_bytes plain, struct jw_arch *target, struct jw_err *err)
{
    const struct jw_source src = jw_source_memory(&plain);
    const struct jw_elf elf = jw_elf_header(plain);
    struct jw_arena names = {0};
    struct jw_cubin cubin = {0};
    bool ok = (elf.ours && elf.machine == JW_EM_CUDA)
              || jw_fail(err, JW_E_FORMAT, "is no machine code of a GPU");

    ok = ok && jw_cubin_read(&src, &elf, &names, &cubin, err);
    *target = cubin.target;
    jw_arena_free(&names);
    return ok;
}

bool jw_fat_check(const struct jw_source *src, struct jw_fat_entry *e, struct jw_err *err)
{
    struct jw_buf plain = JW_BUF(JW_MAX_PLAIN);
    struct jw_arch target = {0};
    bool whole = !e->header && src->memory && src->memory->n == e->stored; /* it may be large */
    bool decoded = whole || jw_fat_unpack(src, e, jw_sink_buf(&plain), err);
    bool ok = decoded;
    const struct jw_bytes bytes = whole ? *src->memory : jw_buf_bytes(&plain);

    e->checked = true;
    if (ok && e->kind == JW_KIND_PTX) {
        e->text =
            jw_fnv1a(jw_fnv1a(JW_FNV_START, e->options, strlen(e->options)), bytes.p, bytes.n);
        e->kernels = jw_ptx_kernels(bytes);
    }
    ok = ok && (e->kind == JW_KIND_PTX ? check_text : check_code)(bytes, &target, err);
    if (ok && target.sm != e->target.sm)
        ok = jw_fail(err, JW_E_FORMAT, "holds code for sm_%u, but claims sm_%u", target.sm,
                     e->target.sm);
    jw_buf_free(&plain);
    return ok
           || (decoded && e->header
               && jw_wrap(err, "fatbin: entry at 0x%llx", (unsigned long long)e->at));
}

bool jw_zstd_plain(struct jw_bytes head, uint64_t *plain)
{
    unsigned long long n = ZSTD_getFrameContentSize(head.p, head.n);

    *plain = n;
    return n != ZSTD_CONTENTSIZE_UNKNOWN && n != ZSTD_CONTENTSIZE_ERROR;
}

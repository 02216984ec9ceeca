#include "pack/format/zstd_frame.h"

#include "base/bytes.h"
#include "base/num.h"

enum {
    ZSTD_MAGIC_BYTES = 4,
    HEAD_MOST = 14, /* magic, descriptor, content size of 8; or with a window and no single segment */
    BLOCK_HEAD = 3,
    BLOCK_MOST = 128 << 10,
    CHECKSUM = 4
};
#define ZSTD_FRAME 0xFD2FB528U

enum block_kind { BLOCK_RAW, BLOCK_RUN, BLOCK_COMPRESSED, BLOCK_RESERVED };

struct walk {
    const struct jw_source *src;
    uint64_t at, end;
    struct jw_err *err;
};

static bool refuse(struct walk *w, const char *what)
{
    return jw_fail(w->err, JW_E_FORMAT, "zstd: %s (0x%llx)", what, (unsigned long long)w->at);
}

/* The next `n` bytes; they are stepped over when `dst` is NULL. */
static bool take(struct walk *w, void *dst, size_t n)
{
    if (!jw_within(w->at, n, w->end))
        return refuse(w, "a frame is cut off");
    if (dst && !jw_source_read(w->src, w->at, dst, n, w->err))
        return false;
    w->at += n;
    return true;
}

/* Bits 10 to 41 of exponent and eighths of it. */
static uint64_t window_of(uint8_t descriptor)
{
    uint64_t base = (uint64_t)1 << (10 + (descriptor >> 3));

    return base + base / 8 * (descriptor & 7);
}

static bool take_content(struct walk *w, uint8_t descriptor, struct jw_zstd_frame *out)
{
    static const uint8_t sizes[] = { 0, 2, 4, 8 };
    bool single = descriptor >> 5 & 1;
    size_t n = descriptor >> 6 ? sizes[descriptor >> 6] : single;
    uint8_t p[8] = { 0 };

    if (!n)
        return refuse(w, "a frame does not state the size of its content");
    if (!take(w, p, n))
        return false;
    out->content = jw_le64(p) + (n == 2 ? 256 : 0);
    if (single)
        out->window = out->content;
    return true;
}

static bool take_head(struct walk *w, struct jw_zstd_frame *out)
{
    uint8_t p[ZSTD_MAGIC_BYTES + 1], window;

    if (!take(w, p, sizeof p))
        return false;
    if (jw_le32(p) != ZSTD_FRAME) {
        w->at -= sizeof p;
        return refuse(w, "no frame where one should begin");
    }

    uint8_t descriptor = p[ZSTD_MAGIC_BYTES];

    if (descriptor & 3)
        return refuse(w, "a frame needs a dictionary");
    if (descriptor >> 3 & 3)
        return refuse(w, "a frame with a bit that means nothing");
    out->checksum = descriptor >> 2 & 1;
    if (!(descriptor >> 5 & 1)) {
        if (!take(w, &window, 1))
            return false;
        out->window = window_of(window);
    }
    return take_content(w, descriptor, out);
}

/* Every block but the last holds something, and one that is stored costs three bytes more. */
static bool sane_length(struct walk *w, uint64_t began, uint64_t content)
{
    uint64_t most = content, extra;

    extra = (content / 1024 + 2) * BLOCK_HEAD + HEAD_MOST + CHECKSUM;
    return (jw_add(most, extra, &most) && w->at - began <= most)
           || refuse(w, "a frame is longer than what it says it holds");
}

static bool take_blocks(struct walk *w, uint64_t began, uint64_t content)
{
    uint8_t p[BLOCK_HEAD];

    for (bool last = false; !last;) {
        if (!take(w, p, sizeof p))
            return false;

        uint32_t head = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16, n = head >> 3;
        enum block_kind kind = head >> 1 & 3;

        last = head & 1;
        if (kind == BLOCK_RESERVED)
            return refuse(w, "a block of a kind that there is not");
        if (n > BLOCK_MOST)
            return refuse(w, "a block is larger than blocks can be");
        if (!take(w, NULL, kind == BLOCK_RUN ? 1 : n) || !sane_length(w, began, content))
            return false;
    }
    return true;
}

bool jw_zstd_frame_measure(const struct jw_source *src, uint64_t at, uint64_t end, struct jw_zstd_frame *out,
                           struct jw_err *err)
{
    struct walk w = { src, at, end < src->size ? end : src->size, err };

    *out = (struct jw_zstd_frame){ 0 };
    if (!take_head(&w, out) || !take_blocks(&w, at, out->content)
        || (out->checksum && !take(&w, NULL, CHECKSUM)))
        return false;
    out->bytes = w.at - at;
    return true;
}

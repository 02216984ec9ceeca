#include "pack/format/pack_trailer.h"

#include "base/fields.h"
#include "base/num.h"

#include <string.h>

#define ZSTD_SKIPPABLE 0x184D2A5AU /* one of the sixteen numbers that zstd skips */
#define MARK "jitwarm1"
#define END_MARK "jitwend1"

enum { MARK_SIZE = 8, FRAME_HEAD = 8, KNOWN_MARK = 7, VERSION = '1' /* the mark's last byte */ };

bool jw_trailer_write(struct jw_buf *out, const struct jw_trailer *trailer, struct jw_err *err)
{
    uint32_t n = (uint32_t)(JW_TRAILER_HEAD - FRAME_HEAD + trailer->signature.n + JW_TRAILER_TAIL);

    if (trailer->signature.n > JW_MAX_SIGNATURE)
        return jw_fail(err, JW_E_LIMIT, "trailer: a signature of %zu bytes, expected at most %d",
                       trailer->signature.n, JW_MAX_SIGNATURE);
    jw_field32(out, ZSTD_SKIPPABLE);
    jw_field32(out, n);
    jw_buf_add(out, MARK, MARK_SIZE);
    jw_buf_add(out, trailer->digest, JW_DIGEST);
    jw_buf_add(out, trailer->signature.p, trailer->signature.n);
    jw_field32(out, n);
    jw_buf_add(out, END_MARK, MARK_SIZE);
    return jw_buf_ok(out, err);
}

static bool check_mark(struct jw_bytes mark, const char *expected, struct jw_err *err)
{
    if (mark.n != MARK_SIZE || memcmp(mark.p, expected, KNOWN_MARK) != 0)
        return jw_fail(err, JW_E_FORMAT, "trailer: no \"%s\" in it", expected);
    return memcmp(mark.p, expected, MARK_SIZE) == 0
           || jw_fail(err, JW_E_FORMAT,
                      "trailer: version 0x%02x, expected 0x%02x, which is all that this jitwarm knows",
                      (unsigned)mark.p[KNOWN_MARK], (unsigned)VERSION);
}

/* The two lengths, and the frame's own, say the same. */
static bool check_lengths(uint32_t front, uint32_t back, size_t frame, struct jw_err *err)
{
    return (front == back && front == frame - FRAME_HEAD)
           || jw_fail(err, JW_E_FORMAT, "trailer: lengths of %lu and %lu bytes, expected %zu",
                      (unsigned long)front, (unsigned long)back, frame - FRAME_HEAD);
}

bool jw_trailer_read(struct jw_bytes frame, struct jw_trailer *out, struct jw_err *err)
{
    struct jw_reader r = jw_reader(frame);

    *out = (struct jw_trailer){ 0 };
    if (frame.n < JW_TRAILER_HEAD + JW_TRAILER_TAIL || frame.n > JW_TRAILER_MOST)
        return jw_fail(err, JW_E_FORMAT, "trailer: %zu bytes, expected %d to %d", frame.n,
                       JW_TRAILER_HEAD + JW_TRAILER_TAIL, JW_TRAILER_MOST);
    uint32_t magic = jw_u32(&r), front = jw_u32(&r);
    struct jw_bytes first = jw_take(&r, MARK_SIZE), digest = jw_take(&r, JW_DIGEST);
    struct jw_bytes signature = jw_take(&r, frame.n - JW_TRAILER_HEAD - JW_TRAILER_TAIL);
    uint32_t back = jw_u32(&r);
    struct jw_bytes last = jw_take(&r, MARK_SIZE);

    if (magic != ZSTD_SKIPPABLE)
        return jw_fail(err, JW_E_FORMAT, "trailer: frame 0x%08lx, expected 0x%08lx", (unsigned long)magic,
                       (unsigned long)ZSTD_SKIPPABLE);
    if (!check_mark(first, MARK, err) || !check_lengths(front, back, frame.n, err)
        || !check_mark(last, END_MARK, err))
        return false;
    memcpy(out->digest, digest.p, JW_DIGEST);
    out->signature = signature;
    return true;
}

/* How long the frame is that ends with `tail`. */
static bool frame_size(struct jw_bytes tail, uint64_t there, size_t *out, struct jw_err *err)
{
    struct jw_reader r = jw_reader(tail);
    uint32_t n = jw_u32(&r);
    struct jw_bytes mark = jw_take(&r, MARK_SIZE);

    if (mark.n != MARK_SIZE || memcmp(mark.p, END_MARK, KNOWN_MARK) != 0)
        return jw_fail(err, JW_E_FORMAT,
                       "trailer: the file does not end in one (0x%llx): it is cut off, no pack, "
                       "or something follows",
                       (unsigned long long)there);
    if (n < JW_TRAILER_HEAD - FRAME_HEAD + JW_TRAILER_TAIL || n > JW_TRAILER_MOST - FRAME_HEAD
        || n > there - jw_min(FRAME_HEAD, there))
        return jw_fail(err, JW_E_FORMAT,
                       "trailer: its end at 0x%llx says %lu bytes, expected %d to %d in the file",
                       (unsigned long long)there, (unsigned long)n,
                       JW_TRAILER_HEAD - FRAME_HEAD + JW_TRAILER_TAIL, JW_TRAILER_MOST - FRAME_HEAD);
    *out = (size_t)n + FRAME_HEAD;
    return true;
}

/* The trailer at the end of `last`, the last bytes of a file of `size`. */
static bool find_in(struct jw_bytes last, uint64_t size, struct jw_trailer *out, uint64_t *at,
                    struct jw_err *err)
{
    struct jw_bytes tail = { NULL, 0 }, frame = { NULL, 0 };
    size_t n = 0;

    (void)jw_slice(last, last.n - jw_min(last.n, JW_TRAILER_TAIL), jw_min(last.n, JW_TRAILER_TAIL), &tail);
    if (!frame_size(tail, size, &n, err))
        return false;
    (void)jw_slice(last, last.n - n, n, &frame);
    *at = size - n;
    return jw_trailer_read(frame, out, err);
}

bool jw_trailer_find(const struct jw_source *file, struct jw_buf *frame, struct jw_trailer *out, uint64_t *at,
                     struct jw_err *err)
{
    size_t n = (size_t)jw_min(file->size, JW_TRAILER_MOST);

    *out = (struct jw_trailer){ 0 };
    *at = file->size;
    jw_buf_clear(frame);
    jw_buf_fill(frame, 0, n);
    if (!jw_buf_ok(frame, err) || !jw_source_read(file, file->size - n, frame->p, n, err))
        return jw_wrap(err, "trailer");
    return find_in(jw_buf_bytes(frame), file->size, out, at, err);
}

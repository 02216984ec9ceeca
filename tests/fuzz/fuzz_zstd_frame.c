/* A frame from outside, and what zstd itself says: where we take one, its length is the one that zstd finds, and what is in it
 * is as long as we said, or zstd refuses it. */
#include "fuzz.h"
#include "pack/format/zstd.h"

#include <zstd.h>

enum { MOST = 1 << 20 };

static void unpack(struct jw_bytes in, const struct jw_zstd_frame *frame)
{
    struct ZSTD_DCtx_s *z = jw_zstd_unpack_new();
    struct jw_err err = { 0 };
    size_t n = (size_t)frame->content;
    uint8_t *out = malloc(n + 1);

    in.n = (size_t)frame->bytes;
    FUZZ_CHECK(out != NULL);
    fuzz_error(jw_zstd_unpack(z, in, out, n, &err), &err);
    FUZZ_CHECK(!jw_zstd_unpack(z, in, out, n + 1, &err));
    jw_zstd_unpack_free(z);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes bytes = { data, size };
    struct jw_source source = jw_source_memory(&bytes);
    struct jw_zstd_frame frame;
    struct jw_err err = { 0 };
    bool ok = jw_zstd_frame_measure(&source, 0, size, &frame, &err);

    fuzz_error(ok, &err);
    if (ok) {
        size_t theirs = ZSTD_findFrameCompressedSize(data, size);
        unsigned long long content = ZSTD_getFrameContentSize(data, size);

        FUZZ_CHECK(frame.bytes <= size && (ZSTD_isError(theirs) || theirs == frame.bytes));
        /* It has no content size for windows that it never takes; whoever reads packs refuses those. */
        FUZZ_CHECK(frame.content == content || content == ZSTD_CONTENTSIZE_ERROR);
        if (frame.content <= MOST && frame.window <= MOST)
            unpack(bytes, &frame);
    }
    return 0;
}

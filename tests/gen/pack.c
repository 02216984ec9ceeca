#include "gen/samples.h"

#include "base/mem.h"

#include <lz4.h>
#include <lz4frame.h>
#include <lz4hc.h>
#include <zlib.h>
#include <zstd.h>

static size_t bound_of(uint64_t packing, size_t n)
{
    switch (packing) {
    case JW_FAT_ZSTD: return ZSTD_compressBound(n);
    case JW_FAT_LZ4: return (size_t)LZ4_compressBound((int)n);
    case JW_FAT_LZ4_FRAME: return LZ4F_compressFrameBound(n, NULL);
    default: return compressBound((uLong)n);
    }
}

bool gen_pack(uint64_t packing, struct jw_bytes in, struct jw_buf *out, struct jw_err *err)
{
    size_t cap = bound_of(packing, in.n), n = 0;
    uint8_t *room = jw_alloc(cap);
    uLongf made = (uLongf)cap;

    switch (packing) {
    case JW_FAT_ZSTD: n = ZSTD_compress(room, cap, in.p, in.n, 3); break;
    case JW_FAT_LZ4:
        n = (size_t)LZ4_compress_HC((const char *)in.p, (char *)room, (int)in.n, (int)cap,
                                    LZ4HC_CLEVEL_DEFAULT);
        break;
    case JW_FAT_LZ4_FRAME: n = LZ4F_compressFrame(room, cap, in.p, in.n, NULL); break;
    default: n = compress2(room, &made, in.p, (uLong)in.n, 9) == Z_OK ? made : 0;
    }
    bool ok = (n && n <= cap) || jw_fail(err, JW_E_FORMAT, "could not be packed");

    if (ok)
        jw_buf_add(out, room, n);
    jw_free(room);
    return ok;
}

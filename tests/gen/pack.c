#include "gen/samples.h"

#include "base/mem.h"

#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

bool gen_pack(uint64_t packing, struct jw_bytes in, struct jw_buf *out, struct jw_err *err)
{
    bool zstd = packing == JW_FAT_ZSTD;
    size_t cap = zstd ? ZSTD_compressBound(in.n) : (size_t)LZ4_compressBound((int)in.n);
    uint8_t *room = jw_alloc(cap);
    size_t n = zstd ? ZSTD_compress(room, cap, in.p, in.n, 3)
                    : (size_t)LZ4_compress_HC((const char *)in.p, (char *)room, (int)in.n, (int)cap,
                                              LZ4HC_CLEVEL_DEFAULT);
    bool ok = (n && n <= cap) || jw_fail(err, JW_E_FORMAT, "could not be packed");

    if (ok)
        jw_buf_add(out, room, n);
    jw_free(room);
    return ok;
}

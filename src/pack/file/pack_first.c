#include "pack/file/pack_first.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "pack/file/pack_unfold.h"
#include "pack/format/zstd_stream.h"

#include <string.h>

enum { PART = 64 << 10 };

struct parts {
    uint8_t in[PART], out[PART];
};

bool jw_pack_begins(struct jw_bytes head, struct jw_err *err)
{
    static const uint8_t zstd[JW_PACK_MAGIC] = { 0x28, 0xb5, 0x2f, 0xfd };

    if (!head.n)
        return jw_fail(err, JW_E_FORMAT, "it is empty");
    return (head.n >= sizeof zstd && memcmp(head.p, zstd, sizeof zstd) == 0)
           || jw_fail(err, JW_E_FORMAT, "it is no pack: it does not begin with a frame of zstd");
}

static bool measure(const struct jw_source *bytes, uint64_t end, struct jw_zstd_frame *out, bool *cut,
                    struct jw_err *err)
{
    uint64_t most = jw_tar_span(JW_MAX_MANIFEST);

    if (!jw_zstd_frame_measure(bytes, 0, end, out, cut, err))
        return false;
    if (out->content > most)
        return jw_fail(err, JW_E_LIMIT,
                       "zstd: the first frame says that it holds %llu bytes, a manifest has at most %llu",
                       (unsigned long long)out->content, (unsigned long long)most);
    return jw_unfold_measure(bytes, 0, end, out->content, out, cut, err);
}

static bool unpack_part(struct jw_zstd_unpack *u, struct jw_bytes in, uint8_t *out, struct jw_sink to,
                        struct jw_err *err)
{
    size_t made;

    do {
        if (!jw_zstd_unpack_some(u, &in, out, PART, &made, err) || (made && !to.put(to.ctx, out, made, err)))
            return false;
    } while (in.n || (made == PART && !u->whole));
    return true;
}

static bool unpack(const struct jw_source *bytes, uint64_t n, struct jw_sink to, struct jw_sink raw,
                   struct jw_err *err)
{
    struct parts *p = jw_alloc(sizeof *p);
    struct jw_zstd_unpack u = { 0 };
    bool ok = jw_zstd_unpack_open(&u, err) && jw_zstd_unpack_begin(&u, err);

    for (uint64_t at = 0; ok && at < n;) {
        struct jw_bytes in = { p->in, (size_t)jw_min(n - at, PART) };

        ok = jw_source_read(bytes, at, p->in, in.n, err) && (!raw.put || raw.put(raw.ctx, in.p, in.n, err))
             && unpack_part(&u, in, p->out, to, err);
        at += in.n;
    }
    jw_zstd_unpack_close(&u);
    jw_free(p);
    return ok;
}

bool jw_pack_first(const struct jw_source *bytes, uint64_t end, struct jw_pack_members *to,
                   struct jw_sink raw, struct jw_zstd_frame *out, bool *cut, struct jw_err *err)
{
    if (!measure(bytes, end, out, cut, err) || !unpack(bytes, out->bytes, jw_pack_members_sink(to), raw, err))
        return false;
    return (to->read == 1 && to->tar.state == JW_TAR_HEADER && !to->tar.filled)
           || jw_fail(err, JW_E_FORMAT, "pack: its first frame does not hold the manifest and nothing else");
}

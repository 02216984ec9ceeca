#include "formats/window.h"

#include "base/num.h"

bool jw_window_get(struct jw_window *w, uint64_t at, size_t n, struct jw_bytes *out, struct jw_err *err)
{
    if (n > sizeof w->buf)
        return jw_fail(err, JW_E_LIMIT, "window of %zu bytes", n);
    if (at < w->at || !jw_within(at - w->at, n, w->n)) {
        if (!jw_within(at, n, w->src->size))
            return jw_fail(err, JW_E_FORMAT, "%zu bytes at 0x%llx run past the end (0x%llx)", n,
                           (unsigned long long)at, (unsigned long long)w->src->size);
        w->n = 0;
        size_t want = w->src->find ? n : (size_t)jw_min(sizeof w->buf, w->src->size - at);
        if (!jw_source_read(w->src, at, w->buf, want, err))
            return false;
        w->at = at;
        w->n = want;
    }
    *out = (struct jw_bytes){ w->buf + (at - w->at), n };
    return true;
}

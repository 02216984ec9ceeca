#include "env/env_edit.h"

#include <string.h>

/* Of a whole block, at the start of a line; the last one, which is the one that was put. now.n: it is not there. */
static size_t find(struct jw_bytes now, const char *block)
{
    struct jw_bytes what = { (const uint8_t *)block, strlen(block) };
    size_t at = 0, last = now.n;

    while (what.n && at < now.n) {
        struct jw_bytes rest = { now.p + at, now.n - at };
        size_t hit = jw_find(rest, what);

        if (hit == rest.n)
            break;
        at += hit;
        if (at == 0 || now.p[at - 1] == '\n')
            last = at;
        at++;
    }
    return last;
}

static void add(struct jw_buf *out, struct jw_bytes b, size_t from, size_t to)
{
    if (to > from)
        jw_buf_add(out, b.p + from, to - from);
}

bool jw_env_edit_put(struct jw_bytes now, const char *old, const char *block, struct jw_buf *after,
                     bool *joint, bool *same, struct jw_err *err)
{
    size_t at = find(now, block), was = old ? find(now, old) : now.n;

    *joint = false;
    *same = at < now.n;
    if (*same) {
        add(after, now, 0, now.n);
    } else if (was < now.n) {
        add(after, now, 0, was);
        jw_buf_text(after, block);
        add(after, now, was + strlen(old), now.n);
    } else {
        add(after, now, 0, now.n);
        *joint = now.n && now.p[now.n - 1] != '\n';
        if (*joint)
            jw_buf_text(after, "\n");
        jw_buf_text(after, block);
    }
    return jw_buf_ok(after, err);
}

bool jw_env_edit_take(struct jw_bytes now, const char *block, bool joint, struct jw_buf *after, bool *found,
                      struct jw_err *err)
{
    size_t at = find(now, block), end = at + strlen(block), keep = at;

    *found = at < now.n;
    if (!*found) {
        add(after, now, 0, now.n);
        return jw_buf_ok(after, err);
    }
    if (joint && keep && end == now.n)
        keep--;
    add(after, now, 0, keep);
    add(after, now, end, now.n);
    return jw_buf_ok(after, err);
}

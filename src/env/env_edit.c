#include "env/env_edit.h"

#include <string.h>

#define JOINT " (and the line break before it)"

static bool ends(struct jw_bytes line, const char *with)
{
    size_t n = strlen(with);

    return line.n >= n && memcmp(line.p + line.n - n, with, n) == 0;
}

static struct jw_bytes line_at(struct jw_bytes now, size_t at)
{
    struct jw_bytes rest = { now.p + at, now.n - at };

    rest.n = jw_find(rest, JW_BYTES("\n"));
    return rest;
}

static bool sets_ours(struct jw_bytes line)
{
    return jw_find(line, JW_BYTES("CUDA_CACHE_")) < line.n || jw_find(line, JW_BYTES("jitwarm_d")) < line.n;
}

static size_t behind(struct jw_bytes now, size_t at)
{
    size_t n = at + line_at(now, at).n;

    return n + (n < now.n);
}

struct jw_env_block jw_env_block_find(struct jw_bytes now)
{
    for (size_t at = 0; at < now.n; at = behind(now, at)) {
        struct jw_bytes line = line_at(now, at);
        struct jw_env_block b = { at, behind(now, at), ends(line, JOINT) };

        line.n -= b.joint ? strlen(JOINT) : 0;
        if (ends(line, JW_ENV_TAIL))
            return b;
        if (line.n != strlen(JW_ENV_HEADER) || !ends(line, JW_ENV_HEADER))
            continue;
        while (b.to < now.n && sets_ours(line_at(now, b.to)))
            b.to = behind(now, b.to);
        return b;
    }
    return (struct jw_env_block){ 0 };
}

static void part(struct jw_buf *out, struct jw_bytes now, size_t from, size_t to)
{
    if (to > from)
        jw_buf_add(out, now.p + from, to - from);
}

static void put_block(struct jw_buf *out, const char *block, bool joint)
{
    size_t first = strcspn(block, "\n");

    jw_buf_add(out, block, first);
    jw_buf_text(out, joint ? JOINT : "");
    jw_buf_text(out, block + first);
}

bool jw_env_edit_put(struct jw_bytes now, bool exists, const char *block, struct jw_buf *after, bool *same,
                     struct jw_err *err)
{
    struct jw_env_block b = jw_env_block_find(now);

    if (!b.to) {
        b = (struct jw_env_block){ now.n, now.n, exists && (!now.n || now.p[now.n - 1] != '\n') };
        part(after, now, 0, now.n);
        jw_buf_text(after, b.joint ? "\n" : "");
    } else {
        part(after, now, 0, b.from);
    }
    put_block(after, block, b.joint);
    part(after, now, b.to, now.n);
    *same = exists && after->n == now.n && (!now.n || memcmp(after->p, now.p, now.n) == 0);
    return jw_buf_ok(after, err);
}

bool jw_env_edit_take(struct jw_bytes now, struct jw_env_block b, struct jw_buf *after, struct jw_err *err)
{
    part(after, now, 0, b.from - (b.joint && b.from && b.to == now.n));
    part(after, now, b.to, now.n);
    return jw_buf_ok(after, err);
}

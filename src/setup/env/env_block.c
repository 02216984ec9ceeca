#include "setup/env/env_block.h"

#include <string.h>

#define JOINT " (and the line break before it)"

static struct jw_bytes line_at(struct jw_bytes text, size_t at)
{
    struct jw_bytes rest = { text.p + at, text.n - at };

    rest.n = jw_find(rest, JW_BYTES("\n"));
    return rest;
}

static size_t next_line(struct jw_bytes text, size_t at)
{
    size_t n = at + line_at(text, at).n;

    return n + (n < text.n);
}

static bool is_line(struct jw_bytes line, const char *text)
{
    return line.n == strlen(text) && memcmp(line.p, text, line.n) == 0;
}

/* The line with this mark begins here, from `at` on; text.n: there is none. */
static size_t find_line(struct jw_bytes text, size_t at, const char *mark, const char *other)
{
    while (at < text.n && !is_line(line_at(text, at), mark) && !is_line(line_at(text, at), other))
        at = next_line(text, at);
    return at;
}

bool env_block_find(struct jw_bytes text, struct env_block *out, struct jw_err *err)
{
    size_t from = find_line(text, 0, ENV_BLOCK_BEGIN, ENV_BLOCK_BEGIN JOINT);

    *out = (struct env_block){ 0 };
    if (from == text.n)
        return true;
    *out = (struct env_block){ .from = from,
                               .lines_from = next_line(text, from),
                               .joint = !is_line(line_at(text, from), ENV_BLOCK_BEGIN) };
    out->lines_to = find_line(text, out->lines_from, ENV_BLOCK_END, ENV_BLOCK_END);
    if (out->lines_to == text.n)
        return jw_fail(err, JW_E_FORMAT,
                       "the line \"" ENV_BLOCK_BEGIN "\" has no end \"" ENV_BLOCK_END
                       "\" below it: remove jitwarm's lines by hand");
    out->to = next_line(text, out->lines_to);
    return true;
}

static void copy_part(struct jw_buf *out, struct jw_bytes text, size_t from, size_t to)
{
    if (to > from)
        jw_buf_add(out, text.p + from, to - from);
}

bool env_block_put(struct jw_bytes text, bool exists, const char *lines, struct jw_buf *after,
                   struct jw_err *err)
{
    struct env_block b;

    if (!env_block_find(text, &b, err))
        return false;
    if (!b.to)
        b = (struct env_block){ .from = text.n,
                                .to = text.n,
                                .joint = exists && (!text.n || text.p[text.n - 1] != '\n') };
    copy_part(after, text, 0, b.from);
    if (b.joint && b.from == text.n)
        jw_buf_text(after, "\n");
    jw_buf_printf(after, ENV_BLOCK_BEGIN "%s\n", b.joint ? JOINT : "");
    jw_buf_text(after, lines);
    jw_buf_text(after, ENV_BLOCK_END "\n");
    copy_part(after, text, b.to, text.n);
    return jw_buf_ok(after, err);
}

bool env_block_take(struct jw_bytes text, const struct env_block *b, struct jw_buf *after, struct jw_err *err)
{
    copy_part(after, text, 0, b->from - (b->joint && b->from && b->to == text.n));
    copy_part(after, text, b->to, text.n);
    return jw_buf_ok(after, err);
}

#include "pack/format/minisign_text.h"

#include "base/base64.h"

/* Up to the line's end, which may be CRLF. `most` bounds the search, not only the answer. */
static bool take_line(struct jw_minisign_lines *in, size_t most, struct jw_bytes *out, struct jw_err *err)
{
    size_t room = most + 2, seen = in->left.n < room ? in->left.n : room;
    const uint8_t *end = seen ? memchr(in->left.p, '\n', seen) : NULL;
    size_t n;

    in->line++;
    if (!end && seen < room)
        return jw_fail(err, JW_E_FORMAT, "line %u is cut off", in->line);
    n = end ? (size_t)(end - in->left.p) : 0;
    *out = (struct jw_bytes){ in->left.p, n && in->left.p[n - 1] == '\r' ? n - 1 : n };
    if (!end || out->n > most)
        return jw_fail(err, JW_E_FORMAT, "line %u is longer than %zu characters", in->line, most);
    in->left.p = end + 1;
    in->left.n -= n + 1;
    return true;
}

bool jw_minisign_take_comment(struct jw_minisign_lines *in, const char *prefix, size_t max,
                              struct jw_bytes *out, struct jw_err *err)
{
    size_t skip = strlen(prefix);
    struct jw_bytes line;

    if (!take_line(in, skip + max, &line, err))
        return false;
    if (!jw_starts(line, prefix))
        return jw_fail(err, JW_E_FORMAT, "line %u does not begin with \"%s\"", in->line, prefix);
    if (memchr(line.p, '\0', line.n) || memchr(line.p, '\r', line.n))
        return jw_fail(err, JW_E_FORMAT, "line %u holds a NUL or a carriage return", in->line);
    *out = (struct jw_bytes){ line.p + skip, line.n - skip };
    return true;
}

bool jw_minisign_take_base64(struct jw_minisign_lines *in, uint8_t *out, size_t n, struct jw_err *err)
{
    struct jw_bytes line;

    return take_line(in, JW_BASE64(n), &line, err)
           && (jw_base64_get(out, n, line)
               || jw_fail(err, JW_E_FORMAT, "line %u is not the base64 of %zu bytes", in->line, n));
}

bool jw_minisign_take_end(const struct jw_minisign_lines *in, struct jw_err *err)
{
    return !in->left.n || jw_fail(err, JW_E_FORMAT, "something follows line %u, the last one", in->line);
}

bool jw_minisign_check_comment(const char *comment, size_t max, struct jw_err *err)
{
    size_t n = strlen(comment);

    if (n > max)
        return jw_fail(err, JW_E_LIMIT, "a comment of %zu bytes is too long: %zu is the most", n, max);
    return !strpbrk(comment, "\r\n") || jw_fail(err, JW_E_USAGE, "a comment is one line");
}

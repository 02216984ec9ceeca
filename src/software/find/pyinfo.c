#include "software/find/pyinfo.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

bool jw_pyinfo_is_site(const char *base)
{
    return strcmp(base, "site-packages") == 0 || strcmp(base, "dist-packages") == 0;
}

static bool is_alnum(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Valid in a name, or with `extra` in a version. */
static bool is_py_word(struct jw_bytes word, const char *extra)
{
    if (word.n == 0 || word.n > JW_MAX_PY_NAME || !is_alnum(word.p[0]))
        return false;
    for (size_t i = 0; i < word.n; i++) {
        if (!is_alnum(word.p[i]) && (word.p[i] == 0 || !strchr(extra, word.p[i])))
            return false;
    }
    return true;
}

static bool is_name(struct jw_bytes word)
{
    return is_py_word(word, "._-");
}

static bool is_version(struct jw_bytes word)
{
    return is_py_word(word, "._-+!");
}

bool jw_pyinfo_line(struct jw_reader *r, struct jw_bytes *line)
{
    if (r->at >= r->in.n)
        return false;

    const uint8_t *start = r->in.p + r->at;
    size_t left = r->in.n - r->at;
    const uint8_t *end = memchr(start, '\n', left);
    size_t n = end ? (size_t)(end - start) : left;

    r->at += end ? n + 1 : n;
    if (n && start[n - 1] == '\r')
        n--;
    *line = (struct jw_bytes){ start, n };
    return true;
}

/* Is `line` the header field `key` ("name:"; in any case)? */
static bool field(struct jw_bytes line, const char *key, struct jw_bytes *value)
{
    size_t n = strlen(key);

    if (line.n < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = line.p[i];

        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != key[i])
            return false;
    }
    *value = jw_text_trim((struct jw_bytes){ line.p + n, line.n - n });
    return true;
}

bool jw_pyinfo_metadata(struct jw_bytes text, struct jw_pyname *out, struct jw_err *err)
{
    struct jw_reader r = jw_reader(text);
    struct jw_bytes line, value;

    *out = (struct jw_pyname){ 0 };
    while (jw_pyinfo_line(&r, &line) && line.n) {
        if (out->name.n == 0 && field(line, "name:", &value)) {
            if (!is_name(value))
                return jw_fail(err, JW_E_FORMAT, "its Name is not a package's name");
            out->name = value;
        } else if (out->version.n == 0 && field(line, "version:", &value)) {
            if (!is_version(value))
                return jw_fail(err, JW_E_FORMAT, "its Version is not a version");
            out->version = value;
        }
    }
    return out->name.n || jw_fail(err, JW_E_FORMAT, "it has no Name");
}

/* Splits at the first '-'. */
static struct jw_bytes take_part(struct jw_bytes *rest)
{
    const uint8_t *dash = rest->n ? memchr(rest->p, '-', rest->n) : NULL;
    struct jw_bytes head = *rest;

    if (dash) {
        head.n = (size_t)(dash - rest->p);
        *rest = (struct jw_bytes){ dash + 1, rest->n - head.n - 1 };
    } else {
        *rest = (struct jw_bytes){ NULL, 0 };
    }
    return head;
}

static bool without_suffix(const char *base, const char *suffix, struct jw_bytes *stem)
{
    size_t n = strlen(base), m = strlen(suffix);

    if (n <= m || memcmp(base + n - m, suffix, m) != 0)
        return false;
    *stem = (struct jw_bytes){ (const uint8_t *)base, n - m };
    return true;
}

bool jw_pyinfo_folder(const char *base, struct jw_pyname *out)
{
    struct jw_bytes rest;

    if (!without_suffix(base, ".dist-info", &rest) && !without_suffix(base, ".egg-info", &rest))
        return false;
    out->name = take_part(&rest);
    out->version = take_part(&rest);
    return is_name(out->name) && (out->version.n == 0 || is_version(out->version));
}

bool jw_pyinfo_wheel(const char *base, struct jw_pyname *out)
{
    struct jw_bytes rest;
    unsigned tags = 0;

    if (!without_suffix(base, ".whl", &rest))
        return false;
    out->name = take_part(&rest);
    out->version = take_part(&rest);
    while (rest.n) {
        if (take_part(&rest).n == 0)
            return false;
        tags++;
    }
    return (tags == 3 || tags == 4) && is_name(out->name) && is_version(out->version);
}

/*
 * One CSV field, the comma or line end behind it included; `into` may be NULL. `*last` says that the row
 * ends here.
 */
static bool csv_field(struct jw_reader *r, struct jw_buf *into, bool *last)
{
    bool quoted = r->at < r->in.n && r->in.p[r->at] == '"';

    r->at += quoted;
    while (r->at < r->in.n) {
        uint8_t c = r->in.p[r->at++];

        if (quoted && c == '"') {
            if (r->at >= r->in.n || r->in.p[r->at] != '"') {
                quoted = false;
                continue;
            }
            r->at++;
        } else if (!quoted && (c == ',' || c == '\n')) {
            *last = c == '\n';
            return true;
        } else if (!quoted && c == '\r' && (r->at >= r->in.n || r->in.p[r->at] == '\n')) {
            continue;
        }
        if (into)
            jw_buf_add(into, &c, 1);
    }
    *last = true;
    return !quoted;
}

bool jw_pyinfo_record(struct jw_reader *r, struct jw_buf *path, bool *more, struct jw_err *err)
{
    jw_buf_clear(path);
    while (r->at < r->in.n && path->n == 0) { /* blank lines have no path */
        size_t start = r->at;
        bool last = false, first = true;

        while (!last) {
            if (!csv_field(r, first ? path : NULL, &last))
                return jw_fail(err, JW_E_FORMAT, "the quote in the row at byte %zu is never closed", start);
            first = false;
        }
        if (path->bad)
            return jw_fail(err, JW_E_FORMAT, "the path in the row at byte %zu is too long", start);
    }
    *more = path->n > 0;
    return true;
}

bool jw_pyname_safe(const char *text)
{
    size_t n = 0;

    for (; text[n]; n++) {
        if (text[n] <= ' ' || text[n] > '~' || n >= JW_MAX_PY_NAME)
            return false;
    }
    return n > 0;
}

/* The next character of a normalised name, 0 at the end. */
static char next_normal(const char **at)
{
    char c = **at;

    if (c == '\0')
        return '\0';
    (*at)++;
    if (c == '-' || c == '_' || c == '.') {
        while (**at == '-' || **at == '_' || **at == '.')
            (*at)++;
        return '-';
    }
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool jw_pyname_equal(const char *a, const char *b)
{
    for (;;) {
        char x = next_normal(&a), y = next_normal(&b);

        if (x != y)
            return false;
        if (x == '\0')
            return true;
    }
}

bool jw_pyname_starts(const char *name, const char *prefix)
{
    while (*prefix) {
        if (next_normal(&name) != next_normal(&prefix))
            return false;
    }
    return true;
}

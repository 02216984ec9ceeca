#include "software/fetch/pyversion.h"

#include "base/compiler.h"
#include "base/text.h"

#include <string.h>

/* ---- reading ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool read_number(const char **at, uint32_t *out)
{
    uint64_t n = 0;

    if (!jw_is_digit(**at))
        return false;
    for (; jw_is_digit(**at); (*at)++) {
        n = n * 10 + (uint64_t)(**at - '0');
        if (n > UINT32_MAX)
            return false;
    }
    *out = (uint32_t)n;
    return true;
}

/* Steps over `word` in any case, and a separator before it; false: it is not there, and nothing is stepped over. */
static bool read_word(const char **at, const char *word)
{
    const char *p = *at;

    p += *p && strchr(".-_", *p);
    for (; *word; word++, p++)
        if (lower(*p) != *word)
            return false;
    *at = p;
    return true;
}

/* A number may follow, with a separator before it; none is 0. */
static bool read_its_number(const char **at, uint32_t *out)
{
    const char *p = *at + (**at && strchr(".-_", **at));

    *out = 0;
    if (!jw_is_digit(*p))
        return true;
    *at = p;
    return read_number(at, out);
}

static bool read_release(const char **at, struct jw_pyversion *out)
{
    uint32_t n;

    if (!read_number(at, &n))
        return false;
    if (**at == '!') {
        out->epoch = n;
        (*at)++;
        if (!read_number(at, &n))
            return false;
    }
    for (out->release[out->parts++] = n; **at == '.' && jw_is_digit((*at)[1]);) {
        (*at)++;
        if (out->parts == JW_PYVERSION_PARTS || !read_number(at, &out->release[out->parts++]))
            return false;
    }
    return true;
}

static bool read_pre(const char **at, struct jw_pyversion *out)
{
    static const struct {
        const char *word;
        char pre;
    } words[] = { { "alpha", 'a' }, { "beta", 'b' }, { "rc", 'r' }, { "preview", 'r' },
                  { "pre", 'r' },   { "a", 'a' },    { "b", 'b' },  { "c", 'r' } };

    for (size_t i = 0; i < JW_COUNT(words) && !out->pre; i++)
        if (read_word(at, words[i].word)) {
            out->pre = words[i].pre;
            return read_its_number(at, &out->pre_n);
        }
    return true;
}

static bool read_post(const char **at, struct jw_pyversion *out)
{
    static const char *const words[] = { "post", "rev", "r" };

    if ((*at)[0] == '-' && jw_is_digit((*at)[1])) {
        (*at)++;
        out->has_post = true;
        return read_number(at, &out->post);
    }
    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (read_word(at, words[i])) {
            out->has_post = true;
            return read_its_number(at, &out->post);
        }
    return true;
}

static bool read_local(const char *at, struct jw_pyversion *out)
{
    size_t n = 0;
    bool between = true;

    for (; *at; at++) {
        bool separator = strchr(".-_", *at);

        if ((separator && between) || (!separator && !jw_is_digit(*at) && !jw_is_letter(*at))
            || n + 1 == sizeof out->local)
            return false;
        out->local[n++] = separator ? '.' : lower(*at);
        between = separator;
    }
    out->local[n] = '\0';
    return !between;
}

bool jw_pyversion_parse(const char *text, struct jw_pyversion *out)
{
    *out = (struct jw_pyversion){ 0 };
    text += lower(*text) == 'v';
    if (!read_release(&text, out) || !read_pre(&text, out) || !read_post(&text, out))
        return false;
    if (read_word(&text, "dev")) {
        out->has_dev = true;
        if (!read_its_number(&text, &out->dev))
            return false;
    }
    return *text == '+' ? read_local(text + 1, out) : *text == '\0';
}

/* ---- comparing ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_release(const struct jw_pyversion *a, const struct jw_pyversion *b, unsigned parts)
{
    int by = compare_numbers(a->epoch, b->epoch);

    for (unsigned i = 0; i < parts && by == 0; i++)
        by = compare_numbers(a->release[i], b->release[i]);
    return by;
}

/* 1.0.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0 and 1.0.post1 */
static uint64_t rank_of_pre(const struct jw_pyversion *v)
{
    if (!v->pre)
        return v->has_dev && !v->has_post ? 0 : (uint64_t)4 << 32;
    return ((uint64_t)(v->pre == 'a' ? 1 : v->pre == 'b' ? 2 : 3) << 32) + v->pre_n;
}

static uint64_t rank_of_dev(const struct jw_pyversion *v)
{
    return v->has_dev ? v->dev : (uint64_t)1 << 32;
}

/* Part by part: numbers are above words, and a longer one is above its beginning. */
static int compare_local(const char *a, const char *b)
{
    while (*a || *b) {
        size_t n = strcspn(a, "."), m = strcspn(b, ".");
        bool is_n = n && strspn(a, "0123456789") >= n, is_m = m && strspn(b, "0123456789") >= m;

        if (!n || !m)
            return compare_numbers(n, m);
        if (is_n != is_m)
            return is_n ? 1 : -1;
        if (is_n) {
            size_t zeros = strspn(a, "0"), others = strspn(b, "0");

            a += zeros < n ? zeros : n - 1;
            b += others < m ? others : m - 1;
            n = strcspn(a, ".");
            m = strcspn(b, ".");
            if (n != m)
                return n < m ? -1 : 1;
        }
        int by = strncmp(a, b, n < m ? n : m);

        if (by == 0)
            by = compare_numbers(n, m);
        if (by)
            return by < 0 ? -1 : 1;
        a += n + (a[n] == '.');
        b += m + (b[m] == '.');
    }
    return 0;
}

static int compare_public(const struct jw_pyversion *a, const struct jw_pyversion *b)
{
    int by = compare_release(a, b, JW_PYVERSION_PARTS);

    if (by == 0)
        by = compare_numbers(rank_of_pre(a), rank_of_pre(b));
    if (by == 0)
        by =
            compare_numbers(a->has_post ? (uint64_t)a->post + 1 : 0, b->has_post ? (uint64_t)b->post + 1 : 0);
    return by ? by : compare_numbers(rank_of_dev(a), rank_of_dev(b));
}

int jw_pyversion_compare(const struct jw_pyversion *a, const struct jw_pyversion *b)
{
    int by = compare_public(a, b);

    return by ? by : compare_local(a->local, b->local);
}

bool jw_pyversion_is_pre(const struct jw_pyversion *v)
{
    return v->pre || v->has_dev;
}

/* ---- what a requirement allows ---- */

static bool has_prefix(const struct jw_pyversion *v, const struct jw_pyversion *prefix, unsigned parts)
{
    return compare_release(v, prefix, parts) == 0;
}

/* The same number, whatever is before or after its release. */
static bool is_same_release(const struct jw_pyversion *a, const struct jw_pyversion *b)
{
    return compare_release(a, b, JW_PYVERSION_PARTS) == 0;
}

bool jw_pyspec_allows(const struct jw_pyspec *s, const struct jw_pyversion *v)
{
    int by = s->version.local[0] ? jw_pyversion_compare(v, &s->version) : compare_public(v, &s->version);

    switch (s->op) {
    case JW_PY_EQUAL: return by == 0;
    case JW_PY_NOT: return by != 0;
    case JW_PY_PREFIX: return has_prefix(v, &s->version, s->version.parts);
    case JW_PY_NOT_PREFIX: return !has_prefix(v, &s->version, s->version.parts);
    case JW_PY_COMPATIBLE: return by >= 0 && has_prefix(v, &s->version, s->version.parts - 1);
    case JW_PY_AT_LEAST: return by >= 0;
    case JW_PY_AT_MOST: return by <= 0;
    case JW_PY_ABOVE:
        return by > 0 && (s->version.has_post || !v->has_post || !is_same_release(v, &s->version));
    case JW_PY_BELOW:
        return by < 0
               && (jw_pyversion_is_pre(&s->version) || !jw_pyversion_is_pre(v)
                   || !is_same_release(v, &s->version));
    }
    return false;
}

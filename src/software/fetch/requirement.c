#include "software/fetch/requirement.h"

#include "base/text.h"

#include <string.h>

enum { MAX_NAME = 128 };

static bool in_name(char c)
{
    return jw_is_letter(c) || jw_is_digit(c) || c == '.' || c == '_' || c == '-';
}

static size_t name_length(const char *text)
{
    size_t n = 0;

    while (in_name(text[n]))
        n++;
    return n;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

const char *jw_package_name(struct jw_arena *a, const char *text, size_t n)
{
    size_t k = 0;

    if (n == 0 || n > MAX_NAME || strchr(".-_", text[0]) || strchr(".-_", text[n - 1]))
        return NULL;
    char *out = jw_arena_text(a, text, n);

    for (size_t i = 0; i < n; i++) {
        if (!in_name(text[i]))
            return NULL;
        if (!strchr(".-_", text[i]))
            out[k++] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 'a' - 'A') : text[i];
        else if (out[k - 1] != '-')
            out[k++] = '-';
    }
    out[k] = '\0';
    return out;
}

bool jw_requirement_is_meant(const char *text)
{
    size_t n = name_length(text);
    const char *at = skip_blanks(text + n);

    if (n == 0 || strchr(".-_", text[0]))
        return false;
    return strstr(at, "==") || (*at && strchr("=<>!~@;", *at));
}

bool jw_requirement_is_bare(const char *text)
{
    size_t n = name_length(text);

    return n && !text[n] && !strchr(text, '.') && jw_is_letter(*text);
}

/* ---- versions ---- */

/* Longer ones first. */
static const struct {
    const char *text;
    enum jw_pyspec_op op;
} ops[] = { { "==", JW_PY_EQUAL },   { "!=", JW_PY_NOT },      { "~=", JW_PY_COMPATIBLE },
            { "<=", JW_PY_AT_MOST }, { ">=", JW_PY_AT_LEAST }, { "<", JW_PY_BELOW },
            { ">", JW_PY_ABOVE } };

static bool read_spec(const char **at, struct jw_arena *a, struct jw_pyspec *out)
{
    size_t i = 0, n;
    bool prefix;

    while (i < JW_COUNT(ops) && !jw_text_starts(*at, ops[i].text))
        i++;
    if (i == JW_COUNT(ops) || jw_text_starts(*at, "==="))
        return false;
    out->op = ops[i].op;
    *at = skip_blanks(*at + strlen(ops[i].text));
    n = strcspn(*at, " \t,;)");
    prefix = n > 2 && strncmp(*at + n - 2, ".*", 2) == 0;
    if (prefix && out->op != JW_PY_EQUAL && out->op != JW_PY_NOT)
        return false;
    const char *version = jw_arena_text(a, *at, prefix ? n - 2 : n);

    *at = skip_blanks(*at + n);
    if (prefix)
        out->op = out->op == JW_PY_EQUAL ? JW_PY_PREFIX : JW_PY_NOT_PREFIX;
    return jw_pyversion_parse(version, &out->version)
           && (out->op != JW_PY_COMPATIBLE || out->version.parts > 1);
}

static bool read_specs(const char **at, struct jw_arena *a, struct jw_requirement *out)
{
    bool bracket = **at == '(';

    *at = skip_blanks(*at + bracket);
    while (**at && !strchr(";)", **at)) {
        struct jw_pyspec *s = &out->specs[out->n];

        if (out->n++ == JW_REQUIREMENT_SPECS || !read_spec(at, a, s))
            return false;
        out->pre |= s->op != JW_PY_NOT && s->op != JW_PY_PREFIX && s->op != JW_PY_NOT_PREFIX
                    && jw_pyversion_is_pre(&s->version);
        if (**at == ',')
            *at = skip_blanks(*at + 1);
        else if (**at && !strchr(";)", **at))
            return false;
    }
    if (!bracket)
        return **at != ')';
    if (**at != ')')
        return false;
    *at = skip_blanks(*at + 1);
    return true;
}

/* ---- the whole ---- */

static bool refuse(const char *text, const char *why, struct jw_err *err)
{
    return jw_fail(err, JW_E_USAGE, "\"%.100s\" is not a package and its version: %s", text, why);
}

bool jw_requirement_parse(const char *text, bool line, struct jw_arena *a, struct jw_requirement *out,
                          struct jw_err *err)
{
    const char *at = skip_blanks(text);
    size_t n = name_length(at);

    *out = (struct jw_requirement){ .name = jw_package_name(a, at, n) };
    if (!out->name)
        return refuse(text, "it does not begin with a package's name", err);
    at = skip_blanks(at + n);
    if (*at == '[') { /* its extras name other packages */
        size_t extras =
            strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-, \t");

        if (at[1 + extras] != ']')
            return refuse(text, "its extras in brackets are not complete", err);
        at = skip_blanks(at + extras + 2);
    }
    if (*at == '@')
        return refuse(text, "it names a URL; download that file and scan it", err);

    const char *specs = at;

    if (!read_specs(&at, a, out))
        return refuse(text, "write NAME==VERSION", err);
    if (*at && (*at != ';' || !line))
        return refuse(text, "write NAME==VERSION, without a condition", err);
    if (out->n == 0 && !line)
        return refuse(text, "write NAME==VERSION", err);
    size_t length = (size_t)(at - specs);

    while (length && jw_text_blank((uint8_t)specs[length - 1]))
        length--;
    out->text = jw_arena_printf(a, "%s%s", out->name, jw_arena_text(a, specs, length));
    return true;
}

bool jw_requirement_exact(const char *name, const char *version, struct jw_arena *a,
                          struct jw_requirement *out, struct jw_err *err)
{
    *out = (struct jw_requirement){ .name = jw_package_name(a, name, strlen(name)), .n = 1 };
    if (!out->name || !jw_pyversion_parse(version, &out->specs[0].version))
        return jw_fail(err, JW_E_FORMAT, "\"%.60s\" and \"%.60s\" are not a package's name and version", name,
                       version);
    out->text = jw_arena_printf(a, "%s==%s", out->name, version);
    return true;
}

bool jw_requirement_allows(const struct jw_requirement *r, const struct jw_pyversion *v)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!jw_pyspec_allows(&r->specs[i], v))
            return false;
    return true;
}

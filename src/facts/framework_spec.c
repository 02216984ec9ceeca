#include "base/text.h"
#include "facts/frameworks.h"
#include "jitwarm/err.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 40, NEWEST_YEAR = 2100, ANY_MINOR = 99 };

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number of at most four digits at *at, which moves behind it. */
static bool take_number(const char **at, unsigned *out)
{
    const char *from = *at;
    unsigned v = 0;

    while (digit(**at) && *at - from < 5)
        v = v * 10 + (unsigned)(*(*at)++ - '0');
    *out = v;
    return *at != from && *at - from < 5;
}

/* ---- the CUDA version of a variant ---- */

/* "112" -> 1102, "102" -> 1002, "92" -> 902, "12" -> 1299, "12.4" -> 1204 */
static bool read_tag(const char *text, unsigned *tag)
{
    unsigned v, minor;

    if (!take_number(&text, &v))
        return false;
    if (*text == '.') {
        text++;
        if (!take_number(&text, &minor) || *text || v > 99 || minor >= ANY_MINOR)
            return false;
        *tag = v * 100 + minor;
        return true;
    }
    if (*text == 'x')
        text++;
    if (*text || v < 6 || v > 999)
        return false;
    if (v >= 100 || v == 75 || v == 80 || v == 90 || v == 91 || v == 92)
        *tag = v / 10 * 100 + v % 10;
    else
        *tag = v * 100 + ANY_MINOR;
    return v >= 100 || v < 20 || *tag < 1000;
}

/* ---- the name ---- */

static bool unknown_name(const char *name, struct jw_err *err)
{
    const char *near = jw_framework_nearest(name);
    char known[256] = "";
    struct jw_framework f;
    size_t n = 0;

    if (near)
        return jw_fail(err, JW_E_USAGE, "\"%s\" is not in the table of frameworks; did you mean %s?", name,
                       near);
    for (size_t i = 0; jw_framework_at(i, &f) && n + strlen(f.name) + 3 < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", f.name);
    return jw_fail(
        err, JW_E_USAGE,
        "\"%s\" is not in the table of frameworks (%s); where its files are, jitwarm scan reads them", name,
        known);
}

/* cupy-cuda92, mxnet-cu80, jax-cuda13-plugin: the name says for which CUDA the package is. */
static void tag_of_name(const char *name, struct jw_framework_spec *s)
{
    const char *at = jw_text_find_nocase(name, "-cu");
    char digits[8] = "";
    unsigned tag;

    if (!at)
        return;
    at += 3;
    at += jw_text_starts(at, "da") ? 2 : 0;
    size_t n = strcspn(at, "-_");

    if (n && n < sizeof digits) {
        memcpy(digits, at, n);
        if (read_tag(digits, &tag))
            s->tag = tag;
    }
}

static bool take_framework_name(const char **at, struct jw_framework_spec *s, struct jw_err *err)
{
    size_t n = strcspn(*at, "=<>!~[+ @,;");
    char name[LONGEST_NAME + 1] = "";

    memcpy(name, *at, n < LONGEST_NAME ? n : LONGEST_NAME);
    s->framework = n && n <= LONGEST_NAME ? jw_framework_find(name, &s->cpu) : JW_NO_FRAMEWORK;
    *at += n;
    if (s->framework != JW_NO_FRAMEWORK) {
        s->jaxlib = jw_text_equal_nocase(name, "jaxlib");
        tag_of_name(name, s);
        return true;
    }
    if (n == 0)
        return jw_fail(err, JW_E_USAGE, "a framework is given as NAME==VERSION, such as tensorflow==2.3.1");
    return unknown_name(JW_PHRASE("%s", name), err);
}

/* "[and-cuda]", "[cuda12]" */
static bool take_extra(const char **at, struct jw_framework_spec *s, struct jw_err *err)
{
    const char *end = strchr(*at, ']');

    if (**at != '[')
        return true;
    if (!end)
        return jw_fail(err, JW_E_USAGE, "the [ is not closed: NAME[EXTRA]==VERSION");
    const char *cuda = jw_text_find_nocase(*at, "cuda");
    char digits[8] = "";

    s->with_libs = cuda && cuda < end;
    if (s->with_libs) {
        size_t n = strspn(cuda + 4, "0123456789x");
        unsigned tag;

        if (n && n < sizeof digits) {
            memcpy(digits, cuda + 4, n);
            if (read_tag(digits, &tag))
                s->tag = tag;
        }
    }
    *at = end + 1;
    return true;
}

/* ---- the version ---- */

/* R2020b: 2020.2 */
static bool take_matlab(const char **at, struct jw_framework_spec *s)
{
    const char *rest = *at + 1;
    unsigned year;

    if (!take_number(&rest, &year) || year < 2000 || (*rest != 'a' && *rest != 'b'))
        return false;
    s->number[0] = (uint16_t)year;
    s->number[1] = *rest == 'a' ? 1 : 2;
    s->parts = 2;
    *at = rest + 1;
    return true;
}

static bool wrong_version(const char *text, struct jw_err *err)
{
    return jw_fail(
        err, JW_E_USAGE,
        "\"%.40s\" is not a version; it looks like 2.3.1, 2.9+cu130 or R2020b, or for software without "
        "version numbers like its date, 2025-06",
        JW_PHRASE("%s", text));
}

static bool in_suffix(char c)
{
    return digit(c) || (c >= 'a' && c <= 'z') || c == '*';
}

/* What may follow the numbers of a version: rc1, .post1, .dev2023, .*, -1. */
static const char *skip_suffix(const char *at)
{
    while (in_suffix(*at) || ((*at == '.' || *at == '-') && in_suffix(at[1])))
        at++;
    return at;
}

static bool take_version(const char **at, struct jw_framework_spec *s, struct jw_err *err)
{
    const char *from = *at, *begin = from;
    size_t n;

    if (**at == 'R' && digit((*at)[1])) {
        if (!take_matlab(at, s))
            return wrong_version(from, err);
    } else {
        *at += (**at == 'v' || **at == 'r') && digit((*at)[1]);
        begin = *at;
        for (s->parts = 0; s->parts < 3;) {
            unsigned v;

            if (!take_number(at, &v))
                return wrong_version(from, err);
            s->number[s->parts++] = (uint16_t)v;
            s->dated |= s->parts == 1 && v > 2000 && v < NEWEST_YEAR && **at == '-';
            if ((**at != '.' && !(s->dated && **at == '-')) || !digit((*at)[1]))
                break;
            (*at)++;
        }
        *at = skip_suffix(*at);
    }
    n = (size_t)(*at - begin);
    if ((**at && **at != '+') || n >= sizeof s->version)
        return wrong_version(from, err);
    memcpy(s->version, begin, n);
    s->version[n] = '\0';
    return true;
}

/* ---- the variant ---- */

static bool take_variant(const char *word, struct jw_framework_spec *s)
{
    static const struct {
        const char *word;
        unsigned channel;
    } channels[] = { { "conda", JW_BY_CONDA },
                     { "pip", JW_BY_PIP },
                     { "wheel", JW_BY_PIP },
                     { "container", JW_BY_CONTAINER },
                     { "ngc", JW_BY_CONTAINER } };

    if (jw_text_equal_nocase(word, "cpu")) {
        s->cpu = true;
        return true;
    }
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++)
        if (jw_text_equal_nocase(word, channels[i].word)) {
            s->channel |= channels[i].channel;
            return true;
        }
    if (jw_text_starts(word, "cuda"))
        return read_tag(word + 4, &s->tag);
    if (jw_text_starts(word, "cu"))
        return read_tag(word + 2, &s->tag);
    return jw_text_starts(word, "nv") && digit(word[2]); /* NVIDIA's own builds: 1.15.5+nv22.10 */
}

static bool take_variants(const char *at, struct jw_framework_spec *s, struct jw_err *err)
{
    if (*at == '+')
        (void)snprintf(s->variant, sizeof s->variant, "%.31s", at + 1);
    while (*at == '+') {
        size_t n = strcspn(++at, "+");
        char word[24] = "";

        if (n < sizeof word)
            memcpy(word, at, n);
        if (!*word || !take_variant(word, s))
            return jw_fail(
                err, JW_E_USAGE,
                "\"+%.20s\" is no variant; known are +cu118 (any CUDA version), +cpu, +pip, +conda "
                "and +container",
                JW_PHRASE("%s", word));
        at += n;
    }
    return true;
}

bool jw_framework_parse(const char *text, struct jw_framework_spec *out, struct jw_err *err)
{
    const char *at = text;

    *out = (struct jw_framework_spec){ 0 };
    if (!take_framework_name(&at, out, err) || !take_extra(&at, out, err))
        return false;
    if (jw_text_starts(at, "==") || jw_text_starts(at, ">=")) {
        at += 2;
        if (!take_version(&at, out, err))
            return false;
    } else if (*at == '=' || *at == '@') {
        at++;
        if (!take_version(&at, out, err))
            return false;
    } else if (*at && *at != '+') {
        return jw_fail(err, JW_E_USAGE, "a framework is given as NAME==VERSION, such as tensorflow==2.3.1");
    }
    return take_variants(at, out, err);
}

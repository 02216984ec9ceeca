#include "facts/builds.h"

#include "base/text.h"
#include "facts/rows.h"
#include "jitwarm/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_PRODUCT = JW_FACTS_ANY };

static const char *text_at(uint16_t at)
{
    return jw_facts_large().software + at;
}

bool jw_product_at(size_t i, struct jw_product *out)
{
    if (i >= jw_facts_products_n)
        return false;
    const struct jw_product_row *row = &jw_facts_products[i];

    *out = (struct jw_product){ .name = text_at(row->name),
                                .title = text_at(row->title),
                                .aliases = text_at(row->aliases),
                                .cpu_names = text_at(row->cpu_names),
                                .compiler = text_at(row->compiler),
                                .libs_outside = row->libs_outside,
                                .cpu_else = row->cpu_else };
    return true;
}

const char *jw_build_system_title(enum jw_build_system s)
{
    static const char *const titles[] = { "Linux", "Linux (aarch64)", "Windows" };

    return titles[s];
}

const char *jw_build_system_name(enum jw_build_system s)
{
    static const char *const names[] = { "linux", "linux-aarch64", "windows" };

    return names[s];
}

enum jw_build_system jw_build_system_here(bool windows, const char *arch)
{
    return windows ? JW_BUILD_WINDOWS : strcmp(arch, "aarch64") == 0 ? JW_BUILD_AARCH64 : JW_BUILD_LINUX;
}

bool jw_build_at(size_t i, struct jw_build *out)
{
    if (i >= jw_facts_builds_n)
        return false;
    const struct jw_build_row *row = jw_facts_large().builds + i;

    *out = (struct jw_build){ .product = row->product,
                              .package = text_at(row->package),
                              .version = text_at(row->version),
                              .measured = text_at(row->measured),
                              .cuda_text = text_at(row->cuda_text),
                              .cudnn = text_at(row->cudnn),
                              .code = jw_facts_large().codes + row->code,
                              .cuda = row->cuda,
                              .system = row->system };
    memcpy(out->number, row->number, sizeof out->number);
    return true;
}

/* ---- names ---- */

/* Letter case and the kind of - _ . do not matter. */
static bool same_letter(char a, char b)
{
    char x = a == '_' || a == '.' ? '-' : a >= 'A' && a <= 'Z' ? (char)(a + 32) : a;
    char y = b == '_' || b == '.' ? '-' : b >= 'A' && b <= 'Z' ? (char)(b + 32) : b;

    return x == y;
}

/* Is `name` the word of `n` letters at `word`, whose last may be a * that stands for the rest? */
static bool matches_word(const char *name, const char *word, size_t n)
{
    bool open = n && word[n - 1] == '*';
    size_t i = 0;

    n -= open;
    for (; i < n && name[i]; i++)
        if (!same_letter(name[i], word[i]))
            return false;
    return i == n && (open || name[i] == '\0');
}

static bool among(const char *name, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");

        if (matches_word(name, words, n))
            return true;
        words += n + (words[n] == ' ');
    }
    return false;
}

size_t jw_product_find(const char *name, bool *cpu)
{
    struct jw_product p;

    *cpu = false;
    for (size_t i = 0; jw_product_at(i, &p); i++) {
        if (matches_word(name, p.name, strlen(p.name)) || among(name, p.aliases))
            return i;
        if (among(name, p.cpu_names)) {
            *cpu = true;
            return i;
        }
    }
    return JW_NO_PRODUCT;
}

static void consider(const char *name, const char *word, const char **best, const char *means,
                     unsigned *edits)
{
    bool begins = strlen(name) > 3 && jw_text_starts_nocase(word, name);
    unsigned d = begins ? 0 : jw_text_distance(name, word);

    /* Short names are near to everything: numpy is not cupy. */
    if (d < *edits && (strlen(name) > 6 || same_letter(*name, *word))) {
        *edits = d;
        *best = means;
    }
}

const char *jw_product_nearest(const char *name)
{
    size_t length = strlen(name);
    unsigned edits = length < 5 ? 2 : length < 9 ? 3 : 4;
    const char *best = NULL;
    struct jw_product p;
    char word[64];

    for (size_t i = 0; jw_product_at(i, &p); i++) {
        consider(name, p.name, &best, p.name, &edits);
        for (const char *at = p.aliases; *at; at += *at == ' ') {
            size_t n = strcspn(at, " ");

            if (n < sizeof word && n > 3) {
                memcpy(word, at, n);
                word[n] = '\0';
                consider(name, word, &best, p.name, &edits);
            }
            at += n;
        }
    }
    return best;
}

/* ---- versions ---- */

int jw_build_compare(const uint16_t a[3], const uint16_t b[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* "2.4" and "2.4.0" are one version; both hold digits and dots only. */
static bool same_numbers(const char *a, const char *b)
{
    while (*a || *b) {
        char *end_a = (char *)a, *end_b = (char *)b;
        unsigned long x = *a ? strtoul(a, &end_a, 10) : 0, y = *b ? strtoul(b, &end_b, 10) : 0;

        if (x != y)
            return false;
        a = end_a + (*end_a == '.');
        b = end_b + (*end_b == '.');
    }
    return true;
}

static bool is_numeric(const char *version)
{
    return strspn(version, "0123456789.") == strlen(version);
}

static bool version_fits(const char *built, const char *asked)
{
    size_t n = strlen(asked);

    if (!n || strcmp(built, asked) == 0 || (strncmp(built, asked, n) == 0 && built[n] == '.'))
        return true;
    return is_numeric(built) && is_numeric(asked) && same_numbers(built, asked);
}

/* ---- requests ---- */

static bool package_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'
           || c == '.';
}

bool jw_build_is_request(const char *text)
{
    const char *equals = strstr(text, "==");
    size_t n = equals ? (size_t)(equals - text) : strlen(text);

    for (size_t i = 0; i < n; i++)
        if (!package_letter(text[i]))
            return false;
    return n && *text != '.';
}

static bool unknown_name(const char *name, struct jw_err *err)
{
    const char *near = jw_product_nearest(name);

    if (near)
        return jw_fail(err, JW_E_UNKNOWN,
                       "\"%s\" is neither a file nor in the table of scanned builds; did you mean %s?", name,
                       near);
    return jw_fail(
        err, JW_E_UNKNOWN,
        "\"%s\" is neither a file nor in the table of scanned builds; give scan its wheel or folder", name);
}

bool jw_build_parse(const char *text, struct jw_build_request *out, struct jw_err *err)
{
    const char *equals = strstr(text, "==");
    size_t n = equals ? (size_t)(equals - text) : strlen(text);

    *out = (struct jw_build_request){ .product = JW_NO_PRODUCT };
    if (!jw_build_is_request(text) || n >= sizeof out->name)
        return jw_fail(err, JW_E_USAGE, "\"%.60s\" is not NAME==VERSION, such as tensorflow==2.3.1",
                       JW_PHRASE("%s", text));
    memcpy(out->name, text, n);
    if (equals) {
        const char *version = equals + 2;
        size_t length = strspn(version, "0123456789abcdefghijklmnopqrstuvwxyz.+");

        if (!length || version[length] || length >= sizeof out->version || *version < '0' || *version > '9')
            return jw_fail(err, JW_E_USAGE, "\"%.40s\" is not a version; it looks like 2.3.1",
                           JW_PHRASE("%s", version));
        memcpy(out->version, version, length);
    }
    out->product = jw_product_find(out->name, &out->cpu);
    return out->product != JW_NO_PRODUCT || unknown_name(out->name, err);
}

/* The package itself, or with no build of it of this version, the product under whichever name: tensorflow==2.0 was
 * tensorflow-gpu. */
static bool has_package(const struct jw_build_request *r)
{
    struct jw_build b;

    for (size_t i = 0; jw_build_at(i, &b); i++)
        if (b.product == r->product && matches_word(r->name, b.package, strlen(b.package))
            && version_fits(b.version, r->version))
            return true;
    return false;
}

bool jw_build_fits(const struct jw_build *b, const struct jw_build_request *r)
{
    return b->product == r->product && !r->cpu && version_fits(b->version, r->version)
           && (matches_word(r->name, b->package, strlen(b->package)) || !has_package(r));
}

/* ---- reports ---- */

static struct jw_report report_of(const struct jw_report_row *r)
{
    return (struct jw_report){ text_at(r->text), text_at(r->fix), text_at(r->command), text_at(r->source) };
}

/* `parts` of `high` count: 2.3 stands for all of 2.3. */
static bool in_range(const uint16_t v[3], const struct jw_report_row *r)
{
    if (jw_build_compare(v, r->low) < 0)
        return false;
    for (unsigned i = 0; i < r->parts; i++)
        if (v[i] != r->high[i])
            return v[i] < r->high[i];
    return true;
}

static bool report_fits(const struct jw_report_row *r, size_t product, const uint16_t v[3], unsigned cuda)
{
    if (r->product != ANY_PRODUCT && (r->product != product || !in_range(v, r)))
        return false;
    return !r->cuda_max || (cuda && cuda <= r->cuda_max);
}

bool jw_build_report(size_t product, const uint16_t v[3], enum jw_build_system system, unsigned cuda,
                     unsigned sm, enum jw_report_effect effect, struct jw_report *out)
{
    for (size_t i = 0; i < jw_facts_reports_n; i++) {
        const struct jw_report_row *r = &jw_facts_reports[i];

        if (r->effect != effect || !(r->os >> system & 1) || sm < r->sm_low || r->sm_high < sm
            || !report_fits(r, product, v, cuda))
            continue;
        *out = report_of(r);
        return true;
    }
    return false;
}

bool jw_driver_report(const char *driver, enum jw_build_system system, unsigned sm, struct jw_report *out)
{
    for (size_t i = 0; i < jw_facts_reports_n; i++) {
        const struct jw_report_row *r = &jw_facts_reports[i];

        if (r->effect != JW_REPORT_DRIVER || strcmp(text_at(r->about), driver) != 0 || !(r->os >> system & 1)
            || sm < r->sm_low || r->sm_high < sm)
            continue;
        *out = report_of(r);
        return true;
    }
    return false;
}

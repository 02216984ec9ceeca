#include "facts/frameworks.h"

#include "facts/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_PRODUCT = JW_FACTS_ANY, MB = 1000000 };

static const char *text_at(uint16_t at)
{
    return jw_facts_texts().software + at;
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

enum jw_build_system jw_build_system_here(bool windows, const char *arch)
{
    return windows ? JW_BUILD_WINDOWS : strcmp(arch, "aarch64") == 0 ? JW_BUILD_AARCH64 : JW_BUILD_LINUX;
}

bool jw_framework_at(size_t i, enum jw_build_system system, struct jw_framework *out)
{
    const struct jw_framework_row *row = jw_facts_frameworks, *end = row + jw_facts_frameworks_n;

    for (; row < end; row++)
        if (row->os >> system & 1 && i-- == 0)
            break;
    if (row == end)
        return false;
    *out = (struct jw_framework){ .product = row->product,
                                  .versions = text_at(row->versions),
                                  .package = text_at(row->package),
                                  .cuda_text = text_at(row->cuda_text),
                                  .cudnn = text_at(row->cudnn),
                                  .machine_code = text_at(row->machine_code),
                                  .ptx = text_at(row->ptx),
                                  .cuda = row->cuda,
                                  .modules = row->modules,
                                  .isa_major = row->isa_major,
                                  .isa_minor = row->isa_minor,
                                  .ptx_bytes = row->ptx_mb * (uint64_t)MB,
                                  .parts = row->parts };
    memcpy(out->low, row->low, sizeof out->low);
    memcpy(out->high, row->high, sizeof out->high);
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

/* ---- versions ---- */

/* -1, 0, 1: below the range, in it, above it. 2.3 as its end, of which two parts count, stands for all of 2.3. */
static int compare_range(const uint16_t v[3], const uint16_t low[3], const uint16_t high[3], unsigned parts)
{
    for (unsigned i = 0; i < 3 && v[i] <= low[i]; i++)
        if (v[i] < low[i])
            return -1;
    for (unsigned i = 0; i < parts && v[i] >= high[i]; i++)
        if (v[i] > high[i])
            return 1;
    return 0;
}

int jw_framework_compare(const struct jw_framework *f, const uint16_t version[3])
{
    return -compare_range(version, f->low, f->high, f->parts);
}

static bool is_version(const char *text)
{
    size_t n = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz.+");

    return n && text[n] == '\0' && *text >= '0' && *text <= '9';
}

/* The first three numbers of "2.9.1+cu128". */
static void read_numbers(const char *version, uint16_t out[3])
{
    char *end = (char *)version;

    for (unsigned i = 0; i < 3 && *version >= '0' && *version <= '9'; i++) {
        unsigned long n = strtoul(version, &end, 10);

        out[i] = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
        version = end + (*end == '.');
    }
}

struct jw_release jw_release_of(const char *name, const char *version)
{
    struct jw_release r = { .product = JW_NO_PRODUCT };

    (void)snprintf(r.name, sizeof r.name, "%s", name);
    (void)snprintf(r.version, sizeof r.version, "%s", version);
    read_numbers(r.version, r.number);
    r.product = jw_product_find(r.name, &r.cpu);
    return r;
}

bool jw_release_parse(const char *text, struct jw_release *out)
{
    const char *equals = strstr(text, "==");
    char name[sizeof out->name];
    size_t n = equals ? (size_t)(equals - text) : 0;

    if (n == 0 || n >= sizeof name || !is_version(equals + 2) || strlen(equals + 2) >= sizeof out->version)
        return false;
    (void)snprintf(name, sizeof name, "%.*s", (int)n, text);
    *out = jw_release_of(name, equals + 2);
    return true;
}

/* "+cu128" is the tag of the build for CUDA 12.8. */
static bool tag_fits(const char *version, unsigned cuda)
{
    const char *tag = strstr(version, "+cu");
    unsigned long n = tag ? strtoul(tag + 3, NULL, 10) : 0;

    return n == 0 || n / 10 * 100 + n % 10 == cuda;
}

bool jw_framework_find(const struct jw_release *r, enum jw_build_system system, struct jw_framework *out)
{
    for (size_t i = 0; r->product != JW_NO_PRODUCT && jw_framework_at(i, system, out); i++)
        if (out->product == r->product && jw_framework_compare(out, r->number) == 0)
            return tag_fits(r->version, out->cuda);
    return false;
}

/* ---- reports ---- */

static struct jw_report report_of(const struct jw_report_row *r)
{
    return (struct jw_report){ text_at(r->text), text_at(r->fix), text_at(r->command), text_at(r->source) };
}

static bool report_fits(const struct jw_report_row *r, size_t product, const uint16_t v[3], unsigned cuda)
{
    if (r->product != ANY_PRODUCT && (r->product != product || compare_range(v, r->low, r->high, r->parts)))
        return false;
    return !r->cuda_max || (cuda && cuda <= r->cuda_max);
}

bool jw_framework_report(size_t product, const uint16_t v[3], enum jw_build_system system, unsigned cuda,
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

#include "facts/frameworks.h"

#include "base/text.h"
#include "facts/rows.h"

#include <stdlib.h>
#include <string.h>

const char *jw_confidence_name(enum jw_confidence c)
{
    static const char *const names[] = { "high", "medium", "low" };

    return names[c];
}

static const uint16_t no_numbers[5];

const struct jw_framework_build jw_no_framework_build = { .framework = JW_NO_FRAMEWORK,
                                                          .version = "",
                                                          .variant = "",
                                                          .python = "",
                                                          .cuda = "",
                                                          .cudnn = "",
                                                          .sass = "",
                                                          .ptx = "",
                                                          .source = "",
                                                          .notes = "",
                                                          .measured = "",
                                                          .code = "",
                                                          .low = no_numbers,
                                                          .high = no_numbers,
                                                          .tags = no_numbers,
                                                          .confidence = JW_UNSURE };

static const char *text_at(uint16_t at)
{
    return jw_facts_large().software + at;
}

bool jw_framework_at(size_t i, struct jw_framework *out)
{
    if (i >= jw_facts_framework_names_n)
        return false;
    const struct jw_framework_name_row *row = &jw_facts_framework_names[i];

    *out = (struct jw_framework){ .name = text_at(row->name),
                                  .title = text_at(row->title),
                                  .aliases = text_at(row->aliases),
                                  .cpu_names = text_at(row->cpu_names),
                                  .compiler = text_at(row->compiler),
                                  .advice = text_at(row->advice),
                                  .note = text_at(row->note),
                                  .source = text_at(row->source),
                                  .libs = row->libs,
                                  .cpu_else = row->cpu_else,
                                  .confidence = row->confidence };
    return true;
}

bool jw_framework_build_at(size_t i, struct jw_framework_build *out)
{
    if (i >= jw_facts_frameworks_n)
        return false;
    const struct jw_framework_row *row = jw_facts_large().frameworks + i;

    *out = (struct jw_framework_build){ .framework = row->framework,
                                        .version = text_at(row->version),
                                        .variant = text_at(row->variant),
                                        .python = text_at(row->python),
                                        .cuda = text_at(row->cuda),
                                        .cudnn = text_at(row->cudnn),
                                        .sass = text_at(row->sass),
                                        .ptx = text_at(row->ptx),
                                        .source = text_at(row->source),
                                        .notes = text_at(row->notes),
                                        .measured = text_at(row->measured),
                                        .code = jw_facts_large().codes + row->code,
                                        .low = row->low,
                                        .high = row->high,
                                        .parts = row->parts,
                                        .cuda_low = row->cuda_low,
                                        .cuda_high = row->cuda_high,
                                        .tags = row->tags,
                                        .os = row->os,
                                        .channel = row->channel,
                                        .marks = row->marks,
                                        .is_default = row->is_default,
                                        .confidence = row->confidence };
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

size_t jw_framework_find(const char *name, bool *cpu)
{
    struct jw_framework f;

    *cpu = false;
    for (size_t i = 0; jw_framework_at(i, &f); i++) {
        if (matches_word(name, f.name, strlen(f.name)) || among(name, f.aliases))
            return i;
        if (among(name, f.cpu_names)) {
            *cpu = true;
            return i;
        }
    }
    return JW_NO_FRAMEWORK;
}

static void consider(const char *name, const char *word, const char *means, const char **best,
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

const char *jw_framework_nearest(const char *name)
{
    size_t length = strlen(name);
    unsigned edits = length < 5 ? 2 : length < 9 ? 3 : 4;
    const char *best = NULL;
    struct jw_framework f;
    char word[64];

    for (size_t i = 0; jw_framework_at(i, &f); i++) {
        consider(name, f.name, f.name, &best, &edits);
        for (const char *at = f.aliases; *at; at += *at == ' ') {
            size_t n = strcspn(at, " ");

            if (n < sizeof word && n > 3) {
                memcpy(word, at, n);
                word[n] = '\0';
                consider(name, word, f.name, &best, &edits);
            }
            at += n;
        }
    }
    return best;
}

/* ---- versions ---- */

static int compare_versions(const uint16_t a[3], const uint16_t b[3], unsigned parts)
{
    for (unsigned i = 0; i < parts && i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int jw_framework_compare(const uint16_t v[3], const struct jw_framework_build *b)
{
    if (compare_versions(v, b->low, 3) < 0)
        return -1;
    return compare_versions(v, b->high, b->parts) > 0 ? 1 : 0;
}

/* ---- which build is meant ---- */

static bool has_tag(const struct jw_framework_build *b, unsigned tag)
{
    enum { ANY_MINOR = 99 };
    bool major = tag % 100 == ANY_MINOR;

    for (unsigned i = 0; i < 5 && b->tags[i]; i++)
        if (b->tags[i] == tag || ((major || b->tags[i] % 100 == ANY_MINOR) && b->tags[i] / 100 == tag / 100))
            return true;
    if (b->tags[0] || b->cuda_low == 0)
        return false;
    return major ? b->cuda_low / 100 <= tag / 100 && tag / 100 <= b->cuda_high / 100
                 : b->cuda_low <= tag && tag <= b->cuda_high;
}

/* How well a build of the right version fits; 0: it is another one. */
static unsigned build_fit(const struct jw_framework_build *b, const struct jw_framework_spec *s,
                          unsigned cuda)
{
    unsigned channel = s->channel ? s->channel : (unsigned)JW_BY_PIP | JW_BY_BUILD;

    if ((s->tag && !has_tag(b, s->tag)) || (s->channel && !(b->channel & s->channel)))
        return 0;
    return 1 + (b->is_default ? 2U : 0U) + (b->channel & channel ? 4U : 0U)
           + (cuda && b->cuda_low <= cuda && cuda <= b->cuda_high ? 8U : 0U) + (*b->code ? 16U : 0U)
           + (b->channel == s->channel ? 1U : 0U);
}

static bool is_kind(const struct jw_framework_build *b, const struct jw_framework_spec *s)
{
    bool dated = (b->marks & JW_BUILD_DATED) != 0;

    return b->framework == s->framework && (s->parts == 0 || s->dated == dated)
           && s->jaxlib == ((b->marks & JW_BUILD_JAXLIB) != 0);
}

/* The best build for this version on this system; false: none. */
static bool best_of_version(const struct jw_framework_spec *s, const uint16_t v[3], unsigned os,
                            unsigned cuda, struct jw_framework_build *out)
{
    struct jw_framework_build b;
    unsigned best = 0;

    for (size_t i = 0; jw_framework_build_at(i, &b); i++) {
        unsigned f;

        if (!is_kind(&b, s) || !(b.os & os) || jw_framework_compare(v, &b) != 0)
            continue;
        f = build_fit(&b, s, cuda);
        /* A row that ends nowhere gives way to one that was written for the version, or later. */
        f = f * 2 + (b.high[0] != 0xffff);
        if (f > 1 && (f > best || (f == best && compare_versions(b.low, out->low, 3) > 0))) {
            best = f;
            *out = b;
        }
    }
    return best != 0;
}

/* The newest version of the table that is not newer than `v` (NULL: of all); false: there is none. */
static bool newest_before(const struct jw_framework_spec *s, const uint16_t *v, unsigned os,
                          uint16_t found[3], bool *newer_too)
{
    struct jw_framework_build b;
    bool any = false;

    *newer_too = false;
    for (size_t i = 0; jw_framework_build_at(i, &b); i++) {
        uint16_t top[3];

        if (!is_kind(&b, s) || !(b.os & os) || (s->tag && !has_tag(&b, s->tag))
            || (b.marks & JW_BUILD_APPROXIMATE))
            continue;
        memcpy(top, b.high[0] == 0xffff ? b.low : b.high, sizeof top);
        if (v && compare_versions(b.low, v, 3) > 0) {
            *newer_too = true;
            continue;
        }
        if (!any || compare_versions(top, found, 3) > 0)
            memcpy(found, top, sizeof top);
        any = true;
    }
    return any;
}

/* Another patch release: 2.0.1 of which only 2.0.0 is in the table. */
static bool same_minor(const struct jw_framework_spec *s, unsigned os, unsigned cuda,
                       struct jw_framework_build *out)
{
    struct jw_framework_build b;

    if (s->dated)
        return false;
    for (size_t i = 0; jw_framework_build_at(i, &b); i++)
        if (is_kind(&b, s) && (b.os & os) && compare_versions(b.low, s->number, 2) == 0
            && build_fit(&b, s, cuda))
            return best_of_version(s, b.low, os, cuda, out);
    return false;
}

/* The scanned build nearest to the version, at or below it or (`after`) above; false: none. */
static bool nearest_scanned(const struct jw_framework_spec *s, unsigned os, unsigned cuda, bool after,
                            struct jw_framework_build *out)
{
    struct jw_framework_build b;
    bool any = false;

    for (size_t i = 0; jw_framework_build_at(i, &b); i++) {
        int side = compare_versions(b.low, s->number, 3);

        if (!*b.code || !is_kind(&b, s) || !(b.os & os) || !build_fit(&b, s, cuda) || (side > 0) != after)
            continue;
        int order = any ? compare_versions(b.low, out->low, 3) : 0;

        if (!any || (after ? order < 0 : order > 0)
            || (order == 0 && build_fit(&b, s, cuda) > build_fit(out, s, cuda)))
            *out = b;
        any = true;
    }
    return any;
}

/* No version was named: the newest that was scanned, which is what pip gives; false: none. */
static bool newest_scanned(const struct jw_framework_spec *s, unsigned os, unsigned cuda,
                           struct jw_framework_build *out)
{
    struct jw_framework_spec all = *s;

    memset(all.number, 0xff, sizeof all.number);
    return !(s->channel & ~(unsigned)JW_BY_PIP) && nearest_scanned(&all, os, cuda, false, out);
}

bool jw_framework_neighbour(const struct jw_framework_spec *s, unsigned os, bool newer,
                            struct jw_framework_build *out)
{
    return nearest_scanned(s, os, 0, newer, out);
}

/* 2.9 stands for the newest 2.9.x that was scanned; 2.9.0, where 2.9.1 was scanned, is near to it. */
static bool scanned_minor(const struct jw_framework_spec *s, unsigned os, unsigned cuda,
                          struct jw_framework_build *out)
{
    struct jw_framework_build b;
    bool any = false;

    for (size_t i = 0; jw_framework_build_at(i, &b); i++)
        if (*b.code && is_kind(&b, s) && (b.os & os) && compare_versions(b.low, s->number, 2) == 0
            && build_fit(&b, s, cuda) && (!any || compare_versions(b.low, out->low, 3) > 0)) {
            *out = b;
            any = true;
        }
    return any;
}

/* What was scanned comes before what was only declared. */
static bool pick_scanned(const struct jw_framework_spec *s, unsigned os, unsigned cuda,
                         struct jw_framework_build *out)
{
    if (s->dated)
        return false;
    return (s->parts < 3 && scanned_minor(s, os, cuda, out))
           || (best_of_version(s, s->number, os, cuda, out) && *out->code);
}

enum jw_framework_match jw_framework_pick(const struct jw_framework_spec *s, unsigned os, unsigned cuda,
                                          struct jw_framework_build *out)
{
    struct jw_framework_spec plain = *s;
    uint16_t v[3] = { 0 };
    bool newer;

    if (s->parts == 0) {
        if (newest_scanned(s, os, cuda, out))
            return JW_MATCH_EXACT;
        if (newest_before(s, NULL, os, v, &newer) && best_of_version(s, v, os, cuda, out))
            return JW_MATCH_EXACT;
        return newest_before(s, NULL, ~0U, v, &newer) && best_of_version(s, v, ~0U, cuda, out)
                   ? JW_MATCH_NO_SYSTEM
                   : JW_MATCH_NONE;
    }
    if (pick_scanned(s, os, cuda, out) || best_of_version(s, s->number, os, cuda, out))
        return JW_MATCH_EXACT;
    if (same_minor(s, os, cuda, out))
        return JW_MATCH_NEAR;
    plain.tag = 0;
    plain.channel = 0;
    if (best_of_version(&plain, s->number, os, cuda, out) || same_minor(&plain, os, cuda, out))
        return JW_MATCH_NO_VARIANT;
    if (newest_before(s, s->number, os, v, &newer) && best_of_version(s, v, os, cuda, out))
        return newer ? JW_MATCH_BETWEEN : JW_MATCH_NEWER;
    return best_of_version(&plain, s->number, ~0U, cuda, out) ? JW_MATCH_NO_SYSTEM : JW_MATCH_NONE;
}

/* ---- reports ---- */

static bool report_fits(const struct jw_report_row *r, size_t framework, const uint16_t v[3], unsigned os,
                        unsigned cuda, unsigned sm)
{
    const struct jw_framework_build span = { .low = r->low, .high = r->high, .parts = r->parts };

    if (r->framework != JW_FACTS_ANY && r->framework != framework)
        return false;
    if (r->framework != JW_FACTS_ANY && jw_framework_compare(v, &span) != 0)
        return false;
    if (r->cuda_most && (cuda == 0 || cuda > r->cuda_most))
        return false;
    return (r->os & os) && r->sm_low <= sm && sm <= r->sm_high;
}

static struct jw_report report_of(const struct jw_report_row *r)
{
    return (struct jw_report){ .text = text_at(r->text),
                               .fix = text_at(r->fix),
                               .command = text_at(r->command),
                               .source = text_at(r->source),
                               .effect = r->effect,
                               .confidence = r->confidence };
}

bool jw_framework_report(size_t framework, const uint16_t v[3], unsigned os, unsigned cuda, unsigned sm,
                         enum jw_report_effect effect, struct jw_report *out)
{
    for (size_t i = 0; i < jw_facts_reports_n; i++) {
        const struct jw_report_row *r = &jw_facts_reports[i];

        if (r->effect != effect || !report_fits(r, framework, v, os, cuda, sm))
            continue;
        *out = report_of(r);
        return true;
    }
    return false;
}

bool jw_report_about(enum jw_report_effect effect, const char *what, unsigned os, unsigned sm,
                     struct jw_report *out)
{
    for (size_t i = 0; i < jw_facts_reports_n; i++) {
        const struct jw_report_row *r = &jw_facts_reports[i];

        if (r->effect != effect || strcmp(text_at(r->about), what) != 0 || !(r->os & os) || sm < r->sm_low
            || r->sm_high < sm)
            continue;
        *out = report_of(r);
        return true;
    }
    return false;
}

/* ---- toolkits ---- */

unsigned jw_cuda_number(const char *text)
{
    unsigned long major, minor = 0;
    char *end;

    if (*text < '0' || *text > '9')
        return 0;
    major = strtoul(text, &end, 10);
    if (*end == '.' && end[1] >= '0' && end[1] <= '9')
        minor = strtoul(end + 1, &end, 10);
    if (*end == '.' && end[1] >= '0' && end[1] <= '9')
        (void)strtoul(end + 1, &end, 10);
    return *end == '\0' && major < 100 && minor < 99 ? (unsigned)(major * 100 + minor) : 0;
}

static struct jw_cuda_release toolkit_of(const struct jw_release_row *r)
{
    return (struct jw_cuda_release){ .cuda = r->cuda_major * 100U + r->cuda_minor,
                                     .isa_major = r->isa_major,
                                     .isa_minor = r->isa_minor,
                                     .oldest = r->nvcc_oldest,
                                     .newest = r->nvcc_newest,
                                     .nvrtc_newest = r->nvrtc_newest,
                                     .linux_least = jw_facts_pool + r->linux_least,
                                     .windows_least = jw_facts_pool + r->windows_least,
                                     .linux_with = jw_facts_pool + r->linux_driver,
                                     .windows_with = jw_facts_pool + r->windows_driver };
}

bool jw_cuda_release_find(unsigned cuda, struct jw_cuda_release *out)
{
    for (size_t i = 0; i < jw_facts_releases_n; i++) {
        *out = toolkit_of(&jw_facts_releases[i]);
        if (out->cuda == cuda)
            return true;
    }
    return false;
}

bool jw_cuda_release_for(unsigned sm, struct jw_cuda_release *out)
{
    for (size_t i = 0; i < jw_facts_releases_n; i++) {
        *out = toolkit_of(&jw_facts_releases[i]);
        if (out->newest >= sm && out->oldest <= sm)
            return true;
    }
    return false;
}

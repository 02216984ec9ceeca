#include "doctor/doctor_framework.h"

#include <stdio.h>
#include <string.h>

enum { NO_END = 0xffff, ANY_MINOR = 99 };

void jw_version_text(const struct jw_framework_build *b, const uint16_t v[3], unsigned parts, char out[24])
{
    if (*b->version == 'R')
        (void)snprintf(out, 24, "R%u%c", v[0], v[1] == 1 ? 'a' : 'b');
    else if (b->marks & JW_BUILD_DATED)
        (void)snprintf(out, 24, "%u-%02u", v[0], v[1]);
    else if (parts >= 3 && (!*b->code || (v[0] == 0 && v[1] < 10)))
        (void)snprintf(out, 24, "%u.%u.%u", v[0], v[1], v[2]);
    else
        (void)snprintf(out, 24, "%u.%u", v[0], v[1]);
}

unsigned jw_compiler_too_old(const struct jw_software *s, unsigned cuda, unsigned sm)
{
    struct jw_cuda_release t;

    if (s->framework == JW_NO_FRAMEWORK || !*s->about.compiler || !jw_cuda_release_find(cuda, &t))
        return 0;
    unsigned newest = strcmp(s->about.compiler, "nvrtc") == 0 ? t.nvrtc_newest : t.newest;

    return newest < sm ? newest : 0;
}

static int order(const uint16_t a[3], const uint16_t b[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* True if this build runs on the GPU and the driver without compiling. */
static bool would_do(const struct jw_case *c, const struct jw_framework_build *b, unsigned sm)
{
    struct jw_driver_version have;
    struct jw_report ended;
    struct jw_err ignored;

    if (!(b->os & jw_case_os(c)) || (b->marks & JW_BUILD_APPROXIMATE) || (b->channel & JW_BY_CONTAINER))
        return false;
    if (c->driver && b->cuda_low && !jw_driver_parse(c->driver, &have, &ignored))
        return false; /* nothing is known to run with an unknown driver */
    if (!jw_case_serves(c, b->cuda_low)
        || jw_framework_report(b->framework, b->low, jw_case_os(c), b->cuda_low, sm, JW_REPORT_ENDED, &ended))
        return false;
    struct jw_gpu_code code = jw_gpu_code_of_build(b, sm, c->driver, false);

    return code.native != 0 && !code.jit && !code.blocked;
}

static bool same_kind(const struct jw_framework_build *b, const struct jw_software *s)
{
    return b->framework == s->framework && ((b->marks & JW_BUILD_DATED) != 0) == s->spec.dated
           && ((b->marks & JW_BUILD_JAXLIB) != 0) == s->spec.jaxlib;
}

/* The newest +cuNNN of a build. */
static unsigned tag_of(const struct jw_framework_build *b)
{
    unsigned tag = 0;

    for (unsigned i = 0; i < 5 && b->tags[i]; i++)
        if (b->tags[i] > tag)
            tag = b->tags[i];
    return tag % 100 == ANY_MINOR ? 0 : tag;
}

/* True if the build is of the requested version; 2.9.1 is of 2.9. */
static bool of_version(const struct jw_software *s, const struct jw_framework_build *b)
{
    unsigned parts = s->spec.parts;

    if (!parts)
        return false;
    for (unsigned i = 0; *b->code && parts < 3 && i < parts; i++)
        if (b->low[i] != s->spec.number[i])
            return false;
    return (*b->code && parts < 3) || jw_framework_compare(s->spec.number, b) == 0;
}

/* The same version for another toolkit: the oldest one, which works with most drivers. */
static bool built_otherwise(const struct jw_case *c, const struct jw_software *s, unsigned sm,
                            struct jw_better *out)
{
    struct jw_framework_build b;

    for (size_t i = 0; jw_framework_build_at(i, &b); i++)
        if (same_kind(&b, s) && of_version(s, &b) && tag_of(&b) && b.low != s->build.low
            && would_do(c, &b, sm) && (!out->tag || tag_of(&b) < out->tag))
            out->tag = tag_of(&b);
    out->same_version = out->tag != 0;
    jw_version_text(&s->build, s->spec.number, s->spec.parts, out->first);
    return out->same_version;
}

/* The oldest build after `v` that runs there (`clean`: and whose compiler knows the GPU). */
static bool next_after(const struct jw_case *c, const struct jw_software *s, unsigned sm, const uint16_t v[3],
                       bool clean, struct jw_framework_build *out)
{
    struct jw_framework_build b;
    bool found = false;

    for (size_t i = 0; jw_framework_build_at(i, &b); i++) {
        if (!same_kind(&b, s) || order(b.low, v) <= 0 || !would_do(c, &b, sm)
            || (clean && jw_compiler_too_old(s, b.cuda_low, sm)))
            continue;
        if (!found || order(b.low, out->low) < 0
            || (order(b.low, out->low) == 0 && b.is_default && !out->is_default))
            *out = b;
        found = true;
    }
    return found;
}

/* The first clean build, and the last one with the same toolkit. */
static void best_of(const struct jw_case *c, const struct jw_software *s, unsigned sm,
                    const struct jw_framework_build *first, struct jw_better *out)
{
    struct jw_framework_build clean, last, next;

    if (!jw_compiler_too_old(s, first->cuda_low, sm) || !next_after(c, s, sm, s->spec.number, true, &clean))
        return;
    last = clean;
    while (next_after(c, s, sm, last.low, true, &next) && next.cuda_low == clean.cuda_low
           && strcmp(next.cudnn, clean.cudnn) == 0)
        last = next;
    jw_version_text(&clean, clean.low, clean.parts, out->from);
    if (order(last.low, clean.low) > 0)
        jw_version_text(&last, last.high[0] == NO_END ? last.low : last.high, last.parts, out->to);
    out->cuda = clean.cuda_low == clean.cuda_high ? clean.cuda_low : 0;
    out->cudnn = clean.cudnn;
}

/* The newest older build, for a GPU that newer versions dropped. */
static bool last_before(const struct jw_case *c, const struct jw_software *s, unsigned sm,
                        struct jw_better *out)
{
    struct jw_framework_build b, best;
    bool found = false;

    for (size_t i = 0; jw_framework_build_at(i, &b); i++)
        if (same_kind(&b, s) && b.high[0] != NO_END && order(b.high, s->spec.number) < 0
            && would_do(c, &b, sm) && (!found || order(b.high, best.high) > 0)) {
            best = b;
            found = true;
        }
    out->older = found;
    if (!found)
        return false;
    out->tag = best.is_default ? 0 : tag_of(&best);
    jw_version_text(&best, best.high, best.parts, out->first);
    return true;
}

void jw_better_build(const struct jw_case *c, const struct jw_software *s, unsigned sm, struct jw_better *out)
{
    struct jw_framework_build first;

    *out = (struct jw_better){ .cudnn = "" };
    if (s->framework == JW_NO_FRAMEWORK || !s->has_build)
        return;
    if (built_otherwise(c, s, sm, out)) {
        out->found = true;
    } else if (next_after(c, s, sm, s->spec.number, false, &first)) {
        out->found = true;
        jw_version_text(&first, first.low, first.parts, out->first);
        out->tag = first.is_default ? 0 : tag_of(&first);
        best_of(c, s, sm, &first, out);
    } else {
        out->found = last_before(c, s, sm, out);
    }
}

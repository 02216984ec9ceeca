#include "base/text.h"
#include "doctor/doctor_words.h"
#include "facts/env_defaults.h"

#include <string.h>

enum { FULL = 95 /* percent */ };

#define LIMIT "CUDA_CACHE_MAXSIZE"
#define OFF "CUDA_CACHE_DISABLE"

static const char every_start[] =
    "every program compiles its GPU code again at each start, which takes from seconds to many minutes";

/* ---- on or off ---- */

static void disabled(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *value = m->cache->dir.disabled_from.value;

    if (m->cache->dir.nameless)
        return; /* doctor_cache_place has it */
    if (m->cache->dir.disabled)
        JW_FINDING(f, .id = "cache-disabled", .of_status = true, .severity = JW_WARNING, .subject = OFF,
                   .text = "the driver's cache of compiled GPU code is switched off",
                   .evidence = doctor_where_set(m, OFF, value, f), .consequence = every_start,
                   .fix = doctor_how_to_set(m, OFF, NULL, f), .command = doctor_set_command(m, OFF, NULL, f));
    else if (value && strcmp(value, "0") != 0)
        JW_FINDING(f, .id = "cache-disable-junk", .severity = JW_WARNING, .subject = OFF,
                   .text = OFF " is neither 0 nor 1", .evidence = doctor_where_set(m, OFF, value, f),
                   .consequence = "the cache stays on: this setting has no effect",
                   .fix = doctor_how_to_set(m, OFF, NULL, f), .command = doctor_set_command(m, OFF, NULL, f));
}

/* ---- the limit ---- */

/* The limit as prime, env and status recommend it where this value is set. */
static uint64_t recommended_for(const struct jw_status_report *r, const char *value)
{
    struct jw_cachedir d = r->dir;

    d.limit_from.value = value;
    uint64_t better = jw_cache_limit_for(jw_status_need(r), jw_cachedir_least(&d));

    return better ? better : r->documented.max;
}

static uint64_t recommended(const struct jw_status_report *r)
{
    return recommended_for(r, r->dir.limit_from.value);
}

const char *doctor_limit_meant(const struct jw_doctor_machine *m, const char *value, struct jw_findings *f)
{
    return jw_fmt(f, "%llu", (unsigned long long)recommended_for(m->cache, value));
}

bool doctor_limit_keeps_nothing(const struct jw_doctor_machine *m, const char *value)
{
    return m->cache && jw_cache_limit_read(value, NULL) < JW_CACHE_SMALLEST;
}

static const char *seen(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_cachedir *d = &m->cache->dir;

    return d->limit_from.value
               ? doctor_where_set(m, LIMIT, d->limit_from.value, f)
               : jw_fmt(f, LIMIT " is not set; this driver's default is %s", JW_SIZE(d->limit));
}

/* `better` 0: no limit is large enough. */
static void limit(const struct jw_doctor_machine *m, struct jw_findings *f, uint64_t better,
                  struct jw_finding one)
{
    const char *value = jw_fmt(f, "%llu", (unsigned long long)better);

    one.severity = JW_WARNING;
    one.subject = LIMIT;
    one.evidence = one.evidence ? one.evidence : seen(m, f);
    one.fix = better ? doctor_how_to_set(m, LIMIT, value, f)
                     : "no cache can hold that much: give programs separate caches with CUDA_CACHE_PATH, or "
                       "warm only the important ones (jitwarm prime PATH)";
    one.command = better ? doctor_set_command(m, LIMIT, value, f) : NULL;
    jw_finding_add(f, one);
}

#define LIMIT_FINDING(m, f, better, ...) limit(m, f, better, (struct jw_finding){ __VA_ARGS__ })

/* False: the value is invalid, and was reported. */
static bool limit_is_valid(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;
    const char *value = r->dir.limit_from.value;
    uint64_t max = r->documented.max, n = 0;
    bool digits = *value && strspn(value, "0123456789") == strlen(value);

    if (!digits)
        LIMIT_FINDING(m, f, recommended(r), .id = "cache-limit-junk",
                      .text = "the cache's limit is not a plain number of bytes",
                      .consequence = jw_fmt(
                          f, "the driver reads only leading digits (4G is 4, a word is 0): here %llu bytes%s",
                          (unsigned long long)r->dir.limit,
                          r->dir.limit < JW_CACHE_SMALLEST ? ". It stores nothing more: what is in the cache "
                                                             "is used, all else is compiled at each start"
                                                           : ""));
    else if (!jw_text_u64(value, &n) || n > max)
        LIMIT_FINDING(m, f, max, .id = "cache-limit-above",
                      .text =
                          "the cache's limit is above the documented maximum of 4,294,967,296 bytes (4 GiB)",
                      .consequence = "the driver takes it as 4 GiB");
    else if (n < JW_CACHE_SMALLEST)
        LIMIT_FINDING(
            m, f, recommended(r), .id = "cache-limit-small", .of_status = true,
            .text = n ? "the cache's limit is too small for real programs" : "the cache's limit is 0",
            .consequence = "code larger than the limit is never cached, and compiled again at each start");
    else
        return true;
    return false;
}

static void below_need(const struct jw_doctor_machine *m, uint64_t have, uint64_t need, struct jw_findings *f)
{
    LIMIT_FINDING(
        m, f, jw_status_limit(m->cache), .id = "cache-limit-low", .of_status = true,
        .text = jw_fmt(f, "the cache is too small for what was warmed: %s are needed, the limit is %s",
                       JW_SIZE(need), JW_SIZE(have)),
        .consequence = "programs evict each other's code from the cache, and compile it again and again");
}

static void nearly_full(const struct jw_doctor_machine *m, uint64_t have, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;
    uint64_t better = jw_status_limit(r);

    if (jw_status_percent(r->used, have) >= FULL)
        LIMIT_FINDING(m, f, have < better ? better : 0, .id = "cache-full", .of_status = true,
                      .text = jw_fmt(f, "the cache is full: %s of %s", JW_SIZE(r->used), JW_SIZE(have)),
                      .consequence = "newly compiled code evicts older code");
}

/* The driver's default is not known yet, so use the smallest one. */
static void default_limit(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;

    if (jw_status_percent(jw_status_need(r), r->documented.before) >= FULL)
        LIMIT_FINDING(m, f, recommended(r), .id = "cache-limit-unset",
                      .text = jw_fmt(f, "no cache limit is set, and %s may not fit the driver's default",
                                     JW_SIZE(jw_status_need(r))),
                      .evidence =
                          LIMIT " is not set; the default is 256 MiB or 1 GiB, depending on the driver",
                      .consequence = "if it is 256 MiB, programs evict each other's code and compile again");
}

void jw_doctor_cache_fill(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;

    if (!r->dir.limit_known)
        default_limit(m, f);
    else if (r->primed.known && r->primed.need.bytes > r->dir.limit)
        below_need(m, r->dir.limit, r->primed.need.bytes, f);
    else
        nearly_full(m, r->dir.limit, f);
}

void jw_doctor_cache_limit(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_status_report *r = m->cache;

    if (!r)
        return;
    disabled(m, f);
    if (!r->dir.limit_known || !r->dir.limit_from.value || limit_is_valid(m, f))
        jw_doctor_cache_fill(m, f);
}

#include "doctor/doctor_log.h"
#include "facts/frameworks.h"
#include "fuzz.h"

#include <string.h>

/* ---- framework ---- */

/* What may stand after --framework. */
FUZZ(framework)
{
    struct jw_framework_spec s;
    struct jw_framework_build b;
    struct jw_framework about;
    struct jw_err err = { 0 };
    char text[256];
    bool ok;

    if (size >= sizeof text || memchr(data, 0, size))
        return;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    ok = jw_framework_parse(text, &s, &err);
    fuzz_error(ok, &err);
    for (const char *p = err.msg; *p; p++)
        FUZZ_CHECK((unsigned char)*p >= 0x20);
    if (!ok)
        return;
    FUZZ_CHECK(jw_framework_at(s.framework, &about));
    FUZZ_CHECK(s.parts <= 3 && memchr(s.version, 0, sizeof s.version)
               && memchr(s.variant, 0, sizeof s.variant));
    enum jw_framework_match m = jw_framework_pick(&s, JW_ON_LINUX, 0, &b);

    FUZZ_CHECK(m == JW_MATCH_NONE || b.framework == s.framework);
    FUZZ_CHECK(m != JW_MATCH_EXACT || s.parts < 3 || jw_framework_compare(s.number, &b) == 0);
}

/* ---- log ---- */

/* Bytes are compared below. */
_Static_assert(sizeof(struct jw_error_known)
                   == sizeof(unsigned) + sizeof(enum jw_error_severity) + 5 * sizeof(char *),
               "no padding, which a copy may leave as it was");

/* In two pieces, at every place in turn that the first byte says: where it is cut must not matter. */
FUZZ(log)
{
    static struct jw_log whole, cut;
    struct jw_arena arena = { 0 };
    struct jw_findings f = JW_FINDINGS(&arena);
    struct jw_framework_spec spec;
    size_t at = size ? data[0] % (size + 1) : 0;

    memset(&whole, 0, sizeof whole);
    memset(&cut, 0, sizeof cut);
    jw_log_feed(&whole, (const char *)data, size);
    jw_log_end(&whole);
    jw_log_feed(&cut, (const char *)data, at);
    jw_log_feed(&cut, (const char *)data + at, size - at);
    jw_log_end(&cut);
    FUZZ_CHECK(memcmp(&whole, &cut, sizeof whole) == 0);
    FUZZ_CHECK(whole.n_gpus <= JW_LOG_GPUS && whole.n_complaints <= JW_LOG_COMPLAINTS);
    for (size_t i = 0; i < whole.n_gpus; i++)
        FUZZ_CHECK(whole.gpus[i].sm >= 20 && whole.gpus[i].sm < 1000);
    if (jw_log_framework(&whole, JW_ON_LINUX, &spec))
        FUZZ_CHECK(spec.parts ? spec.version[0] != '\0' : whole.made_by || whole.said[0]);
    jw_doctor_log(&whole, "a.log", &f);
    FUZZ_CHECK(f.n >= 1);
    for (size_t i = 0; i < f.n; i++)
        for (const char *p = f.v[i].evidence ? f.v[i].evidence : ""; *p; p++)
            FUZZ_CHECK((unsigned char)*p >= 0x20);
    jw_arena_free(&arena);
}

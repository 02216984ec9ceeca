#include "doctor/log/log.h"
#include "facts/frameworks.h"
#include "fuzz.h"

#include <string.h>

/* ---- framework ---- */

/* A release as a log names it. */
FUZZ(framework)
{
    struct jw_release r;
    struct jw_product about;
    struct jw_framework f;
    char text[256];

    if (size >= sizeof text || memchr(data, 0, size))
        return;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    if (!jw_release_parse(text, &r))
        return;
    FUZZ_CHECK(memchr(r.version, 0, sizeof r.version) && memchr(r.name, 0, sizeof r.name));
    FUZZ_CHECK(r.product == JW_NO_PRODUCT || jw_product_at(r.product, &about));
    if (jw_framework_find(&r, JW_BUILD_LINUX, &f))
        FUZZ_CHECK(f.product == r.product && jw_framework_compare(&f, r.number) == 0);
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
    struct jw_release spec;
    bool guessed;
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
    if (jw_log_software(&whole, &spec, &guessed))
        FUZZ_CHECK(spec.version[0] && (guessed || whole.release[0]));
    jw_doctor_log(&whole, "a.log", &f);
    FUZZ_CHECK(f.n >= 1);
    for (size_t i = 0; i < f.n; i++)
        for (const char *p = f.v[i].evidence ? f.v[i].evidence : ""; *p; p++)
            FUZZ_CHECK((unsigned char)*p >= 0x20);
    jw_arena_free(&arena);
}

#include "doctor/doctor_log.h"
#include "facts/builds.h"
#include "fuzz.h"

#include <string.h>

/* ---- framework ---- */

/* What may stand for software after scan. */
FUZZ(framework)
{
    struct jw_build_request r;
    struct jw_product about;
    struct jw_build b;
    struct jw_err err = { 0 };
    char text[256];
    bool ok;

    if (size >= sizeof text || memchr(data, 0, size))
        return;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    ok = jw_build_parse(text, &r, &err);
    fuzz_error(ok, &err);
    for (const char *p = err.msg; *p; p++)
        FUZZ_CHECK((unsigned char)*p >= 0x20);
    if (!ok)
        return;
    FUZZ_CHECK(jw_build_is_request(text) && jw_product_at(r.product, &about));
    FUZZ_CHECK(memchr(r.version, 0, sizeof r.version) && memchr(r.name, 0, sizeof r.name));
    for (size_t i = 0; i < 50 && jw_build_at(i, &b); i++)
        FUZZ_CHECK(!jw_build_fits(&b, &r) || b.product == r.product);
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
    struct jw_build_request spec;
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

#include "doctor/doctor_log.h"
#include "fuzz.h"

#include <string.h>

/* Bytes are compared below. */
_Static_assert(sizeof(struct jw_error_known)
                   == sizeof(unsigned) + sizeof(enum jw_error_severity) + 5 * sizeof(char *),
               "no padding, which a copy may leave as it was");

/* In two pieces, at every place in turn that the first byte says: where it is cut must not matter. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
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
    return 0;
}

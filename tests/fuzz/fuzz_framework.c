#include "facts/frameworks.h"
#include "fuzz.h"

#include <string.h>

/* What may stand after --framework. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_framework_spec s;
    struct jw_framework_build b;
    struct jw_framework about;
    struct jw_err err = { 0 };
    char text[256];
    bool ok;

    if (size >= sizeof text || memchr(data, 0, size))
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    ok = jw_framework_parse(text, &s, &err);
    fuzz_error(ok, &err);
    for (const char *p = err.msg; *p; p++)
        FUZZ_CHECK((unsigned char)*p >= 0x20);
    if (!ok)
        return 0;
    FUZZ_CHECK(jw_framework_at(s.framework, &about));
    FUZZ_CHECK(s.parts <= 3 && memchr(s.version, 0, sizeof s.version)
               && memchr(s.variant, 0, sizeof s.variant));
    enum jw_framework_match m = jw_framework_pick(&s, JW_ON_LINUX, 0, &b);

    FUZZ_CHECK(m == JW_MATCH_NONE || b.framework == s.framework);
    FUZZ_CHECK(m != JW_MATCH_EXACT || s.parts < 3 || jw_framework_compare(s.number, &b) == 0);
    return 0;
}

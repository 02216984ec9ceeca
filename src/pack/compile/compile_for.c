#include "pack/compile/compile_for.h"

#include "base/num.h"
#include "base/text.h"
#include "cache/format/jitcache.h"

#include <string.h>

enum { LEAST_SM = 10, MOST_SM = 999 };

/* "sm=86" or "sm=sm_86" */
static bool read_sm(const char *text, size_t n, uint16_t *out)
{
    size_t before = n > 6 && memcmp(text, "sm=sm_", 6) == 0 ? 6 : 3;
    char digits[8] = "";
    uint64_t sm;

    if (n <= before || n - before >= sizeof digits || memcmp(text, "sm=", 3) != 0)
        return false;
    memcpy(digits, text + before, n - before);
    if (!jw_text_u64(digits, &sm) || sm < LEAST_SM || sm > MOST_SM)
        return false;
    *out = (uint16_t)sm;
    return true;
}

static bool read_part(const char *text, size_t n, struct jw_arena *a, struct jw_compile_target *out,
                      struct jw_err *err)
{
    if (n > 7 && memcmp(text, "driver=", 7) == 0) {
        out->driver = jw_arena_text(a, text + 7, n - 7);
        return true;
    }
    if (out->n_sms == JW_COMPILE_MOST_GPUS)
        return jw_fail(err, JW_E_USAGE, "--for: more than %d GPU architectures", (int)JW_COMPILE_MOST_GPUS);
    return read_sm(text, n, &out->sms[out->n_sms++])
           || jw_fail(err, JW_E_USAGE,
                      "--for: \"%.*s\" is neither driver=DRIVER nor sm=NUMBER, as in --for "
                      "driver=580.178.04,sm=86,sm=89",
                      (int)jw_min(n, 60), text);
}

bool jw_compile_target(const char *text, struct jw_arena *a, struct jw_compile_target *out,
                       struct jw_err *err)
{
    *out = (struct jw_compile_target){ 0 };
    while (*text) {
        size_t n = strcspn(text, ",");

        if (!read_part(text, n, a, out, err))
            return false;
        text += n + (text[n] == ',');
    }
    return true;
}

/* "Jan  7 202622:51:46", with or without a blank before the time. */
static bool read_stamp(const char *text, struct jw_arena *a, const char **out, struct jw_err *err)
{
    enum { DATE = 11 };
    size_t n = strlen(text);
    char stamp[JW_CACHE_STAMP + 2] = "";

    if (n == JW_CACHE_STAMP + 1 && text[DATE] == ' ') {
        memcpy(stamp, text, DATE);
        memcpy(stamp + DATE, text + DATE + 1, n - DATE - 1);
    } else if (n == JW_CACHE_STAMP)
        memcpy(stamp, text, n);
    if (!jw_cache_stamp_time(stamp))
        return jw_fail(err, JW_E_USAGE,
                       "--for: driver=%.40s is no stamp like \"Jan  7 202622:51:46\"; jitwarm doctor --probe "
                       "--json prints it on the target machine (knowledge, stamp)",
                       text);
    *out = jw_arena_str(a, stamp);
    return true;
}

bool jw_compile_build(const char *text, struct jw_arena *a, const char **stamp, uint16_t *sm,
                      struct jw_err *err)
{
    struct jw_compile_target t;

    if (!jw_compile_target(text, a, &t, err) || (t.driver && !read_stamp(t.driver, a, stamp, err)))
        return false;
    *sm = t.sms[0];
    return (t.driver && t.n_sms == 1)
           || jw_fail(err, JW_E_USAGE,
                      "--for needs driver=STAMP and one sm=NUMBER, as in --for \"driver=Jan  7 "
                      "202622:51:46,sm=86\"");
}

/* What --for says: the driver and the GPU that a pack is to be for. */
#include "pack/compile/offline.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/format/jitcache.h"

#include <string.h>

enum { LEAST_SM = 10, MOST_SM = 999 };

/* "Jan  7 202622:51:46", with or without a blank before the time. */
static bool take_stamp(const char *text, size_t n, struct jw_arena *a, const char **out, struct jw_err *err)
{
    enum { DATE = 11 };
    char stamp[JW_CACHE_STAMP + 2] = "";

    if (n == JW_CACHE_STAMP + 1 && text[DATE] == ' ') {
        memcpy(stamp, text, DATE);
        memcpy(stamp + DATE, text + DATE + 1, n - DATE - 1);
    } else if (n == JW_CACHE_STAMP)
        memcpy(stamp, text, n);
    if (!jw_cache_stamp_time(stamp))
        return jw_fail(err, JW_E_USAGE,
                       "--for: driver=%.*s is no stamp like \"Jan  7 202622:51:46\"; jitwarm doctor --probe "
                       "--json prints it on the machine that the pack is for (knowledge, stamp)",
                       (int)jw_min(n, 40), text);
    *out = jw_arena_str(a, stamp);
    return true;
}

bool jw_offline_sm(const char *text, size_t n, uint16_t *out)
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

static bool take_part(const char *text, size_t n, struct jw_arena *a, struct jw_offline_options *out,
                      struct jw_err *err)
{
    if (n > 7 && memcmp(text, "driver=", 7) == 0)
        return take_stamp(text + 7, n - 7, a, &out->stamp, err);
    if (n > 3 && memcmp(text, "sm=", 3) == 0)
        return jw_offline_sm(text, n, &out->sm)
               || jw_fail(err, JW_E_USAGE, "--for: %.*s is no architecture like sm=86", (int)jw_min(n, 43),
                          text);
    out->simulated = n == 9 && memcmp(text, "simulated", 9) == 0;
    return out->simulated
           || jw_fail(err, JW_E_USAGE,
                      "--for: \"%.*s\" is neither driver=STAMP, nor sm=NUMBER, nor simulated",
                      (int)jw_min(n, 40), text);
}

bool jw_offline_target(const char *text, struct jw_arena *a, struct jw_offline_options *out,
                       struct jw_err *err)
{
    while (*text) {
        size_t n = strcspn(text, ",");

        if (!take_part(text, n, a, out, err))
            return false;
        text += n + (text[n] == ',');
    }
    return (out->stamp && out->sm)
           || jw_fail(err, JW_E_USAGE, "--for wants both, as in --for \"driver=Jan  7 202622:51:46,sm=86\"");
}

#include "cli/paint.h"

static const char *const codes[] = {
    [TINT_NONE] = "",        [TINT_GOOD] = "\033[32m", [TINT_WARN] = "\033[33m",
    [TINT_BAD] = "\033[31m", [TINT_FAINT] = "\033[2m", [TINT_STRONG] = "\033[1m",
};

struct jw_paint jw_paint_choose(enum jw_paint_when when, bool no_color, bool able)
{
    return (struct jw_paint){ when == PAINT_ALWAYS || (when == PAINT_AUTO && !no_color && able) };
}

const char *jw_paint_on(struct jw_paint paint, enum jw_tint tint)
{
    return paint.on ? codes[tint] : "";
}

const char *jw_paint_off(struct jw_paint paint, enum jw_tint tint)
{
    return paint.on && tint != TINT_NONE ? "\033[0m" : "";
}

/* Colours by purpose. */
#ifndef CLI_PAINT_H
#define CLI_PAINT_H

#include <stdbool.h>

enum jw_tint { TINT_NONE, TINT_GOOD, TINT_WARN, TINT_BAD, TINT_FAINT, TINT_STRONG };

/* In the order of the words of --color. */
enum jw_paint_when { PAINT_AUTO, PAINT_ALWAYS, PAINT_NEVER };

struct jw_paint {
    bool on;
};

/* `able`: the terminal shows colours. --color overrides NO_COLOR, which overrides the terminal. */
struct jw_paint jw_paint_choose(enum jw_paint_when when, bool no_color, bool able);

/* The escape codes, or "" without colours. */
const char *jw_paint_on(struct jw_paint paint, enum jw_tint tint);
const char *jw_paint_off(struct jw_paint paint, enum jw_tint tint);

#endif

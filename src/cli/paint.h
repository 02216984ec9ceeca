/* Colour by purpose, for a stream that may or may not show it. */
#ifndef CLI_PAINT_H
#define CLI_PAINT_H

#include <stdbool.h>

enum jw_tint { TINT_NONE, TINT_GOOD, TINT_WARN, TINT_BAD, TINT_FAINT, TINT_STRONG };

/* The words of --color, in their order. */
enum jw_paint_when { PAINT_AUTO, PAINT_ALWAYS, PAINT_NEVER };

struct jw_paint {
    bool on;
};

/* `able`: a terminal that shows colours. --color says more than NO_COLOR, and that says more than the
 * terminal. */
struct jw_paint jw_paint_choose(enum jw_paint_when when, bool no_color, bool able);

/* What switches the tint on and off again; "" when the stream gets no colour. */
const char *jw_paint_on(struct jw_paint paint, enum jw_tint tint);
const char *jw_paint_off(struct jw_paint paint, enum jw_tint tint);

#endif

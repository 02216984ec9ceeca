#include "cli/bar.h"

#include "base/text.h"

enum { NARROWEST_BAR = 10, WIDEST_BAR = 60, TEXT = 46 /* "41 %, 1.2 of 12.5 GiB, about 12 min 30 s left" */ };

static const double first_estimate_s = 1;

void jw_bar_put(struct jw_buf *out, double part, size_t width)
{
    size_t inside = width - 2, full = (size_t)(part * (double)inside);

    jw_buf_text(out, "[");
    jw_buf_fill(out, '#', full);
    jw_buf_fill(out, '.', inside - full);
    jw_buf_text(out, "] ");
}

size_t jw_bar_width(size_t width, size_t text)
{
    size_t left = width > text ? width - text - 1 : 0;

    return left < NARROWEST_BAR ? 0 : left < WIDEST_BAR ? left : WIDEST_BAR;
}

void jw_bar_line(struct jw_buf *out, uint64_t done, uint64_t total, double seconds, unsigned columns)
{
    double part = total ? (double)(done < total ? done : total) / (double)total : 0;
    size_t bar = jw_bar_width(columns, TEXT);

    if (bar)
        jw_bar_put(out, part, bar);
    jw_buf_printf(out, "%u %%, ", (unsigned)(part * 100));
    jw_text_bytes_of(out, done, total);
    if (seconds < first_estimate_s || part <= 0 || part >= 1 || columns < TEXT)
        return;
    jw_say(out, ", about %s left", JW_CLOCK(seconds / part - seconds < 1 ? 1 : seconds / part - seconds));
}

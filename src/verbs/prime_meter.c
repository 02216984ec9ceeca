#include "verbs/prime_meter.h"

#include "base/limits.h"
#include "base/text.h"
#include "cli/bar.h"
#include "verbs/prime_view.h"

#include <string.h>

static const double smoothing = 8; /* seconds until most of a change of the estimate is shown */
static const double patience = 5;  /* seconds without progress before the line says so */
static const double nearly_all = .99;

/* ---- what is remembered ---- */

/* What is shown follows an estimate of seconds in seconds: else the bar is not there yet when the work is done. */
static void feed_eta(struct prime_meter *m, const struct jw_prime_progress *p)
{
    double passed = p->seconds - m->seconds, fell = m->last_eta - p->eta;
    double slow = p->eta < smoothing ? p->eta : smoothing;
    double expected = m->eta - (fell < 0 ? 0 : fell < passed ? fell : passed);

    if (p->eta < 0)
        return;
    if (m->eta < 0 || passed < 0)
        m->eta = p->eta;
    else
        m->eta = expected + (p->eta - expected) * passed / (passed + slow + .1);
    if (m->eta < 0)
        m->eta = 0;
    m->last_eta = p->eta;
}

/* What is late for so long takes a part of that again: the bar goes on, slower and slower. */
static double left_for(const struct prime_meter *m, const struct jw_prime_progress *p)
{
    const double again = .25;

    return m->eta > p->late * again ? m->eta : p->late * again;
}

/*
 * The part of the estimated time. Modules differ by a factor of a thousand, so bytes are done long before the time is
 * up.
 */
static void feed_part(struct prime_meter *m, const struct jw_prime_progress *p)
{
    double part = 0;

    if (p->phase == JW_PHASE_COMPILE && m->eta >= 0)
        part = (p->seconds - m->since) / (p->seconds - m->since + left_for(m, p));
    else if (p->phase != JW_PHASE_COMPILE && p->total)
        part = (double)p->done / (double)p->total;
    part = part < nearly_all ? part : nearly_all;
    if (p->total && p->done + p->failed >= p->total)
        part = 1;
    if (p->phase > JW_PHASE_VERIFY && p->total_bytes)
        part = (double)p->done_bytes / (double)p->total_bytes;
    if (part > m->part)
        m->part = part;
}

void prime_meter_feed(struct prime_meter *m, const struct jw_prime_progress *p)
{
    if (!m->begun || m->phase != p->phase)
        *m = (struct prime_meter){ .begun = true,
                                   .phase = p->phase,
                                   .seconds = p->seconds,
                                   .eta = -1,
                                   .since = p->done || p->n_slots ? 0 : p->seconds };
    feed_eta(m, p);
    feed_part(m, p);
    m->seconds = p->seconds;
}

unsigned prime_meter_percent(const struct prime_meter *m)
{
    return (unsigned)(m->part * 100);
}

/* ---- pieces of a line ---- */

static bool is_late(const struct jw_prime_progress *p)
{
    return p->late > patience && p->done < p->total;
}

/* Only late modules are left: no number is meaningful. */
static bool is_last(const struct jw_prime_progress *p)
{
    return is_late(p) && p->total - p->done - p->failed <= p->n_slots;
}

static void say_eta(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p)
{
    if (p->done >= p->total)
        return;
    if (is_last(p))
        jw_say(out, "the last %s longer than predicted", p->n_slots == 1 ? "takes" : "take");
    else if (is_late(p) && p->late > m->eta)
        jw_say(out, "a large module takes longer than predicted");
    else if (m->eta >= 0)
        jw_say(out, is_late(p) ? "at least %s left" : "about %s left", JW_CLOCK(m->eta < 1 ? 1 : m->eta));
}

/* ---- the line with the bar ---- */

enum piece { PERCENT, COUNT, ELAPSED, ETA, FAILED, PIECES };

/* Columns of the longest usual texts: "99 %,  of , " without its numbers, "about 12 min 34 s left",
 * ",  failed", and what "takes longer than predicted" adds. */
enum { PERCENT_WIDE = 12, TIME_WIDE = 22, FAILED_WIDE = 9, LATE_WIDE = 20 };

/* The slot that has run longest; NULL: nothing runs. */
static const struct jw_prime_slot *longest(const struct jw_prime_progress *p)
{
    const struct jw_prime_slot *best = NULL;

    for (size_t i = 0; i < p->n_slots; i++)
        if (!best || p->slots[i].seconds > best->seconds)
            best = &p->slots[i];
    return best;
}

static void say_piece(struct jw_buf *out, enum piece piece, const struct prime_meter *m,
                      const struct jw_prime_progress *p)
{
    switch (piece) {
    case PERCENT:
        if (!is_last(p))
            jw_say(out, "%u %%", prime_meter_percent(m));
        break;
    case COUNT:
        if (p->total)
            jw_say(out, "%s of %s", JW_NUM(p->done), JW_NUM(p->total));
        break;
    case ELAPSED: jw_say(out, "%s elapsed", p->seconds < 1 ? "under 1 s" : JW_CLOCK(p->seconds)); break;
    case ETA: say_eta(out, m, p); break;
    case FAILED:
        if (p->failed)
            jw_say(out, "%s failed", JW_NUM(p->failed));
        break;
    case PIECES: break;
    }
}

/* The bar has what the text does not need, so that it does not jump when a number changes. */
static size_t bar_width(const struct jw_prime_progress *p, size_t width)
{
    size_t failed = p->failed ? FAILED_WIDE + strlen(JW_NUM(p->failed)) : 0;
    size_t text =
        PERCENT_WIDE + 2 * strlen(JW_NUM(p->total)) + TIME_WIDE + failed + (is_late(p) ? LATE_WIDE : 0);
    size_t bar = jw_bar_width(width, text + TIME_WIDE);

    return bar ? bar : jw_bar_width(width, text);
}

/* What matters most gets its room first. */
static void say_bar_line(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p,
                         size_t width)
{
    static const enum piece by_weight[] = { PERCENT, ETA, FAILED, COUNT, ELAPSED };
    struct jw_buf pieces[PIECES];
    size_t bar = bar_width(p, width), room = bar ? width - bar - 1 : width;
    size_t left = room + 2; /* there is no comma before the first */
    bool first = true;

    for (size_t i = 0; i < PIECES; i++) {
        struct jw_buf *b = &pieces[by_weight[i]];
        size_t need;

        *b = JW_BUF(256);
        say_piece(b, by_weight[i], m, p);
        need = b->n ? b->n + 2 : 0;
        if (need <= left)
            left -= need;
        else
            jw_buf_clear(b);
    }
    if (bar)
        jw_bar_put(out, m->part, bar);
    for (size_t i = 0; i < PIECES; i++) {
        jw_buf_printf(out, "%s%s", pieces[i].n && !first ? ", " : "", jw_buf_cstr(&pieces[i]));
        first = first && !pieces[i].n;
        jw_buf_free(&pieces[i]);
    }
}

/* ---- the whole ---- */

static void say_phase(struct jw_buf *out, const struct jw_prime_progress *p)
{
    jw_say(out, p->phase == JW_PHASE_LOOK ? "looking for CUDA code" : "asking the driver");
    if (p->at && *p->at)
        jw_say(out, ": %s", p->at);
}

/* Copies the lines of `text`, each cut to `width` columns. */
static void truncate_lines(struct jw_buf *out, const char *text, size_t width)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    for (const char *end;; text = end + 1) {
        end = text + strcspn(text, "\n");
        jw_buf_clear(&line);
        jw_buf_add(&line, text, (size_t)(end - text));

        size_t wide = jw_text_width(jw_buf_cstr(&line));

        jw_text_fit(out, jw_buf_cstr(&line), wide < width ? wide : width, false);
        if (!*end)
            break;
        jw_buf_text(out, "\n");
    }
    jw_buf_free(&line);
}

void prime_meter_lines(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p,
                       unsigned columns)
{
    struct jw_buf all = JW_BUF(JW_MAX_LINE);
    size_t width = columns ? columns - 1 : 0;
    const struct jw_prime_slot *slot = longest(p);

    if (p->phase == JW_PHASE_LOOK || p->phase == JW_PHASE_ASK_DRIVER) {
        say_phase(&all, p);
    } else {
        jw_buf_text(&all, p->phase == JW_PHASE_VERIFY && width >= 50 ? "verifying " : "");
        say_bar_line(&all, m, p, width - (all.n < width ? all.n : 0));
        if (slot && slot->what)
            jw_say(&all, "\n  %s", slot->what);
    }
    truncate_lines(out, jw_buf_cstr(&all), width);
    jw_buf_free(&all);
}

void prime_meter_sentence(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p)
{
    struct jw_buf eta = JW_BUF(256);

    if (p->phase == JW_PHASE_LOOK || p->phase == JW_PHASE_ASK_DRIVER) {
        say_phase(out, p);
        return;
    }
    jw_say(out, "%s", p->phase == JW_PHASE_VERIFY ? "verifying: " : "");
    prime_say_part(out, p->done, p->total);
    if (p->phase == JW_PHASE_COMPILE) {
        jw_say(out, ", ");
        prime_say_bytes_of(out, p->done_bytes, p->total_bytes);
    }
    say_eta(&eta, m, p);
    jw_say(out, "%s%s, %s failed", eta.n ? ", " : "", jw_buf_cstr(&eta), JW_NUM(p->failed));
    jw_buf_free(&eta);
}

void prime_meter_say_slots(struct jw_buf *out, const struct jw_prime_progress *p)
{
    const struct jw_prime_slot *slot = longest(p);

    if (slot)
        jw_say(out, "; now %s (%s)", slot->what ? slot->what : "", JW_TENTHS(slot->seconds));
    if (p->n_slots > 1)
        jw_say(out, " and %zu more", p->n_slots - 1);
    if (p->slowest)
        jw_say(out, "; slowest so far: %s, %s", p->slowest, JW_TENTHS(p->slowest_seconds));
}

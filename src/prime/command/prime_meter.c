#include "prime/command/prime_meter.h"

#include "base/limits.h"
#include "base/text.h"
#include "cli/bar.h"
#include "prime/command/prime_view.h"

#include <string.h>

enum {
    ROOM_FOR_WORDS = 50, /* below, "41/143" has to do */
    BLOCK_ROWS = 10,     /* a terminal with fewer rows gets the bar alone */
    MOST_SLOTS = 4
};

static const double smoothing = 8;     /* seconds until most of a change of the estimate is shown */
static const double patience = 5;      /* seconds that the work may be late before it is said */
static const double most_of_one = .95; /* of a running module, however long it takes */
static const double most_of_all = .99;

/* ---- what is remembered ---- */

static void feed_eta(struct prime_meter *m, const struct jw_prime_progress *p)
{
    double passed = p->seconds - m->seconds, expected = m->eta - passed;

    if (p->eta < 0)
        return;
    if (m->eta < 0 || passed < 0)
        m->eta = p->eta;
    else
        m->eta = expected + (p->eta - expected) * passed / (passed + smoothing);
    if (m->eta < 0)
        m->eta = 0;
}

/* With the time that all workers need for a byte, if the estimate is right. */
static double running_bytes(const struct prime_meter *m, const struct jw_prime_progress *p)
{
    double all = p->seconds + (m->eta > 0 ? m->eta : 0), sum = 0;
    double rate = all > 0 && p->n_slots ? (double)p->total_bytes / all / (double)p->n_slots : 0;

    for (size_t i = 0; i < p->n_slots; i++) {
        double bytes = (double)p->slots[i].ptx_bytes, done = p->slots[i].seconds * rate;

        sum += done < bytes * most_of_one ? done : bytes * most_of_one;
    }
    return sum;
}

static void feed_part(struct prime_meter *m, const struct jw_prime_progress *p)
{
    double part = 0, most = most_of_all;

    if (p->total_bytes && p->phase == JW_PHASE_COMPILE)
        part = ((double)p->done_bytes + running_bytes(m, p)) / (double)p->total_bytes;
    else if (p->total)
        part = (double)p->done / (double)p->total;
    if (m->eta > 0 && p->seconds / (p->seconds + m->eta) < most)
        most = p->seconds / (p->seconds + m->eta);
    if (p->total && p->done >= p->total)
        part = most = 1;
    part = part < most ? part : most;
    if (part > m->part)
        m->part = part;
}

void prime_meter_feed(struct prime_meter *m, const struct jw_prime_progress *p)
{
    bool late = p->phase == JW_PHASE_COMPILE && p->eta >= 0 && p->eta < 1 && p->done < p->total;

    if (!m->begun || m->phase != p->phase)
        *m = (struct prime_meter){ .begun = true, .phase = p->phase, .seconds = p->seconds, .eta = -1 };
    feed_eta(m, p);
    feed_part(m, p);
    m->late = late ? m->late + (p->seconds - m->seconds) : 0;
    m->seconds = p->seconds;
}

/* ---- pieces of a line ---- */

static bool is_late(const struct prime_meter *m)
{
    return m->late > patience;
}

static void say_eta(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p)
{
    if (p->done >= p->total)
        return;
    if (is_late(m)) {
        jw_buf_printf(out, "the last %s longer than predicted", p->total - p->done == 1 ? "takes" : "take");
    } else if (m->eta >= 0) {
        jw_buf_text(out, "about ");
        jw_text_clock(out, m->eta < 1 ? 1 : m->eta);
        jw_buf_text(out, " left");
    }
}

static void say_modules(struct jw_buf *out, const struct jw_prime_progress *p, bool brief)
{
    if (!brief) {
        prime_say_part(out, p->done, p->total);
        return;
    }
    jw_text_count(out, p->done);
    jw_buf_text(out, "/");
    jw_text_count(out, p->total);
}

static void say_failed(struct jw_buf *out, const struct jw_prime_progress *p)
{
    jw_text_count(out, p->failed);
    jw_buf_text(out, " failed");
}

/* ---- the line with the bar ---- */

enum piece { PERCENT, MODULES, BYTES, ETA, FAILED, PIECES };

static void say_piece(struct jw_buf *out, enum piece piece, const struct prime_meter *m,
                      const struct jw_prime_progress *p, bool brief)
{
    switch (piece) {
    case PERCENT:
        if (!is_late(m))
            jw_buf_printf(out, "%u %%", (unsigned)(m->part * 100));
        break;
    case MODULES: say_modules(out, p, brief); break;
    case BYTES:
        if (p->phase == JW_PHASE_COMPILE && p->total_bytes)
            prime_say_bytes_of(out, p->done_bytes, p->total_bytes);
        break;
    case ETA: say_eta(out, m, p); break;
    case FAILED:
        if (p->failed)
            say_failed(out, p);
        break;
    case PIECES: break;
    }
}

/* What matters most gets its room first. */
static void say_bar_line(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p,
                         size_t width)
{
    static const enum piece by_weight[] = { PERCENT, MODULES, FAILED, ETA, BYTES };
    struct jw_buf pieces[PIECES];
    size_t bar = jw_bar_width(width), room = bar ? width - bar - 1 : width;
    size_t left = room + 2; /* there is no comma before the first */
    bool first = true;

    for (size_t i = 0; i < PIECES; i++) {
        struct jw_buf *b = &pieces[by_weight[i]];
        size_t need;

        *b = JW_BUF(256);
        say_piece(b, by_weight[i], m, p, room < ROOM_FOR_WORDS);
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

/* ---- the lines below it ---- */

/* "  1 min 12 s  libggml-cuda.so: flash_attn (12 MiB)" */
static void say_slot(struct jw_buf *out, const struct jw_prime_slot *slot)
{
    struct jw_buf clock = JW_BUF(64);

    jw_text_clock(&clock, slot->seconds);
    jw_buf_text(out, "\n");
    jw_text_fit(out, jw_buf_cstr(&clock), 12, true);
    jw_buf_text(out, "  ");
    jw_text_clean(out, slot->what ? slot->what : "");
    jw_buf_text(out, " (");
    jw_text_bytes(out, slot->ptx_bytes);
    jw_buf_text(out, ")");
    jw_buf_free(&clock);
}

/* The slot that has run longest among those not yet told; `told` is a mark per slot. */
static const struct jw_prime_slot *longest(const struct jw_prime_progress *p,
                                           const struct jw_prime_slot *after)
{
    const struct jw_prime_slot *best = NULL;

    for (size_t i = 0; i < p->n_slots; i++) {
        const struct jw_prime_slot *s = &p->slots[i];
        bool later = !after || s->seconds < after->seconds || (s->seconds <= after->seconds && s > after);

        if (later && (!best || s->seconds > best->seconds))
            best = s;
    }
    return best;
}

static void say_slowest(struct jw_buf *out, const char *before, const struct jw_prime_progress *p)
{
    if (!p->slowest)
        return;
    jw_buf_printf(out, "%sslowest so far: ", before);
    jw_text_clean(out, p->slowest);
    jw_buf_text(out, ", ");
    jw_text_clock(out, p->slowest_seconds);
}

static void say_slots(struct jw_buf *out, const struct jw_prime_progress *p)
{
    size_t shown = p->n_slots <= MOST_SLOTS ? p->n_slots : MOST_SLOTS - 1;
    const struct jw_prime_slot *slot = NULL;

    for (size_t i = 0; i < shown; i++) {
        slot = longest(p, slot);
        say_slot(out, slot);
    }
    if (shown < p->n_slots)
        jw_buf_printf(out, "\n              and %zu more", p->n_slots - shown);
    say_slowest(out, "\n", p);
}

/* ---- the whole ---- */

static void say_phase(struct jw_buf *out, const struct jw_prime_progress *p)
{
    jw_buf_text(out, p->phase == JW_PHASE_LOOK ? "looking for CUDA code" : "asking the driver");
    if (p->at && *p->at) {
        jw_buf_text(out, ": ");
        jw_text_clean(out, p->at);
    }
}

/* Copies the lines of `text`, each cut to `width` columns. */
static void cut_lines(struct jw_buf *out, const char *text, size_t width)
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
                       unsigned columns, unsigned rows)
{
    struct jw_buf all = JW_BUF(JW_MAX_LINE);
    size_t width = columns ? columns - 1 : 0;

    if (p->phase == JW_PHASE_LOOK || p->phase == JW_PHASE_ASK_DRIVER) {
        say_phase(&all, p);
    } else {
        jw_buf_text(&all, p->phase == JW_PHASE_VERIFY && width >= 50 ? "verifying " : "");
        say_bar_line(&all, m, p, width - (all.n < width ? all.n : 0));
        if (rows >= BLOCK_ROWS)
            say_slots(&all, p);
    }
    cut_lines(out, jw_buf_cstr(&all), width);
    jw_buf_free(&all);
}

void prime_meter_sentence(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p)
{
    struct jw_buf eta = JW_BUF(256);

    if (p->phase == JW_PHASE_LOOK || p->phase == JW_PHASE_ASK_DRIVER) {
        say_phase(out, p);
        return;
    }
    jw_buf_text(out, p->phase == JW_PHASE_VERIFY ? "verifying: " : "");
    say_modules(out, p, false);
    if (p->phase == JW_PHASE_COMPILE) {
        jw_buf_text(out, ", ");
        prime_say_bytes_of(out, p->done_bytes, p->total_bytes);
    }
    say_eta(&eta, m, p);
    jw_buf_printf(out, "%s%s, ", eta.n ? ", " : "", jw_buf_cstr(&eta));
    say_failed(out, p);
    jw_buf_free(&eta);
}

void prime_meter_say_slots(struct jw_buf *out, const struct jw_prime_progress *p)
{
    const struct jw_prime_slot *slot = longest(p, NULL);

    if (slot) {
        jw_buf_text(out, "; now ");
        jw_text_clean(out, slot->what ? slot->what : "");
        jw_buf_text(out, " (");
        jw_text_clock(out, slot->seconds);
        jw_buf_text(out, ")");
    }
    if (p->n_slots > 1)
        jw_buf_printf(out, " and %zu more", p->n_slots - 1);
    say_slowest(out, "; ", p);
}

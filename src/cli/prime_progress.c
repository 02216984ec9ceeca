#include "cli/prime_progress.h"

#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cli/bar.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "prime/report/job_words.h"

#include <string.h>

static const double smoothing = 8; /* seconds until most of a change of the estimate is shown */
static const double patience = 5;  /* seconds without progress before the line says so */
static const double nearly_all = .99;

/* ---- what is remembered ---- */

/* The estimate that is shown follows an estimate of seconds within seconds: else the bar is not there yet when the
 * work is done. */
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

/* A run that is late for so long takes a part of that again: the bar goes on, slower and slower. */
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
    if (m->eta < 0 && p->phase == JW_PHASE_COMPILE)
        jw_say(out, "no estimate yet");
    else if (is_last(p))
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

/* The most important part gets its room first. */
static void say_bar_line(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p,
                         size_t width)
{
    static const enum piece with_estimate[] = { PERCENT, ETA, FAILED, COUNT, ELAPSED },
                            without[] = { PERCENT, FAILED, COUNT, ELAPSED, ETA };
    const enum piece *by_weight = m->eta < 0 ? without : with_estimate;
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
    bool look = p->phase == JW_PHASE_LOOK, at = p->at && *p->at;

    if (look || !at)
        jw_say(out, look ? "looking for CUDA code" : "asking the driver");
    if (at)
        jw_say(out, "%s%s", look ? ": " : "", p->at);
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

        jw_text_fit(out, jw_buf_cstr(&line), wide < width ? wide : width);
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
    jw_job_say_part(out, p->done, p->total);
    if (p->phase == JW_PHASE_COMPILE) {
        jw_say(out, ", ");
        jw_text_bytes_of(out, p->done_bytes, p->total_bytes);
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

/* ---- where it is shown ---- */

/* Seconds between lines, which grow: an hour makes about 50 lines in a log. */
static const double between_lines = 5, between_lines_part = .1, between_stream = .2;

/* Counted in the line; the report groups them by reason. */
static void show_failure(struct jw_messages *s, const struct jw_job *job)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (jw_job_is_warm(job) || job->state == JW_JOB_TODO || s->level < MESSAGES_VERBOSE)
        return;
    jw_job_say_failure(&text, job, 1);
    jw_messages_error(s, "%s: %s", jw_job_path(job), jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void show_line(struct prime_progress *s, const struct jw_prime_progress *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    double wait = p->seconds * between_lines_part;

    if (p->seconds - s->last_line < (wait > between_lines ? wait : between_lines))
        return;
    s->last_line = p->seconds;
    prime_meter_sentence(&text, &s->meter, p);
    jw_messages_say(s->messages, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void draw(struct prime_progress *s, const struct jw_prime_progress *p)
{
    struct jw_buf lines = JW_BUF(JW_MAX_LINE);

    if (!jw_messages_block_due(s->messages) && !(p->total && p->done + p->failed >= p->total))
        return;
    prime_meter_lines(&lines, &s->meter, p, s->messages->columns);
    jw_messages_block(s->messages, jw_buf_cstr(&lines));
    jw_buf_free(&lines);
}

/* ---- --progress json: lines for installers and GUIs ---- */

#define L struct stream_line
#define N struct stream_now
#define E struct stream_end

struct stream_now {
    unsigned percent;
    struct jw_progress_record record;
};

struct stream_end {
    uint8_t phase; /* the only one */
    unsigned exit;
    const char *end, *why;
    uint64_t warm, total;
};

struct stream_line {
    const N *now;
    const E *end;
};

static const struct jw_row now_rows[] = {
    { JW_ROW("percent", N, percent), JW_ABOUT("of this phase") },
    { JW_PART(N, record, jw_progress_rows) },
    { 0 },
};

static const char *const phase_end[] = { "end" };

static const struct jw_row end_rows[] = {
    { JW_NAMED("phase", E, phase, phase_end) },
    { JW_ROW("exit", E, exit), JW_ABOUT("the exit code; only in the last line, as what follows") },
    { JW_ROW("end", E, end), JW_NULLABLE, JW_ABOUT("as in the report of --json; null: there is no report") },
    { JW_ROW("why", E, why), JW_NULLABLE },
    { JW_ROW("warm", E, warm), JW_ABOUT("modules") },
    { JW_ROW("total", E, total) },
    { 0 },
};

static const struct jw_row line_rows[] = {
    { JW_EITHER(L, now, now_rows) },
    { JW_EITHER(L, end, end_rows) },
    { 0 },
};

const struct jw_form progress_form = { .verb = "progress",
                                       .about = "How far it is. The last line has the phase end.",
                                       .rows = line_rows };

static void write_line(struct prime_progress *s, const struct stream_line *of)
{
    struct jw_buf line = JW_BUF(JW_MAX_STATE);
    struct jw_err ignored;
    struct jw_json j;

    jw_json_begin(&j, jw_sink_buf(&line), false, &ignored);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", "jitwarm.progress/1");
    jw_rows_write(&j, line_rows, of);
    jw_json_close(&j);
    if (jw_json_end(&j)) {
        s->stream->muted = false;
        jw_output_text(s->stream, jw_buf_cstr(&line));
        jw_output_flush(s->stream);
        s->stream->muted = true; /* only this stream goes to standard output */
    }
    jw_buf_free(&line);
}

static void stream(struct prime_progress *s, const struct jw_prime_progress *p)
{
    struct stream_now now = { .percent = prime_meter_percent(&s->meter), .record = { .now = *p } };
    bool all = (p->phase == JW_PHASE_COMPILE && p->total && p->done + p->failed >= p->total)
               || (p->phase == JW_PHASE_SEND && !s->whole && p->done_bytes >= p->total_bytes);
    bool again = s->streamed && p->phase == s->phase && !all;

    if ((p->finished && !all) || (again && p->seconds - s->last_line < between_stream))
        return;
    if (!s->streamed)
        s->started = jw_time_unix() - (int64_t)p->seconds;
    now.record.who.since = s->started;
    s->streamed = true;
    s->phase = p->phase;
    s->last_line = p->seconds;
    now.record.who.pid = jw_process_id();
    write_line(s, &(struct stream_line){ .now = &now });
}

void prime_progress_end(struct prime_progress *s, const struct jw_run *run, uint64_t warm, uint64_t total,
                        int code)
{
    const struct stream_end end = { .exit = (unsigned)code,
                                    .end = run ? jw_end_names[run->end] : NULL,
                                    .why = run ? run->why : NULL,
                                    .warm = warm,
                                    .total = total };

    if (s->stream)
        write_line(s, &(struct stream_line){ .end = &end });
}

/* ---- several primes as one ---- */

static void add_others(const struct prime_whole *w, struct jw_prime_progress *p)
{
    bool now = p->phase == JW_PHASE_COMPILE, over = p->phase > JW_PHASE_COMPILE, known = now && p->eta >= 0;

    if (known || over || w->done)
        p->eta = w->seconds_after + (over ? 0 : known ? p->eta : w->seconds_here);
    p->done = w->done + (over ? w->here : now ? p->done : 0);
    p->done_bytes = w->done_ptx + (over ? w->here_ptx : now ? p->done_bytes : 0);
    p->failed = now ? p->failed : 0;
    p->total = w->total;
    p->total_bytes = w->total_ptx;
}

/* The bar of all is the same in each phase; the line below it says what is at work. */
static void feed_whole(struct prime_progress *s, const struct jw_prime_progress *p)
{
    struct jw_prime_progress as_one = *p;
    double before = s->meter.begun ? s->meter.part : s->whole->part;

    as_one.phase = JW_PHASE_COMPILE;
    prime_meter_feed(&s->meter, &as_one);
    if (s->meter.part < before)
        s->meter.part = before;
}

static void show_prime(struct prime_progress *s, const struct jw_progress *progress)
{
    struct jw_prime_progress p = *progress->prime;
    const struct jw_prime_slot work = { .what = p.at && *p.at ? p.at : progress->what };

    if (s->other)
        jw_messages_progress_end(s->messages);
    s->other = false;
    if (p.finished)
        show_failure(s->messages, p.finished);
    if (s->began)
        p.seconds = (double)(jw_time_monotonic_ns() - s->began) / 1e9;
    if (s->whole) {
        add_others(s->whole, &p);
        feed_whole(s, &p);
    } else
        prime_meter_feed(&s->meter, &p);
    if (s->stream) {
        stream(s, &p);
        return;
    }
    if (s->whole && !p.n_slots) {
        p.slots = &work;
        p.n_slots = 1;
    }
    p.phase = s->whole ? JW_PHASE_COMPILE : p.phase;
    if (s->messages->terminal)
        draw(s, &p);
    else
        show_line(s, &p);
}

/* Work beside the prime: the packs of a source. */
static void show_other(struct prime_progress *s, const struct jw_progress *progress)
{
    s->other = true;
    jw_messages_show_progress(s->messages, progress);
}

void prime_progress_show(void *ctx, const struct jw_progress *progress)
{
    struct prime_progress *s = ctx;

    if (progress->prime)
        show_prime(s, progress);
    else
        show_other(s, progress);
}

#include "verbs/prime_progress.h"

#include "base/limits.h"
#include "cache/memory/progress_json.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "verbs/prime_view.h"

/* Seconds between lines, which grow: an hour makes about 50 lines in a log. */
static const double between_lines = 5, between_lines_part = .1, between_stream = .2;

/* Counted in the line; the report groups them by reason. */
static void show_failure(struct jw_messages *s, const struct jw_job *job)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (prime_job_is_warm(job) || job->state == JW_JOB_TODO || s->level < MESSAGES_VERBOSE)
        return;
    prime_say_failure(&text, job, 1);
    jw_messages_error(s, "%s: %s", prime_job_path(job), jw_buf_cstr(&text));
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

static const char *phase_end(unsigned value)
{
    (void)value;
    return "end";
}

static const struct jw_row end_rows[] = {
    { .key = "phase", .kind = JW_ROW_NAME, .size = 1, .name = phase_end, .names = 1 },
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
                                    .end = run ? jw_end_name(run->end) : NULL,
                                    .why = run ? run->why : NULL,
                                    .warm = warm,
                                    .total = total };

    if (s->stream)
        write_line(s, &(struct stream_line){ .end = &end });
}

/* ---- several primes as one ---- */

static void add_others(const struct prime_whole *w, struct jw_prime_progress *p)
{
    bool now = p->phase == JW_PHASE_COMPILE, over = p->phase > JW_PHASE_COMPILE;

    p->eta = w->seconds_after + (over ? 0 : now && p->eta >= 0 ? p->eta : w->seconds_here);
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

void prime_progress_show(void *ctx, const struct jw_progress *progress)
{
    struct prime_progress *s = ctx;
    struct jw_prime_progress p = *progress->prime;
    const struct jw_prime_slot work = { .what = p.at && *p.at ? p.at : progress->what };

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

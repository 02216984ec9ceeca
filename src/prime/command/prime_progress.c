#include "prime/command/prime_progress.h"

#include "base/json_write.h"
#include "base/limits.h"
#include "cache/memory/progress_json.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "prime/command/prime_view.h"

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

    if (!jw_messages_block_due(s->messages))
        return;
    prime_meter_lines(&lines, &s->meter, p, s->messages->columns);
    jw_messages_block(s->messages, jw_buf_cstr(&lines));
    jw_buf_free(&lines);
}

/* ---- --progress json: lines for installers and GUIs ---- */

static const char stream_schema[] = "jitwarm.progress/1";

static void write_line(struct prime_progress *s, struct jw_json *j, struct jw_buf *line)
{
    jw_json_close(j);
    if (jw_json_end(j)) {
        s->stream->muted = false;
        jw_output_text(s->stream, jw_buf_cstr(line));
        jw_output_flush(s->stream);
        s->stream->muted = true; /* only this stream goes to standard output */
    }
    jw_buf_free(line);
}

static void stream(struct prime_progress *s, const struct jw_prime_progress *p)
{
    struct jw_progress_who who = { .started = jw_time_unix() - (int64_t)p->seconds };
    struct jw_buf line = JW_BUF(JW_MAX_STATE);
    struct jw_err ignored;
    struct jw_peer self;
    struct jw_json j;
    bool all = p->phase == JW_PHASE_COMPILE && p->total && p->done + p->failed >= p->total;
    bool again = s->streamed && p->phase == s->phase && !all;

    if ((p->finished && !all) || (again && p->seconds - s->last_line < between_stream))
        return;
    s->streamed = true;
    s->phase = p->phase;
    s->last_line = p->seconds;
    if (jw_peer_self(&self, &ignored))
        who.pid = self.pid;
    jw_json_begin(&j, jw_sink_buf(&line), false, &ignored);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", stream_schema);
    jw_json_number(&j, "percent", prime_meter_percent(&s->meter));
    jw_rows_write(&j, jw_progress_rows, &(const struct jw_progress_record){ who, *p });
    write_line(s, &j, &line);
}

void prime_progress_end(struct prime_progress *s, const struct jw_prime_report *r, int code)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    struct jw_err ignored;
    struct jw_json j;

    if (!s->stream)
        return;
    jw_json_begin(&j, jw_sink_buf(&line), false, &ignored);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", stream_schema);
    jw_json_text(&j, "phase", "end");
    jw_json_number(&j, "exit", (uint64_t)code);
    jw_json_text(&j, "end", r ? jw_end_name(r->end) : NULL);
    jw_json_text(&j, "why", r ? r->why : NULL);
    jw_json_number(&j, "warm", r ? prime_warm(r) : 0);
    jw_json_number(&j, "total", r ? r->n_jobs : 0);
    jw_json_number(&j, "saves_milliseconds", r ? r->saves_milliseconds : 0);
    write_line(s, &j, &line);
}

void prime_progress_show(void *ctx, const struct jw_prime_progress *p)
{
    struct prime_progress *s = ctx;

    if (p->finished)
        show_failure(s->messages, p->finished);
    prime_meter_feed(&s->meter, p);
    if (s->stream)
        stream(s, p);
    else if (s->messages->terminal)
        draw(s, p);
    else
        show_line(s, p);
}

#include "prime/command/prime_progress.h"

#include "base/limits.h"
#include "os/machine/env.h"
#include "prime/command/prime_view.h"

static const double between_lines = 5; /* seconds */

/* On a terminal the bar counts them, and the answer groups them. */
static void tell_failure(struct jw_story *s, const struct jw_job *job)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (prime_job_is_warm(job) || job->state == JW_JOB_TODO || (s->terminal && s->level == STORY_NORMAL))
        return;
    prime_say_failure(&text, job, 1);
    jw_story_error(s, "%s: %s", prime_job_path(job), jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void tell_line(struct prime_progress *s, const struct jw_prime_progress *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (p->seconds - s->told < between_lines)
        return;
    s->told = p->seconds;
    prime_meter_sentence(&text, &s->meter, p);
    jw_story_say(s->story, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void draw(struct prime_progress *s, const struct jw_prime_progress *p)
{
    struct jw_buf lines = JW_BUF(JW_MAX_LINE);

    if (!jw_story_block_due(s->story))
        return;
    prime_meter_lines(&lines, &s->meter, p, s->story->columns, jw_term_rows(s->story->to));
    jw_story_block(s->story, jw_buf_cstr(&lines));
    jw_buf_free(&lines);
}

void prime_progress_show(void *ctx, const struct jw_prime_progress *p)
{
    struct prime_progress *s = ctx;

    if (p->finished)
        tell_failure(s->story, p->finished);
    prime_meter_feed(&s->meter, p);
    if (s->story->terminal)
        draw(s, p);
    else
        tell_line(s, p);
}

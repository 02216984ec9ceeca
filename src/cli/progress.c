#include "cli/progress.h"

#include "cli/cli.h"
#include "facts/compile_time.h"

/* Modules differ by a factor of a thousand, so bytes are done long before the time is up. Each step
 * of `other` begins at nothing. */
void jw_meter_feed(struct jw_meter *m, const struct jw_progress *p)
{
    double passed;
    double part = 0;
    double printed = m->phase == p->phase ? m->printed : p->seconds;
    unsigned percent;

    if (m->phase != p->phase || p->phase == JW_PHASE_OTHER)
        *m = (struct jw_meter){.phase = p->phase, .since = p->seconds, .printed = printed};
    passed = p->seconds - m->since;
    if (p->phase == JW_PHASE_COMPILE && p->eta >= 0 && passed > 0)
        part = passed / (passed + p->eta);
    else if (p->phase != JW_PHASE_COMPILE && p->total)
        part = (double)p->done / (double)p->total;
    if (p->total && p->done + p->failed >= p->total)
        part = 1;
    else if (part > .99)
        part = .99;
    percent = (unsigned)(part * 100);
    m->percent = percent > m->percent ? percent : m->percent;
}

/* ---- words ---- */

void jw_meter_say(struct jw_buf *out, const struct jw_progress *p)
{
    static const char *const doing[] = {[JW_PHASE_OTHER] = NULL, /* p->at says it */
                                        [JW_PHASE_LOOK] = "looking for CUDA code",
                                        [JW_PHASE_COMPILE] = "compiled",
                                        [JW_PHASE_VERIFY] = "verified"};
    JW_ROW_FOR_EACH(doing, JW_PHASES, 4);

    if (p->phase >= JW_PHASE_COMPILE)
        jw_say(out, "%s of %s ", JW_NUM(p->done), JW_NUM(p->total));
    jw_say(out, "%s", p->phase == JW_PHASE_OTHER ? p->at : doing[p->phase]);
    if (p->phase >= JW_PHASE_COMPILE && p->done < p->total && p->eta >= 0 && !p->late)
        jw_say(out, ", %s left", jw_compile_words(p->eta).text);
    if (p->failed)
        jw_say(out, ", %s failed", JW_NUM(p->failed));
    if (p->phase != JW_PHASE_OTHER && p->at && *p->at)
        jw_say(out, ": %s", p->at);
    if (p->late > 0)
        jw_say(out, " takes longer than predicted, %s so far", JW_CLOCK(p->late));
}

/* On a terminal behind "[#####.....] 45 %, ". */
static void say(struct cli *cli, const struct jw_progress *p)
{
    enum { BAR = 20, WIDE = 80 };
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    unsigned percent = cli->meter.percent;
    unsigned full = percent * BAR / 100;
    bool measured = cli->messages.terminal && p->total;

    if (measured && cli->messages.columns >= WIDE) {
        jw_buf_text(&line, "[");
        jw_buf_fill(&line, '#', full);
        jw_buf_fill(&line, '.', BAR - full);
        jw_buf_text(&line, "] ");
    }
    if (measured)
        jw_buf_printf(&line, "%u %%%s, ", percent,
                      p->phase == JW_PHASE_COMPILE ? " of the time" : "");
    jw_meter_say(&line, p);
    if (cli->messages.terminal)
        jw_messages_progress(&cli->messages, jw_buf_cstr(&line));
    else
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

/* A smaller time is that of another module. */
bool jw_meter_logs(struct jw_meter *m, struct jw_progress *p)
{
    bool known = p->late <= 0 || (m->late > 0 && p->late >= m->late);
    double since = p->seconds - m->printed;
    double pause = p->seconds / (p->late > 0 ? 2 : 10);

    m->late = p->late;
    p->late = known ? 0 : p->late;
    if (known && (since < 5 || since < pause))
        return false;
    m->printed = p->seconds;
    return true;
}

/* What has no time is for terminals alone. */
void jw_progress_show(void *ctx, const struct jw_progress *p)
{
    struct cli *cli = ctx;
    struct jw_progress line = *p;

    if (p->phase == JW_PHASE_OTHER && !p->at) {
        jw_messages_progress_end(&cli->messages);
        return;
    }
    jw_meter_feed(&cli->meter, p);
    if (cli->messages.terminal || jw_meter_logs(&cli->meter, &line))
        say(cli, &line);
}

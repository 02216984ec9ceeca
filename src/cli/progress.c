#include "cli/progress.h"

#include "base/json.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/cli.h"
#include "os/machine/time.h"

static const double patience = 5; /* seconds without progress before the line says so */
static const double nearly_all = .99;
/* Seconds between lines, which grow: an hour makes about 50 lines in a log. */
static const double between_lines = 5, between_lines_part = .1, between_json = .2;

const char *const jw_phase_names[] = { "other", "look", "compile", "verify" };

/* ---- what is remembered ---- */

/* Modules differ by a factor of a thousand, so bytes are done long before the time is up. */
static double part_of(const struct jw_meter *m, const struct jw_progress *p)
{
    double passed = p->seconds - m->since, part = 0;

    if (p->total && p->done + p->failed >= p->total)
        return 1;
    if (p->phase == JW_PHASE_COMPILE)
        part = p->eta >= 0 && passed > 0 ? passed / (passed + p->eta) : 0;
    else if (p->total)
        part = (double)p->done / (double)p->total;
    return part < nearly_all ? part : nearly_all;
}

void jw_meter_feed(struct jw_meter *m, const struct jw_progress *p)
{
    double part;

    if (!m->begun || m->phase != p->phase)
        *m = (struct jw_meter){ .begun = true,
                                .phase = p->phase,
                                .since = p->done || p->n_slots ? 0 : p->seconds,
                                .last_line = m->last_line };
    part = part_of(m, p);
    m->part = part > m->part ? part : m->part;
}

unsigned jw_meter_percent(const struct jw_meter *m)
{
    return (unsigned)(m->part * 100);
}

/* ---- words ---- */

void jw_meter_say(struct jw_buf *out, const struct jw_progress *p)
{
    static const char *const doing[] = { [JW_PHASE_LOOK] = "looking for CUDA code",
                                         [JW_PHASE_COMPILE] = "compiling",
                                         [JW_PHASE_VERIFY] = "verifying" };
    const struct jw_slot *longest = NULL;
    const char *at;

    for (size_t i = 0; i < p->n_slots; i++)
        longest = !longest || p->slots[i].seconds > longest->seconds ? &p->slots[i] : longest;
    at = longest ? longest->what : p->at;
    jw_buf_text(out, doing[p->phase]);
    if (p->phase != JW_PHASE_LOOK && p->total)
        jw_say(out, " %s of %s", JW_NUM(p->done), JW_NUM(p->total));
    if (p->phase != JW_PHASE_LOOK && p->done < p->total && p->late > patience)
        jw_say(out, ", a module takes longer than predicted");
    else if (p->phase != JW_PHASE_LOOK && p->done < p->total && p->eta >= 0)
        jw_say(out, ", about %s left", JW_CLOCK(p->eta < 1 ? 1 : p->eta));
    if (p->failed)
        jw_say(out, ", %s failed", JW_NUM(p->failed));
    if (at && *at)
        jw_say(out, ": %s", at);
}

/* "[#####.....] 45 %, compiling 41 of 143, ..." */
static void draw(struct cli *cli, const struct jw_progress *p)
{
    enum { BAR = 20, WIDE = 60 };
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    size_t full = (size_t)(cli->meter.part * BAR);

    if (p->phase != JW_PHASE_LOOK && cli->messages.columns >= WIDE) {
        jw_buf_text(&line, "[");
        jw_buf_fill(&line, '#', full);
        jw_buf_fill(&line, '.', BAR - full);
        jw_buf_text(&line, "] ");
    }
    if (p->phase != JW_PHASE_LOOK)
        jw_buf_printf(&line, "%u %%, ", jw_meter_percent(&cli->meter));
    jw_meter_say(&line, p);
    jw_messages_progress(&cli->messages, "%s", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

static void print_line(struct cli *cli, const struct jw_progress *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    double wait = p->seconds * between_lines_part;

    if (p->seconds - cli->meter.last_line < (wait > between_lines ? wait : between_lines))
        return;
    cli->meter.last_line = p->seconds;
    jw_meter_say(&text, p);
    jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* ---- JSON ---- */

static void open_json(struct jw_json *j, const char *phase)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "schema", "jitwarm.progress/1");
    jw_json_text(j, "phase", phase);
}

static void close_json(struct cli *cli, struct jw_json *j)
{
    jw_json_close(j);
    if (!j->out->bad) {
        jw_stream_text(&cli->out, jw_buf_cstr(j->out));
        jw_stream_flush(&cli->out);
    }
    jw_buf_free(j->out);
}

static void stream(struct cli *cli, const struct jw_progress *p)
{
    bool all = p->phase == JW_PHASE_COMPILE && p->total && p->done + p->failed >= p->total;
    struct jw_buf line = JW_BUF(JW_MAX_STATE);
    struct jw_json j = { .out = &line };

    if (cli->meter.printed && !all && p->seconds - cli->meter.last_line < between_json)
        return;
    cli->meter.printed = true;
    cli->meter.last_line = p->seconds;
    open_json(&j, jw_phase_names[p->phase]);
    jw_json_number(&j, "percent", jw_meter_percent(&cli->meter));
    jw_json_number(&j, "done", p->done);
    jw_json_number(&j, "total", p->total);
    jw_json_number(&j, "failed", p->failed);
    jw_json_real(&j, "seconds", p->seconds);
    if (p->eta < 0)
        jw_json_text(&j, "eta_seconds", NULL);
    else
        jw_json_real(&j, "eta_seconds", p->eta);
    jw_json_array(&j, "slots");
    for (size_t i = 0; i < p->n_slots; i++) {
        jw_json_object(&j, NULL);
        jw_json_text(&j, "what", p->slots[i].what);
        jw_json_real(&j, "seconds", p->slots[i].seconds);
        jw_json_close(&j);
    }
    jw_json_close(&j);
    close_json(cli, &j);
}

void jw_progress_end(struct cli *cli, const char *result, const char *message, int code)
{
    struct jw_buf line = JW_BUF(JW_MAX_STATE);
    struct jw_json j = { .out = &line };

    open_json(&j, "end");
    jw_json_number(&j, "exit", (uint64_t)code);
    jw_json_text(&j, "result", result);
    jw_json_text(&j, "message", message);
    close_json(cli, &j);
}

void jw_progress_show(void *ctx, const struct jw_progress *p)
{
    struct cli *cli = ctx;

    if (p->phase != JW_PHASE_OTHER)
        jw_meter_feed(&cli->meter, p);
    if (p->phase == JW_PHASE_OTHER && p->total)
        jw_messages_progress(&cli->messages, "%s: %u %%", p->at,
                             (unsigned)(jw_min(p->done, p->total) * 100 / p->total));
    else if (p->phase == JW_PHASE_OTHER)
        jw_messages_progress(&cli->messages, "%s", p->at);
    else if (cli->shared.progress)
        stream(cli, p);
    else if (cli->messages.terminal)
        draw(cli, p);
    else
        print_line(cli, p);
}

#include "cli/cli.h"

#include "base/num.h"
#include "cli/report.h"
#include "os/machine/ask.h"
#include "os/machine/interrupt.h"

#include <errno.h>
#include <string.h>

static bool wants_colours(struct jw_arena *a, FILE *to)
{
    const char *never = jw_env(a, "NO_COLOR");
    const char *always = jw_env(a, "CLICOLOR_FORCE");

    if (never && *never)
        return false;
    return (always && *always && strcmp(always, "0") != 0) || jw_term_colors(to);
}

/* The width is the terminal's, else COLUMNS; else text is 80 wide and tables are not cut. */
static void open_stream(struct cli *cli, struct jw_stream *s, FILE *to)
{
    enum { NARROWEST = 20, WIDEST = 1000, READABLE = 100, PIPED = 80 };
    const char *text = jw_env(cli->arena, "COLUMNS");
    uint64_t n;

    *s = (struct jw_stream){.to = to, .terminal = jw_term_is(to), .width = PIPED};
    s->colours = wants_colours(cli->arena, to);
    if (s->terminal) {
        s->columns = jw_term_columns(to);
        s->width = jw_min(s->columns, READABLE);
    } else if (text && jw_text_u64(text, &n) && n >= NARROWEST && n <= WIDEST) {
        s->width = s->columns = (unsigned)n;
    }
}

void jw_cli_open(struct cli *cli)
{
    const char *cache = cli->shared.cache;

    open_stream(cli, &cli->messages, stderr);
    open_stream(cli, &cli->out, stdout);
    cli->messages.quiet = cli->shared.quiet;
    cli->session = (struct jw_session){.a = cli->arena,
                                       .interrupted = jw_interrupt_watch(),
                                       .cache = cache,
                                       .as_root = cli->shared.as_root};
    if (cache) /* a failure stops the verb, which looks there */
        (void)!jw_named_path(cache, cli->arena, &cli->session.cache, JW_IGNORED);
}

int jw_cli_exit(enum jw_end end)
{
    static const enum jw_exit codes[] = {
#define END(name, word, code, tone) EXIT_##code,
#include "jitwarm/ends.def"
#undef END
    };

    return (int)codes[end];
}

/* jw_run.ask: asks at the terminal; an empty line means `usual`. */
static bool ask(void *ctx, const char *question, bool usual)
{
    struct cli *cli = ctx;
    struct jw_buf text = JW_LINE(cli->arena);
    char line[16];

    jw_say(&text, "%s%s", question, usual ? " [Y/n] " : " [y/N] ");
    jw_stream_text(&cli->messages, jw_buf_cstr(&text));
    if (!jw_ask_line(stdin, line, sizeof line, cli->session.interrupted))
        return false;
    if (!*line)
        return usual;
    return jw_text_equal_nocase(line, "y") || jw_text_equal_nocase(line, "yes");
}

static struct jw_run begin_run(struct cli *cli, bool alone)
{
    bool asks = !alone && jw_term_is(stdin) && jw_term_is(stderr);
    struct jw_run run = {.session = &cli->session,
                         .a = cli->arena,
                         .interrupted = cli->session.interrupted,
                         .progress = jw_progress_show,
                         .ask = asks ? ask : NULL,
                         .ctx = cli,
                         .yes = alone || cli->shared.yes,
                         .no_wait = alone};

    jw_run_begin(&run);
    return run;
}

struct jw_run jw_cli_run(struct cli *cli) { return begin_run(cli, false); }

struct jw_run jw_cli_run_alone(struct cli *cli) { return begin_run(cli, true); }

/* ---- a verb without a report ---- */

int jw_cli_fail(struct cli *cli, const struct jw_err *err)
{
    enum jw_end end = jw_end_of(err->code);
    int code = jw_cli_exit(end);
    const char *verb = cli->cmd ? jw_arena_printf(cli->arena, " %s", cli->cmd->name) : "";
    struct rep *r;

    if (cli->out.failed && cli->out.failed != EPIPE) /* jw_cli_close says so */
        return EXIT_CANNOT_WRITE;
    jw_messages_error(&cli->messages, "%s%s", err->msg,
                      err->code == JW_E_USAGE ? JW_PHRASE(" (jitwarm help%s)", verb) : "");
    if (!cli->shared.json || cli->out.wrote)
        return code;
    r = rep_open(cli, "error");
    rep_head(r, end, "error", "%s", err->msg);
    rep_fact(r, "exit", NULL, rep_count((uint64_t)code));
    if (err->code == JW_E_USAGE)
        rep_todo_line(r, "jitwarm help%s", verb);
    return rep_close(r);
}

int jw_cli_close(struct cli *cli, int code)
{
    const struct jw_config *config = cli->session.config;

    jw_json_free(&cli->json);
    jw_messages_progress_end(&cli->messages);
    for (size_t i = 0; config && i < config->warnings.n; i++)
        jw_messages_warn(&cli->messages, "%s", config->warnings.v[i]);
    if (!cli->out.failed || cli->out.failed == EPIPE) /* a reader such as a pager may stop early */
        return code;
    jw_messages_error(&cli->messages, "cannot write the output: %s", strerror(cli->out.failed));
    return EXIT_CANNOT_WRITE;
}

#include "cli/cli.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/report.h"
#include "os/files/real.h"
#include "os/machine/ask.h"
#include "os/machine/env.h"
#include "os/machine/interrupt.h"
#include "os/machine/time.h"

#include <string.h>

/* The terminal's width, else COLUMNS; else text is 80 wide, and tables are not cut. */
static void open_stream(struct cli *cli, struct jw_stream *s, FILE *to)
{
    enum { NARROWEST = 20, WIDEST = 1000, READABLE = 100, PIPED = 80 };
    const char *text = jw_env(cli->arena, "COLUMNS");
    uint64_t n;

    *s = (struct jw_stream){ .to = to, .terminal = jw_term_is(to), .width = PIPED };
    if (s->terminal) {
        s->columns = jw_term_columns(to);
        s->width = jw_min(s->columns, READABLE);
    } else if (text && jw_text_u64(text, &n) && n >= NARROWEST && n <= WIDEST) {
        s->width = s->columns = (unsigned)n;
    }
}

void jw_cli_open(struct cli *cli)
{
    cli->session = (struct jw_session){ .a = cli->arena, .interrupted = jw_interrupt_watch() };
    open_stream(cli, &cli->messages, stderr);
    open_stream(cli, &cli->out, stdout);
    jw_cli_apply_shared(cli);
}

/* --color overrides NO_COLOR, which overrides the terminal. */
static bool has_colours(struct cli *cli, FILE *stream)
{
    enum { AUTO, ALWAYS };
    const char *no_color = jw_env(cli->arena, "NO_COLOR");

    return cli->shared.color == ALWAYS
           || (cli->shared.color == AUTO && !(no_color && no_color[0]) && jw_term_colors(stream));
}

void jw_cli_apply_shared(struct cli *cli)
{
    struct jw_err ignored;

    cli->messages.colours = has_colours(cli, stderr);
    cli->out.colours = has_colours(cli, stdout);
    cli->messages.quiet = cli->shared.quiet;
    cli->session.cache = cli->shared.cache;
    if (cli->shared.cache
        && !jw_path_absolute(cli->shared.cache)) /* a failure stops the verb, which looks there */
        (void)!jw_real_path(cli->shared.cache, cli->arena, &cli->session.cache, &ignored);
}

int jw_cli_exit(enum jw_end end)
{
    static const enum jw_exit codes[] = {
        [JW_END_PARTLY] = EXIT_PARTLY,     [JW_END_NO_GPU] = EXIT_NO_GPU,
        [JW_END_CONSENT] = EXIT_BUSY,      [JW_END_CANNOT_WRITE] = EXIT_CANNOT_WRITE,
        [JW_END_BUSY] = EXIT_BUSY,         [JW_END_TIME] = EXIT_BUSY,
        [JW_END_STOPPED] = EXIT_PARTLY,    [JW_END_INTERRUPTED] = EXIT_INTERRUPTED,
        [JW_END_UNFIT] = EXIT_UNFIT_PACK,  [JW_END_REFUSED] = EXIT_INTEGRITY,
        [JW_END_NOT_PROVEN] = EXIT_NO_GPU, [JW_END_WAITING] = EXIT_DONE, /* and all others */
    };

    return (int)codes[end];
}

void jw_cli_show_search(void *ctx, const char *path)
{
    jw_messages_progress(&((struct cli *)ctx)->messages, "looking for CUDA code: %s", path);
}

bool jw_cli_ask(void *ctx, const char *question, bool usual)
{
    struct cli *cli = ctx;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    char line[16];

    jw_messages_progress_end(&cli->messages);
    jw_say(&text, "%s%s", question, usual ? " [Y/n] " : " [y/N] ");
    jw_stream_text(&cli->messages, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return jw_ask_line(stdin, line, sizeof line, cli->session.interrupted)
           && (jw_text_equal_nocase(line, "y") || jw_text_equal_nocase(line, "yes") || (usual && !*line));
}

struct jw_run jw_cli_run(struct cli *cli)
{
    return (struct jw_run){ .session = &cli->session,
                            .a = cli->arena,
                            .interrupted = cli->session.interrupted,
                            .began = jw_time_monotonic_ns(),
                            .progress = jw_progress_show,
                            .ask = jw_term_is(stdin) && jw_term_is(stderr) ? jw_cli_ask : NULL,
                            .ctx = cli };
}

/* ---- a verb without a report ---- */

/* Works for a command line that was not understood, too. Words behind --run and -- are another program's. */
static bool asks_for_json(const struct cli *cli)
{
    bool asks = cli->shared.json;

    for (char *const *word = cli->argv; !asks && word && *word; word++) {
        if (strcmp(*word, "--") == 0 || strcmp(*word, "--run") == 0)
            break;
        asks = strcmp(*word, "--json") == 0;
    }
    return asks;
}

static int report_failure(struct cli *cli, const char *why, const char *todo, int code)
{
    struct rep *r;

    if (!asks_for_json(cli) || cli->out.wrote)
        return code;
    cli->shared.json = true;
    r = rep_open(cli, "error");
    rep_head(r, REP_BAD, "error", "%s", why);
    rep_fact(r, "verb", NULL, REP_TEXT, cli->cmd ? cli->cmd->name : NULL);
    rep_fact(r, "exit", NULL, REP_COUNT, (uint64_t)code);
    if (todo)
        rep_todo_line(r, "%s", todo);
    return rep_close(r, code);
}

static int code_of(const struct jw_err *err)
{
    switch (err->code) {
    case JW_E_DRIVER: return EXIT_NO_GPU;
    case JW_E_NET: return EXIT_REMOTE;
    case JW_E_INTERRUPTED: return EXIT_INTERRUPTED;
    case JW_E_FORMAT:
    case JW_E_TRUST: return EXIT_INTEGRITY;
    case JW_E_UNFIT: return EXIT_UNFIT_PACK;
    case JW_E_BUSY: return EXIT_BUSY;
    default: return EXIT_CANNOT_WRITE; /* rights, space, memory, a limit */
    }
}

int jw_cli_fail(struct cli *cli, const struct jw_err *err)
{
    if (cli->out.failed)
        return EXIT_CANNOT_WRITE;
    if (err->code == JW_E_USAGE)
        return jw_cli_usage(cli, err);
    jw_messages_error(&cli->messages, "%s", err->msg);
    return report_failure(cli, err->msg, NULL, code_of(err));
}

int jw_cli_usage(struct cli *cli, const struct jw_err *err)
{
    const char *help =
        cli->cmd ? jw_arena_printf(cli->arena, "jitwarm help %s", cli->cmd->name) : "jitwarm help";

    jw_messages_error(&cli->messages, "%s (%s)", err->msg, help);
    return report_failure(cli, err->msg, help, EXIT_USAGE);
}

void jw_cli_warn_of_config(struct cli *cli)
{
    const struct jw_config *config = jw_session_config(&cli->session);

    for (size_t i = 0; i < config->warnings.n; i++)
        jw_messages_warn(&cli->messages, "%s", config->warnings.v[i]);
}

int jw_cli_page(struct cli *cli, struct jw_buf *page)
{
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (jw_buf_ok(page, &err))
        jw_stream_text(&cli->out, jw_buf_cstr(page));
    else
        code = jw_cli_fail(cli, &err);
    jw_buf_free(page);
    return code;
}

int jw_cli_close(struct cli *cli, int code)
{
    struct jw_err err = { 0 };

    jw_messages_progress_end(&cli->messages);
    if (jw_stream_close(&cli->out, &err))
        return code;
    jw_messages_error(&cli->messages, "%s", err.msg);
    return EXIT_CANNOT_WRITE;
}

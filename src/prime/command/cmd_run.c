#include "base/mem.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "os/process/exec.h"
#include "prime/command/prime_args.h"
#include "prime/command/prime_progress.h"

struct run_args {
    struct texts command;
    unsigned time_box_s;
};

static const struct opt run_opts[] = {
    { "time-box", 0, OPT_DURATION, offsetof(struct run_args, time_box_s), "TIME",
      "start the command after this time even if not all of it is warm", NULL, HINT_NONE },
    { 0 },
};

static void on_progress(void *ctx, const struct jw_prime_progress *p)
{
    prime_progress_show(ctx, p);
}

/* What the command is known to load; of one that is not known, what was primed before, if that is stale. */
static bool warm(struct cli *cli, const struct run_args *a, const char *profile, bool *known,
                 struct jw_err *err)
{
    struct prime_progress progress = { .story = &cli->story };
    struct jw_prime_options o = { .profile = profile,
                                  .if_stale = profile == NULL,
                                  .time_box_s = a->time_box_s,
                                  .yes = true,
                                  .same_login = true,
                                  .as_root = true,
                                  .interrupted = cli->interrupted,
                                  .progress = on_progress,
                                  .ctx = &progress };
    struct jw_prime_report report = { 0 };
    struct jw_prime_memory *memory = NULL;
    bool ok = jw_prime(&o, &report, &memory, err);

    jw_story_progress_end(&cli->story);
    *known = report.profile_known;
    if (ok && report.end != JW_END_DONE && report.end != JW_END_NOTHING && report.end != JW_END_INTERRUPTED)
        jw_story_say(&cli->story, "%s; the command is started all the same",
                     report.why ? report.why : "not all that it loads is warm");
    jw_prime_free(memory);
    return ok;
}

/* Whatever became of that, the command is what the user wants. */
static int run_run(struct cli *cli, const void *args)
{
    const struct run_args *a = args;
    struct jw_err err = { 0 };
    char *profile = jw_prime_command(a->command.items);
    bool known = false;
    int code;

    if (!profile || !warm(cli, a, profile, &known, &err))
        jw_story_warn(&cli->story, "%s; the command is started all the same",
                      profile ? err.msg : "no memory");
    else if (!known) {
        jw_story_detail(&cli->story, "what %s loads is not known; jitwarm prime --run %s learns it", profile,
                        profile);
        err = (struct jw_err){ 0 };
        if (!warm(cli, a, NULL, &known, &err))
            jw_story_warn(&cli->story, "%s; the command is started all the same", err.msg);
    }
    jw_free(profile);
    if (jw_exec(a->command.items, &code, &err))
        return code;
    jw_story_error(&cli->story, "%s", err.msg);
    return code;
}

static const struct example run_examples[] = {
    { "jitwarm run -- python serve.py", "the entrypoint of a container" },
    { "jitwarm run --time-box 30s -- ./server -p 80", "wait half a minute at most" },
    { 0 },
};

const struct cmd jw_cmd_run = {
    .name = "run",
    .summary = "prime what a command loads, then run the command",
    .synopsis_args = "-- CMD...",
    .details =
        "Warms what the command was seen to load (jitwarm prime --run CMD, with the same words, learns it), "
        "unless that is warm already, which takes milliseconds to see. Of a command that is not known, what "
        "was primed before is warmed again if it is stale; nothing is searched for. Then the command takes "
        "the place of jitwarm: its standard streams, signals and exit code are its own.\n\n"
        "No question is asked, however long it takes; --time-box sets an end. Whatever goes wrong before, "
        "the command is started. The exit code is that of the command; 127 when there is no such command, "
        "126 when it cannot be run.",
    .examples = run_examples,
    .opts = run_opts,
    .args_size = sizeof(struct run_args),
    .positional_at = offsetof(struct run_args, command),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .command = true,
    .run = run_run,
};

#include "base/command.h"
#include "cli/cli.h"
#include "verbs/prime_parts.h"

struct run_args {
    struct jw_texts command;
    bool no_compile;
};

/* Primes what the command loaded when it was recorded, into the cache of the user who runs it, also
 * if that is root; `only_looks`: looks whether it is there. Reports on standard error: standard
 * output is the command's. */
static void prime_for(struct cli *cli, struct jw_texts recorded, bool only_looks)
{
    const struct jw_prime_options o = {.form = only_looks ? JW_PRIME_ANSWER : JW_PRIME_FILES,
                                       .want = {.command = recorded},
                                       .time_limit_s = cli->shared.time_limit_s};
    struct jw_run run = jw_cli_run_alone(cli);
    struct jw_prime report = {0};
    struct jw_err err = {0};

    bool ok = jw_prime(&run, &o, &report, &err);

    jw_messages_progress_end(&cli->messages);
    if (!ok) {
        jw_messages_warn(&cli->messages, "%s; starting the command anyway", err.msg);
    } else if (report.summary.end != JW_END_DONE && report.summary.end != JW_END_INTERRUPTED) {
        struct rep *r = rep_open(cli, NULL);

        report.look->asked.words = NULL; /* it is recorded, so no remedy names or starts it */
        jw_show_look(r, false, &report.summary, report.look);
        rep_run(r, &run);
        rep_note(r, "the command is started anyway");
        (void)rep_close(r);
    }
    jw_prime_free(&report);
}

/* Can this driver be forbidden to compile? Otherwise says so. */
static bool can_forbid(struct cli *cli, const struct run_args *a)
{
    const char *driver = jw_session_facts(&cli->session)->scope.version;

    if (jw_variable_heeded(JW_VAR_DISABLE_PTX_JIT, driver))
        return true;
    jw_messages_error(
        &cli->messages,
        "driver %s cannot be kept from compiling, so nothing was started; to start it all the "
        "same: jitwarm run %s",
        driver, jw_command_text(cli->arena, a->command.v, jw_os_is_windows()));
    return false;
}

/* To a person, and only where there is no cache: what starts warm is started without a word. */
static bool wants_hint(struct cli *cli, const struct jw_roots *roots)
{
    const char *cache = jw_session_memory(&cli->session)->cache;

    if (roots->damaged || cli->shared.verbose)
        return true;
    return jw_term_is(stderr) && cache && jw_is_absent(cache);
}

/* Settings by which each start compiles are said of any command. */
static void say_unrecorded(struct cli *cli, struct jw_texts words, const struct jw_roots *roots)
{
    struct jw_facts f =
        jw_scope_facts(&cli->session, &(struct jw_want){.command = words}, cli->arena);
    const struct jw_cause *c = jw_cause_of_start(&f);

    if (c && c->end != JW_END_NO_GPU)
        jw_messages_warn(&cli->messages, "%s: jitwarm doctor", c->text);
    else if (wants_hint(cli, roots))
        jw_messages_say(&cli->messages, "%s: jitwarm prime --run %s",
                        roots->damaged ? roots->damaged : "not recorded for this cache",
                        jw_command_text(cli->arena, words.v, jw_os_is_windows()));
}

static int become(struct cli *cli, const struct run_args *a)
{
    struct jw_child_edit edits[2];
    size_t n = 0;
    const char *cache = cli->session.cache;
    struct jw_err err = {0};
    int code;

    if (a->no_compile)
        edits[n++] = (struct jw_child_edit){"CUDA_DISABLE_PTX_JIT", "1"};
    if (cache)
        edits[n++] = jw_cache_env_edit(cache);
    if (!jw_process_exec(&(struct jw_command){.argv = a->command.v, .edits = edits, .n_edits = n},
                         &code, &err))
        jw_messages_error(&cli->messages, "%s", err.msg);
    return code;
}

static int run_run(struct cli *cli, const void *args)
{
    const struct run_args *a = args;
    struct jw_roots roots = {0};
    size_t i = 0;

    cli->session.as_root = true;
    if (a->no_compile && !can_forbid(cli, a))
        return EXIT_NO_GPU;
    jw_roots_load(jw_session_memory(&cli->session), cli->arena, &roots);
    while (i < roots.n && !jw_root_is_command(&roots, &roots.v[i], a->command.v))
        i++;
    if (i < roots.n)
        prime_for(cli, a->command, a->no_compile);
    else if (!jw_is_absent(*a->command.v)
             || jw_process_path(*a->command.v, cli->arena)) /* else it is no command */
        say_unrecorded(cli, a->command, &roots);
    return become(cli, a);
}

const struct cmd jw_cmd_run = {
    .name = "run",
    .summary = "compile what a program needs, then start it",
    .synopsis_args = "CMD...",
    .details =
        "For start scripts: compiles what is missing of the code that CMD loaded under jitwarm "
        "prime --run CMD, and becomes CMD: same process, same exit code. It does not ask, and what "
        "cannot be compiled holds nothing up.\n\nWith --no-compile nothing is compiled before, and "
        "the driver gets CUDA_DISABLE_PTX_JIT=1: code in the cache loads, and any other gives "
        "error 223. Drivers up to 450 compile all the same: there CMD is not started (exit code "
        "3).\n\nExit code 127: there is no such command; 126: it cannot be run.",
    .examples = {{"jitwarm run python serve.py", "in the start script of a server or container"},
                 {"jitwarm run --no-compile python serve.py",
                  "fail at the start instead of compiling"},
                 {"jitwarm run --time-limit 30s ./server -p 80",
                  "compile half a minute at most; the driver compiles the rest"}},
    .opts = {{"no-compile", 0, OPT_FLAG, offsetof(struct run_args, no_compile),
              .help = "compile nothing, nor let the driver: what is not in the cache fails at once "
                      "(error 223)"}},
    .order = "no-compile time-limit cache" JW_OF_ALL,
    .alone = {{"no-compile", "cache ARGUMENTS"}},
    .args_size = sizeof(struct run_args),
    .positional_at = offsetof(struct run_args, command),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .command = true,
    .run = run_run,
};

#include "base/command.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "facts/env_defaults.h"
#include "machine/listing.h"
#include "memory/roots.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "prime/prime.h"
#include "verbs/prime_parts.h"

struct run_args {
    struct jw_texts command;
    bool no_compile;
};

static const struct opt run_opts[] = {
    { "no-compile", 0, OPT_FLAG, offsetof(struct run_args, no_compile), NULL,
      "compile nothing, nor let the driver: what is not in the cache fails at once (error 223)", NULL,
      HINT_NONE },
    { 0 },
};

/* Primes the cache of the user who runs the command, also if that is root. Reports on standard error: standard output is the command's. */
static void prime_for(struct cli *cli, struct jw_texts recorded)
{
    const struct jw_prime_options o = { .want = { .command = recorded },
                                        .time_limit_s = cli->shared.time_limit_s };
    struct jw_run run = jw_cli_run(cli);
    struct jw_prime_report report = { 0 };
    struct jw_err err = { 0 };

    run.yes = true;
    bool ok = jw_prime(&run, &o, &report, &err);

    jw_messages_progress_end(&cli->messages);
    if (!ok) {
        jw_messages_warn(&cli->messages, "%s; starting the command anyway", err.msg);
    } else if (run.end != JW_END_DONE && run.end != JW_END_INTERRUPTED) {
        struct rep *r = rep_open(cli, NULL);

        jw_show_look(r, REP_LEADS, &run, report.look);
        rep_run(r, &run);
        rep_say(r, REP_PLAIN, "Command", "it is started anyway");
        (void)rep_close(r);
    }
    jw_prime_free(&report);
}

/* Of a command of which nothing is known: what keeps jitwarm from compiling for it, else how it would. */
static void say_unknown(struct cli *cli, struct jw_texts command)
{
    const struct jw_facts f = jw_asked_facts(&cli->session, &(struct jw_want){ 0 }, cli->arena);
    const struct jw_cause *c = jw_cause_of(&f, JW_ASKS_PRIME);
    const char *seen = c ? c->seen(&f, cli->arena) : NULL;

    if (c && jw_cause_stops(c, &f, JW_ASKS_PRIME))
        jw_messages_say(&cli->messages, "nothing was compiled for this command: %s%s", c->text,
                        seen ? JW_PHRASE(" (%s)", seen) : "");
    else
        jw_messages_say(&cli->messages,
                        "this command was not recorded, so nothing was compiled for it; if the driver "
                        "compiles for it: jitwarm prime --run %s",
                        jw_command_text(cli->arena, command.v, jw_os_is_windows()));
}

/* What the driver may not compile now fails when it is loaded. */
static void say_missing(struct cli *cli, struct jw_texts recorded)
{
    const struct jw_answer a = jw_look_now(&cli->session, &(struct jw_want){ .command = recorded });

    if (jw_answer_cold(&a))
        jw_messages_say(&cli->messages, "%s of %s missing from this cache. To compile: jitwarm prime",
                        JW_NUM(jw_answer_cold(&a)), JW_N(a.modules, "module", "modules"));
}

/* Can this driver be forbidden to compile? Otherwise says so. */
static bool can_forbid(struct cli *cli, const struct run_args *a)
{
    const char *driver = jw_session_facts(&cli->session)->scope.version;

    if (jw_variable_heeded(JW_VAR_DISABLE_PTX_JIT, driver))
        return true;
    jw_messages_error(&cli->messages,
                      "driver %s cannot be kept from compiling, so nothing was started; to start it all the "
                      "same: jitwarm run -- %s",
                      driver, jw_command_text(cli->arena, a->command.v, jw_os_is_windows()));
    return false;
}

static int become(struct cli *cli, const struct run_args *a)
{
    struct jw_child_edit edits[2];
    size_t n = 0;
    const char *cache = cli->session.cache;
    struct jw_err err = { 0 };
    int code;

    if (a->no_compile)
        edits[n++] = (struct jw_child_edit){ "CUDA_DISABLE_PTX_JIT", "1" };
    if (cache
        && jw_real_path(cache, cli->arena, &cache, &err)) /* absolute: the command may change its folder */
        edits[n++] = jw_cache_env_edit(cache);
    if (!jw_process_exec(&(struct jw_command){ .argv = a->command.v, .edits = edits, .n_edits = n }, &code,
                         &err))
        jw_messages_error(&cli->messages, "%s", err.msg);
    return code;
}

static int run_run(struct cli *cli, const void *args)
{
    const struct run_args *a = args;
    const struct jw_texts words = jw_root_words(a->command, cli->arena);
    struct jw_roots roots = { 0 };
    bool named = false;
    size_t i = 0;

    if (a->no_compile && !can_forbid(cli, a))
        return EXIT_NO_GPU;
    cli->session.as_root = true;
    jw_roots_load(jw_session_memory(&cli->session), cli->arena, &roots);
    for (; i < roots.n && !jw_root_is_command(&roots.v[i], words.v); i++)
        named |= roots.v[i].kind == JW_ROOT_NAMED;
    if (i < roots.n || named) /* else its files may be among the paths that were named */
        (a->no_compile ? say_missing : prime_for)(cli, i < roots.n ? words : (struct jw_texts){ 0 });
    else if (!a->no_compile && (!jw_is_absent(*words.v) || jw_process_path(*words.v, cli->arena)))
        say_unknown(cli, a->command); /* else it is no command */
    return become(cli, a);
}

static const struct example run_examples[] = {
    { "jitwarm run -- python serve.py", "in the start script of a server or container" },
    { "jitwarm run --no-compile -- python serve.py", "fail at the start instead of compiling" },
    { "jitwarm run --time-limit 30s -- ./server -p 80", "wait half a minute at most" },
    { 0 },
};

const struct cmd jw_cmd_run = {
    .name = "run",
    .summary = "compile what a program needs, then start it",
    .synopsis_args = "-- CMD...",
    .details =
        "For start scripts: compiles what is missing of the code that CMD loaded under jitwarm prime --run "
        "CMD, or of all that was primed if CMD was not recorded so, and becomes CMD: same process, same "
        "exit code. It does not ask, and what cannot be compiled holds nothing up.\n\nWith --no-compile "
        "nothing is compiled before, and the driver gets CUDA_DISABLE_PTX_JIT=1: code in the cache loads, "
        "and any other gives error 223 (cudaErrorJitCompilationDisabled). Drivers up to 450 compile all the "
        "same: there CMD is not started "
        "(exit code 3).\n\nExit code 127: there is no such command; 126: it cannot be run.",
    .examples = run_examples,
    .opts = run_opts,
    .order = "no-compile time-limit cache" JW_OF_ALL,
    .alone = { { "no-compile", "cache ARGUMENTS" } },
    .args_size = sizeof(struct run_args),
    .positional_at = offsetof(struct run_args, command),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .command = true,
    .run = run_run,
};

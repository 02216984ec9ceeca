#include "base/command.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/prime_progress.h"
#include "facts/cache_choosers.h"
#include "fleet/sources.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/exec.h"
#include "os/process/foreground.h"
#include "os/process/process.h"
#include "pack/kit/kit.h"
#include "prime/facts.h"
#include "session/lines.h"
#include "verbs/net.h"

#include <string.h>

struct run_args {
    struct jw_texts command;
    const char *pull;
    struct jw_import_options import; /* of --pull */
    unsigned time_limit_s;
};

static const struct opt run_opts[] = {
    { "time-limit", 0, OPT_DURATION, offsetof(struct run_args, time_limit_s), "TIME",
      "start the command after this time even if not all of it is warm", NULL, HINT_NONE },
    { "pull", 0, OPT_TEXT, offsetof(struct run_args, pull), "REF",
      "first fetch what fits from this registry or folder (jitwarm pull); if that fails, one sentence says "
      "so",
      NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, offsetof(struct run_args, import.trust), "KEY",
      "trust packs that this public key signed, for --pull (a file, or the key's text); may be repeated",
      NULL, HINT_FILES },
    { "allow-unsigned", 0, OPT_FLAG, offsetof(struct run_args, import.allow_unsigned), NULL,
      "accept unsigned packs, for --pull", NULL, HINT_NONE },
    { "everything", 0, OPT_FLAG, offsetof(struct run_args, import.everything), NULL,
      "also entries of software that is not found here, for --pull", NULL, HINT_NONE },
    { "as-root", 0, OPT_FLAG, offsetof(struct run_args, import.as_root), NULL,
      "as prime takes it; run always prepares the cache of the user who runs the command", NULL, HINT_NONE },
    { 0 },
};

static void show_cold(struct cli *cli, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);
    struct jw_buf text = JW_LINE(cli->arena), why = JW_LINE(cli->arena);

    if (r->run->why) {
        jw_text_clean(&text, r->run->why);
    } else {
        if (!jw_next_start_say_why(&why, &f))
            jw_next_start_say(&why, &f);
        jw_text_clean(&text, jw_buf_cstr(&why));
        jw_buf_text(&text, " (jitwarm prime shows more)");
    }
    jw_messages_say(&cli->messages, "%s; starting the command anyway", jw_buf_cstr(&text));
}

/* True if only other commands, which do not start now, are of unknown state. */
static bool is_of_others(const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);

    return r->recorded_unsure && jw_next_start_is_warm_but(&f, JW_BUT(JW_BY_COMMANDS));
}

static void say_own_cache(struct cli *cli, const struct jw_prime_report *r)
{
    if (r->own_cache)
        jw_messages_say(&cli->messages, "the command uses a cache of its own: %s%s", r->cache.folder,
                        jw_cache_chooser_words(r->cache.folder, cli->arena));
}

/* Only what was given, and what a person should look at. */
static void say_sources(struct cli *cli, const struct jw_pack_sources *sources)
{
    for (size_t i = 0; i < sources->n; i++) {
        const struct jw_pack_source *s = &sources->v[i];
        struct jw_buf text = JW_LINE(cli->arena);

        jw_say(&text, "%s: ", s->from);
        jw_pack_source_say(&text, s);
        if (s->state == JW_SOURCE_NOTHING)
            jw_messages_detail(&cli->messages, "%s", jw_buf_cstr(&text));
        else
            jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    }
}

/* Says how long the link takes that each start of a known command makes. */
static void say_link(struct cli *cli, const struct jw_prime_report *r)
{
    uint64_t ms = r->link_milliseconds;

    for (size_t i = 0; i < r->verify.n_links; i++)
        ms += r->verify.links[i].milliseconds;
    if (ms)
        jw_messages_say(&cli->messages, "the command links while it starts (%s), compiles nothing",
                        JW_TENTHS((double)ms / 1000));
    else if (r->verify.n_passes && r->verify.passes[0].inputs)
        jw_messages_say(&cli->messages,
                        "the command links while it starts (how long was not measured), compiles nothing");
}

/* The command that helps, without what is said of it. */
static void say_todo(struct cli *cli, const struct jw_run *run)
{
    const char *line = run->advice.n ? run->advice.v[0] : NULL,
               *remark = line ? jw_command_remark(line) : NULL;

    if (line)
        jw_messages_say(&cli->messages, "To do: %.*s", (int)(remark ? (size_t)(remark - line) : strlen(line)),
                        line);
}

/* The command, after it was warmed. */
struct known {
    bool done;   /* there is nothing else to try */
    bool start;  /* a whole start of it was watched */
    bool again;  /* one was, and used no driver; said once */
    bool failed; /* the driver or the cache cannot be used: nothing can be recorded */
};

/* Primes what the command is known to load; for an unknown command, warms again what was primed before. */
static bool warm(struct cli *cli, unsigned time_limit_s, const char *profile, struct known *known,
                 struct jw_err *err)
{
    struct prime_progress progress = { .messages = &cli->messages };
    struct jw_prime_options o = { .profile = profile,
                                  .if_stale = profile == NULL,
                                  .time_limit_s = time_limit_s,
                                  .yes = true,
                                  .same_login = true,
                                  .as_root = true };
    struct jw_run run = jw_session_run(&cli->session);
    struct jw_prime_report report;
    struct jw_prime_memory *memory = NULL;
    struct jw_pack_sources sources = { NULL, 0 };

    run.progress = prime_progress_show;
    run.ctx = &progress;
    bool ok = jw_prime_with_sources(&run, &o, true, &report, &memory, &sources, err);

    jw_messages_progress_end(&cli->messages);
    say_sources(cli, &sources);
    bool well = run.end == JW_END_DONE || run.end == JW_END_NOTHING;

    say_own_cache(cli, &report);
    if (profile) {
        known->start = report.start_known;
        known->again = report.start_again;
    }
    known->done = report.profile_known || !well;
    known->failed |= ok
                     && (run.end == JW_END_STOPPED || run.end == JW_END_CANNOT_WRITE
                         || run.end == JW_END_NO_GPU || run.end == JW_END_INTERRUPTED);
    if (ok && well && profile)
        say_link(cli, &report);
    if (ok && run.end != JW_END_INTERRUPTED && !well && (profile || !is_of_others(&report)))
        show_cold(cli, &report);
    if (ok && run.end == JW_END_STOPPED)
        say_todo(cli, &run);
    jw_prime_free(memory);
    return ok;
}

/* ---- a start that was not watched yet ---- */

static void end_progress(void *ctx)
{
    struct cli *cli = ctx;

    jw_messages_progress_end(&cli->messages);
}

static void say_recording(void *ctx)
{
    struct cli *cli = ctx;

    end_progress(cli);
    jw_messages_say(&cli->messages,
                    "recording what this start loads, so that the next one can be warmed before it begins");
}

/* "this start: the driver compiled nothing; CuPy: reused 3, made 2" */
static void say_start(struct cli *cli, const struct jw_prime_report *r)
{
    const struct jw_kit_last start = jw_prime_last_start(r);
    struct jw_buf text = JW_LINE(cli->arena);

    if (r->seen.answer == JW_WITNESS_UNKNOWN && !r->n_kit && !r->kit_unproven)
        return;
    jw_kit_say_last(&text, &start);
    if (r->kit_unproven)
        jw_say(&text, "; it made %s, which may be a cache: jitwarm prime --run shows that",
               JW_N(r->kit_unproven, "more file", "more files"));
    if (r->kit_unseen)
        jw_say(&text, "; other caches were not seen whole: %s", r->kit_unseen);
    jw_messages_say(&cli->messages, "this start: %s", jw_buf_cstr(&text));
}

/* A daemon, or a part of the command in the background, goes on; jitwarm does not wait for its end. */
static void say_left(struct cli *cli, const struct run_args *a, uint64_t left)
{
    char *command = jw_prime_command(a->command.items);

    if (left)
        jw_messages_say(&cli->messages, "%s of it %s on and %s not recorded: %s",
                        JW_N(left, "process", "processes"), left == 1 ? "goes" : "go",
                        left == 1 ? "was" : "were",
                        jw_line_start(NULL, jw_line_prime(&cli->session, true, cli->arena), "", command, NULL,
                                      cli->arena));
    jw_free(command);
}

/* Says which cache the program uses if it overrides the setting, and what was recorded, or why nothing
 * was. */
static void say_recorded(struct cli *cli, const struct run_args *a, const struct jw_prime_report *r)
{
    const struct jw_command_seen *s = &r->seen;
    struct jw_words start = { "" };

    say_own_cache(cli, r);
    if (s->nowhere)
        jw_messages_say(&cli->messages, "the command has the driver keep nothing (%s): every start compiles",
                        s->nowhere);
    else if (r->run->why)
        jw_messages_say(&cli->messages, "what the command loads was not recorded: %s", r->run->why);
    if (r->start_milliseconds)
        start = jw_phrase(", the last %s after its start", JW_TENTHS((double)r->start_milliseconds / 1000));
    if (r->profile_known)
        jw_messages_detail(&cli->messages, "recorded: the command loads %llu modules%s",
                           (unsigned long long)r->profile_modules, start.text);
    say_start(cli, r);
    say_left(cli, a, r->run_left);
}

/* Runs the command as a child, so that the driver's compiler and the cache can be watched. False: it was not
 * started; jw_exec then reports why. */
static bool record(struct cli *cli, const struct run_args *a, unsigned time_limit_s, bool again, int *code)
{
    struct jw_prime_options o = { .run = a->command.items,
                                  .record = true,
                                  .started = again ? end_progress : say_recording,
                                  .time_limit_s = time_limit_s,
                                  .yes = true,
                                  .same_login = true,
                                  .as_root = true };
    struct jw_run run = jw_session_run(&cli->session);
    struct jw_prime_report report;
    struct jw_prime_memory *memory = NULL;
    struct jw_err err = { 0 };

    run.ctx = cli;
    bool ok = jw_prime(&run, &o, &report, &memory, &err), started = report.run_started;
    int killed_by = report.run_signal;

    *code = report.run_code;
    if (started && ok) {
        say_recorded(cli, a, &report);
        if (report.seen.small)
            say_todo(cli, &run);
    } else if (started)
        jw_messages_warn(&cli->messages, "what the command loads was not recorded: %s", err.msg);
    else if (ok ? run.why != NULL : err.code != JW_E_USAGE && err.code != JW_E_INTERRUPTED)
        jw_messages_say(&cli->messages, "%s; starting the command anyway", ok ? run.why : err.msg);
    jw_prime_free(memory);
    if (started && killed_by)
        jw_die_by_signal(killed_by);
    return started;
}

/* A service manager accepts some messages from this process number alone. */
static bool is_known_by_number(struct cli *cli)
{
    static const char *const names[] = { "NOTIFY_SOCKET", "LISTEN_PID", "WATCHDOG_PID" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (jw_env_has(names[i])) {
            jw_messages_say(&cli->messages,
                            "%s is set: the service manager knows this service by its process number, so its "
                            "start is not recorded (jitwarm prime --run records it by hand)",
                            names[i]);
            return true;
        }
    return false;
}

/* Returns the seconds left of the time limit; 0: no time limit. */
static unsigned pull_first(struct cli *cli, const struct run_args *a)
{
    const char *ref = a->pull;
    struct pull_args p = { .net = { .deadline_s = a->time_limit_s },
                           .words = { &ref, 1 },
                           .import = a->import };
    uint64_t began = jw_time_monotonic_ns(), took;

    p.import.as_root = true;
    pull_before(cli, &p);
    took = (jw_time_monotonic_ns() - began) / 1000000000;
    return !a->time_limit_s ? 0 : took < a->time_limit_s ? a->time_limit_s - (unsigned)took : 1;
}

/* This start is not watched in other caches (docs/kits.md says why), so the files that it will miss there are
 * named before it. */
static void say_missing(struct cli *cli, const struct run_args *a)
{
    char *command = jw_prime_command(a->command.items);
    struct jw_err err = { 0 };
    const char *missing = jw_kit_missing(command, cli->arena, &err);

    if (!missing)
        jw_messages_say(&cli->messages, "%s", err.msg);
    else if (*missing)
        jw_messages_say(&cli->messages,
                        "files of other caches with which this command was recorded are gone, so this start "
                        "may make them again (%s)",
                        missing);
    jw_free(command);
}

static void warm_all(struct cli *cli, const struct run_args *a, unsigned left, struct known *known)
{
    char *profile = jw_prime_command(a->command.items);
    struct jw_err err = { 0 };
    bool ok = warm(cli, left, profile, known, &err) && (known->done || warm(cli, left, NULL, known, &err));

    jw_free(profile);
    if (!ok)
        jw_messages_warn(&cli->messages, "%s; starting the command anyway", err.msg);
    known->failed |= !ok;
}

/* Starts the command even if warming fails. */
static int run_run(struct cli *cli, const void *args)
{
    const struct run_args *a = args;
    struct jw_err err = { 0 };
    struct known known = { 0 };
    unsigned left = a->pull ? pull_first(cli, a) : a->time_limit_s;
    int code;

    warm_all(cli, a, left, &known);
    if (!known.start && !known.failed && jw_process_program(a->command.items[0], cli->arena)
        && !is_known_by_number(cli) && record(cli, a, left, known.again, &code))
        return code;
    say_missing(cli, a);
    jw_session_end(&cli->session);
    if (jw_exec(a->command.items, &code, &err))
        return code;
    jw_messages_error(&cli->messages, "%s", err.msg);
    return code;
}

static const struct example run_examples[] = {
    { "jitwarm run -- python serve.py", "the entrypoint of a container" },
    { "jitwarm run --pull oci://reg.example/team/jit -- python serve.py",
      "the same where another machine has compiled already" },
    { "jitwarm run --time-limit 30s -- ./server -p 80", "wait half a minute at most" },
    { 0 },
};

const struct cmd jw_cmd_run = {
    .name = "run",
    .summary = "prime what a command loads, then run the command",
    .synopsis_args = "-- CMD...",
    .details =
        "Warms what the command loads, as jitwarm prime --run CMD recorded it with the same words. If that "
        "is warm already, this takes milliseconds. For an unknown command it warms again what was primed "
        "before, if that is stale, and does not search. A command that is known to use a cache of its own "
        "has that one warmed. --pull first fetches what another machine compiled.\n\n"
        "A known command replaces jitwarm, with its own standard streams, signals and exit code. A command "
        "that was never started under watch is recorded at this start: jitwarm stays its parent until it "
        "ends, passes signals on, and ends as it ended. Its next start is warmed before it begins.\n\n"
        "run asks nothing, however long it takes; --time-limit limits that. The command starts even if "
        "warming "
        "fails. The exit code is that of the command; 127 when there is no such command, 126 when it cannot "
        "be run.",
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

/* doctor: why programs start slowly; what a log says about that; which program compiles now. */
#include "doctor/doctor.h"

#include "base/command.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "doctor/doctor_log.h"
#include "doctor/doctor_watch.h"
#include "verbs/prime_parts.h"

#include <limits.h>

struct doctor_args {
    struct jw_texts paths;
    const char *log;
    unsigned watch_s; /* UINT_MAX: until Ctrl-C */
};

/* ---- this machine ---- */

static int report_doctor(struct cli *cli, const struct jw_run *run, const struct jw_prime *report)
{
    const struct jw_look *l = report->look;
    const struct jw_summary *v = &report->summary;
    struct rep *r = rep_open(cli, "doctor");
    const struct jw_facts f = jw_look_facts(l);

    jw_show_look(r, false, v, l);
    jw_show_jobs(r, l);
    if (v->cause == &jw_causes[JW_CAUSE_cold]) /* the answer says what, and nobody why */
        rep_fact(r, NULL, "Why", rep_text(v->cause->meaning));
    else if (v->cause)
        rep_detail(r, NULL, "Meaning", rep_text(v->cause->meaning));
    rep_given(r, "model", cli->shared.verbose ? "GPU" : NULL, rep_text(f.gpu));
    if (!v->cause
        && (f.found.linked || (!v->notes_first && f.answer.proven == JW_COMPILED_NOTHING)))
        rep_note(r, "Still slow? jitwarm doctor --run CMD");
    rep_run(r, run);
    return rep_close_with(r, v->end);
}

static int examine(struct cli *cli, const struct jw_texts *paths)
{
    const struct jw_want want = {.paths = *paths, .gpus = cli->shared.gpus, .all = cli->shared.all};
    struct jw_run run = jw_cli_run(cli);
    struct jw_prime report = {0};
    struct jw_err err = {0};

    (void)jw_session_config(
        &cli->session); /* what is wrong in it is said, whatever stops this run */
    bool ok = jw_doctor(&run, &want, &report, &err);
    int code = ok ? report_doctor(cli, &run, &report) : jw_cli_fail(cli, &err);

    jw_prime_free(&report);
    return code;
}

/* ---- a start of a command ---- */

/* Does the cause say why it is not known whether this start compiled? */
static bool explains_doubt(const struct jw_cause *c, enum jw_start_state state)
{
    if (c->end == JW_END_NO_GPU)
        return state != JW_START_COMPILED;
    return c->end == JW_END_CANNOT_WRITE && state == JW_START_UNSTORED;
}

static int report_start(struct cli *cli, const struct jw_doctor_start *start)
{
    const struct jw_start_seen *seen = &start->seen;
    const struct jw_summary v = jw_summary_of_start(&start->facts);
    enum jw_witness_answer compiled = jw_start_compiled(seen);
    const char *word =
        compiled == JW_WITNESS_NOTHING ? "compiled-nothing" : jw_witness_answer_names[compiled];
    const char *failed = seen->start.failed ? "The command failed. " : "";
    struct rep *r = rep_open(cli, cli->shared.json ? "doctor" : NULL);

    rep_head(r, v.end, word, "%s%s", failed, jw_seen_head(r, seen));
    jw_show_seen(r, seen, v.cause && explains_doubt(v.cause, seen->start.state));
    rep_cache(r, start->cache);
    if (v.cause)
        rep_cause(r, false, &v, &start->facts);
    else if (compiled == JW_WITNESS_COMPILED)
        rep_also(r, REP_PLAIN,
                 "The cache keeps it: the next start that loads the same finds it there.");
    return rep_close(r);
}

static int start(struct cli *cli)
{
    struct jw_run run = jw_cli_run(cli);
    struct jw_doctor_start seen;
    struct jw_err err = {0};

    if (!jw_doctor_start(&run, &cli->shared.run, cli->shared.json, &seen, &err))
        return jw_cli_fail(cli, &err);
    return report_start(cli, &seen);
}

/* ---- a log ---- */

/* For the shell of this machine, or of the system that made the log. NULL: there is no line. */
static const char *log_remedy_line(struct rep *r, const struct jw_log_report *log,
                                   struct jw_remedy remedy)
{
    enum jw_shell shell = log->windows && !jw_os_is_windows() ? JW_SHELL_CMD : jw_shell_here(r->a);

    return jw_remedy_line(&remedy, shell, true, r->a);
}

/* In JSON only. */
static void say_errors(struct rep *r, const struct jw_log_report *log)
{
    rep_table(r, "errors", 0);
    for (const struct jw_log_hit *hit = log->hits; hit < log->hits + log->n_hits; hit++) {
        rep_row(r);
        rep_fact(r, "line", NULL, rep_count(hit->line));
        rep_fact(r, "meaning", NULL, rep_text(hit->meaning));
        rep_fact(r, "remedy", NULL, rep_text(hit->known.remedy));
        rep_fact(r, "command", NULL, rep_text(log_remedy_line(r, log, hit->remedy)));
    }
    rep_end(r);
}

static const char *sentence_of(const struct jw_log_hit *hit, struct jw_arena *a)
{
    return jw_arena_printf(a, "Line %llu: %s.", (unsigned long long)hit->line, hit->meaning);
}

static void say_error(struct rep *r, const struct jw_log_report *log, const struct jw_log_hit *hit)
{
    const char *line = log_remedy_line(r, log, hit->remedy);

    (*hit->known.remedy ? rep_detail : rep_fact)(r, NULL, "Why", rep_text(hit->known.cause));
    if (*hit->known.remedy)
        rep_todo_say(r, "%s", hit->known.remedy);
    if (line)
        rep_todo_line(r, "%s", line);
}

/* The first line that makes a program fail, else the first one; NULL: none, or a wait is worse. */
static const struct jw_log_hit *worst(const struct jw_log_report *log)
{
    for (size_t i = 0; i < log->n_hits; i++)
        if (log->hits[i].known.severity == JW_ERROR_PROBLEM)
            return &log->hits[i];
    return log->n_hits && log->pause <= 0 ? &log->hits[0] : NULL;
}

/* A sentence for each known line and each wait, the most urgent first. */
static size_t sentences_of(const struct jw_log_report *log, const struct jw_log_hit *first,
                           struct jw_arena *a, const char *out[JW_LOG_HITS + 1])
{
    size_t n = 0;

    if (first)
        out[n++] = sentence_of(first, a);
    if (log->pause > 0)
        out[n++] = jw_arena_printf(a, "Line %llu: waited %s, as when the driver compiles.",
                                   (unsigned long long)log->before, JW_CLOCK(log->pause + .5));
    for (const struct jw_log_hit *hit = log->hits; hit < log->hits + log->n_hits; hit++)
        if (hit != first)
            out[n++] = sentence_of(hit, a);
    return n;
}

static int report_log(struct cli *cli, const struct jw_log_report *log)
{
    struct rep *r = rep_open(cli, "doctor");
    const struct jw_log_hit *first = worst(log);
    const char *said[JW_LOG_HITS + 1];
    size_t n = sentences_of(log, first, cli->arena, said);

    rep_fact(r, "pause_seconds", NULL, rep_seconds(log->pause));
    say_errors(r, log);
    if (n) {
        rep_head_in(r, REP_BAD, JW_END_PARTLY, "found", "%s", said[0]);
        rep_texts(r, NULL, "Also", said + 1, n - 1);
    } else {
        rep_head_in(r, REP_PLAIN, JW_END_NOTHING, NULL, "%s",
                    log->lines
                        ? "No line of this log is a known error, or a known wait for the driver."
                        : "There is no text in this log.");
    }
    if (first)
        say_error(r, log, first);
    else if (log->pause > 0)
        rep_todo_line(r, "jitwarm prime");
    else if (log->lines)
        rep_note(r, "Still slow? jitwarm doctor --run CMD");
    if (log->cut)
        rep_note(r, "Only the first 64 MiB were read.");
    return rep_close(r);
}

static int read_log(struct cli *cli, const char *path)
{
    struct jw_log_report *log = jw_arena_alloc(cli->arena, sizeof *log);
    struct jw_err err = {0};

    return jw_doctor_log(path, cli->session.interrupted, log, &err) ? report_log(cli, log)
                                                                    : jw_cli_fail(cli, &err);
}

/* ---- who compiles ---- */

/* Prints a line for each process as it begins to compile. */
static void say_compiling(void *ctx, const struct jw_compiling *c)
{
    struct cli *cli = ctx;
    struct jw_buf line = JW_LINE(cli->arena);

    jw_text_time(&line, c->since + (int64_t)(c->seconds > 0 ? c->seconds : 0));
    jw_buf_printf(&line, "  %s (%lu) ", c->name, c->pid);
    if (c->seconds >= 0)
        jw_buf_printf(&line, "is done: it compiled for %s\n", JW_TENTHS(c->seconds));
    else if (c->no_cache)
        jw_buf_printf(&line, "compiles now, into no cache (%s)\n", c->no_cache);
    else
        jw_buf_printf(&line, "compiles now, into %s\n", c->cache ? c->cache : "an unknown cache");
    jw_stream_text(&cli->out, jw_buf_cstr(&line));
}

static int watch(struct cli *cli, unsigned for_s)
{
    struct jw_run run = jw_cli_run(cli);
    struct jw_compiling_seen report;
    struct jw_err err = {0};
    const char *in = "";
    struct rep *r;

    if (!jw_doctor_watch(&run, for_s == UINT_MAX ? 0 : for_s, say_compiling, cli, &report, &err))
        return jw_cli_fail(cli, &err);
    r = rep_open(cli, NULL);
    if (for_s < UINT_MAX && !jw_interrupted(cli->session.interrupted))
        in = jw_arena_printf(cli->arena, " in %s", JW_CLOCK(for_s));
    if (report.programs)
        rep_head(r, JW_END_LISTED, "done", "Programs seen to compile: %s.",
                 JW_NUM(report.programs));
    else
        rep_head(r, JW_END_LISTED, "done", "No program was seen to compile%s.", in);
    if (report.preload)
        rep_note(r, "Whether it compiles is not known of %s.",
                 JW_N(report.preload, "program that preloads the compiler",
                      "programs that preload the compiler"));
    if (report.hidden)
        rep_note(r, "%s not looked at: %s", JW_N(report.hidden, "process was", "processes were"),
                 jw_session_user(&cli->session)->uid == 0
                     ? "the container or the kernel forbids it"
                     : "of other users; run it as root to see them");
    return rep_close(r);
}

static int run(struct cli *cli, const void *args)
{
    const struct doctor_args *a = args;
    struct jw_err err = {0};

    if (a->log)
        return read_log(cli, a->log);
    if (a->watch_s)
        return watch(cli, a->watch_s);
    if (a->paths.n == 1 && jw_help_is_log(*a->paths.v))
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE,
                             "%s is a text; did you mean jitwarm doctor --log %s?", *a->paths.v,
                             JW_COMMAND(cli->arena, jw_os_is_windows(), *a->paths.v));
    return cli->shared.run.n ? start(cli) : examine(cli, &a->paths);
}

const struct cmd jw_cmd_doctor = {
    .name = "doctor",
    .summary = "find out why CUDA programs start slowly",
    .synopsis_args = "[PATH...]",
    .details =
        "Looks at the driver, the GPUs, the settings, the cache, and the CUDA code of PATH, or of "
        "what prime takes without it, and lets a fresh process load what is in the cache. It names "
        "the first thing that makes programs compile at their start, with what it saw and one "
        "remedy. Cache and settings stay.\n\n--run starts the program once, in the foreground, and "
        "says whether this start compiled, what, and why. Nothing is primed or remembered.\n\nExit "
        "code 0: all is well, and of --run: this start compiled nothing; 1: a cause is named, "
        "something was compiled or is not in the cache, or nothing is known of your software.",
    .examples = {{"jitwarm doctor", "find out why programs start slowly"},
                 {"jitwarm doctor --run python serve.py",
                  "start this program: does it compile, and why?"},
                 {"jitwarm doctor --log out.txt", "explain errors and waits in a program's output"},
                 {"jitwarm doctor --watch", "see which programs compile now"}},
    .opts = {{"log", 0, OPT_TEXT, offsetof(struct doctor_args, log), .arg = "FILE",
              .help = "explain a program's output: its CUDA errors, and a wait while the driver "
                      "compiled (- reads standard input)",
              .hint = HINT_FILES},
             {"watch", 0, OPT_MAYBE | OPT_DURATION, offsetof(struct doctor_args, watch_s),
              .arg = "TIME",
              .help = "show which programs compile now, until Ctrl-C or for this time (Linux)"}},
    .order = "run log watch gpu cache all json" JW_OF_ALL " as-root",
    .alone = {{"run", "cache json as-root"}, {"log", "cache json"}, {"watch", "cache"}},
    .args_size = sizeof(struct doctor_args),
    .positional_at = offsetof(struct doctor_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run,
};

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/background_memory.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/priority.h"
#include "os/machine/time.h"
#include "setup/startup/startup.h"
#include "verbs/absent_gpus.h"
#include "verbs/export.h"
#include "verbs/prime.h"
#include "verbs/prime_progress.h"

#include <string.h>

struct run {
    struct cli *cli;
    enum prime_verb verb;
    struct prime_progress *progress;
    struct jw_prime_report report;
    struct jw_pack_sources sources; /* that were asked */
    bool absent_gpus;               /* `gpus` are not here */
};

static void show_prime_progress(void *ctx, const struct jw_progress *p)
{
    struct run *r = ctx;

    prime_progress_show(r->progress, p);
}

static bool ask_at_terminal(void *ctx, const char *question, bool usual)
{
    const struct run *r = ctx;

    return prime_ask(r->cli, stdin, &r->report, question, usual);
}

static bool starts_itself(void *ctx)
{
    return jw_startup_is_installed(&((struct run *)ctx)->cli->session);
}

/* A folder, or a new name that is not a pack's. */
static bool may_be_folder(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_is_folder(path)
           || (!jw_text_ends(path, ".tar.zst") && jw_file_stat(path, &info, &ignored)
               && info.kind == JW_FILE_NONE);
}

/* Named themselves, they are also tried where the driver crashed or hung on them before. */
static bool all_are_files(const struct texts *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        if (jw_is_folder(paths->items[i]))
            return false;
    return paths->n > 0;
}

static void set_options(struct run *r, const struct prime_args *a, struct jw_prime_options *o)
{
    struct cli *cli = r->cli;
    const struct jw_config *config = jw_session_config(&cli->session);

    cli->session.cache = a->cache;
    cli->session.exclude = a->exclude.items;
    cli->session.n_exclude = a->exclude.n;
    for (size_t i = 0; cli->common.json && i < config->warnings.n; i++)
        jw_messages_warn(&cli->messages, "%s", config->warnings.v[i]); /* the page has them as notes */
    *o = (struct jw_prime_options){ .paths = a->paths.items,
                                    .n_paths = a->paths.n,
                                    .gpus = a->gpus.items,
                                    .n_gpus = a->gpus.n,
                                    .absent_gpus = r->absent_gpus,
                                    .one_arch = a->pack && !may_be_folder(a->pack),
                                    .warnings = config->warnings.v,
                                    .n_warnings = config->warnings.n,
                                    .jobs = a->jobs ? a->jobs : config->jobs_count,
                                    .timeout_s = config->timeout_s,
                                    .time_box_s = a->time_box_s,
                                    .wait_s = a->wait_s ? a->wait_s : a->time_box_s,
                                    .all = a->all,
                                    .retry = a->retry || all_are_files(&a->paths),
                                    .dry_run = r->verb == PRIME_PLAN,
                                    .verify_only = r->verb == PRIME_VERIFY,
                                    .sample = a->sample,
                                    .run = a->run.n ? a->run.items : NULL,
                                    .yes = a->yes,
                                    .raise_limit = a->yes == PRIME_YES_LIMIT,
                                    .same_login = a->for_packs,
                                    .background = a->background,
                                    .if_stale = a->if_stale,
                                    .also_find = a->if_stale && a->background && config->source.n,
                                    .own = a->background && a->if_stale,
                                    .as_root = a->as_root,
                                    .starts_itself = starts_itself };
}

/* --check: what is not known does not count as warm. What this driver cannot load is not warm for a dry run, either. */
static int exit_code(const struct prime_args *a, enum prime_verb verb, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);
    int code = prime_exit(verb, r->run->end);
    bool asked = a->check || verb != PRIME_PLAN,
         cold = a->check && jw_next_start_of(&f) != JW_NEXT_START_WARM;

    return code == EXIT_DONE && ((asked && f.other_caches) || cold || r->needs_driver) ? EXIT_PARTLY : code;
}

static bool check_args(const struct prime_args *a, bool progress, bool json, struct jw_err *err)
{
    if (a->cache && !*a->cache)
        return jw_fail(err, JW_E_USAGE, "--cache: the name is empty");
    if (a->run.n && a->paths.n)
        return jw_fail(err, JW_E_USAGE, "--run cannot be combined with paths");
    if (a->pack && strcmp(a->pack, "-") == 0)
        return jw_fail(err, JW_E_USAGE,
                       "--pack: standard output is prime's report; jitwarm export -o - pipes a pack");
    if ((a->dry_run || a->check) && a->run.n)
        return jw_fail(
            err, JW_E_USAGE,
            "--run runs the command: there is no dry run of it (prime --check asks for all recorded "
            "commands, verify --run for this one)");
    if ((a->dry_run || a->check) && a->pack && !a->for_packs)
        return jw_fail(err, JW_E_USAGE, "--pack packs what was compiled: not with a dry run");
    if (progress && json)
        return jw_fail(
            err, JW_E_USAGE,
            "--progress json and --json both write to standard output: its last line is the report");
    return true;
}

/* Runs one word with blanks in a shell. */
static void as_command(struct cli *cli, struct texts *run)
{
    static const char *const posix[] = { "/bin/sh", "-c" }, *const windows[] = { "cmd.exe", "/c" };
    const char **line;

    if (run->n != 1 || !strchr(run->items[0], ' '))
        return;
    line = jw_arena_alloc(cli->arena, 4 * sizeof *line);
    memcpy(line, jw_os_is_windows() ? windows : posix, sizeof posix);
    line[2] = run->items[0];
    *run = (struct texts){ line, 3 };
}

static bool write_prime_report(struct run *r, const struct prime_args *a,
                               const struct jw_prime_report *report, struct jw_err *err)
{
    struct cli *cli = r->cli;
    struct prime_view v = { .verb = r->verb,
                            .report = report,
                            .sources = r->sources,
                            .stats = cli->common.stats,
                            .passing = a->for_packs };
    char *command = NULL;

    if (a->background && cli->messages.level == MESSAGES_QUIET && !cli->common.json)
        return true; /* the log of jitwarm startup has it */
    if (a->run.n)
        command = jw_prime_command(a->run.items);
    v.command = command;
    bool ok = cli->common.json ? prime_write_json(cli, &v, err) : prime_write_text(cli, &v, err);

    jw_free(command);
    return ok;
}

/* NULL: there is something to pack. */
static const char *nothing_to_pack(const struct prime_args *a, const struct jw_prime_report *report)
{
    if (report->n_jobs)
        return prime_warm(report) ? NULL : "no module is warm";
    if (a->run.n)
        return "the command loads nothing that the driver would compile";
    return a->paths.n && !report->receipt ? "the driver compiles nothing of these files for these GPUs"
                                          : NULL;
}

/* Several packs need a folder; makes it if necessary. */
static bool pack_folder(const char *path, struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_file_stat(path, &info, err))
        return jw_wrap(err, "%s", path);
    if (info.kind != JW_FILE_NONE && info.kind != JW_FILE_DIR)
        return jw_fail(err, JW_E_USAGE,
                       "--pack: packs for GPUs that are not here go into a folder, and %s is a file", path);
    return info.kind != JW_FILE_NONE || jw_make_dirs(path, err) || jw_wrap(err, "%s", path);
}

static bool several_archs(const struct jw_prime_report *report)
{
    uint16_t first = 0;

    for (size_t i = 0; i < report->driver.n_gpus; i++) {
        const struct jw_device *g = &report->driver.gpus[i];

        if (g->chosen && first && g->sm != first)
            return true;
        first = g->chosen ? g->sm : first;
    }
    return false;
}

/* Packs warm modules even if others are cold. */
static int pack_primed(struct run *r, const struct prime_args *a, const struct jw_prime_report *report,
                       int code)
{
    const char *why = nothing_to_pack(a, report);
    struct jw_err err = { 0 };

    if (report->run->end == JW_END_STOPPED) /* the report says why */
        return code;
    if (why) {
        jw_messages_error(&r->cli->messages, "no pack was written: %s", why);
        return EXIT_PARTLY;
    }
    if (several_archs(report) && !pack_folder(a->pack, &err))
        return jw_cli_fail(r->cli, &err);

    struct export_args e = { .paths = a->paths,
                             .gpus = a->gpus,
                             .exclude = a->exclude,
                             .cache = a->cache,
                             .output = a->pack,
                             .yes = a->yes,
                             .no_store = a->for_packs };
    int packed = export_run(r->cli, &e, r->cli->common.json);

    return code == EXIT_DONE ? packed : code;
}

/* Without a report: prints each reason of a failure once. */
static void show_failures(struct run *r, const struct jw_prime_report *report)
{
    struct prime_view v = { .verb = r->verb, .report = report };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    const struct prime_failure *failures;
    size_t n;

    if (r->verb == PRIME_VERIFY && report->verify.done && !prime_is_verified(&report->verify))
        (void)prime_say_verdict(&text, &v);
    else
        prime_say_head(&text, &v);
    jw_messages_error(&r->cli->messages, "%s", jw_buf_cstr(&text));
    prime_failures(&v, r->cli->arena, &failures, &n);
    for (size_t i = 0; i < n; i++) {
        const struct jw_job *first = failures[i].jobs[0];

        jw_buf_clear(&text);
        jw_say(&text, "%s: ", JW_N(failures[i].n, "module", "modules"));
        prime_say_failure(&text, first, failures[i].n);
        jw_messages_error(&r->cli->messages, "%s; the first is in %s", jw_buf_cstr(&text),
                          prime_job_path(first));
    }
    jw_buf_free(&text);
}

static void show_errors(struct run *r, const struct jw_prime_report *report, int code)
{
    if (!r->cli->out.muted && r->cli->messages.level != MESSAGES_QUIET)
        return;
    if (code && r->verb != PRIME_PLAN)
        show_failures(r, report);
    for (size_t i = 0; i < report->n_unread; i++)
        jw_messages_error(&r->cli->messages, "%s", report->unread[i]);
}

/* What status says of a run without terminal and journal: a package's script started it. */
static void remember_begin(struct run *r, struct jw_background *b)
{
    *b = (struct jw_background){ .began = jw_time_unix(), .said = "" };
    jw_background_keep(b, r->cli->arena);
}

static void remember_end(struct run *r, struct jw_background *b, bool ok, int code)
{
    const struct prime_view v = { .verb = r->verb, .report = &r->report, .sources = r->sources };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (ok)
        prime_say_head(&text, &v);
    b->ended = jw_time_unix();
    b->code = (uint64_t)code;
    b->said = jw_arena_str(r->cli->arena, jw_buf_cstr(&text));
    jw_background_keep(b, r->cli->arena);
    jw_buf_free(&text);
}

static int prime_here(struct run *r, const struct prime_args *args)
{
    bool remembered = args->background && !args->if_stale;
    struct jw_background background;

    struct jw_prime_report *report = &r->report;
    struct jw_prime_memory *memory = NULL;
    struct jw_prime_options o;
    struct jw_run run = jw_cli_run(r->cli);
    struct jw_err err = { 0 };

    run.progress = show_prime_progress;
    run.ask = run.ask && r->verb == PRIME_PRIME ? ask_at_terminal : NULL;
    run.ctx = r;
    *report = (struct jw_prime_report){ .run = &run };
    set_options(r, args, &o);
    if (remembered)
        remember_begin(r, &background);
    bool packs = r->verb == PRIME_PRIME && !r->absent_gpus && !args->for_packs;
    bool ok =
        (!packs || prime_packs(r->cli, args, &err))
        && (packs ? prime_with_sources(r->cli, &run, &o, args->background, report, &memory, &r->sources, &err)
                  : jw_prime(&run, &o, report, &memory, &err));

    jw_messages_progress_end(&r->cli->messages);
    ok = ok && write_prime_report(r, args, report, &err);

    int code = ok ? exit_code(args, r->verb, report) : jw_cli_fail(r->cli, &err);

    if (ok)
        show_errors(r, report, code);

    if (args->pack && (code == EXIT_DONE || code == EXIT_PARTLY))
        code = pack_primed(r, args, report, code);

    if (remembered)
        remember_end(r, &background, ok, code);
    if (!args->progress)
        prime_progress_end(r->progress, ok ? report->run : NULL, ok ? prime_warm(report) : 0,
                           ok ? report->n_jobs : 0, code);
    jw_prime_free(memory);
    return code;
}

/* Primes absent GPUs in a cache of their own, or in --cache. */
static int prime_absent_gpus(struct run *r, const struct prime_args *given, const struct texts *absent)
{
    struct prime_args args = *given;
    struct jw_err err = { 0 };

    args.gpus = *absent;
    args.cache = given->cache ? given->cache : absent_gpus_cache(r->cli->arena, &err);
    r->absent_gpus = true;
    return args.cache ? prime_here(r, &args) : jw_cli_fail(r->cli, &err);
}

static int usage(struct cli *cli, const char *why)
{
    struct jw_err err = { 0 };

    (void)jw_fail(&err, JW_E_USAGE, "%s", why);
    return jw_cli_usage(cli, &err);
}

/* Primes for the GPUs here, and for absent ones if --pack or --cache says where the result goes. */
static int prime(struct run *r, const struct prime_args *given)
{
    struct prime_args args = *given;
    struct texts absent = { NULL, 0 };
    struct jw_err err = { 0 };
    bool may = r->verb != PRIME_PRIME || args.pack || args.cache;

    if (may && !absent_gpus_split(r->cli, &args.gpus, &absent, &err))
        return jw_cli_fail(r->cli, &err);
    if (absent.n && args.run.n)
        return usage(r->cli, "--run: only a GPU that is here can run it");
    if (absent.n && args.gpus.n && r->cli->common.json)
        return usage(r->cli, "--json reports on GPUs that are here, or on those that are not: name one kind");
    if (!absent.n)
        return prime_here(r, &args);
    if (args.pack && !pack_folder(args.pack, &err))
        return jw_cli_fail(r->cli, &err);

    int here = args.gpus.n ? prime_here(r, &args) : EXIT_DONE;
    int there = here == EXIT_DONE || here == EXIT_PARTLY ? prime_absent_gpus(r, &args, &absent) : here;

    return here == EXIT_DONE ? there : here;
}

static void lower_priority(struct cli *cli)
{
    struct jw_err why = { 0 };

    if (!jw_priority_lower(JW_PRIORITY_BACKGROUND, &why))
        jw_messages_detail(&cli->messages, "%s", why.msg);
}

int prime_run(struct cli *cli, const struct prime_args *given, enum prime_verb verb)
{
    struct prime_args args = *given;
    struct prime_progress own = { .messages = &cli->messages };
    struct run r = { .cli = cli, .verb = verb, .progress = args.progress ? args.progress : &own };
    bool progress = cli->common.progress && !args.progress;
    struct jw_err err = { 0 };

    args.cache = args.cache ? args.cache : cli->common.cache;
    args.as_root = args.as_root || cli->common.as_root;
    if (!check_args(&args, progress, cli->common.json, &err))
        return jw_cli_usage(cli, &err);
    if (args.driver_files)
        return prime_with_driver_files(cli, &args, verb);
    if (args.post_install)
        return prime_in_background(cli, args.as_root);
    as_command(cli, &args.run);
    if (args.pack && !jw_export_place(args.pack, cli->arena, &err))
        return jw_cli_fail(cli, &err);
    if (progress) {
        own.stream = &cli->out;
        cli->out.muted = true;
    }
    if (args.background && args.if_stale && cli->common.quiet && !cli->common.json)
        jw_leave_console();
    if (args.background)
        lower_priority(cli);

    return prime_compile_sources(cli, &args, &err) ? prime(&r, &args) : jw_cli_fail(cli, &err);
}

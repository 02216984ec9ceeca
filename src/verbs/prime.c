#include "verbs/prime.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/background_memory.h"
#include "cache/memory/state_folder.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "driver/files/driver_run.h"
#include "facts/gpus.h"
#include "fleet/sources.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/priority.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "pack/import/import_folder.h"
#include "prime/absent_gpus.h"
#include "prime/cu_files.h"
#include "setup/startup/background.h"
#include "setup/startup/startup.h"
#include "verbs/export.h"

#include <stdio.h>
#include <string.h>

static const struct opt prime_opts[] = {
    PRIME_OPT_GPU,
    PRIME_OPT_EXCLUDE,
    PRIME_OPT_ALL,
    { "run", 0, OPT_REST, offsetof(struct prime_args, run), "CMD...",
      "run this command, warm everything it loads, and remember that as its profile (jitwarm run). Where it "
      "made files, it is started again, to see which of them are a cache",
      NULL, HINT_FILES },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct prime_args, o.dry_run), NULL,
      "compile nothing: show how many modules, how much time and room", NULL, HINT_NONE },
    { "check", 0, OPT_FLAG, offsetof(struct prime_args, check), NULL,
      "the same, and exit with 1 unless all of it is warm", NULL, HINT_NONE },
    { "jobs", 'j', OPT_UINT, offsetof(struct prime_args, o.jobs), "N",
      "number of parallel workers (default: half the CPUs)", NULL, HINT_NONE },
    { "time-limit", 0, OPT_DURATION, offsetof(struct prime_args, o.time_limit_s), "TIME",
      "stop after this time, and exit with 7 if something is left; the next run goes on from there. So long "
      "it also waits for another prime",
      NULL, HINT_NONE },
    { "if-stale", 0, OPT_FLAG, offsetof(struct prime_args, o.if_stale), NULL,
      "do not search: warm again what was primed before, if a file, the driver or a setting changed", NULL,
      HINT_NONE },
    { "background", 0, OPT_FLAG, offsetof(struct prime_args, o.background), NULL,
      "run with idle priority; with --if-stale also wait for mains power, and for the reboot that a driver "
      "update needs",
      NULL, HINT_NONE },
    { "post-install", 0, OPT_FLAG, offsetof(struct prime_args, post_install), NULL,
      "for a package's script: prime in the background for the user who installs, and always succeed", NULL,
      HINT_NONE },
    { "pack", 0, OPT_TEXT, offsetof(struct prime_args, pack), "FILE",
      "pack what was primed for machines of the same kind, into this file or folder (jitwarm export)", NULL,
      HINT_FILES },
    { "driver-files", 0, OPT_TEXT, offsetof(struct prime_args, driver_files), "DIR",
      "make packs for machines that are not here, on this one without a GPU: with NVIDIA's driver, unpacked "
      "(sh NVIDIA-Linux-x86_64-VERSION.run --extract-only); needs --gpu and --pack DIR",
      NULL, HINT_DIRS },
    { "output", 'o', OPT_TEXT, offsetof(struct prime_args, output), "FILE",
      "also write the PTX of the .cu file to this file", NULL, HINT_NEW },
    { "yes", 'y', OPT_MAYBE_CHOICE, offsetof(struct prime_args, yes), "limit",
      "do not ask; --yes=limit also raises a cache limit that is too small", "- yes limit", HINT_NONE },
    { 0 },
};

/* ---- before it: a .cu file as PATH, whose PTX is primed in its place ---- */

/* Keeps the compiler's line breaks. */
static void show_log(struct cli *cli, const char *log)
{
    while (log && *log && cli->messages.level != MESSAGES_QUIET) {
        struct jw_buf line = JW_BUF_IN(cli->arena, JW_MAX_LINE / 8), clean = JW_LINE(cli->arena);
        size_t n = strcspn(log, "\n");

        jw_buf_add(&line, log, n < JW_MAX_LINE / 8 - 1 ? n : JW_MAX_LINE / 8 - 1);
        jw_text_clean(&clean, jw_buf_cstr(&line));
        jw_buf_text(&clean, "\n");
        jw_messages_page(&cli->messages, jw_buf_cstr(&clean));
        log += n + (log[n] == '\n');
    }
}

static void say_compiled(struct cli *cli, const char *source, const char *ptx,
                         const struct jw_nvrtc_report *r)
{
    if (r->reused) {
        jw_messages_detail(&cli->messages, "the PTX of %s for %s is kept from before", source, r->arch);
        return;
    }
    jw_messages_say(&cli->messages, "Compiled %s for %s with NVRTC %u.%u%s%s", source, r->arch, r->major,
                    r->minor, ptx ? ": " : "", ptx ? ptx : "");
    if (r->arch_note)
        jw_messages_warn(&cli->messages, "%s", r->arch_note);
}

static bool compile_sources(struct cli *cli, struct prime_args *a, struct jw_err *err)
{
    struct jw_cu_report report;
    bool ok = jw_cu_compile(&cli->session, &a->o.paths, &a->o.gpus, a->output, cli->arena, &report, err);

    jw_messages_progress_end(&cli->messages);
    for (size_t i = 0; i < report.n; i++) {
        show_log(cli, report.v[i].report.log);
        if (ok || i + 1 < report.n)
            say_compiled(cli, report.v[i].path, a->output, &report.v[i].report);
    }
    return ok;
}

/* ---- before it: packs that wait on this machine ---- */

static void say_packs(struct jw_buf *out, const struct jw_packs_report *r)
{
    if (r->changed)
        jw_say(out, "%s imported from %u of %s", JW_N(r->entries, "entry", "entries"), r->imported,
               JW_N(r->packs, "pack", "packs"));
    if (r->unfit)
        jw_say(out, ", %u not for this machine", r->unfit);
    if (r->refused)
        jw_say(out, ", %u refused", r->refused);
    if (r->why)
        jw_say(out, r->changed ? " (%s)" : "packs: %s", r->why);
}

static bool all_are_there(const struct jw_texts *paths)
{
    struct jw_file_info info;
    struct jw_err ignored;

    for (size_t i = 0; i < paths->n; i++)
        if (!jw_file_stat(paths->items[i], &info, &ignored) || info.kind == JW_FILE_NONE)
            return false;
    return true;
}

/* Imports what fits from the machine's folder for packs. Reports a failure, and goes on: the prime only takes longer. */
static bool import_packs(struct cli *cli, const struct prime_args *a, struct jw_err *err)
{
    const struct jw_packs_options o = { .folder = jw_packs_folder(&cli->session),
                                        .paths = a->o.paths,
                                        .as_root = a->o.as_root };
    struct jw_buf text = JW_LINE(cli->arena);
    struct jw_packs_report r;

    if (!all_are_there(&a->o.paths)) /* the prime ends with that, and changes nothing */
        return true;
    if (!jw_packs_import(&cli->session, &o, &r, err))
        return false;
    say_packs(&text, &r);
    if (text.n && (r.entries || r.refused || r.why || r.again))
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    return true;
}

/* ---- --driver-files: packs for machines that are not here, by NVIDIA's driver out of files of the user ---- */

struct without_gpu {
    struct cli *cli;
    const struct prime_args *a;
    bool packs; /* else a dry run */
    uint16_t sms[JW_MAX_SMS];
    size_t n_sms;
    struct jw_driver_files files;
    const char *part; /* NULL: it is all */
    struct jw_bytes input;
};

static bool add_gpu(struct without_gpu *w, const char *text, struct jw_err *err)
{
    struct jw_gpu gpu;
    struct jw_err ignored;

    if (jw_gpu_is_index(text) || !jw_gpu_parse(text, &gpu, &ignored))
        return jw_fail(err, JW_E_USAGE,
                       "--gpu %.100s: with --driver-files name an architecture or a model, such as sm_86",
                       text);
    if (w->n_sms == JW_MAX_SMS)
        return jw_fail(err, JW_E_USAGE, "--gpu: more than %zu architectures", JW_MAX_SMS);
    jw_sms_add(w->sms, &w->n_sms, gpu.sm);
    return true;
}

static bool check_gpus(struct without_gpu *w, struct jw_err *err)
{
    for (size_t i = 0; i < w->a->o.gpus.n; i++)
        if (!add_gpu(w, w->a->o.gpus.items[i], err))
            return false;
    return w->n_sms
           || jw_fail(err, JW_E_USAGE, "--driver-files: name the GPUs, as in --gpu sm_86 --gpu sm_89");
}

static bool check_words(struct without_gpu *w, struct jw_err *err)
{
    const struct prime_args *a = w->a;

    if (!a->run.n && !a->o.paths.n)
        return jw_fail(err, JW_E_USAGE, "--driver-files: name the files to compile, or use --run CMD");
    if (a->cache)
        return jw_fail(err, JW_E_USAGE, "--driver-files has a cache of its own: not with --cache");
    if (a->run.n && (a->exclude.n || a->o.all))
        return jw_fail(err, JW_E_USAGE, "--run packs what a command loads: not with --exclude or --all");
    if (a->run.n && (!w->packs || (w->cli->common.json && w->n_sms > 1)))
        return jw_fail(err, JW_E_USAGE,
                       !w->packs ? "--run and --dry-run cannot be combined"
                                 : "--run with --json: one GPU only, because each GPU has its own report");
    return a->pack || !w->packs
           || jw_fail(err, JW_E_USAGE,
                      "--driver-files needs --pack DIR: the folder for the packs, one for each GPU");
}

static bool check_places(const struct without_gpu *w, struct jw_err *err)
{
    const struct jw_texts *paths = &w->a->o.paths;
    struct jw_file_info info = { 0 };

    for (size_t i = 0; i < paths->n; i++) {
        if (!jw_file_stat(paths->items[i], &info, err))
            return jw_wrap(err, "%s", paths->items[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", paths->items[i]);
    }
    if (!w->a->pack)
        return true;
    if (!jw_file_stat(w->a->pack, &info, err))
        return jw_wrap(err, "%s", w->a->pack);
    return info.kind == JW_FILE_NONE || info.kind == JW_FILE_DIR
           || jw_fail(err, JW_E_USAGE, "--pack: the packs go into a folder, and %.200s is a file",
                      w->a->pack);
}

static bool replaces_no_file(const struct without_gpu *w, struct jw_err *err)
{
    for (size_t i = 0; i < w->n_sms && !w->a->yes && w->packs; i++) {
        const char *path = jw_arena_printf(w->cli->arena, "%s/jitwarm-%s-sm_%u.tar.zst", w->a->pack,
                                           w->files.version, (unsigned)w->sms[i]);
        struct jw_file_info info = { 0 };

        if (!jw_file_stat(path, &info, err))
            return false;
        if (info.kind != JW_FILE_NONE)
            return jw_fail(err, JW_E_BUSY, "%.200s exists; --yes replaces it", path);
    }
    return true;
}

/* Inside the emulation: `cache` is where the entries of --run are kept. */
static int prime_inside(struct without_gpu *w, const char *cache, enum prime_verb verb)
{
    struct jw_arena *arena = w->cli->arena;
    const char **gpus = jw_arena_alloc(arena, (w->n_sms + 1) * sizeof *gpus);
    struct prime_args p = *w->a;

    p.driver_files = NULL;
    p.yes = PRIME_YES;
    p.o.as_root = true; /* no cache of root's is filled */
    p.o.retry = true;
    p.for_packs = true;
    for (size_t i = 0; i < w->n_sms; i++)
        gpus[i] = jw_arena_printf(arena, "sm_%u", w->sms[i]);
    p.o.gpus = (struct jw_texts){ gpus, w->a->run.n ? 0 : w->n_sms };
    if (w->a->run.n) /* each GPU is emulated in its turn */
        p.cache = cache;
    return prime_run(w->cli, &p, verb);
}

/* Runs the child with the driver's files and returns its exit code. `state` NULL: the user's. */
static int run_child(const struct without_gpu *w, const char *gpu, const char *state, const char *cache)
{
    const struct jw_driver_run run = { .argv = w->cli->argv,
                                       .files = &w->files,
                                       .gpu = gpu,
                                       .cache = cache,
                                       .part = w->part,
                                       .state = state,
                                       .input = w->input,
                                       .interrupted = w->cli->session.interrupted };
    struct jw_err err = { 0 };
    int code;

    return jw_driver_run(&run, w->cli->arena, &code, &err) ? code : jw_cli_fail(w->cli, &err);
}

/* For all GPUs at once, into the cache of GPUs that are not here. */
static int run_for_all(const struct without_gpu *w)
{
    struct jw_arena *arena = w->cli->arena;
    struct jw_err err = { 0 };
    const char *cache = jw_absent_gpus_cache(arena, &err);

    return cache ? run_child(w, jw_driver_run_gpu_for(&w->files, w->sms, w->n_sms, arena), NULL, cache)
                 : jw_cli_fail(w->cli, &err);
}

/* Emulates one GPU after the other. Caches and records are temporary. */
static int run_for_each(const struct without_gpu *w)
{
    struct jw_arena *arena = w->cli->arena;
    struct jw_err err = { 0 };
    char *folder = NULL;
    int code = EXIT_DONE;

    if (!jw_state_scratch(JW_STATE_DRIVER_RUN, arena, &folder, &err) || !jw_make_dirs(w->a->pack, &err))
        code = jw_cli_fail(w->cli, &err);
    for (size_t i = 0; code <= EXIT_PARTLY && i < w->n_sms; i++) {
        const char *cache = jw_arena_printf(arena, "%s/sm_%u", folder, (unsigned)w->sms[i]);
        int one =
            run_child(w, jw_driver_run_gpu(arena, w->sms[i]), jw_path_join(arena, folder, "state"), cache);

        code = one > code ? one : code;
    }
    jw_scratch_remove(folder);
    return code;
}

static void say_driver(struct without_gpu *w)
{
    jw_messages_say(
        &w->cli->messages,
        "Compiling without a GPU, with NVIDIA's driver %s in %s; NVIDIA's licence applies to it%s%s",
        w->files.version, w->files.from, w->files.licence ? ": " : "",
        w->files.licence ? w->files.licence : "");
}

int prime_under_driver_files(struct cli *cli, const struct driver_files_run *run)
{
    const struct prime_args a = { .o.gpus = *run->gpus };
    struct without_gpu w = { .cli = cli, .a = &a, .part = run->part, .input = run->input };
    struct jw_err err = { 0 };
    int code;

    if (!check_gpus(&w, &err) || !jw_driver_files_ready(run->folder, cli->arena, &w.files, &err)) {
        code = jw_cli_fail(cli, &err);
    } else {
        if (!run->again)
            say_driver(&w);
        code = run_for_all(&w);
    }
    jw_scratch_remove(w.files.links);
    return code;
}

static int prime_with_driver_files(struct cli *cli, const struct prime_args *a, enum prime_verb verb)
{
    struct without_gpu w = { .cli = cli, .a = a, .packs = verb == PRIME_PRIME };
    const char *cache = jw_driver_run_cache(cli->arena);
    struct jw_err err = { 0 };
    int code;

    if (!check_gpus(&w, &err) || !check_words(&w, &err))
        return jw_cli_fail(cli, &err);
    if (cache)
        return prime_inside(&w, cache, verb);
    if (!check_places(&w, &err) || !jw_driver_files_ready(a->driver_files, cli->arena, &w.files, &err)
        || !replaces_no_file(&w, &err)) {
        code = jw_cli_fail(cli, &err);
    } else {
        say_driver(&w);
        code = a->run.n ? run_for_each(&w) : run_for_all(&w);
    }
    jw_scratch_remove(w.files.links);
    return code;
}

/* ---- the run ---- */

struct prime_cmd {
    struct cli *cli;
    enum prime_verb verb;
    struct prime_progress *progress;
    struct jw_prime_report report;
    struct jw_pack_sources sources; /* that were asked */
    bool absent_gpus;               /* `gpus` are not here */
};

int prime_exit(enum prime_verb verb, enum jw_end end)
{
    bool fails = end == JW_END_INTERRUPTED || end == JW_END_CANNOT_WRITE;

    return verb == PRIME_PLAN && !fails ? EXIT_DONE : jw_cli_exit(end);
}

bool prime_ask(struct cli *cli, FILE *in, const struct jw_prime_report *plan, const char *question,
               bool usual)
{
    struct prime_view v = { .verb = PRIME_PLAN, .report = plan };
    struct jw_buf text = JW_LINE(cli->arena);

    prime_say_head(&text, &v);
    jw_messages_progress_end(&cli->messages);
    if (plan->counts[JW_JOB_TODO] || plan->counts[JW_JOB_NO_ROOM]) /* else "nothing to do", and a question */
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    return jw_cli_ask(cli, in, question, usual);
}

static void show_prime_progress(void *ctx, const struct jw_progress *p)
{
    struct prime_cmd *r = ctx;

    prime_progress_show(r->progress, p);
}

static bool ask_at_terminal(void *ctx, const char *question, bool usual)
{
    const struct prime_cmd *r = ctx;

    return prime_ask(r->cli, stdin, &r->report, question, usual);
}

/* Without systemd there is nothing to install. */
static bool starts_itself(void *ctx)
{
    struct jw_session *s = &((struct prime_cmd *)ctx)->cli->session;

    return jw_startup_is_installed(s) || !jw_startup_is_possible(s);
}

/* A folder, or a new name that is not a pack's. */
static bool may_be_folder(const char *path)
{
    return jw_is_folder(path) || (!jw_text_ends(path, ".tar.zst") && jw_is_absent(path));
}

/* Named themselves, they are also tried where the driver crashed or hung on them before. */
static bool all_are_files(const struct jw_texts *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        if (jw_is_folder(paths->items[i]))
            return false;
    return paths->n > 0;
}

static void set_options(struct prime_cmd *r, const struct prime_args *a, struct jw_prime_options *o)
{
    struct cli *cli = r->cli;
    const struct jw_config *config = jw_session_config(&cli->session);

    cli->session.cache = a->cache;
    cli->session.exclude = a->exclude.items;
    cli->session.n_exclude = a->exclude.n;
    if (cli->common.json) /* the page has them as notes */
        jw_cli_warn_of_config(cli);
    *o = a->o;
    o->absent_gpus = r->absent_gpus;
    o->one_arch = a->pack && !may_be_folder(a->pack);
    o->warnings = config->warnings.v;
    o->n_warnings = config->warnings.n;
    o->jobs = o->jobs ? o->jobs : config->jobs_count;
    o->timeout_s = config->timeout_s;
    o->wait_s = o->wait_s ? o->wait_s : o->time_limit_s;
    o->retry = o->retry || all_are_files(&o->paths);
    o->dry_run = r->verb == PRIME_PLAN;
    o->verify_only = r->verb == PRIME_VERIFY;
    o->run = a->run.n ? a->run.items : NULL;
    o->yes = a->yes;
    o->raise_limit = a->yes == PRIME_YES_LIMIT;
    o->same_login = a->for_packs;
    o->also_find = o->if_stale && o->background && config->source.n;
    o->trusted_only = o->background && o->if_stale;
    o->starts_itself = starts_itself;
}

/* In the caches that recorded commands chose. */
static bool holds_all(const struct jw_prime_report *r)
{
    for (size_t i = 0; i < r->n_recorded; i++)
        if (!r->recorded[i].held)
            return false;
    return true;
}

/* With --check, modules of unknown state do not count as warm. Modules that this driver cannot load are not
 * warm for a dry run, either. */
static int exit_code(const struct prime_args *a, enum prime_verb verb, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);
    int code = prime_exit(verb, r->run->end);
    bool asked = a->check || verb != PRIME_PLAN,
         cold = a->check && jw_next_start_of(&f) != JW_NEXT_START_WARM;

    return code == EXIT_DONE && ((asked && !holds_all(r)) || cold || r->needs_driver) ? EXIT_PARTLY : code;
}

static bool check_args(const struct prime_args *a, bool progress, bool json, struct jw_err *err)
{
    if (a->run.n && a->o.paths.n)
        return jw_fail(err, JW_E_USAGE, "--run cannot be combined with paths");
    if (a->pack && strcmp(a->pack, "-") == 0)
        return jw_fail(err, JW_E_USAGE,
                       "--pack: standard output is prime's report; jitwarm export -o - pipes a pack");
    if ((a->o.dry_run || a->check) && a->run.n)
        return jw_fail(err, JW_E_USAGE,
                       "--run runs the command: there is no dry run of it (prime --check asks for all "
                       "recorded commands, verify --run for this one)");
    if ((a->o.dry_run || a->check) && a->pack && !a->for_packs)
        return jw_fail(err, JW_E_USAGE, "--pack packs what was compiled: not with a dry run");
    if (progress && json)
        return jw_fail(
            err, JW_E_USAGE,
            "--progress json and --json both write to standard output: its last line is the report");
    return true;
}

/* Runs one word with blanks in a shell. */
static void as_command(struct cli *cli, struct jw_texts *run)
{
    static const char *const posix[] = { "/bin/sh", "-c" }, *const windows[] = { "cmd.exe", "/c" };
    const char **line;

    if (run->n != 1 || !strchr(run->items[0], ' '))
        return;
    line = jw_arena_alloc(cli->arena, 4 * sizeof *line);
    memcpy(line, jw_os_is_windows() ? windows : posix, sizeof posix);
    line[2] = run->items[0];
    *run = (struct jw_texts){ line, 3 };
}

static bool write_prime_report(struct prime_cmd *r, const struct prime_args *a,
                               const struct jw_prime_report *report, struct jw_err *err)
{
    struct cli *cli = r->cli;
    struct prime_view v = {
        .verb = r->verb, .report = report, .sources = r->sources, .passing = a->for_packs
    };
    char *command = NULL;

    if (a->o.background && cli->messages.level == MESSAGES_QUIET && !cli->common.json)
        return true; /* the log of jitwarm startup has it */
    if (a->run.n)
        command = jw_prime_command(a->run.items);
    v.command = command;
    bool ok = prime_report(cli, &v, err);

    jw_free(command);
    return ok;
}

/* NULL: there is something to pack. */
static const char *nothing_to_pack(const struct prime_args *a, const struct jw_prime_report *report)
{
    if (report->n_jobs)
        return jw_prime_warm(report) ? NULL : "no module is warm";
    if (a->run.n)
        return "the command loads nothing that the driver would compile";
    return a->o.paths.n && !report->receipt ? "the driver compiles nothing of these files for these GPUs"
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
static int pack_primed(struct prime_cmd *r, const struct prime_args *a, const struct jw_prime_report *report,
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

    struct export_args e = {
        .o = { .paths = a->o.paths, .gpus = a->o.gpus, .output = a->pack, .yes = a->yes },
        .exclude = a->exclude,
        .cache = a->cache,
        .no_store = a->for_packs
    };
    int packed = export_run(r->cli, &e, r->cli->common.json);

    return code == EXIT_DONE ? packed : code;
}

static void show_errors(struct prime_cmd *r, const struct prime_args *a, const struct jw_prime_report *report,
                        int code)
{
    char *command = a->run.n ? jw_prime_command(a->run.items) : NULL;
    const struct prime_view v = { .verb = r->verb, .report = report, .command = command };

    bool silent = r->cli->out.muted || r->cli->messages.level == MESSAGES_QUIET;

    if (silent && code && r->verb != PRIME_PLAN)
        prime_report_failures(r->cli, &v);
    jw_free(command);
    for (size_t i = 0; silent && i < report->n_unread; i++)
        jw_messages_error(&r->cli->messages, "%s", report->unread[i]);
}

/* status tells of a run without terminal and journal: a package's script started it. */
static void remember_begin(struct prime_cmd *r, struct jw_background *b)
{
    *b = (struct jw_background){ .began = jw_time_unix(), .first_line = "" };
    jw_background_keep(b, r->cli->arena);
}

static void remember_end(struct prime_cmd *r, struct jw_background *b, bool ok, int code)
{
    const struct prime_view v = { .verb = r->verb, .report = &r->report, .sources = r->sources };
    struct jw_buf text = JW_LINE(r->cli->arena);

    if (ok)
        prime_say_head(&text, &v);
    b->ended = jw_time_unix();
    b->code = (uint64_t)code;
    b->first_line = jw_buf_cstr(&text);
    jw_background_keep(b, r->cli->arena);
}

static int prime_here(struct prime_cmd *r, const struct prime_args *args)
{
    bool remembered = args->o.background && !args->o.if_stale;
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
        (!packs || import_packs(r->cli, args, &err))
        && (packs ? jw_prime_with_sources(&run, &o, args->o.background, report, &memory, &r->sources, &err)
                  : jw_prime(&run, &o, report, &memory, &err));

    jw_messages_progress_end(&r->cli->messages);
    ok = ok && write_prime_report(r, args, report, &err);

    int code = ok ? exit_code(args, r->verb, report) : jw_cli_fail(r->cli, &err);

    if (ok)
        show_errors(r, args, report, code);

    if (args->pack && (code == EXIT_DONE || code == EXIT_PARTLY))
        code = pack_primed(r, args, report, code);

    if (remembered)
        remember_end(r, &background, ok, code);
    if (!args->progress)
        prime_progress_end(r->progress, ok ? report->run : NULL, ok ? jw_prime_warm(report) : 0,
                           ok ? report->n_jobs : 0, code);
    jw_prime_free(memory);
    return code;
}

/* Primes absent GPUs in a cache of their own, or in --cache. */
static int prime_absent_gpus(struct prime_cmd *r, const struct prime_args *given,
                             const struct jw_texts *absent)
{
    struct prime_args args = *given;
    struct jw_err err = { 0 };

    args.o.gpus = *absent;
    args.cache = given->cache ? given->cache : jw_absent_gpus_cache(r->cli->arena, &err);
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
static int prime(struct prime_cmd *r, const struct prime_args *given)
{
    struct prime_args args = *given;
    struct jw_texts absent = { NULL, 0 };
    struct jw_err err = { 0 };
    bool may = r->verb != PRIME_PRIME || args.pack || args.cache;

    if (may && !jw_absent_gpus_split(&r->cli->session, &args.o.gpus, &absent, r->cli->arena, &err))
        return jw_cli_fail(r->cli, &err);
    if (absent.n && args.run.n)
        return usage(r->cli, "--run: only a GPU that is here can run it");
    if (absent.n && args.o.gpus.n && r->cli->common.json)
        return usage(r->cli, "--json reports on GPUs that are here, or on those that are not: name one kind");
    if (!absent.n)
        return prime_here(r, &args);
    if (args.pack && !pack_folder(args.pack, &err))
        return jw_cli_fail(r->cli, &err);

    int here = args.o.gpus.n ? prime_here(r, &args) : EXIT_DONE;
    int there = here == EXIT_DONE || here == EXIT_PARTLY ? prime_absent_gpus(r, &args, &absent) : here;

    return here == EXIT_DONE ? there : here;
}

static void lower_priority(struct cli *cli)
{
    struct jw_err why = { 0 };

    if (!jw_priority_lower(JW_PRIORITY_BACKGROUND, &why))
        jw_messages_detail(&cli->messages, "%s", why.msg);
}

/* Reports a failure, but never fails: it must not fail the package's installation. */
static int prime_in_background(struct cli *cli, bool as_root)
{
    const char *says;
    bool started = jw_background_prime(&cli->session, as_root, &says);

    (started ? jw_messages_say : jw_messages_warn)(&cli->messages, "%s", says);
    return EXIT_DONE;
}

int prime_run(struct cli *cli, const struct prime_args *given, enum prime_verb verb)
{
    struct prime_args args = *given;
    struct prime_progress local = { .messages = &cli->messages };
    struct prime_cmd r = { .cli = cli, .verb = verb, .progress = args.progress ? args.progress : &local };
    bool progress = cli->common.progress && !args.progress;
    struct jw_err err = { 0 };

    args.cache = args.cache ? args.cache : cli->common.cache;
    args.o.as_root = args.o.as_root || cli->common.as_root;
    if (!check_args(&args, progress, cli->common.json, &err))
        return jw_cli_usage(cli, &err);
    if (args.driver_files)
        return prime_with_driver_files(cli, &args, verb);
    if (args.post_install)
        return prime_in_background(cli, args.o.as_root);
    as_command(cli, &args.run);
    if (args.pack && !jw_export_place(args.pack, cli->arena, &err))
        return jw_cli_fail(cli, &err);
    args.o.output_to_errors = cli->common.json || progress;
    if (progress) {
        local.stream = &cli->out;
        cli->out.muted = true;
    }
    if (args.o.background && args.o.if_stale && cli->common.quiet && !cli->common.json)
        jw_leave_console();
    if (args.o.background)
        lower_priority(cli);

    return compile_sources(cli, &args, &err) ? prime(&r, &args) : jw_cli_fail(cli, &err);
}

/* ---- the verb ---- */

static int run_prime(struct cli *cli, const void *args)
{
    const struct prime_args *a = args;

    return prime_run(cli, args, a->o.dry_run || a->check ? PRIME_PLAN : PRIME_PRIME);
}

static const struct example prime_examples[] = {
    { "jitwarm prime", "warm the CUDA software of this machine for its GPUs" },
    { "jitwarm prime /opt/app", "one application, with all that is in its folder" },
    { "jitwarm prime --jobs 4", "leave processors for other work" },
    { "jitwarm prime --dry-run", "what would it do here, and how long would it take?" },
    { "jitwarm prime --check", "in a script: exit 1 if the next start would compile anything" },
    { "jitwarm prime --yes --time-limit 10m", "in a script: no questions, ten minutes at most" },
    { "jitwarm prime --run python serve.py --check", "exactly what this program loads" },
    { "jitwarm prime --if-stale --background", "at logon: milliseconds, unless there is something to do" },
    { 0 },
};

static const struct opt_group prime_groups[] = {
    { "What to prime", "gpu exclude all output run if-stale" },
    { "How", "dry-run check yes post-install" },
    { "Scheduling", "jobs time-limit background" },
    { "Sharing", "pack driver-files" },
    { 0 },
};

const struct cmd jw_cmd_prime = {
    .name = "prime",
    .summary = "compile CUDA code now, so that the next start is fast",
    .synopsis_args = "[PATH...]",
    .details =
        "Gives the driver the modules that CUDA programs will load, in parallel worker processes, so that "
        "they are in the driver's cache before a program starts. Then fresh processes load all of them "
        "again, to prove that nothing is compiled any more.\n\n"
        "PATH is a file or folder, as for scan. Without PATH, prime takes what it primed before and the CUDA "
        "software that it finds now (jitwarm scan -v lists the places). In them and in a folder it skips "
        "NVIDIA's own libraries, the tests of Python packages and modules that are loaded on demand only, "
        "and it forgets removed software.\n\n"
        "A .cu file as PATH is compiled to PTX by an NVRTC that is found here, for the oldest chosen GPU, "
        "and this PTX is primed. It is kept, so an unchanged file without headers is not compiled again. "
        "Only a program that loads the same PTX gains from it: give it the file of --output.\n\n"
        "If a module crashes or hangs the driver, prime skips it until the driver changes, or until its file "
        "itself is named. Ctrl-C stops cleanly: compiled modules stay, and the next run continues from "
        "there.\n\n"
        "prime asks before more than 15 minutes of computing (all workers together) without a --time-limit "
        "of "
        "at most "
        "15 minutes, and when the cache is "
        "too small; then it compiles what is expected to fit. Without a terminal and without --yes it prints "
        "the plan and compiles nothing.\n\n"
        "--dry-run looks for the same software and shows what prime would do. The time is a prediction from "
        "earlier primes on this machine; before the first one it is that of an ordinary processor. Its exit "
        "code is 0 where prime would have something to do, too; --check is for scripts.\n\n"
        "--driver-files makes packs for other machines without any GPU here: NVIDIA's driver, unpacked, "
        "compiles on an emulated one. Nothing is primed on this machine. With --dry-run it shows what would "
        "be compiled, and takes no --pack.\n\n"
        "--run comes last: everything after it is the command, also --json. jitwarm run knows the command by "
        "its words, "
        "so use the same words there.\n\n"
        "The exit code is 0 when all is warm, also when it was so before, or no CUDA code was found; 1 when "
        "a module is not warm, or "
        "was not found again, or a setting makes warming useless; 2 for a wrong option or path; 3 without a "
        "usable driver, GPU or NVRTC; 4 when the cache cannot be written; 6 when the "
        "file that is named is damaged or cut off, or a .cu file does not compile; 7 when a confirmation "
        "(--yes) or time is missing or another prime is at work; 130 after "
        "Ctrl-C.",
    .examples = prime_examples,
    .opts = prime_opts,
    .groups = prime_groups,
    .often = "gpu exclude all run dry-run check jobs time-limit yes pack",
    .args_size = sizeof(struct prime_args),
    .positional_at = offsetof(struct prime_args, o.paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .cache = true,
    .run = run_prime,
};

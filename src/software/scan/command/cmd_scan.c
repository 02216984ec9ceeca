#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "cache/memory/state.h"
#include "cache/place/cachedir.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "driver/probe/driver_known.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "jitwarm/scan.h"
#include "machine/config.h"
#include "machine/gpus.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "software/find/discover.h"
#include "software/find/vendor.h"
#include "software/scan/command/scan_fetch.h"

#include <string.h>

struct scan_args {
    struct texts paths, gpus, exclude;
    const char *driver;
    bool entries, deep, check, system, yes;
    unsigned os; /* a word of its choices */
};

enum { OS_HERE, OS_LINUX, OS_WINDOWS };

static const struct opt scan_opts[] = {
    { "gpu", 0, OPT_LIST, offsetof(struct scan_args, gpus), "GPU",
      "say what this GPU would do: sm_86, 8.6, 10de:2484, \"RTX 3070\", its number here, all or known; may "
      "be "
      "repeated (default: the "
      "GPUs of this machine, else all)",
      NULL, HINT_GPUS },
    { "driver", 0, OPT_TEXT, offsetof(struct scan_args, driver), "VERSION",
      "say what this driver would do: 580.126.09, 590, or a CUDA version such as 13.0 (default: this "
      "machine's, for "
      "its own GPUs)",
      NULL, HINT_NONE },
    { "entries", 0, OPT_FLAG, offsetof(struct scan_args, entries), NULL,
      "list every module and what it holds", NULL, HINT_NONE },
    { "deep", 0, OPT_FLAG, offsetof(struct scan_args, deep), NULL,
      "search every byte, for code outside of the usual sections", NULL, HINT_NONE },
    { "exclude", 0, OPT_LIST, offsetof(struct scan_args, exclude), "PATTERN",
      "skip files and folders with this name (* and ? as in a shell); may be repeated", NULL, HINT_NONE },
    { "system", 0, OPT_FLAG, offsetof(struct scan_args, system), NULL,
      "without PATH, as root: search the homes of all users, too", NULL, HINT_NONE },
    { "os", 0, OPT_CHOICE, offsetof(struct scan_args, os), "SYSTEM",
      "of a package, fetch the wheel for linux or windows (default: this system's)", "- linux windows",
      HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct scan_args, yes), NULL, "fetch packages without asking", NULL,
      HINT_NONE },
    { "check", 0, OPT_FLAG, offsetof(struct scan_args, check), NULL,
      "exit with 1 unless all that was found runs natively or is warm here", NULL, HINT_NONE },
    { 0 },
};

/* What a run of scan works with. */
struct run {
    struct cli *cli;
    const struct scan_args *args;
    const struct jw_config *config;
    const struct jw_host_gpus *host;
    struct jw_cache_listing listing;
    struct jw_scan_cache cache;
    struct jw_scan_root *roots;
    size_t n_roots;
    struct scan_view view;
    bool met;           /* no GPU is visible, and a driver was met here that may show one */
    struct texts paths; /* that were named, and the wheels that were fetched */
    char *work;         /* the folder of these wheels; NULL: none */
};

static void show_search_notes(struct cli *cli, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        jw_messages_detail(&cli->messages, "%s", notes->v[i]);
}

static bool add_gpu(struct run *r, const struct jw_gpu *gpu, struct jw_err *err)
{
    for (size_t i = 0; i < r->view.n_gpus; i++)
        if (r->view.gpus[i].sm == gpu->sm && strcmp(r->view.gpus[i].name, gpu->name) == 0)
            return true;
    if (r->view.n_gpus == JW_MAX_GPUS)
        return jw_fail(err, JW_E_LIMIT, "more than %zu GPUs", JW_MAX_GPUS);
    r->view.gpus[r->view.n_gpus++] = *gpu;
    return true;
}

static bool add_here(struct run *r, const char *index, struct jw_err *err)
{
    uint64_t n = 0;

    (void)jw_text_u64(index, &n);
    if (n >= r->host->n)
        return jw_fail(
            err, JW_E_USAGE,
            "--gpu %s: this machine has %zu NVIDIA GPU%s; name an architecture (sm_86) or a product", index,
            r->host->n, r->host->n == 1 ? "" : "s");
    if (r->host->gpus[n].sm == 0)
        return jw_fail(err, JW_E_USAGE, "--gpu %s: %s is not in our table; name its architecture (sm_86)",
                       index, r->host->gpus[n].name);
    return add_gpu(r, &r->host->gpus[n], err);
}

static bool add_option(struct run *r, const char *text, struct jw_err *err)
{
    struct jw_gpu list[JW_GPU_LIST_MAX], one;
    size_t n = jw_gpu_list(text, list);

    for (size_t i = 0; i < n; i++)
        if (!add_gpu(r, &list[i], err))
            return false;
    if (n)
        return true;
    if (jw_gpu_is_index(text))
        return add_here(r, text, err);
    return (jw_gpu_parse(text, &one, err) || jw_wrap(err, "--gpu")) && add_gpu(r, &one, err);
}

/* Two equal GPUs are one line, because scan checks architectures. */
static bool default_gpus(struct run *r, struct jw_err *err)
{
    struct jw_gpu list[JW_GPU_LIST_MAX];
    struct jw_driver_state known;
    struct jw_notes notes;
    for (size_t i = 0; i < r->host->n; i++) {
        if (r->host->gpus[i].sm == 0)
            jw_messages_warn(&r->cli->messages,
                             "%s is not in our table; name its architecture with --gpu sm_NN",
                             r->host->gpus[i].name);
        else if (!add_gpu(r, &r->host->gpus[i], err))
            return false;
    }
    if (r->view.n_gpus) {
        if (!r->view.driver)
            r->view.driver = r->host->driver;
        return true;
    }
    if (r->args->check)
        return jw_fail(err, JW_E_USAGE,
                       "--check: no NVIDIA GPU was found here; name the GPUs that are meant: --gpu sm_90, or "
                       "--gpu all for the usual ones");
    r->met = jw_driver_known(r->cli->arena, &known, &notes);
    jw_messages_say(
        &r->cli->messages,
        r->met && !jw_stamp_simulated(known.stamp)
            ? "no NVIDIA GPU is visible to the system here; this is for the usual ones (--gpu names "
              "others; jitwarm doctor asks the driver)"
            : "no NVIDIA GPU was found here; this is for the usual ones (--gpu names others)");
    size_t n = jw_gpu_list("all", list);

    for (size_t i = 0; i < n; i++) {
        list[i].source = JW_GPU_DEFAULT;
        if (!add_gpu(r, &list[i], err))
            return false;
    }
    return true;
}

/* A GPU that this driver does not support. */
static void warn_undriven(struct run *r)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    if (!r->view.driver || !jw_driver_parse(r->view.driver, &v, &ignored))
        return;
    for (size_t i = 0; i < r->view.n_gpus; i++) {
        enum jw_driver_fit d = jw_driver_support(&v, r->view.gpus[i].sm);

        if (d != JW_DRIVER_FITS)
            jw_messages_warn(&r->cli->messages,
                             "driver %s is too %s for sm_%u: it does not drive this GPU at all",
                             r->view.driver, d == JW_DRIVER_TOO_OLD ? "old" : "new", r->view.gpus[i].sm);
    }
}

static bool choose_gpus(struct run *r, struct jw_err *err)
{
    struct jw_driver_version v;

    r->view.gpus = jw_arena_alloc(r->cli->arena, JW_MAX_GPUS * sizeof *r->view.gpus);
    r->view.driver = r->args->driver;
    if (r->view.driver && !jw_driver_parse(r->view.driver, &v, err))
        return jw_wrap(err, "--driver");
    r->host = jw_session_gpus(&r->cli->session);
    show_search_notes(r->cli, &r->host->notes);
    for (size_t i = 0; i < r->args->gpus.n; i++)
        if (!add_option(r, r->args->gpus.items[i], err))
            return false;
    if (r->args->gpus.n == 0 && !default_gpus(r, err))
        return false;
    warn_undriven(r);
    return true;
}

static bool choose_roots(struct run *r, struct jw_err *err)
{
    const struct texts *paths = &r->paths;

    if (r->args->system && !jw_process_elevated())
        return jw_fail(err, JW_E_USAGE,
                       "--system reads other users' homes: run it as root or as an administrator");
    if (!r->view.discovered)
        jw_discovery_init(&r->view.discovery, r->cli->arena);
    else
        r->view.discovery = *jw_session_software(&r->cli->session, false);
    size_t n = r->view.discovered ? r->view.discovery.n_roots : paths->n;

    r->roots = jw_arena_alloc(r->cli->arena, (n + 1) * sizeof *r->roots);
    for (size_t i = 0; i < n; i++) {
        if (!r->view.discovered)
            r->roots[i] = (struct jw_scan_root){ paths->items[i], JW_MAX_DEPTH, true };
        else
            r->roots[i] = (struct jw_scan_root){ r->view.discovery.roots[i].path,
                                                 r->view.discovery.roots[i].depth, false };
    }
    r->n_roots = n;
    return true;
}

/* --check of a named architecture or product is about machines that have one: what is in the cache of this one is not in theirs. */
static bool is_for_others(const struct run *r)
{
    for (size_t i = 0; r->args->check && i < r->args->gpus.n; i++)
        if (!jw_gpu_is_index(r->args->gpus.items[i]))
            return true;
    return r->args->driver != NULL;
}

/* Warm modules are known only for this machine's own driver, and only if its entry names can be predicted. */
static bool find_cache(struct run *r, struct jw_err *err)
{
    const struct jw_cachedir *dir = jw_session_cache(&r->cli->session);
    struct jw_notes notes;
    bool known;

    if (is_for_others(r))
        return true;
    known = jw_driver_known(r->cli->arena, &r->view.known, &notes);
    for (size_t i = 0; i < notes.n; i++)
        jw_messages_say(&r->cli->messages, "%s", notes.v[i]);
    if (!known || r->view.known.level < JW_LEVEL_PREDICTABLE || !jw_cache_is_asked(dir, r->cli->arena)) {
        r->view.known.build = NULL;
        return true;
    }
    if (!jw_cachedir_walk(dir->root, false, r->cli->interrupted, r->cli->arena, &r->listing, err))
        return false;
    jw_cache_names_of_stamp(&r->listing, r->view.known.stamp, r->cli->arena, &r->cache);
    r->cache.driver = r->view.known.version;
    r->view.memory = jw_session_memory(&r->cli->session, dir->root);
    return true;
}

static void show_progress(void *ctx, const struct jw_scan_progress *p)
{
    struct jw_messages *messages = ctx;

    jw_messages_progress(messages, "%llu files in %llu folders, %llu with CUDA code: %s",
                         (unsigned long long)p->files, (unsigned long long)p->folders,
                         (unsigned long long)p->cuda_files, p->path);
}

static bool search(struct run *r, struct jw_err *err)
{
    struct jw_scan_options o = jw_session_scan(&r->cli->session);

    o.roots = r->roots;
    o.n_roots = r->n_roots;
    o.gpus = r->view.gpus;
    o.n_gpus = r->view.n_gpus;
    o.driver = r->view.driver;
    o.cache = r->cache.n ? &r->cache : NULL;
    o.deep = r->args->deep;
    o.samples = !r->args->check && !r->args->entries;
    o.entries = r->args->entries;
    o.progress = show_progress;
    o.progress_ctx = &r->cli->messages;
    bool ok = jw_scan(&o, &r->view.report, err);

    jw_messages_progress_end(&r->cli->messages);
    return ok;
}

static void find_owners(struct run *r)
{
    const struct jw_scan_report *report = &r->view.report;
    struct jw_package *owners = jw_arena_alloc(r->cli->arena, report->n_files * sizeof *owners);

    for (size_t i = 0; i < report->n_files; i++) {
        owners[i] = jw_discovery_owner(&r->view.discovery, report->files[i].path);
        for (size_t k = 0; k < r->view.n_packages; k++)
            if (scan_is_of_package(&r->view.packages[k], report->files[i].path))
                owners[i] = r->view.packages[k].owner;
    }
    r->view.owners = owners;
    show_search_notes(r->cli, &r->view.discovery.notes);
}

/* Of software that was found, prime leaves out NVIDIA's own packages and files of packages' own tests. What was named counts. */
static bool is_left_out(const struct scan_view *v, size_t i)
{
    return v->discovered && (v->owners[i].vendor || jw_test_file(v->report.files[i].path));
}

static bool all_native(const struct scan_view *view)
{
    const struct jw_scan_report *report = &view->report;

    for (size_t i = 0; i < report->n_files; i++) {
        if (is_left_out(view, i) && !report->files[i].n_problems)
            continue;
        if (report->files[i].n_problems || report->files[i].ptx_pieces)
            return false;
        for (size_t k = 0; k < report->files[i].n_verdicts; k++) {
            const struct jw_scan_verdict *v = &report->files[i].verdicts[k];

            if (v->verdict == JW_VERDICT_BLOCKED || v->jit || v->inputs_lto || (v->links && v->inputs_missing)
                || jw_scan_unusable(v))
                return false;
        }
    }
    return report->n_skipped == 0;
}

static bool has_code(const struct jw_scan_report *report)
{
    for (size_t i = 0; i < report->n_files; i++)
        for (size_t k = 0; k < report->files[i].n_verdicts; k++)
            if (report->files[i].verdicts[k].verdict != JW_VERDICT_NO_CODE)
                return true;
    return false;
}

/* ---- what to do ---- */

enum need { NEED_NOTHING, NEED_PRIME, NEED_DOCTOR };

/* Where no GPU is visible, those that something was compiled for here, if there are any. */
static bool counts_here(const struct run *r, size_t gpu)
{
    const struct jw_driver_state *known = &r->view.known;
    unsigned sm = r->view.gpus[gpu].sm;

    for (size_t i = 0; i < known->n_rates; i++)
        if (known->rates[i].sm == sm)
            return true;
    for (size_t i = 0; i < r->cache.n; i++)
        if (r->cache.names[i].sm == sm)
            return true;
    return !r->met || (!known->n_rates && !r->cache.n);
}

/* Of a file on the GPUs of this machine: what is compiled can be compiled now; what does not run wants another driver or build. */
static enum need need_of(const struct run *r, const struct jw_scan_file *f)
{
    enum need most = NEED_NOTHING;

    for (size_t k = 0; k < f->n_verdicts; k++) {
        const struct jw_scan_verdict *v = &f->verdicts[k];
        enum need need = v->verdict == JW_VERDICT_BLOCKED || (r->view.discovered && jw_scan_unusable(v))
                             ? NEED_DOCTOR
                         : v->jit ? NEED_PRIME
                                  : NEED_NOTHING;

        if (r->met) /* the usual GPUs, of which this may be none */
            need = v->jit && counts_here(r, k) ? NEED_PRIME : NEED_NOTHING;
        most = need > most ? need : most;
    }
    return most;
}

/* Are all GPUs of the report in this machine, and all files as prime finds them? */
static bool can_be_done(const struct run *r)
{
    if (r->args->driver || r->args->system || r->view.n_packages || (!r->host->n && !r->met))
        return false;
    for (size_t i = 0; i < r->view.n_gpus; i++)
        if (r->view.gpus[i].source != JW_GPU_HERE && !r->met)
            return false;
    for (size_t i = 0; i < r->view.report.n_files; i++)
        if (strchr(r->view.report.files[i].path, '!')) /* a member of a wheel or of a packed file */
            return false;
    return true;
}

/* "jitwarm prime --gpu 0 libx.so" */
static const char *prime_command(const struct run *r)
{
    const struct scan_args *a = r->args;
    const char **words =
        jw_arena_alloc(r->cli->arena, (4 + 2 * a->gpus.n + 2 * a->exclude.n + a->paths.n) * sizeof *words);
    size_t n = 0;

    words[n++] = "jitwarm";
    words[n++] = "prime";
    for (size_t i = 0; i < a->gpus.n; i++) {
        words[n++] = "--gpu";
        words[n++] = a->gpus.items[i];
    }
    for (size_t i = 0; i < a->exclude.n; i++) {
        words[n++] = "--exclude";
        words[n++] = a->exclude.items[i];
    }
    for (size_t i = 0; i < a->paths.n; i++)
        words[n++] = a->paths.items[i];
    words[n] = NULL;
    return jw_command_text(r->cli->arena, words, jw_os_is_windows());
}

static const char *todo_of(const struct run *r)
{
    enum need most = NEED_NOTHING;

    if (!can_be_done(r))
        return NULL;
    for (size_t i = 0; i < r->view.report.n_files; i++) {
        enum need need = is_left_out(&r->view, i) ? NEED_NOTHING : need_of(r, &r->view.report.files[i]);

        most = need > most ? need : most;
    }
    if (most == NEED_PRIME && !jw_cache_is_asked(jw_session_cache(&r->cli->session), r->cli->arena))
        most = NEED_DOCTOR; /* which names the setting */
    return most == NEED_PRIME ? prime_command(r) : most == NEED_DOCTOR ? "jitwarm doctor" : NULL;
}

/* ---- the result of --check ---- */

/* Where there is no CUDA code nothing was checked, which a script must not take for a pass. */
static enum scan_check check_of(const struct scan_view *view)
{
    bool code = has_code(&view->report);

    if (code && !all_native(view))
        return SCAN_FAILED;
    return view->report.sampled_files ? SCAN_SAMPLED : code ? SCAN_PASSED : SCAN_NO_CODE;
}

/* A package that was not scanned may hold anything. */
static bool lacks_package(const struct run *r)
{
    for (size_t i = 0; i < r->view.n_packages; i++)
        if (r->view.packages[i].why && !r->view.packages[i].other_system)
            return true;
    return false;
}

static bool write_report(struct run *r, struct jw_err *err)
{
    if (r->work)
        scan_fetch_rename(r->work, &r->view, r->cli->arena);
    find_owners(r);
    r->view.check = check_of(&r->view);
    if (lacks_package(r))
        r->view.check = SCAN_FAILED;
    r->view.todo = todo_of(r);
    if (!r->view.discovered && r->paths.n == 0 && !r->cli->common.json)
        return true;
    return r->cli->common.json ? scan_write_json(r->cli, &r->view, err)
                               : scan_write_text(r->cli, &r->view, err);
}

static int check_code(const struct run *r)
{
    if (r->view.check == SCAN_NO_CODE)
        jw_messages_error(&r->cli->messages, "--check: no CUDA code was found, so nothing was checked");
    return r->view.check == SCAN_PASSED ? EXIT_DONE : EXIT_PARTLY;
}

/* A named file that cannot be read is an error; one found by a walk is only reported. */
static int exit_code(const struct run *r)
{
    int code = r->args->check ? check_code(r) : EXIT_DONE;
    bool unreadable = false;

    if (r->args->driver)
        for (size_t i = 0; i < r->view.report.n_files; i++)
            for (size_t k = 0; k < r->view.report.files[i].n_verdicts; k++)
                if (r->view.report.files[i].verdicts[k].undriven)
                    code = EXIT_PARTLY;
    if (r->args->driver && scan_needs_newer_driver(&r->view))
        code = EXIT_PARTLY;
    for (size_t i = 0; i < r->view.report.n_files; i++)
        if (r->view.report.files[i].named && r->view.report.files[i].n_problems)
            code = EXIT_INTEGRITY;
    for (size_t i = 0; i < r->view.report.n_skipped; i++) {
        const struct jw_scan_skipped *s = &r->view.report.skipped[i];

        if (!s->named)
            continue;
        jw_messages_error(&r->cli->messages, "%s: %s", s->path, s->reason);
        code = EXIT_INTEGRITY;
        unreadable |= s->why == JW_SKIP_UNREADABLE;
    }
    for (size_t i = 0; i < r->view.n_packages; i++) {
        const struct scan_package *p = &r->view.packages[i];

        if (!p->why || p->other_system)
            continue;
        jw_messages_error(&r->cli->messages, "%s%s%s%s: %s", p->where ? p->where : "", p->where ? " (" : "",
                          p->text, p->where ? ")" : "", p->why);
        code = EXIT_REMOTE;
    }
    return unreadable ? EXIT_USAGE : code;
}

/* Fetches what was asked for by name. */
static bool fetch(struct run *r, struct jw_err *err)
{
    const struct scan_fetch_options o = { .paths = &r->args->paths,
                                          .windows =
                                              r->args->os ? r->args->os == OS_WINDOWS : jw_os_is_windows(),
                                          .yes = r->args->yes };

    return scan_fetch(r->cli, &o, &r->view, &r->paths, &r->work, err)
           && (r->args->os == OS_HERE || r->view.n_packages
               || jw_fail(err, JW_E_USAGE, "--os chooses the wheel of a package: name it as NAME==VERSION"));
}

static int scan_run(struct cli *cli, const void *args)
{
    struct run r = { .cli = cli, .args = args };
    struct jw_err err = { 0 };
    bool ok;

    r.view.discovered = r.args->paths.n == 0;
    r.view.everyone = r.args->system;
    r.view.entries = r.args->entries;
    r.view.stats = cli->common.stats;
    r.config = jw_session_config(&cli->session);
    for (size_t i = 0; i < r.config->warnings.n; i++)
        jw_messages_warn(&cli->messages, "%s", r.config->warnings.v[i]);
    cli->session.exclude = r.args->exclude.items;
    cli->session.n_exclude = r.args->exclude.n;
    cli->session.everyone = r.args->system;
    ok = choose_gpus(&r, &err) && fetch(&r, &err) && choose_roots(&r, &err) && find_cache(&r, &err)
         && search(&r, &err) && write_report(&r, &err);
    int code = ok ? exit_code(&r) : jw_cli_fail(cli, &err);

    jw_scratch_remove(r.work);
    jw_cache_listing_free(&r.listing);
    jw_scan_free(&r.view.report);
    return code;
}

static const struct example scan_examples[] = {
    { "jitwarm scan", "the CUDA software of this machine, for its GPUs" },
    { "jitwarm scan --gpu \"RTX 3070\" libggml-cuda.so", "one library, for a GPU that is not here" },
    { "jitwarm scan --gpu h100 --driver 580 torch-2.9.0-cp312-linux_x86_64.whl",
      "a wheel that is not installed yet" },
    { "jitwarm scan tensorflow==2.3.1 --gpu \"RTX 3070\"", "a package that is not here: fetched by pip" },
    { "jitwarm scan uv.lock --os windows --gpu 5090 --yes", "all packages of a lock file" },
    { "jitwarm scan --check --exclude '*.a' /opt/app",
      "in a script: exit 1 if anything would be compiled at first start" },
    { 0 },
};

const struct cmd jw_cmd_scan = {
    .name = "scan",
    .summary = "show which GPUs a file's CUDA code runs on",
    .synopsis_args = "[PATH|NAME==VERSION...]",
    .details =
        "Reads the headers of the CUDA code in each file and shows for each GPU whether it runs "
        "natively, must be compiled by the "
        "driver at the first start (jit), is in the driver's cache already (warm), needs a newer "
        "driver (blocked), is compiled only when a "
        "library asks for it (lazy), is for "
        "the device linker (rdc), or does not run at all (none). Nothing is changed, and the driver "
        "is not loaded.\n\n"
        "PATH may be a library, program, object, static library, .fatbin, .cubin, .ptx, wheel, or a "
        "folder, which is searched with all "
        "that is below it. Without PATH the CUDA software that you run is searched for: Python, "
        "conda and Node.js environments of your home, of the working folder and the folders above it, what "
        "running programs have loaded, LD_LIBRARY_PATH, CUDA toolkits, known applications, and the roots of "
        "jitwarm.conf without its exclude. --verbose lists each place, how it was found, and what was not "
        "searched.\n\n"
        "NAME==VERSION is a package that is not here. jitwarm asks the pip in PATH (or uv) for its wheel, "
        "with "
        "your own indexes and settings, into a folder that is removed afterwards. It shows the size and asks "
        "first; scripts say --yes. What the package depends on is not fetched, and nothing of it is "
        "executed. "
        "A requirements file (*.txt, *.in) or a lock file (uv.lock, poetry.lock, pylock.toml) as PATH does "
        "the "
        "same for each package that it names.\n\n"
        "With --check the exit code is 1 when something would be compiled, or when there was nothing to "
        "check. It asks for the GPUs of this machine, or for those of --gpu. "
        "It is 2 when there are neither or a named PATH cannot be read, 6 when one is damaged, 7 when --yes "
        "is missing, and 8 "
        "when a "
        "package cannot be fetched.",
    .examples = scan_examples,
    .opts = scan_opts,
    .args_size = sizeof(struct scan_args),
    .positional_at = offsetof(struct scan_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = scan_run,
};

/* scan: which GPUs the CUDA code in files runs on. --check is the gate of a build: it fails unless
 * each library is known to run on each GPU of --gpu. */
#include "base/sort.h"
#include "facts/compile_time.h"
#include "facts/gpus.h"
#include "verbs/emulated.h"
#include "verbs/prime_parts.h"
#include "verbs/scan_compile.h"
#include "verbs/scan_rows.h"

#include <string.h>

/* ---- the search ---- */

static void show_search(void *cli, const char *path)
{
    jw_progress_show(cli, &(struct jw_progress){.phase = JW_PHASE_LOOK, .at = path});
}

/* Is no argument a pattern that the shell left as it is, because no file has such a name? */
static bool check_patterns(const struct jw_texts *paths, struct jw_err *err)
{
    for (size_t i = 0; i < paths->n; i++)
        if (strchr(paths->v[i], '*') && jw_is_absent(paths->v[i]))
            return jw_fail(err, JW_E_NAMED, "%s: the pattern matched no file", paths->v[i]);
    return true;
}

static bool search(struct scanned *s, struct jw_err *err)
{
    struct jw_scan_options o = jw_session_scan(&s->cli->session);

    s->found =
        s->searched ? *jw_session_software(&s->cli->session) : (struct jw_discovery){.arena = s->a};
    size_t n = s->searched ? s->found.n_folders : s->args->paths.n;
    struct jw_scan_folder *folders = jw_arena_alloc(s->a, (n + 1) * sizeof *folders);

    for (size_t i = 0; i < n; i++)
        folders[i] = s->searched
                         ? (struct jw_scan_folder){s->found.folders[i].path,
                                                   s->found.folders[i].depth, false, NULL}
                         : (struct jw_scan_folder){s->args->paths.v[i], JW_MAX_DEPTH, true, NULL};
    jw_sort(folders, n, sizeof *folders, jw_by_text);
    o.folders = s->folders = folders;
    o.n_folders = s->n_folders = n;
    o.sms = s->of.sms;
    o.driver = s->of.driver;
    o.quick = !s->args->check;
    o.compiles = s->compiles;
    o.progress = show_search;
    o.progress_ctx = s->cli;
    return check_patterns(&s->args->paths, err) && jw_scan(&o, &s->report, err);
}

/* ---- what is so of all files ---- */

/* Files with one of these verdicts on some GPU. */
static uint64_t files_with(const struct scanned *s, unsigned verdicts)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->report.n_files; i++)
        n += (s->rows[i].anywhere & verdicts) != 0;
    return n;
}

static bool any_has(const struct scanned *s, size_t gpu, unsigned verdicts)
{
    for (size_t i = 0; i < s->report.n_files; i++)
        if (scan_verdict_on(&s->rows[i], gpu) & verdicts)
            return true;
    return false;
}

/* "sm_86, sm_90", or "RTX 3070 (sm_86)": those on which some file has one. */
static const char *gpus_with(const struct scanned *s, unsigned verdicts)
{
    struct jw_buf text = JW_LINE(s->a);

    for (size_t k = 0; k < s->of.sms.n; k++)
        if (any_has(s, k, verdicts))
            jw_buf_printf(&text, "%s%s", text.n ? ", " : "", s->of.names[k]);
    if (s->of.gpu && text.n)
        return jw_arena_printf(s->a, "%s (%s)", s->of.gpu, jw_buf_cstr(&text));
    return jw_buf_cstr(&text);
}

static bool is_linked(const struct jw_scan_file *file, size_t n_gpus)
{
    for (size_t k = 0; k < n_gpus; k++)
        if (file->verdicts[k].modules[JW_SELECTED_LINKED])
            return true;
    return false;
}

/* Files of users that the driver links for some GPU, and the first of them. */
static uint64_t count_linked(const struct scanned *s, const char **first)
{
    uint64_t n = 0;

    for (const struct row *row = s->rows; row < s->rows + s->report.n_files; row++)
        if (!row->own && is_linked(row->file, s->of.sms.n) && !n++)
            *first = row->file->path;
    return n;
}

/* ---- why ---- */

static const char *sentence_of(const struct scanned *s, const struct jw_scan_file *f, size_t gpu)
{
    struct jw_buf text = JW_LINE(s->a);

    jw_verdict_say(&text, &f->verdicts[gpu], s->of.sms.v[gpu], f, s->of.driver);
    return jw_buf_cstr(&text);
}

/* "a.so on sm_70: the oldest code is for sm_80": what does not run or pass, with -v all. */
static void show_why(struct rep *r, const struct scanned *s)
{
    size_t most = s->report.n_skipped + s->report.n_files * s->of.sms.n + 1;
    size_t n = 0;
    struct jw_unread *unread = jw_arena_alloc(s->a, most * sizeof *unread);
    struct jw_texts lines = {0};

    for (; n < s->report.n_skipped; n++)
        unread[n] = (struct jw_unread){.path = s->report.skipped[n].path,
                                       .why = s->report.skipped[n].reason};
    for (const struct row *row = s->rows; row < s->rows + s->report.n_files; row++)
        for (size_t k = 0; k < s->of.sms.n; k++) {
            const char *path = row->file->path;

            if (row->verdicts[k] == JW_VERDICT_UNKNOWN && (!n || unread[n - 1].path != path)) {
                unread[n++] = (struct jw_unread){.path = path, .why = sentence_of(s, row->file, k)};
            } else if ((scan_verdict_on(row, k) & (scan_failing(s) ^ IS_UNKNOWN))
                       || s->cli->shared.verbose) {
                jw_texts_add(&lines, s->a,
                             jw_arena_printf(s->a, "%s on %s: %s", path, s->of.names[k],
                                             sentence_of(s, row->file, k)));
            }
        }
    jw_show_unread(r, "Why", unread, n);
    rep_texts(r, NULL, "Why", lines.v, lines.n);
}

/* One for each file and GPU, in JSON alone. */
static void list_verdicts(struct rep *r, const struct scanned *s)
{
    rep_table(r, "verdicts", 0);
    for (size_t i = 0; i < s->report.n_files * s->of.sms.n; i++) {
        const struct row *row = &s->rows[i / s->of.sms.n];
        size_t gpu = i % s->of.sms.n;
        const struct jw_scan_verdict *v = &row->file->verdicts[gpu];

        rep_row(r);
        rep_fact(r, "path", NULL, rep_path(row->file->path));
        rep_fact(r, "gpu", NULL, rep_text(s->of.names[gpu]));
        rep_fact(r, "state", NULL, rep_text(jw_verdict_names[row->verdicts[gpu]]));
        rep_fact(r, "why", NULL, rep_text(sentence_of(s, row->file, gpu)));
        rep_fact(r, "runs", NULL, rep_yes(!(scan_failing(s) >> row->verdicts[gpu] & 1)));
        rep_fact(r, "needs_driver", NULL,
                 rep_known(v->needs_driver, rep_text(jw_driver_branch_text(v->needs_driver).text)));
        rep_fact(r, "modules", NULL, rep_count(jw_verdict_modules(v)));
        rep_fact(r, "native", NULL, rep_count(v->modules[JW_SELECTED_NATIVE]));
        rep_fact(r, "jit", NULL, rep_count(v->modules[JW_SELECTED_JIT]));
        rep_fact(r, "ptx_bytes", NULL, rep_bytes(v->jit_ptx_bytes));
        const struct scan_amount amount = scan_amount_on(row, gpu);

        rep_fact(r, "seconds", NULL, rep_seconds(scan_seconds(s, &amount)));
    }
    rep_end(r);
}

/* Not what a search of the machine met in a folder of others, as for prime. */
static uint64_t count_unread(const struct scanned *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->report.n_skipped; i++)
        n += !s->searched || jw_may_hold_code(s->report.skipped[i].path);
    return n;
}

static bool has_code_that_runs(const struct row *row, size_t gpu)
{
    const struct jw_scan_verdict *v = &row->file->verdicts[gpu];

    return v->modules[JW_SELECTED_NATIVE] || v->modules[JW_SELECTED_JIT];
}

/* Of files that do not run: does some of the code of each? */
static bool each_runs_in_part(const struct scanned *s)
{
    for (size_t i = 0; i < s->report.n_files; i++)
        for (size_t k = 0; k < s->of.sms.n; k++) {
            bool fails = scan_verdict_on(&s->rows[i], k) & DOES_NOT_RUN;

            if (fails && !has_code_that_runs(&s->rows[i], k))
                return false;
        }
    return true;
}

/* What may be said of the files, the first that is so of one of them; `how`: behind the GPUs. */
struct head {
    unsigned verdicts;
    enum rep_tone tone;
    enum jw_end end;
    const char *word, *says, *how;
};

static void say_nothing_found(struct rep *r, const struct scanned *s)
{
    bool gate = s->args->check;
    enum jw_end end = gate || s->searched ? JW_END_PARTLY : JW_END_LISTED;
    const char *where = s->searched ? " in the usual places: name a file or folder" : "";

    rep_head_in(r, gate ? REP_BAD : REP_PLAIN, end, "nothing",
                "No CUDA code that a driver loads was found%s.", where);
}

/* "Runs on RTX 3070 (sm_86), compiled first: 4 of 231 modules, 7.2 KiB, under 1 s." */
static void say_head(struct rep *r, const struct scanned *s, const struct head *h, uint64_t n,
                     uint64_t all)
{
    const char *gpus = gpus_with(s, h->verdicts);
    const char *amount = NULL;
    struct jw_buf text = JW_LINE(s->a);

    if (h->verdicts & COMPILES)
        amount = scan_amount_text(s, s->rows, s->report.n_files, true);
    jw_say(&text, "%s%s%s%s", h->says, *gpus ? " on " : "", gpus,
           amount ? ", compiled first" : h->how);
    if (n < all)
        jw_say(&text, ": %s of %s", JW_NUM(n), JW_N(all, "file", "files"));
    else if (all > 1)
        jw_say(&text, ": %s", JW_N(all, "file", "files"));
    if (amount)
        jw_say(&text, "%s%s", all > 1 ? ", " : ": ", amount);
    rep_head_in(r, h->tone, h->end, h->word, "%s.", jw_buf_cstr(&text));
}

/* What is not read may hold anything. */
static void say_result(struct rep *r, const struct scanned *s)
{
    const char *no_code = files_with(s, 1 << JW_VERDICT_NONE) ? "none" : "blocked";
    const struct head heads[] = {
        {scan_failing(s), REP_BAD, JW_END_PARTLY, "failed", "Failed", ""}, /* of --check */
        {HAS_CODE, REP_GOOD, JW_END_DONE, "passed", "Passed", ""},
        {DOES_NOT_RUN, REP_BAD, JW_END_DONE, no_code,
         each_runs_in_part(s) ? "Runs in part" : "Does not run", ""},
        {COMPILES, REP_WARN, JW_END_DONE, "compiles", "Runs", ", compiled first"},
        {IS_UNKNOWN, REP_WARN, JW_END_PARTLY, "incomplete", "Not known whether it runs", ""},
        {HAS_CODE, REP_GOOD, JW_END_DONE, "native", "Runs", ", nothing to compile"},
    };
    uint64_t unread = count_unread(s);
    uint64_t all = files_with(s, HAS_CODE) + unread;

    if (!all) {
        say_nothing_found(r, s);
        return;
    }
    for (const struct head *h = heads + (s->args->check ? 0 : 2);; h++) {
        uint64_t n = files_with(s, h->verdicts);

        if (h->verdicts & IS_UNKNOWN)
            n += unread;
        if (n) {
            say_head(r, s, h, n, all);
            return;
        }
    }
}

/* Was a GPU of this machine named, with whose driver scan is not concerned then? */
static bool has_named_gpu_here(const struct scanned *s)
{
    const struct jw_host_gpus *host = jw_session_gpus(&s->cli->session);

    if (!host->driver || !s->cli->shared.gpus.n)
        return false;
    for (size_t i = 0; i < host->n; i++)
        if (jw_sms_have(&s->of.sms, host->gpus[i].sm))
            return true;
    return false;
}

static const char *first_of_pieces(const struct scanned *s)
{
    for (size_t i = 0; i < s->report.n_files; i++)
        if (s->report.files[i].ptx_pieces)
            return s->report.files[i].path;
    return NULL;
}

static void say_notes(struct rep *r, const struct scanned *s)
{
    const char *first = NULL;
    uint64_t linked = count_linked(s, &first);

    if (linked)
        rep_note(r, "The driver links %s at each start, which no cache keeps, the first: %s",
                 JW_N(linked, "file", "files"), first);
    jw_note_pieces(r, first_of_pieces(s));
    if (!s->of.driver && has_named_gpu_here(s))
        rep_note(r, "No driver is asked about; for the one here: --driver %s",
                 jw_session_gpus(&s->cli->session)->driver);
    if (!s->of.here && !s->cli->shared.gpus.n)
        rep_note(r, "No GPU is known here: this is about common ones (--gpu names one)");
    if (s->report.zips && !s->searched)
        rep_note(r, "not looked into: %s; name one to scan it",
                 JW_N(s->report.zips, ".zip file", ".zip files"));
    if (!s->cli->shared.verbose)
        return;
    for (size_t i = 0; i < s->found.notes.n; i++)
        rep_note(r, "%s", s->found.notes.v[i]);
}

/* How it ended besides its verdict, by the rule of all verbs (docs/README.md, Exit codes). */
static enum jw_end end_of(const struct scanned *s)
{
    if (!count_unread(s) && !files_with(s, IS_UNKNOWN))
        return JW_END_NOTHING;
    for (size_t i = 0; i < s->report.n_skipped && !files_with(s, HAS_CODE); i++) {
        const struct jw_scan_skipped *file = &s->report.skipped[i];

        if (file->named && file->why == JW_SKIP_UNREADABLE)
            return JW_END_UNREAD;
    }
    return JW_END_PARTLY;
}

static void say_holdings(struct rep *r, const struct scanned *s)
{
    for (size_t i = 0; i < s->report.n_files; i++) {
        const struct jw_scan_file *file = &s->report.files[i];
        struct jw_buf holds = JW_LINE(s->a);

        jw_holdings_say(&holds, file->rows, file->n_rows);
        if (file->n_rows)
            rep_say(r, REP_PLAIN, "Holds", "%s: %s, %s", file->path, file->format,
                    jw_buf_cstr(&holds));
    }
}

static int report(struct scanned *s)
{
    struct rep *r = rep_open(s->cli, "scan");

    scan_make_rows(s);
    say_result(r, s);
    rep_begin(r, "scope");
    rep_texts(r, "gpus", NULL, s->of.names, s->of.sms.n);
    rep_given(r, "driver", "Driver", rep_text(s->of.driver));
    rep_end(r);
    if (r->cli->shared.json)
        list_verdicts(r, s);
    else
        scan_show_table(r, s);
    if (r->cli->shared.verbose)
        say_holdings(r, s);
    show_why(r, s);
    say_notes(r, s);
    return rep_close_with(r, end_of(s));
}

/* Within the run that has the driver. */
static bool search_and_compile(struct scanned *s, struct jw_err *err)
{
    struct cli *cli = s->cli;
    struct scan_args args = *s->args;

    jw_emulated_begin(cli);
    s->compiles = true;
    if (!scan_compile_paths(&s->args->paths, s->a, &args.paths, err))
        return false;
    s->args = jw_arena_copy(s->a, &args, sizeof args);
    const char *driver = jw_session_facts(&cli->session)->scope.version;

    return scan_scope_choose(cli, driver, true, &s->of, err) && search(s, err)
           && scan_compile(cli, &args.paths, &s->of, &s->report, err);
}

/* --driver-files: with a driver that is not installed. */
static int run_compiled(struct scanned *s)
{
    const struct scan_args *args = s->args;
    struct jw_err err = {0};

    if (!scan_compile_may(s->cli, args->check, args->driver, args->paths.n, &err))
        return jw_cli_fail(s->cli, &err);
    if (!jw_is_emulated(s->cli))
        return jw_run_emulated(s->cli, true);
    s->cli->session.exclude = args->exclude;
    int code = search_and_compile(s, &err) ? report(s) : jw_cli_fail(s->cli, &err);

    jw_scan_free(&s->report);
    return code;
}

static int scan_run(struct cli *cli, const void *args)
{
    struct scanned s = {.cli = cli, .args = args, .a = cli->arena};
    struct jw_err err = {0};
    int code;

    if (cli->shared.driver_files)
        return run_compiled(&s);
    cli->session.exclude = s.args->exclude;
    s.searched = s.args->paths.n == 0;
    if (s.searched && s.args->check)
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "--check: PATH is missing: what is shipped");
    code = scan_scope_choose(cli, s.args->driver, s.args->check, &s.of, &err) && search(&s, &err)
               ? report(&s)
               : jw_cli_fail(cli, &err);
    jw_scan_free(&s.report);
    return code;
}

const struct cmd jw_cmd_scan = {
    .name = "scan",
    .summary = "show which GPUs a file's CUDA code runs on",
    .synopsis_args = "[PATH...]",
    .details =
        "Shows for each file and GPU what happens when a program loads its code. native: it runs; "
        "compiles: the driver compiles or links it first (prime does that before); blocked: the "
        "driver is too old; none: a program fails; ?: not known, as Why says; -: there is nothing "
        "to load. The cache is not looked at (status does).\n\nPATH is a library, program, object, "
        "wheel, .fatbin, .cubin, .ptx, or a folder; without it: the CUDA software of this machine. "
        "Of more than 15 files those of a package or folder with the same verdicts are one row "
        "(-v: none).\n\n--check is a gate for builds: does each library run on each GPU? What "
        "cannot be read, is damaged, or of an unknown form fails.\n\nExit code with --check 1: a "
        "library fails or is damaged, or there is no CUDA code; 2: the only file cannot be read.",
    .examples = {{"jitwarm scan --gpu \"RTX 3070\" libggml-cuda.so",
                  "does this library run on a GPU that is not here?"},
                 {"jitwarm scan --gpu h100,sm_100 --check dist/*.whl",
                  "the gate of a build, without a GPU: ends with 0 or 1"},
                 {"jitwarm scan --gpu sm_86 --check --driver-files DIR libmy.so",
                  "the same, and NVIDIA's driver in DIR compiles what has to be"},
                 {"jitwarm scan", "the CUDA software of this machine, for its GPUs"}},
    .opts = {{"check", 0, OPT_MAYBE | OPT_CHOICE, offsetof(struct scan_args, check),
              .arg = "native",
              .help = "end with 1 unless each library runs on each GPU, compiled first or not; "
                      "native: with machine code alone",
              .choices = "ptx native", .hint = HINT_WORDS},
             {"driver", 0, OPT_TEXT, offsetof(struct scan_args, driver), .arg = "VERSION",
              .help = "say what this driver would do: 580.126.09, 590, or a CUDA version such as "
                      "13.0 (default: this machine's, for its own GPUs)"},
             {"exclude", 0, OPT_LIST, offsetof(struct scan_args, exclude), .arg = "PATTERN",
              .help = "skip paths that match, such as '*/old'"}},
    .order = "gpu check driver driver-files exclude json" JW_OF_ALL,
    .args_size = sizeof(struct scan_args),
    .positional_at = offsetof(struct scan_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = scan_run,
};

/* scan: which GPUs the CUDA code in files runs on. --check is the gate of a build: it fails unless each library is known to run on each GPU
 * of --gpu. */
#include "jitwarm/scan.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "facts/compile_time.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "machine/gpus.h"
#include "prime/look.h"
#include "software/find/discover.h"
#include "software/find/vendor.h"
#include "software/scan/verdict_groups.h"
#include "software/scan/verdict_words.h"
#include "verbs/prime_parts.h"

#include <string.h>

struct scan_args {
    struct jw_texts paths, exclude;
    const char *driver;
    unsigned check; /* enum check */
};

enum check { CHECK_NOTHING, CHECK_RUNS, CHECK_NATIVE };

static const struct opt scan_opts[] = {
    { "check", 0, OPT_MAYBE | OPT_CHOICE, offsetof(struct scan_args, check), "ptx|native",
      "end with 1 unless each library runs on each GPU: ptx (the default), compiled first or not; native, "
      "with machine code alone",
      "ptx native", HINT_WORDS },
    { "driver", 0, OPT_TEXT, offsetof(struct scan_args, driver), "VERSION",
      "say what this driver would do: 580.126.09, 590, or a CUDA version such as 13.0 (default: this "
      "machine's, for its own GPUs)",
      NULL, HINT_NONE },
    { "exclude", 0, OPT_LIST, offsetof(struct scan_args, exclude), "PATTERN",
      "skip paths that match, such as '*/old'", NULL, HINT_NONE },
    { 0 },
};

enum { SHOWN = 15 };

struct scanned {
    struct cli *cli;
    const struct scan_args *args;
    struct jw_arena *a;
    struct jw_sms sms;  /* sorted, so that equal verdicts stand side by side */
    bool here;          /* these GPUs are; else they were named, or are common ones */
    const char **names; /* "sm_86" */
    const char *driver;
    bool searched; /* there is no PATH: installed software was searched */
    const struct jw_scan_folder *folders;
    size_t n_folders;
    struct jw_discovery found;
    struct jw_scan_report report;
    const struct jw_package *owners; /* of each file */
    struct jw_verdict_groups groups;
};

/* ---- the GPUs ---- */

static bool add_gpu(struct scanned *s, uint16_t sm, struct jw_err *err)
{
    if (s->sms.n == JW_MAX_SMS && !jw_sms_have(&s->sms, sm))
        return jw_fail(err, JW_E_LIMIT, "more than %zu GPUs", JW_MAX_SMS);
    jw_sms_add(&s->sms, sm);
    return true;
}

static bool add_here(struct scanned *s, const char *index, struct jw_err *err)
{
    const struct jw_host_gpus *host = jw_session_gpus(&s->cli->session);
    uint64_t n = UINT64_MAX;

    if (!jw_text_u64(index, &n) || n >= host->n || !host->gpus[n].sm)
        return jw_fail(err, JW_E_USAGE, "--gpu %s: no GPU that is known here; name its architecture (sm_86)",
                       index);
    return add_gpu(s, host->gpus[n].sm, err);
}

static bool add_asked(struct scanned *s, const char *asked, struct jw_err *err)
{
    bool all = jw_text_equal_nocase(asked, "all");
    struct jw_gpu gpu;

    for (size_t i = 0; all && i < jw_sms_important.n; i++)
        if (!add_gpu(s, jw_sms_important.v[i], err))
            return false;
    if (all)
        return true;
    if (jw_gpu_is_index(asked))
        return add_here(s, asked, err);
    return (jw_gpu_parse(asked, &gpu, err) || jw_wrap(err, "--gpu")) && add_gpu(s, gpu.sm, err);
}

/* Those that the driver alone lists, as in WSL. */
static void add_listed(struct scanned *s)
{
    struct jw_run run = jw_cli_run(s->cli);
    struct jw_look l = { .n_jobs = 0 };

    if (jw_look_scope(&run, &(struct jw_want){ 0 }, JW_ASKS_DRIVER, &l, JW_IGNORED) && l.facts.scope.sms.n) {
        s->sms = l.facts.scope.sms;
        s->driver =
            s->driver || !l.facts.scope.version ? s->driver : jw_arena_str(s->a, l.facts.scope.version);
    }
    jw_look_free(&l);
}

static int by_number(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

static bool choose_gpus(struct scanned *s, struct jw_err *err)
{
    const struct jw_host_gpus *host = jw_session_gpus(&s->cli->session);
    const struct jw_texts *asked = &s->cli->shared.gpus;
    unsigned branch;

    s->driver = s->args->driver;
    if (s->driver && !jw_driver_parse(s->driver, &branch, err))
        return jw_wrap(err, "--driver");
    for (size_t i = 0; i < asked->n; i++)
        if (!add_asked(s, asked->v[i], err))
            return false;
    for (size_t i = 0; !asked->n && i < host->n; i++)
        if (host->gpus[i].sm && !add_gpu(s, host->gpus[i].sm, err))
            return false;
    if (!s->sms.n && !asked->n)
        add_listed(s);
    if (!s->sms.n && s->args->check)
        return jw_fail(err, JW_E_USAGE, "--check: no GPU was found here; name some: --gpu sm_90,sm_100");
    s->here = s->sms.n && !asked->n;
    if (!s->sms.n)
        s->sms = jw_sms_important;
    else if (!asked->n && !s->driver)
        s->driver = host->driver;
    jw_sort(s->sms.v, s->sms.n, sizeof *s->sms.v, by_number);
    s->names = jw_arena_alloc(s->a, s->sms.n * sizeof *s->names);
    for (size_t i = 0; i < s->sms.n; i++)
        s->names[i] = jw_arena_printf(s->a, "sm_%u", s->sms.v[i]);
    return true;
}

/* ---- the search ---- */

static void show_search(void *cli, const char *path)
{
    jw_progress_show(cli, &(struct jw_progress){ .phase = JW_PHASE_LOOK, .at = path });
}

static bool search(struct scanned *s, struct jw_err *err)
{
    struct jw_scan_options o = jw_session_scan(&s->cli->session);
    struct jw_scan_folder *folders;

    s->found = s->searched ? *jw_session_software(&s->cli->session) : (struct jw_discovery){ .arena = s->a };

    size_t n = s->searched ? s->found.n_folders : s->args->paths.n;

    folders = jw_arena_alloc(s->a, (n + 1) * sizeof *folders);
    for (size_t i = 0; i < n; i++)
        folders[i] = s->searched ? (struct jw_scan_folder){ s->found.folders[i].path,
                                                            s->found.folders[i].depth, false, NULL }
                                 : (struct jw_scan_folder){ s->args->paths.v[i], JW_MAX_DEPTH, true, NULL };
    o.folders = s->folders = folders;
    o.n_folders = s->n_folders = n;
    o.sms = s->sms;
    o.driver = s->driver;
    o.quick = !s->args->check;
    o.progress = show_search;
    o.progress_ctx = s->cli;
    return jw_scan(&o, &s->report, err);
}

static bool group(struct scanned *s, struct jw_err *err)
{
    size_t n = s->report.n_files;
    struct jw_package *owners = jw_arena_alloc(s->a, (n + 1) * sizeof *owners);

    for (size_t i = 0; i < n; i++) {
        const char *path = s->report.files[i].path;

        owners[i] = jw_discovery_owner(&s->found, path, jw_named_above(s->folders, s->n_folders, path));
    }
    s->owners = owners;
    return jw_verdict_groups(&(struct jw_verdict_files){ &s->report, owners, s->sms.n, s->searched }, s->a,
                             &s->groups, err);
}

/* ---- what is so of a file on a GPU ---- */

typedef bool is_so(const struct scanned *s, size_t file, size_t gpu);

static bool links(const struct scanned *s, size_t file, size_t gpu)
{
    return s->owners[file].of == JW_CODE_OF_USERS
           && s->report.files[file].verdicts[gpu].modules[JW_SELECTED_LINKED];
}

static bool compiles(const struct scanned *s, size_t file, size_t gpu)
{
    return s->owners[file].of == JW_CODE_OF_USERS
           && (s->report.files[file].verdicts[gpu].modules[JW_SELECTED_JIT] || links(s, file, gpu));
}

/* Damaged, or in a form of newer toolkits: it may hold anything. */
static bool is_unknown(const struct scanned *s, size_t file, size_t gpu)
{
    const struct jw_scan_file *f = &s->report.files[file];

    return f->n_problems || f->verdicts[gpu].modules[JW_SELECTED_UNKNOWN];
}

static bool does_not_run(const struct scanned *s, size_t file, size_t gpu)
{
    return s->owners[file].of == JW_CODE_OF_USERS && !is_unknown(s, file, gpu)
           && !jw_scan_passes(&s->report.files[file].verdicts[gpu], false);
}

static bool fails(const struct scanned *s, size_t file, size_t gpu)
{
    return jw_scan_fails(&s->report.files[file], gpu, s->owners[file].of, s->args->check == CHECK_NATIVE);
}

/* ---- the report ---- */

static enum rep_tone tone_of(const struct jw_scan_verdict *v)
{
    return v->verdict <= JW_VERDICT_NONE     ? REP_BAD
           : v->verdict <= JW_VERDICT_JIT    ? REP_WARN
           : v->verdict == JW_VERDICT_NATIVE ? REP_GOOD
                                             : REP_PLAIN;
}

/* Returns "jit 90, 100, 120; native 61, 75", the most urgent first. No ranges: they would speak of GPUs that nobody asked about. */
static const char *words_of_all(const struct scanned *s, const struct jw_verdict_group *g)
{
    struct jw_buf text = JW_LINE(s->a);

    for (unsigned verdict = 0; verdict < JW_VERDICTS; verdict++) {
        const char *word = jw_arena_printf(s->a, "%s%s ", text.n ? "; " : "", jw_verdict_names[verdict]);

        for (size_t i = 0; i < s->sms.n; i++)
            if (g->of_gpu[i]->verdict == verdict) {
                jw_buf_printf(&text, "%s%u", word, s->sms.v[i]);
                word = ", ";
            }
    }
    return jw_buf_cstr(&text);
}

/* Prints one line for each package, or for each file. */
static void say_groups(struct rep *r, const struct scanned *s)
{
    bool one = s->sms.n == 1;

    rep_table(r, "groups", SHOWN);
    for (const struct jw_verdict_group *g = s->groups.list; g < s->groups.list + s->groups.n; g++) {
        enum rep_tone tone = one && g->of == JW_CODE_OF_USERS ? tone_of(g->of_gpu[0]) : REP_PLAIN;
        const char *below = s->n_folders == 1 ? jw_path_below(g->name, s->folders->path) : NULL;

        rep_row(r);
        rep_fact(
            r, NULL, one ? s->names[0] : "VERDICT BY sm_",
            rep_toned(tone, rep_text(one ? jw_verdict_names[g->of_gpu[0]->verdict] : words_of_all(s, g))));
        rep_fact(r, NULL, s->searched ? "FILES" : NULL, rep_count(g->files));
        rep_fact(r, NULL, "MODULES", rep_count(g->modules));
        rep_fact(r, NULL, "PTX", rep_bytes(g->bytes));
        rep_fact(r, NULL, s->searched ? "PACKAGE" : "FILE", rep_path(below ? below : g->name));
    }
    rep_end(r);
}

static const char *sentence_of(const struct scanned *s, size_t file, size_t gpu)
{
    struct jw_buf text = JW_LINE(s->a);
    const struct jw_scan_file *f = &s->report.files[file];

    jw_verdict_say(&text, &f->verdicts[gpu], s->sms.v[gpu], f, s->driver);
    return jw_buf_cstr(&text);
}

/* Is it a row of a table, and no sentence? With -v each is a sentence, which says more. */
static bool is_row(const struct scanned *s, const struct jw_scan_verdict *v)
{
    return s->sms.n > 1 && !s->cli->shared.verbose
           && (v->verdict == JW_VERDICT_JIT || v->verdict == JW_VERDICT_NATIVE);
}

/* In JSON all; the text has a row for each GPU of a single file. */
static void list_verdicts(struct rep *r, const struct scanned *s)
{
    rep_table(r, "verdicts", 0);
    for (size_t i = 0; i < s->report.n_files * s->sms.n; i++) {
        size_t file = i / s->sms.n, gpu = i % s->sms.n;
        const struct jw_scan_file *f = &s->report.files[file];
        const struct jw_scan_verdict *v = &f->verdicts[gpu];

        if (!r->json && !is_row(s, v))
            continue;
        rep_row(r);
        rep_fact(r, "path", NULL, rep_path(f->path));
        rep_fact(r, "gpu", "GPU", rep_text(s->names[gpu]));
        rep_fact(r, "state", "VERDICT", rep_toned(tone_of(v), rep_text(jw_verdict_names[v->verdict])));
        rep_fact(r, "why", NULL, rep_text(sentence_of(s, file, gpu)));
        rep_fact(r, "runs", NULL,
                 rep_yes(!f->n_problems && jw_scan_passes(v, s->args->check == CHECK_NATIVE)));
        rep_fact(r, "needs_driver", "DRIVER",
                 rep_text(v->needs_driver ? jw_driver_branch_text(v->needs_driver).text : NULL));
        rep_fact(r, "modules", NULL, rep_count(f->containers));
        rep_fact(r, "native", "NATIVE", rep_count(v->modules[JW_SELECTED_NATIVE]));
        rep_fact(r, "jit", "JIT", rep_count(v->modules[JW_SELECTED_JIT]));
        rep_fact(r, "ptx_bytes", "PTX", rep_bytes(v->jit_ptx_bytes));
        rep_fact(r, NULL, s->args->check ? "ON ONE CORE" : NULL,
                 rep_text(v->seconds > 0 ? jw_compile_span(v->seconds, v->slower).text : ""));
    }
    rep_end(r);
}

/* Prints all about a file: what it holds, and for each verdict a line with all its GPUs. */
static void say_file(struct rep *r, const struct scanned *s, size_t file)
{
    const struct jw_scan_file *f = &s->report.files[file];
    struct jw_buf holds = JW_LINE(s->a);

    rep_say(r, REP_PLAIN, NULL, "%s", f->path);
    jw_holdings_say(&holds, f->rows, f->n_rows);
    if (f->n_rows)
        rep_say(r, REP_PLAIN, "Holds", "%s, %s of code: %s", f->format,
                JW_N(f->containers + f->lazy_containers, "module", "modules"), jw_buf_cstr(&holds));
    list_verdicts(r, s);
    for (size_t k = 0; k < s->sms.n; k++) {
        const char *says = sentence_of(s, file, k);
        struct jw_buf gpus = JW_LINE(s->a);
        bool said = is_row(s, &f->verdicts[k]);

        for (size_t m = 0; m < s->sms.n; m++)
            if (strcmp(sentence_of(s, file, m), says) == 0) {
                said |= m < k;
                jw_buf_printf(&gpus, "%s%s", gpus.n ? ", " : "", s->names[m]);
            }
        if (!said && f->n_rows)
            rep_say(r, tone_of(&f->verdicts[k]), jw_verdict_names[f->verdicts[k].verdict], "%s: %s",
                    jw_buf_cstr(&gpus), says);
    }
    if (f->ptx_pieces)
        rep_say(r, REP_WARN, "pieces",
                "%s of PTX that it puts together while it runs: prime --run finds what",
                JW_N(f->ptx_pieces, "piece", "pieces"));
}

/* Files with code, and those that may hold any. The gate checks nothing of code that no driver loads. */
static uint64_t with_code(const struct scanned *s)
{
    uint64_t n = 0;

    for (size_t i = 0, k; i < s->report.n_files; i++) {
        const struct jw_scan_file *f = &s->report.files[i];

        for (k = 0; k < s->sms.n && f->verdicts[k].verdict == JW_VERDICT_NOTHING && !fails(s, i, k);)
            k++;
        n += k < s->sms.n || (f->n_rows && !s->args->check);
    }
    return n;
}

static void say_unread(struct rep *r, const struct scanned *s)
{
    const char **paths = jw_arena_alloc(s->a, s->report.n_skipped * sizeof *paths);
    const char **whys = jw_arena_alloc(s->a, s->report.n_skipped * sizeof *whys);

    for (size_t i = 0; i < s->report.n_skipped; i++) {
        paths[i] = s->report.skipped[i].path;
        whys[i] = s->report.skipped[i].reason;
    }
    jw_show_unread(r, s->args->check || s->searched || with_code(s) || s->report.n_skipped > 1 ? "Why" : NULL,
                   paths, whys, s->report.n_skipped);
}

/* ---- the head ---- */

/* "sm_86 and sm_90": those with this number; without numbers, all. */
static const char *gpus_with(const struct scanned *s, const uint64_t *counts, uint64_t count)
{
    struct jw_buf text = JW_LINE(s->a);
    size_t n = 0, listed = 0;

    for (size_t k = 0; k < s->sms.n; k++)
        n += !counts || counts[k] == count;
    for (size_t k = 0; k < s->sms.n; k++)
        if (!counts || counts[k] == count)
            jw_buf_printf(&text, "%s%s", jw_text_between(listed++, n), s->names[k]);
    return jw_buf_cstr(&text);
}

/* "1 of 18 files on sm_86, 18 of 18 on sm_120", of which no GPU has none; "": it is so of no file. Each of `unread` counts, too. */
static const char *files_where(const struct scanned *s, is_so *is, uint64_t unread, uint64_t all)
{
    struct jw_buf text = JW_LINE(s->a);
    uint64_t counts[JW_MAX_SMS] = { 0 };

    for (size_t k = 0; k < s->sms.n; k++) {
        counts[k] = unread;
        for (size_t i = 0; i < s->report.n_files; i++)
            counts[k] += is(s, i, k);
    }
    for (size_t k = 0, before; k < s->sms.n; k++) {
        for (before = 0; before < k && counts[before] != counts[k];)
            before++;
        if (counts[k] && before == k)
            jw_buf_printf(&text, "%s%s of %s on %s", text.n ? ", " : "", JW_NUM(counts[k]),
                          text.n ? JW_NUM(all) : JW_N(all, "file", "files"), gpus_with(s, counts, counts[k]));
    }
    return jw_buf_cstr(&text);
}

/* Without CUDA code nothing was checked, and a script must not take that for a pass. */
static void say_check(struct rep *r, const struct scanned *s)
{
    uint64_t code = with_code(s), failed = s->report.n_skipped, all = code + failed;
    const char *first = failed ? s->report.skipped[0].path : "",
               *why = failed ? s->report.skipped[0].reason : "";

    for (size_t i = s->report.n_files, k; i-- > 0;) {
        for (k = 0; k < s->sms.n && !fails(s, i, k);)
            k++;
        if (k == s->sms.n)
            continue;
        const struct jw_scan_file *f = &s->report.files[i];
        const struct jw_scan_verdict *v = &f->verdicts[k];

        failed++;
        first = f->path;
        why = f->n_problems                              ? "damaged"
              : v->modules[JW_SELECTED_UNKNOWN]          ? jw_verdict_names[JW_VERDICT_UNKNOWN]
              : f->ptx_pieces && jw_scan_passes(v, true) ? "pieces"
                                                         : jw_verdict_names[v->verdict];
    }
    if (failed)
        rep_head_in(r, REP_BAD, JW_END_PARTLY, "failed", "Failed: %s, the first: %s (%s)",
                    files_where(s, fails, s->report.n_skipped, all), first, why);
    else if (!code)
        rep_head_in(r, REP_BAD, JW_END_PARTLY, "no-code", "No CUDA code for a driver: nothing was checked.");
    else
        rep_head(r, JW_END_DONE, "passed", "Passed: %s on %s.", JW_N(code, "file", "files"),
                 gpus_with(s, NULL, 0));
}

static void say_result(struct rep *r, const struct scanned *s)
{
    uint64_t code = with_code(s);
    const char *bad = files_where(s, does_not_run, 0, code), *jit = files_where(s, compiles, 0, code),
               *unknown = files_where(s, is_unknown, 0, code);

    if (!code && s->report.n_skipped > 1 && !s->searched)
        rep_head_in(r, REP_BAD, JW_END_DONE, "unread", "%s could not be read.",
                    JW_N(s->report.n_skipped, "file", "files"));
    else if (!code && s->report.n_skipped && !s->searched)
        rep_head_in(r, REP_BAD, JW_END_DONE, "unread", "%s: %s", s->report.skipped[0].path,
                    s->report.skipped[0].reason);
    else if (!code)
        rep_head(r, JW_END_LISTED, "no-code", "No CUDA code was found%s",
                 s->args->paths.n ? "." : " in the usual places: name a file or folder.");
    else if (!s->here && !s->cli->shared.gpus.n)
        rep_head(r, JW_END_LISTED, "no-gpu", "No GPU is known here (--gpu names one): %s on %s.",
                 JW_N(code, "file", "files"), gpus_with(s, NULL, 0));
    else if (*bad)
        rep_head_in(r, REP_BAD, JW_END_DONE, "blocked", "Does not run: %s.", bad);
    else if (*jit)
        rep_head_in(r, REP_WARN, JW_END_DONE, "compiles", "Compiled%s at the first start or use: %s.",
                    *files_where(s, links, 0, code) ? " or linked" : "", jit);
    else if (*unknown)
        rep_head_in(r, REP_BAD, JW_END_DONE, "unknown", "Not known: %s.", unknown);
    else
        rep_head(r, JW_END_DONE, "native", "Nothing has to be compiled on %s: %s with CUDA code.",
                 gpus_with(s, NULL, 0), JW_N(code, "file", "files"));
    if (*jit && s->here && !s->args->driver)
        rep_todo(r, &(struct jw_remedy){
                        .kind = JW_REMEDY_RUN, .words = { "jitwarm", "prime" }, .more = s->args->paths.v });
}

/* A named file that cannot be read is an error; one in a folder is listed, and the scan is partial. */
static void say_end(struct rep *r, const struct scanned *s)
{
    for (size_t i = 0; i < s->report.n_files; i++)
        if (s->report.files[i].n_problems)
            rep_ends(r, s->report.files[i].named ? JW_END_REFUSED : JW_END_PARTLY);
    for (size_t i = 0; i < s->report.n_skipped; i++) {
        const struct jw_scan_skipped *k = &s->report.skipped[i];

        if (s->searched && !jw_may_hold_code(k->path)) /* as for prime: a folder of others that was met */
            continue;
        rep_ends(r, !k->named                      ? JW_END_PARTLY
                    : k->why == JW_SKIP_UNREADABLE ? JW_END_UNREAD
                                                   : JW_END_REFUSED);
    }
}

static int report(struct scanned *s)
{
    struct rep *r = rep_open(s->cli, "scan");
    bool full = !s->searched && s->report.n_files <= 1;

    (s->args->check ? say_check : say_result)(r, s);
    rep_begin(r, "scope");
    rep_texts(r, "gpus", NULL, s->names, s->sms.n);
    rep_fact(r, "driver", "Driver", rep_text(s->driver));
    rep_end(r);
    if (r->json)
        list_verdicts(r, s);
    else if (!full)
        say_groups(r, s);
    for (size_t i = 0; (full || s->cli->shared.verbose) && !r->json && i < s->report.n_files; i++)
        say_file(r, s, i);
    say_unread(r, s);
    for (size_t i = 0; i < s->report.n_files; i++)
        for (size_t k = 0; k < s->report.files[i].n_problems; k++)
            rep_note(r, "damaged: %s: %s", s->report.files[i].path, s->report.files[i].problems[k]);
    if (s->report.zips && !s->searched)
        rep_note(r, "not looked into: %s; name one to scan it",
                 JW_N(s->report.zips, ".zip file", ".zip files"));
    for (size_t i = 0; s->cli->shared.verbose && i < s->found.notes.n; i++)
        rep_note(r, "%s", s->found.notes.v[i]);
    say_end(r, s);
    return rep_close(r);
}

static int scan_run(struct cli *cli, const void *args)
{
    struct scanned s = { .cli = cli, .args = args, .a = cli->arena };
    struct jw_err err = { 0 };
    int code;

    cli->session.exclude = s.args->exclude;
    s.searched = s.args->paths.n == 0;
    code = choose_gpus(&s, &err) && search(&s, &err) && group(&s, &err) ? report(&s) : jw_cli_fail(cli, &err);
    jw_free(s.groups.list);
    jw_scan_free(&s.report);
    return code;
}

static const struct example scan_examples[] = {
    { "jitwarm scan --gpu \"RTX 3070\" libggml-cuda.so", "does this library run on a GPU that is not here?" },
    { "jitwarm scan --gpu h100,sm_100 --check dist/*.whl",
      "the gate of a build, without a GPU: ends with 0 or 1" },
    { "jitwarm scan", "the CUDA software of this machine, for its GPUs" },
    { 0 },
};

const struct cmd jw_cmd_scan = {
    .name = "scan",
    .summary = "show which GPUs a file's CUDA code runs on",
    .synopsis_args = "[PATH...]",
    .details = "Shows for each file and GPU what happens when a program starts. native: it runs; jit: the "
               "driver compiles it, at the first start or first use; links: the driver links it at each "
               "start; lazy: a part is compiled later, if a library asks for it; blocked: the driver is "
               "too old; rdc: it is for the device linker; none: none of its code runs; nothing: it has "
               "none. The cache is not looked at (prime --check does).\n\nPATH may be a library, program, "
               "object, wheel, .fatbin, .cubin, .ptx, or a folder. Without PATH scan takes the CUDA "
               "software of this machine.\n\n--check is a gate for builds: does each library run on each "
               "GPU? What cannot be read, is damaged, or of an unknown form fails.\n\nExit code with "
               "--check 1: a library fails, or there is no CUDA code; 2: a file cannot be read; 6: a file "
               "is damaged.",
    .examples = scan_examples,
    .opts = scan_opts,
    .order = "gpu check driver exclude json" JW_OF_ALL,
    .args_size = sizeof(struct scan_args),
    .positional_at = offsetof(struct scan_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = scan_run,
};

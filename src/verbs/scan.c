/* scan: which GPUs the CUDA code in files runs on. --check is the gate of a build: it fails unless
 * each library is known to run on each GPU of --gpu. */
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "facts/compile_time.h"
#include "facts/gpus.h"
#include "software/scan/verdict_words.h"
#include "verbs/emulated.h"
#include "verbs/prime_parts.h"
#include "verbs/scan_compile.h"

#include <string.h>

struct scan_args {
    struct jw_texts paths, exclude;
    const char *driver;
    unsigned check; /* enum check */
};

enum check { CHECK_NOTHING, CHECK_RUNS, CHECK_NATIVE };

static const struct opt scan_opts[] = {
    {"check", 0, OPT_MAYBE | OPT_CHOICE, offsetof(struct scan_args, check), .arg = "native",
     .help = "end with 1 unless each library runs on each GPU, compiled first or not; native: with "
             "machine code alone",
     .choices = "ptx native", .hint = HINT_WORDS},
    {"driver", 0, OPT_TEXT, offsetof(struct scan_args, driver), .arg = "VERSION",
     .help =
         "say what this driver would do: 580.126.09, 590, or a CUDA version such as 13.0 (default: "
         "this machine's, for its own GPUs)"},
    {"exclude", 0, OPT_LIST, offsetof(struct scan_args, exclude), .arg = "PATTERN",
     .help = "skip paths that match, such as '*/old'"},
    {0},
};

enum { SHOWN = 15 };

struct scanned {
    struct cli *cli;
    const struct scan_args *args;
    struct jw_arena *a;
    struct scan_scope of;
    bool compiles; /* a driver from files is asked, too */
    bool searched; /* there is no PATH: installed software was searched */
    const struct jw_scan_folder *folders;
    size_t n_folders;
    struct jw_discovery found;
    struct jw_scan_report report;
    struct row *rows; /* of each file */
};

/* A file. Where there are many, those of one place with the same verdicts are one row of the
 * table. */
struct row {
    const struct jw_scan_file *file;
    const char *place; /* its package, else its folder */
    bool own;          /* NVIDIA's: it raises no alarm */
    uint8_t verdicts[JW_MAX_SMS], worst;
    unsigned anywhere; /* a set of verdicts */
};

/* ---- the search ---- */

static void show_search(void *cli, const char *path)
{
    jw_progress_show(cli, &(struct jw_progress){.phase = JW_PHASE_LOOK, .at = path});
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
    return jw_scan(&o, &s->report, err);
}

/* ---- what is so of a file on a GPU ---- */

/* Sets of verdicts. */
enum {
    DOES_NOT_RUN = 1 << JW_VERDICT_NONE | 1 << JW_VERDICT_BLOCKED,
    IS_UNKNOWN = 1 << JW_VERDICT_UNKNOWN,
    COMPILES = 1 << JW_VERDICT_COMPILES,
    HAS_CODE = DOES_NOT_RUN | IS_UNKNOWN | COMPILES | 1 << JW_VERDICT_NATIVE
};

/* What --check does not let pass. */
static unsigned failing(const struct scanned *s)
{
    return DOES_NOT_RUN | IS_UNKNOWN | (s->args->check == CHECK_NATIVE ? COMPILES : 0);
}

/* Of NVIDIA's own libraries those without code for this GPU have one beside them that runs. */
static unsigned verdict_on(const struct row *row, size_t gpu)
{
    unsigned verdict = 1u << row->verdicts[gpu];

    return row->own && (verdict & DOES_NOT_RUN) ? 1u << JW_VERDICT_NATIVE : verdict;
}

/* What a program makes of pieces is compiled, and --check=native cannot know when. */
static struct row row_of(const struct scanned *s, const struct jw_scan_file *f)
{
    const struct jw_package owner =
        jw_discovery_owner(&s->found, f->path, jw_named_above(s->folders, s->n_folders, f->path));
    bool folder = strcmp(owner.name, jw_path_base(f->path)) == 0;
    bool pieces = f->ptx_pieces && s->args->check == CHECK_NATIVE;
    struct row row = {.file = f,
                      .place = folder ? jw_path_dir(s->a, f->path) : owner.name,
                      .own = owner.own,
                      .worst = JW_VERDICT_NOTHING};

    for (size_t k = 0; k < s->of.sms.n; k++) {
        row.verdicts[k] = (uint8_t)(pieces ? jw_min(f->verdicts[k].verdict, JW_VERDICT_COMPILES)
                                           : f->verdicts[k].verdict);
        row.worst = (uint8_t)jw_min(row.worst, row.verdicts[k]);
        row.anywhere |= verdict_on(&row, k);
    }
    row.place = row.own ? "NVIDIA's own" : row.place;
    return row;
}

/* Files with one of these verdicts on some GPU. */
static uint64_t files_with(const struct scanned *s, unsigned verdicts)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->report.n_files; i++)
        n += (s->rows[i].anywhere & verdicts) != 0;
    return n;
}

/* "sm_86, sm_90": those on which some file has one. */
static const char *gpus_with(const struct scanned *s, unsigned verdicts)
{
    struct jw_buf text = JW_LINE(s->a);

    for (size_t k = 0, i; k < s->of.sms.n; k++) {
        for (i = 0; i < s->report.n_files && !(verdict_on(&s->rows[i], k) & verdicts);)
            i++;
        if (i < s->report.n_files)
            jw_buf_printf(&text, "%s%s", text.n ? ", " : "", s->of.names[k]);
    }
    return jw_buf_cstr(&text);
}

/* Files of users with such modules on some GPU, and the first of them. */
static uint64_t files_of(const struct scanned *s, enum jw_selected modules, const char **first)
{
    uint64_t n = 0;

    for (size_t i = 0, k; i < s->report.n_files; i++) {
        for (k = 0; k < s->of.sms.n && !s->rows[i].file->verdicts[k].modules[modules];)
            k++;
        if (k < s->of.sms.n && !s->rows[i].own && !n++)
            *first = s->rows[i].file->path;
    }
    return n;
}

/* ---- how much is compiled ---- */

struct amount {
    uint64_t jit, modules, ptx_bytes;
};

static struct amount amount_on(const struct row *row, size_t gpu)
{
    const struct jw_scan_verdict *v = &row->file->verdicts[gpu];

    if (verdict_on(row, gpu) != COMPILES)
        return (struct amount){0};
    return (struct amount){.jit = v->modules[JW_SELECTED_JIT],
                           .modules = row->file->containers,
                           .ptx_bytes = v->jit_ptx_bytes};
}

/* Of these rows, on the GPU where most is compiled. */
static struct amount amount_of(const struct scanned *s, const struct row *rows, size_t n)
{
    struct amount most = {0};

    for (size_t k = 0; k < s->of.sms.n; k++) {
        struct amount here = {0};

        for (size_t i = 0; i < n; i++) {
            const struct amount one = amount_on(&rows[i], k);

            here.jit += one.jit;
            here.modules += one.modules;
            here.ptx_bytes += one.ptx_bytes;
        }
        if (here.ptx_bytes > most.ptx_bytes)
            most = here;
    }
    return most;
}

/* On one core; of a driver that is not known, the slowest. */
static double seconds_of(const struct scanned *s, const struct amount *all)
{
    unsigned branch = jw_branch_of(s->of.driver);
    double module = jw_driver_module_seconds(branch);

    if (!all->jit)
        return 0;
    return jw_compile_seconds(branch, all->ptx_bytes, 0) + module * (double)(all->jit - 1);
}

/* "2 of 231 modules, under 1 s"; NULL: the driver compiles none of them, and may link some. */
static const char *text_of_amount(const struct scanned *s, const struct row *rows, size_t n,
                                  bool says_modules)
{
    const struct amount all = amount_of(s, rows, n);

    if (!all.jit)
        return NULL;
    return jw_arena_printf(s->a, "%s of %s, %s", JW_NUM(all.jit),
                           says_modules ? JW_N(all.modules, "module", "modules")
                                        : JW_NUM(all.modules),
                           jw_compile_words(seconds_of(s, &all)).text);
}

/* ---- the table ---- */

static int by_place(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    int verdicts = memcmp(x->verdicts, y->verdicts, sizeof x->verdicts);

    return x->own != y->own       ? x->own - y->own
           : x->worst != y->worst ? x->worst - y->worst
           : verdicts             ? verdicts
                                  : strcmp(x->place, y->place);
}

static int by_worst(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    int place = by_place(a, b);

    return place ? place : strcmp(x->file->path, y->file->path);
}

/* "sm_86", or "sm_75,80,86" where each file has the same verdict on all. NULL: an earlier one has
 * it, or `good` is not so. */
static const char *column(const struct scanned *s, const struct row *rows, size_t n, size_t gpu,
                          bool good)
{
    struct jw_buf title = JW_LINE(s->a);
    bool all_good = true;

    for (size_t k = 0, i; k < s->of.sms.n; k++) {
        for (i = 0; i < n && rows[i].verdicts[k] == rows[i].verdicts[gpu]; i++)
            all_good &= rows[i].verdicts[k] >= JW_VERDICT_NATIVE;
        if (i == n && k < gpu)
            return NULL;
        if (i == n)
            jw_buf_printf(&title, "%s%u", title.n ? "," : "sm_", s->of.sms.v[k]);
    }
    return all_good == good ? jw_buf_cstr(&title) : NULL;
}

/* --check has what fails. */
static void show_table(struct rep *r, const struct scanned *s)
{
    static const enum rep_tone tones[] = {
        [JW_VERDICT_NONE] = REP_BAD,     [JW_VERDICT_BLOCKED] = REP_BAD,
        [JW_VERDICT_UNKNOWN] = REP_WARN, [JW_VERDICT_COMPILES] = REP_WARN,
        [JW_VERDICT_NATIVE] = REP_GOOD,  [JW_VERDICT_NOTHING] = REP_PLAIN,
    };
    JW_ROW_FOR_EACH(tones, JW_VERDICTS, 6);
    struct row *rows = jw_arena_alloc(s->a, (s->report.n_files + 1) * sizeof *rows);
    const char *titles[2 * JW_MAX_SMS];
    size_t n = 0;

    for (size_t i = 0; i < s->report.n_files; i++)
        if (!s->args->check || (s->rows[i].anywhere & failing(s)))
            rows[n++] = s->rows[i];
    bool many = n > SHOWN && !s->cli->shared.verbose;
    bool compiles = n > 1 && text_of_amount(s, rows, n, false); /* of one file the head has it */

    for (size_t k = 0; k < 2 * s->of.sms.n; k++) /* of a narrow terminal the last is left out */
        titles[k] = column(s, rows, n, k < s->of.sms.n ? k : k - s->of.sms.n, k >= s->of.sms.n);
    rep_table(r, NULL, SHOWN);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && many && by_place(&rows[i], &rows[next]) == 0;)
            next++;
        const char *name = next - i > 1 ? rows[i].place : rows[i].file->path;
        const char *one = s->n_folders == 1 ? s->folders->path : name;
        const char *below = jw_path_below(name, one);

        if (jw_text_starts(name, one) && name[strlen(one)] == '!') /* of a wheel */
            below = name + strlen(one) + 1;
        rep_row(r);
        for (size_t k = 0; k < 2 * s->of.sms.n; k++) {
            enum jw_verdict v = rows[i].verdicts[k < s->of.sms.n ? k : k - s->of.sms.n];
            const char *word = jw_verdict_names[v];
            const char *sign = v == JW_VERDICT_UNKNOWN ? "?" : "-";

            rep_fact(r, NULL, titles[k],
                     rep_toned(rows[i].own ? REP_PLAIN : tones[v], rep_text(word ? word : sign)));
        }
        rep_fact(r, NULL, compiles ? "COMPILES" : NULL,
                 rep_text(text_of_amount(s, &rows[i], next - i, false)));
        rep_fact(r, NULL, many ? "FILES" : NULL, rep_count(next - i));
        rep_fact(r, NULL, many ? "FILE OR PACKAGE" : "FILE", rep_path(below ? below : name));
    }
    rep_end(r);
}

/* ---- why ---- */

static const char *sentence_of(const struct scanned *s, const struct jw_scan_file *f, size_t gpu)
{
    struct jw_buf text = JW_LINE(s->a);

    jw_verdict_say(&text, &f->verdicts[gpu], s->of.sms.v[gpu], f, s->of.driver);
    return jw_buf_cstr(&text);
}

/* What may hold anything, then what does not run or pass, with -v all: "a.so on sm_70: the oldest
 * code is for sm_80". */
static void show_why(struct rep *r, const struct scanned *s)
{
    size_t most = s->report.n_skipped + s->report.n_files * s->of.sms.n + 1;
    size_t n = 0;
    struct jw_unread *unread = jw_arena_alloc(s->a, most * sizeof *unread);
    struct jw_texts lines = {.v = jw_arena_alloc(s->a, most * sizeof *lines.v)};

    for (; n < s->report.n_skipped; n++)
        unread[n] = (struct jw_unread){.path = s->report.skipped[n].path,
                                       .why = s->report.skipped[n].reason};
    for (const struct row *row = s->rows; row < s->rows + s->report.n_files; row++)
        for (size_t k = 0; k < s->of.sms.n; k++) {
            const char *path = row->file->path;

            if (row->verdicts[k] == JW_VERDICT_UNKNOWN && (!n || unread[n - 1].path != path)) {
                unread[n++] = (struct jw_unread){.path = path, .why = sentence_of(s, row->file, k)};
            } else if ((verdict_on(row, k) & (failing(s) ^ IS_UNKNOWN)) || s->cli->shared.verbose) {
                lines.v[lines.n++] = jw_arena_printf(s->a, "%s on %s: %s", path, s->of.names[k],
                                                     sentence_of(s, row->file, k));
            }
        }
    jw_show_unread(r, "Why", unread, n);
    rep_texts(r, NULL, "Why", lines.v, lines.n);
}

/* ---- the report ---- */

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
        rep_fact(r, "runs", NULL, rep_yes(!(failing(s) >> row->verdicts[gpu] & 1)));
        rep_fact(r, "needs_driver", NULL,
                 rep_text(v->needs_driver ? jw_driver_branch_text(v->needs_driver).text : NULL));
        rep_fact(r, "modules", NULL, rep_count(row->file->containers));
        rep_fact(r, "native", NULL, rep_count(v->modules[JW_SELECTED_NATIVE]));
        rep_fact(r, "jit", NULL, rep_count(v->modules[JW_SELECTED_JIT]));
        rep_fact(r, "ptx_bytes", NULL, rep_bytes(v->jit_ptx_bytes));
        const struct amount amount = amount_on(row, gpu);

        rep_fact(r, "seconds", NULL, rep_seconds(seconds_of(s, &amount)));
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
            bool fails = verdict_on(&s->rows[i], k) & DOES_NOT_RUN;

            if (fails && !has_code_that_runs(&s->rows[i], k))
                return false;
        }
    return true;
}

/* The first that is so of some file. What is not read may hold anything. */
static void say_result(struct rep *r, const struct scanned *s)
{
    const struct {
        unsigned verdicts;
        enum rep_tone tone;
        enum jw_end end;
        const char *word, *says;
    } heads[] = {
        {failing(s), REP_BAD, JW_END_PARTLY, "failed", "Failed"}, /* of --check */
        {HAS_CODE, REP_GOOD, JW_END_DONE, "passed", "Passed"},
        {DOES_NOT_RUN, REP_BAD, JW_END_DONE,
         files_with(s, 1 << JW_VERDICT_NONE) ? "none" : "blocked",
         each_runs_in_part(s) ? "Runs in part" : "Does not run"},
        {COMPILES, REP_WARN, JW_END_DONE, "compiles", "Compiled at the first start or use"},
        {IS_UNKNOWN, REP_WARN, JW_END_PARTLY, "incomplete", "Incomplete"},
        {HAS_CODE, REP_GOOD, JW_END_DONE, "native", "Nothing has to be compiled"},
    };
    uint64_t unread = count_unread(s);
    uint64_t all = files_with(s, HAS_CODE) + unread;
    uint64_t n = 0;
    size_t i = s->args->check ? 0 : 2;

    if (!all) {
        rep_head_in(r, s->args->check ? REP_BAD : REP_PLAIN,
                    s->args->check || s->searched ? JW_END_PARTLY : JW_END_LISTED, "nothing",
                    "No CUDA code that a driver loads was found%s.",
                    s->searched ? " in the usual places: name a file or folder" : "");
        return;
    }
    while (!(n = files_with(s, heads[i].verdicts) + (heads[i].verdicts & IS_UNKNOWN ? unread : 0)))
        i++;
    const char *gpus = gpus_with(s, heads[i].verdicts);

    bool counts = heads[i].verdicts == COMPILES || heads[i].verdicts == (failing(s) | COMPILES);
    const char *amount = counts ? text_of_amount(s, s->rows, s->report.n_files, true) : NULL;

    rep_head_in(r, heads[i].tone, heads[i].end, heads[i].word, "%s: %s%s%s%s%s%s.", heads[i].says,
                n < all ? JW_PHRASE("%s of ", JW_NUM(n)) : "", JW_N(all, "file", "files"),
                *gpus ? ", on " : "", gpus, amount ? "; " : "", amount ? amount : "");
}

/* Was a GPU of this machine named, with whose driver scan is not concerned then? */
static bool has_named_gpu_here(const struct scanned *s)
{
    const struct jw_host_gpus *host = jw_session_gpus(&s->cli->session);

    for (size_t i = 0; host->driver && s->cli->shared.gpus.n && i < host->n; i++)
        if (jw_sms_have(&s->of.sms, host->gpus[i].sm))
            return true;
    return false;
}

static void say_notes(struct rep *r, const struct scanned *s)
{
    const char *first = NULL;
    uint64_t linked = files_of(s, JW_SELECTED_LINKED, &first);

    if (linked)
        rep_note(r, "The driver links %s at each start, which no cache keeps, the first: %s",
                 JW_N(linked, "file", "files"), first);
    first = NULL;
    for (size_t i = s->report.n_files; i-- > 0;)
        first = s->report.files[i].ptx_pieces ? s->report.files[i].path : first;
    jw_note_pieces(r, first);
    if (!s->of.driver && has_named_gpu_here(s))
        rep_note(r, "No driver is asked about; for the one here: --driver %s",
                 jw_session_gpus(&s->cli->session)->driver);
    if (!s->of.here && !s->cli->shared.gpus.n)
        rep_note(r, "No GPU is known here: this is about common ones (--gpu names one)");
    if (s->report.zips && !s->searched)
        rep_note(r, "not looked into: %s; name one to scan it",
                 JW_N(s->report.zips, ".zip file", ".zip files"));
    for (size_t i = 0; s->cli->shared.verbose && i < s->found.notes.n; i++)
        rep_note(r, "%s", s->found.notes.v[i]);
}

static enum jw_end end_of_skipped(const struct jw_scan_skipped *k)
{
    if (!k->named)
        return JW_END_PARTLY;
    return k->why == JW_SKIP_UNREADABLE ? JW_END_UNREAD : JW_END_REFUSED;
}

/* How it ended besides its verdict. A named file that cannot be read is an error; one in a folder
 * is listed, and the scan is partial. */
static enum jw_end end_of(const struct scanned *s)
{
    enum jw_end end = files_with(s, IS_UNKNOWN) ? JW_END_PARTLY : JW_END_NOTHING;

    for (size_t i = 0; i < s->report.n_files; i++)
        if (s->report.files[i].n_problems && s->report.files[i].named)
            end = jw_end_worse(end, JW_END_REFUSED);
    for (size_t i = 0; i < s->report.n_skipped; i++) {
        const struct jw_scan_skipped *k = &s->report.skipped[i];

        if (!s->searched || jw_may_hold_code(k->path))
            end = jw_end_worse(end, end_of_skipped(k));
    }
    return end;
}

static int report(struct scanned *s)
{
    struct rep *r = rep_open(s->cli, "scan");

    s->rows = jw_arena_alloc(s->a, (s->report.n_files + 1) * sizeof *s->rows);
    for (size_t i = 0; i < s->report.n_files; i++)
        s->rows[i] = row_of(s, &s->report.files[i]);
    if (!r->cli->shared.json)
        jw_sort(s->rows, s->report.n_files, sizeof *s->rows, by_worst);
    say_result(r, s);
    rep_begin(r, "scope");
    rep_texts(r, "gpus", NULL, s->of.names, s->of.sms.n);
    rep_fact(r, s->of.driver ? "driver" : NULL, "Driver", rep_text(s->of.driver));
    rep_end(r);
    if (r->cli->shared.json)
        list_verdicts(r, s);
    else
        show_table(r, s);
    for (size_t i = 0; s->cli->shared.verbose && i < s->report.n_files; i++) {
        const struct jw_scan_file *f = &s->report.files[i];
        struct jw_buf holds = JW_LINE(s->a);

        jw_holdings_say(&holds, f->rows, f->n_rows);
        if (f->n_rows)
            rep_say(r, REP_PLAIN, "Holds", "%s: %s, %s", f->path, f->format, jw_buf_cstr(&holds));
    }
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

static const struct example scan_examples[] = {
    {"jitwarm scan --gpu \"RTX 3070\" libggml-cuda.so",
     "does this library run on a GPU that is not here?"},
    {"jitwarm scan --gpu h100,sm_100 --check dist/*.whl",
     "the gate of a build, without a GPU: ends with 0 or 1"},
    {"jitwarm scan --gpu sm_86 --check --driver-files DIR libmy.so",
     "the same, and NVIDIA's driver in DIR compiles what has to be"},
    {"jitwarm scan", "the CUDA software of this machine, for its GPUs"},
    {0},
};

const struct cmd jw_cmd_scan = {
    .name = "scan",
    .summary = "show which GPUs a file's CUDA code runs on",
    .synopsis_args = "[PATH...]",
    .details =
        "Shows for each file and GPU what happens when a program loads its code. native: it runs; "
        "compiles: the driver compiles or links it, at a start or at its first use (prime does it "
        "before); blocked: the driver is too old for it; none: none of it runs on this GPU, and a "
        "program fails; ?: not known, as Why says; -: there is nothing to load. The cache is not "
        "looked at (status does).\n\nPATH may be a library, program, object, wheel, .fatbin, "
        ".cubin, .ptx, or a folder. Without PATH scan takes the CUDA software of this machine. Of "
        "more than 15 files those of a package or folder with the same verdicts are one row (-v: "
        "none).\n\n--check is a gate for builds: does each library run on each GPU? What cannot be "
        "read, is damaged, or of an unknown form fails.\n\nExit code with --check 1: a library "
        "fails, or there is no CUDA code; 2: a file cannot be read; 6: a file is damaged.",
    .examples = scan_examples,
    .opts = scan_opts,
    .order = "gpu check driver driver-files exclude json" JW_OF_ALL,
    .args_size = sizeof(struct scan_args),
    .positional_at = offsetof(struct scan_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = scan_run,
};

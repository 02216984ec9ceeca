/* Fits the report on one screen: writes it to a counter with shorter and shorter lists, then once to the output.
 * --verbose shows everything. */
#include "base/limits.h"
#include "base/text.h"
#include "verbs/prime_view.h"

#include <string.h>

enum {
    LABEL = 10,       /* columns of "Skipped   " */
    SCREEN_ROWS = 23, /* of 24: the shell's prompt wants one */
    LONGEST_LOG = 160 /* of the driver's words */
};

/* The number of lines of each kind. */
struct brief {
    size_t files, failures, misses, notes, advice;
};

struct showing {
    struct jw_page page;
    const struct prime_view *v;
    const struct jw_prime_report *r;
    struct jw_arena *arena;
    bool verbose;
    struct brief max;
    const struct prime_file *files;
    const struct prime_failure *failures;
    const struct prime_miss *misses;
    size_t n_files, n_failures, n_misses;
};

static void show_more(struct showing *t, size_t shown, size_t all)
{
    if (shown < all)
        jw_page_say(&t->page, TINT_NONE, "", "and %s more (--verbose lists all)", JW_NUM(all - shown));
}

/* ---- what went wrong ---- */

/* "libfoo.so (kernel a)" */
static void say_where(struct jw_buf *out, const struct jw_job *job, bool mangled)
{
    struct jw_buf kernels = JW_BUF(JW_MAX_LINE);

    if (job->state != JW_JOB_NO_ROOM)
        prime_say_kernel(&kernels, job, mangled);
    jw_say(out, kernels.n ? "%s (%s)" : "%s%s", prime_job_path(job), jw_buf_cstr(&kernels));
    jw_buf_free(&kernels);
}

/* Reads the next non-empty line of the driver's log; false: there is none. */
static bool next_words(const char **log, struct jw_buf *out)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    const char *at = *log ? *log + strspn(*log, " \t\r\n") : "";
    size_t n = strcspn(at, "\r\n");

    jw_buf_add(&line, at, n);
    jw_text_clean(out, jw_buf_cstr(&line));
    jw_buf_free(&line);
    *log = at + n;
    return n > 0;
}

static void say_first_words(struct jw_buf *out, const char *log)
{
    struct jw_buf words = JW_BUF(JW_MAX_LINE);

    if (next_words(&log, &words)) {
        size_t width = jw_text_width(jw_buf_cstr(&words));

        jw_say(out, ": ");
        jw_text_fit(out, jw_buf_cstr(&words), width < LONGEST_LOG ? width : LONGEST_LOG, false);
    }
    jw_buf_free(&words);
}

/* Lists every module of a kind, with the driver's log. */
static void show_each(struct showing *t, const struct prime_failure *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);
        const char *log = f->jobs[i]->log;

        jw_say(&text, "- ");
        say_where(&text, f->jobs[i], true);
        jw_page_line(&t->page, TINT_NONE, "", &text);
        while (next_words(&log, &text))
            jw_page_line(&t->page, TINT_NONE, "", &text);
        jw_buf_free(&text);
    }
}

static void show_failures(struct showing *t)
{
    size_t shown = t->n_failures < t->max.failures ? t->n_failures : t->max.failures;

    for (size_t i = 0; i < shown; i++) {
        const struct prime_failure *f = &t->failures[i];
        const struct jw_job *first = f->jobs[0];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "%s: ", JW_N(f->n, "module", "modules"));
        prime_say_failure(&text, first, f->n);
        if (!t->verbose) {
            jw_say(&text, f->n == 1 ? "; in " : "; the first is in ");
            say_where(&text, first, false);
            say_first_words(&text, first->log);
        }
        jw_page_line(&t->page, TINT_BAD, i ? "" : "Not warm", &text);
        if (t->verbose)
            show_each(t, f);
    }
    show_more(t, shown, t->n_failures);
}

static void show_misses(struct showing *t)
{
    size_t shown = t->n_misses < t->max.misses ? t->n_misses : t->max.misses;

    for (size_t i = 0; i < shown; i++) {
        const struct prime_miss *m = &t->misses[i];

        jw_page_say(&t->page, TINT_BAD, i ? "" : "Missing", "%s%s%s%s: %s%s%s", m->pass ? "in " : "",
                    m->pass ? t->r->verify.passes[m->pass].where : "", m->pass ? " " : "",
                    JW_N(m->jobs, "module", "modules"), m->cause ? m->cause : "for an unknown reason",
                    !m->first      ? ""
                    : m->jobs == 1 ? "; in "
                                   : "; the first is in ",
                    m->first ? prime_job_path(m->first) : "");
    }
    show_more(t, shown, t->n_misses);
}

static void show_texts(struct showing *t, enum jw_tint tint, const char *label, const char *const *list,
                       size_t n, size_t max)
{
    size_t shown = n < max ? n : max;

    jw_page_texts(&t->page, tint, label, list, shown);
    show_more(t, shown, n);
}

/* ---- the rest ---- */

/* Prints what keeps the plan from running. */
static void show_obstacle(struct showing *t)
{
    if (t->v->verb == PRIME_PLAN && t->r->counts[JW_JOB_TODO] && t->r->run->why)
        jw_page_say(&t->page, TINT_WARN, "But", "%s%s",
                    t->r->run->end == JW_END_CONSENT ? "prime asks before it begins: " : "", t->r->run->why);
}

/* Without PATH: how far the search went. */
static void show_covered(struct showing *t)
{
    if (t->r->places)
        jw_page_say(&t->page, TINT_STRONG, "Searched", "%s (jitwarm scan -v lists them)",
                    JW_N(t->r->places, "place", "places"));
}

static void show_left_out(struct showing *t)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (t->v->verb != PRIME_VERIFY)
        prime_say_left_out(&text, t->r);
    jw_page_line(&t->page, TINT_STRONG, "Skipped", &text);
}

static void show_cache(struct showing *t)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (t->r->cache.root)
        prime_say_cache(&text, t->v);
    jw_page_line(&t->page, prime_room_is_short(t->r) ? TINT_WARN : TINT_STRONG, "Cache", &text);
}

/* The first line says one of them already, where it ended the run. */
static void show_notes(struct showing *t)
{
    const struct jw_notes *notes = &t->r->run->notes;
    const char *why = t->r->run->why ? t->r->run->why : "";
    const char **rest = jw_arena_alloc(t->arena, (notes->n + 1) * sizeof *rest);
    size_t n = 0;

    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->v[i], why) != 0)
            rest[n++] = notes->v[i];
    show_texts(t, TINT_FAINT, "Note", rest, n, t->max.notes);
}

static void show_advice(struct showing *t)
{
    const struct jw_notes *advice = &t->r->run->advice;
    size_t shown = advice->n < t->max.advice ? advice->n : t->max.advice;

    jw_page_advice(&t->page, advice->v, shown);
    show_more(t, shown, advice->n);
}

/* "234.0 s when the driver compiled for it, 2.1 s when it did not": the last starts that were watched. */
static void show_starts(struct showing *t)
{
    const struct jw_prime_report *r = t->r;
    if (!t->v->command || !r->warm_milliseconds)
        return;
    double cold = (double)r->cold_milliseconds / 1000, warm = (double)r->warm_milliseconds / 1000;

    if (r->cold_milliseconds)
        jw_page_say(&t->page, TINT_STRONG, "Start", "first start %s, now %s", JW_TENTHS(cold),
                    JW_TENTHS(warm));
    else
        jw_page_say(&t->page, TINT_STRONG, "Start", "%s", JW_TENTHS(warm));
}

/* "python serve.py: all 17 modules are warm in /home/ada/.cache/sglang/nv" */
static void show_own(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_own; i++) {
        const struct jw_prime_own *o = &t->r->own[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, o->command);
        jw_say(&text, ": ");
        if (o->held && o->warmed)
            jw_say(&text, "warmed %s in %s", JW_N(o->warmed, "module", "modules"), o->root);
        else if (o->held)
            jw_say(&text, "%s warm in %s", JW_N(o->modules, "module is", "modules are"), o->root);
        else if (!o->modules && o->why)
            jw_say(&text, "%s", o->why);
        else
            jw_say(&text, "%s of %s warm in %s%s%s", JW_NUM(o->warm),
                   JW_N(o->modules, "module is", "modules are"), o->root, o->why ? "; " : "",
                   o->why ? o->why : "");
        jw_page_say(&t->page, o->held ? TINT_NONE : TINT_WARN, i ? "" : "Commands", "%s", jw_buf_cstr(&text));
        jw_buf_free(&text);
    }
}

static void show_sources(struct showing *t)
{
    for (size_t i = 0; i < t->v->sources.n; i++) {
        const struct jw_pack_source *s = &t->v->sources.v[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "%s: ", s->from);
        jw_pack_source_say(&text, s);
        jw_page_line(&t->page,
                     s->state == JW_SOURCE_GAVE      ? TINT_GOOD
                     : s->state == JW_SOURCE_NOTHING ? TINT_NONE
                                                     : TINT_WARN,
                     i ? "" : "Sources", &text);
        jw_buf_free(&text);
    }
}

static void show_stats(struct showing *t)
{
    if (t->v->stats)
        jw_page_say(
            &t->page, TINT_FAINT, "Stats", "%s with %s looked at; %llu ms, %llu of them compiling%s%s",
            JW_N(t->r->files, "file", "files"), JW_SIZE(t->r->bytes),
            (unsigned long long)t->r->run->milliseconds, (unsigned long long)t->r->compile_milliseconds,
            t->r->workers ? " with " : "", t->r->workers ? JW_N(t->r->workers, "worker", "workers") : "");
}

static void show_verdict(struct showing *t)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool proven = prime_say_verdict(&text, t->v);

    jw_page_sentence(&t->page, proven ? TINT_GOOD : t->r->verify.done ? TINT_BAD : TINT_WARN, &text);
}

/* ---- the page ---- */

static enum jw_tint tint_of_head(const struct prime_view *v)
{
    switch (v->report->run->end) {
    case JW_END_DONE:
    case JW_END_NOTHING: return TINT_STRONG;
    case JW_END_NO_GPU:
    case JW_END_CANNOT_WRITE:
    case JW_END_STOPPED: return TINT_BAD;
    default: return v->verb == PRIME_PLAN ? TINT_STRONG : TINT_WARN;
    }
}

static void show_page(struct showing *t)
{
    struct jw_buf head = JW_BUF(JW_MAX_LINE);

    prime_say_head(&head, t->v);
    jw_page_sentence(&t->page, tint_of_head(t->v), &head);
    if (t->v->verb == PRIME_PLAN || t->r->run->end == JW_END_CONSENT)
        prime_put_files(&t->page, t->arena, t->files, t->n_files, t->max.files);
    if (t->verbose)
        prime_put_jobs(&t->page, t->arena, t->r);
    show_failures(t);
    show_misses(t);
    show_texts(t, TINT_BAD, "Not read", t->r->unread, t->r->n_unread, t->max.failures);
    show_obstacle(t);
    show_sources(t);
    show_covered(t);
    show_left_out(t);
    if (!t->v->passing)
        show_cache(t);
    show_starts(t);
    show_own(t);
    show_notes(t);
    show_stats(t);
    show_verdict(t);
    jw_page_end(&t->page, t->r->driver.stamp);
    if (!t->v->passing)
        show_advice(t); /* the last line is the next command */
}

static bool fits_screen(const struct showing *t)
{
    struct jw_rows rows = { .line = JW_BUF(JW_MAX_LINE), .width = t->page.width };
    struct showing trial = *t;

    trial.page.to = jw_rows_sink(&rows);
    trial.page.paint = (struct jw_paint){ false };
    show_page(&trial);
    jw_buf_free(&rows.line);
    return rows.n <= SCREEN_ROWS;
}

static void choose_brief(struct showing *t)
{
    static const struct brief steps[] = {
        { 10, 6, 6, 6, 6 }, { 8, 4, 4, 3, 4 }, { 5, 3, 3, 2, 3 }, { 5, 2, 2, 1, 3 }, { 3, 1, 1, 1, 2 },
    };
    static const struct brief all = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX };

    t->max = all;
    for (size_t i = 0; !t->verbose && i < JW_COUNT(steps); i++) {
        t->max = steps[i];
        if (fits_screen(t))
            return;
    }
}

bool prime_write_text(struct cli *cli, const struct prime_view *v, struct jw_err *err)
{
    struct showing t = { .v = v, .r = v->report, .arena = cli->arena, .verbose = cli->common.verbose };

    jw_page_open(&t.page, cli, LABEL, err);
    prime_files(t.r, t.arena, &t.files, &t.n_files);
    prime_failures(t.v, t.arena, &t.failures, &t.n_failures);
    prime_misses(t.r, t.arena, &t.misses, &t.n_misses);
    choose_brief(&t);
    show_page(&t);
    return !t.page.bad;
}

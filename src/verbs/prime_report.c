/*
 * The report of prime and verify: one list of rows, which is their JSON and their text. The text fits on one screen: it is
 * counted with shorter and shorter lists, then printed; --verbose shows everything.
 */
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cli/page.h"
#include "facts/gpus.h"
#include "formats/kernel_name.h"
#include "prime/memory/receipts.h"
#include "prime/prime_rows.h"
#include "prime/report/job_groups.h"
#include "prime/report/job_words.h"
#include "verbs/prime.h"

#include <ctype.h>
#include <string.h>

enum {
    LABEL = 10,        /* columns of "Skipped   " */
    SCREEN_ROWS = 23,  /* of 24: the shell's prompt wants one */
    LONGEST_LOG = 160, /* of the driver's words */
    WORTH_SAYING_S = 5
};

#define R struct jw_prime_report
#define F struct jw_job_file
#define T struct page

/* The most lines of each kind. */
struct brief {
    size_t files, failures, misses, notes, advice;
};

/* The report, and what is made of it. Each part has its rows beside what computes it (prime_rows.h). */
struct page {
    R r;
    struct prime_view v; /* its report is r */
    uint64_t ptx_bytes, warm;
    F *files;
    struct jw_job_failure *failures;
    struct jw_job_miss *misses;
    size_t n_files, n_failures, n_misses;
    bool verified, profiled;
    struct jw_next_start_answer next_start;
    struct brief max; /* of the text */
};

/* ---- its sentences: the first one, and whether it was proven ---- */

/* "the one module", "both modules", "all 143 modules" */
static struct jw_words all_words(uint64_t n)
{
    return n == 1   ? jw_phrase("the one module")
           : n == 2 ? jw_phrase("both modules")
                    : jw_phrase("all %s modules", JW_NUM(n));
}

/* ---- for whom ---- */

static bool same_gpu(const struct jw_device *a, const struct jw_device *b)
{
    return a->sm == b->sm && strcmp(a->name, b->name) == 0;
}

/* Counts equal chosen GPUs; 0 if an earlier one counted them. */
static size_t likes(const struct jw_prime_report *r, size_t gpu)
{
    size_t n = 0;

    for (size_t i = 0; i < r->driver.n_gpus; i++) {
        if (!r->driver.gpus[i].chosen || !same_gpu(&r->driver.gpus[i], &r->driver.gpus[gpu]))
            continue;
        if (i < gpu)
            return 0;
        n++;
    }
    return n;
}

/* " for NVIDIA GeForce RTX 3070 (sm_86), driver 580.126.09", " for sm_89 and sm_120, which are not here, by ..." */
static void say_for_some(struct jw_buf *out, const struct jw_prime_report *r, bool hidden)
{
    const char *before = r->n_absent_gpus ? " " : " for ";

    for (size_t i = 0; i < r->n_absent_gpus; i++)
        jw_say(out, "%s%ssm_%u", i ? "" : " for ", jw_text_between(i, r->n_absent_gpus), r->absent_gpus[i]);
    if (r->n_absent_gpus)
        jw_say(out, ", which %s not here, by", r->n_absent_gpus == 1 ? "is" : "are");
    for (size_t i = 0; i < r->driver.n_gpus; i++) {
        const struct jw_device *gpu = &r->driver.gpus[i];
        size_t n = gpu->chosen && (hidden || !gpu->hidden) ? likes(r, i) : 0;

        if (!n)
            continue;
        jw_say(out, "%s%s", before, n > 1 ? JW_PHRASE("%zu x ", n) : "");
        jw_gpu_say(out, gpu->name, gpu->sm);
        before = ", ";
    }
    if (r->driver.version)
        jw_say(out, "%sdriver %s", before, r->driver.version); /* a receipt names no GPU */
}

static void say_for(struct jw_buf *out, const struct jw_prime_report *r)
{
    say_for_some(out, r, true);
}

/* ---- the first line ---- */

/* "All 4 modules need a newer driver, 570 or later: none can be loaded for ..." */
static bool say_blocked(struct jw_buf *out, const struct jw_prime_report *r)
{
    uint64_t n = r->left_out[JW_OUT_IS_BLOCKED].modules;
    struct jw_words all = all_words(n);

    if (r->n_jobs || !n || r->run->end != JW_END_PARTLY)
        return false;
    all.text[0] = (char)toupper(all.text[0]);
    jw_say(out, "%s need%s a newer driver%s%s%s: programs cannot load %s here", all.text, n == 1 ? "s" : "",
           *r->needs_driver ? ", " : "", r->needs_driver, *r->needs_driver ? " or later" : "",
           n == 1 ? "it" : "them");
    return true;
}

static void say_why(struct jw_buf *out, const char *before, const char *why, const char *otherwise)
{
    jw_say(out, "%s: %s", before, why ? why : otherwise);
}

/* Says the result for commands that chose their own caches. False: there is more to say about other
 * software. */
static bool say_own(struct jw_buf *out, const struct jw_prime_report *r)
{
    bool verified = true;
    uint64_t all = 0, warm = 0, warmed = 0, others = jw_prime_warm(r);
    bool held = true;

    for (size_t i = 0; i < r->n_recorded; i++) {
        all += r->recorded[i].modules;
        warm += r->recorded[i].warm;
        warmed += r->recorded[i].warmed;
        held &= r->recorded[i].held;
        verified &= r->recorded[i].verified;
    }
    if (!r->n_recorded || (held && !warmed && others))
        return false;
    if (!held && warm == all)
        jw_say(out, "It is not known what is warm");
    else if (!held)
        jw_next_start_say(out, &(struct jw_next_start_facts){ .modules = all, .warm = warm });
    else if (verified && !warmed)
        jw_say(out, "Loaded %s", JW_N(all, "module", "modules"));
    else
        jw_say(out, warmed ? "Warmed %s" : "Nothing to do: %s %s warm",
               warmed ? JW_N(warmed, "module", "modules") : all_words(all).text, all == 1 ? "is" : "are");
    jw_say(out, " in caches that recorded commands chose");
    if (others)
        jw_say(out, "; %s of other software %s warm", all_words(others).text, others == 1 ? "is" : "are");
    return true;
}

/* The software that a receipt answers for. */
static const char *asked_words(const struct jw_prime_report *r)
{
    return r->named      ? "nothing in what was named has changed since the last run"
           : r->searched ? "nothing known has changed since the last run, and no new software was found"
                         : "nothing known has changed since the last run (new software was not searched for)";
}

/* Nothing was found that says what starts compile. False: something was, or the run ended before it looked. */
static bool say_not_known(struct jw_buf *out, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);

    if (f.modules || r->run->why || !(r->found_nothing || r->gone))
        return false;
    if (r->import_gone)
        jw_say(out, "No CUDA code was found here, and %s", r->import_gone);
    else
        jw_say(out, "Not known what starts compile: %s", f.unasked);
    return true;
}

/* Imported entries are known to be in the cache; the programs that load them are not known. */
static void say_imported(struct jw_buf *out, const struct jw_prime_report *r, const char *remark)
{
    if (r->imported && !r->import_gone)
        jw_say(out, "; %s %s in the cache%s", JW_N(r->imported, "imported module", "imported modules"),
               r->imported == 1 ? "is" : "are", remark);
}

static void say_nothing_to_do(struct jw_buf *out, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);

    if (say_own(out, r) || say_not_known(out, r))
        return;
    if (r->run->why) {
        say_why(out, "Nothing was done", r->run->why, "");
        return;
    }
    jw_say(out, "Nothing to do: ");
    jw_next_start_say(out, &f);
    say_for(out, r);
    say_imported(out, r, "");
    if (r->receipt)
        jw_say(out, "; %s", asked_words(r));
}

static void say_planned(struct jw_buf *out, const struct jw_prime_report *r)
{
    uint64_t ptx = 0;

    for (size_t i = 0; i < r->n_jobs; i++)
        ptx += r->jobs[i].state == JW_JOB_TODO ? r->jobs[i].module.ptx_bytes : 0;
    if (r->counts[JW_JOB_NO_ROOM])
        jw_job_say_part(out, r->counts[JW_JOB_TODO], r->counts[JW_JOB_TODO] + r->counts[JW_JOB_NO_ROOM]);
    else
        jw_say(out, "%s", JW_N(r->counts[JW_JOB_TODO], "module", "modules"));
    jw_say(out, " would be compiled");
    say_for(out, r);
    jw_say(out, ": %s of PTX, %s%s", JW_SIZE(ptx), r->seconds < 1 ? "" : "about ", JW_DURATION(r->seconds));
    if (r->workers)
        jw_say(out, " with %s", JW_N(r->workers, "worker", "workers"));
    if (r->seconds >= WORTH_SAYING_S)
        jw_say(out, ", longer on a busy machine");
    if (r->longest_seconds >= WORTH_SAYING_S)
        jw_say(out, "; one module needs %s of it: more workers do not help", JW_DURATION(r->longest_seconds));
    if (r->counts[JW_JOB_WARM])
        jw_say(out, "; %s warm already", JW_N(r->counts[JW_JOB_WARM], "more is", "more are"));
    if (r->counts[JW_JOB_NO_ROOM])
        jw_say(out, "; there is no room for the rest");
}

static void say_done(struct jw_buf *out, const struct jw_prime_report *r)
{
    jw_say(out, "Warmed %s", JW_N(r->counts[JW_JOB_WARMED], "module", "modules"));
    say_for(out, r);
    jw_say(out, ", in %s", JW_TOOK((double)r->run->milliseconds / 1000));
    if (r->counts[JW_JOB_WARM])
        jw_say(out, "; %s warm already", JW_N(r->counts[JW_JOB_WARM], "more was", "more were"));
}

/* "93 of 143 modules are warm for ..." */
static void say_state(struct jw_buf *out, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);

    jw_next_start_say(out, &f);
    say_for(out, r);
}

/* "All 143 modules are warm for ..., but 1 file could not be read" */
static void say_partly(struct jw_buf *out, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);
    size_t first = out->n;

    if (r->import_gone && say_not_known(out, r))
        return;
    if (f.warm < f.modules) {
        jw_say(out, "Not all: ");
    } else if (r->counts[JW_JOB_WARMED]) {
        jw_say(out, "Warmed %s", all_words(r->n_jobs).text);
        say_for(out, r);
    }
    if (first == out->n || f.warm < f.modules)
        say_state(out, r);
    if (out->n > first)
        out->p[first] = (uint8_t)toupper(out->p[first]);
    if (f.warm == f.modules && !jw_next_start_say_rest(out, ", but ", &f))
        jw_say(out, ", but not all could be verified");
}

static void say_unfinished(struct jw_buf *out, const struct jw_prime_report *r, const char *what)
{
    jw_say(out, "%s: ", what);
    if (!r->n_jobs) {
        jw_say(out, "nothing was compiled yet");
        return;
    }
    say_state(out, r);
    jw_say(out, "; %s", r->next_limit ? r->run->why : "the next run continues from there");
}

static void say_cannot_write(struct jw_buf *out, const struct jw_prime_report *r)
{
    bool some = r->counts[JW_JOB_WARMED] > 0;

    say_why(out, some ? "Stopped" : "Nothing was compiled", r->run->why, "the cache cannot be written");
    if (some) {
        jw_say(out, "; ");
        say_state(out, r);
    }
}

static void say_prime_head(struct jw_buf *out, const struct jw_prime_report *r)
{
    switch (r->run->end) {
    case JW_END_DONE: say_done(out, r); break;
    case JW_END_NOTHING: say_nothing_to_do(out, r); break;
    case JW_END_PARTLY: say_partly(out, r); break;
    case JW_END_NO_GPU:
        if (r->counts[JW_JOB_WARMED])
            jw_say(out, "Warmed %s, and could not verify %s",
                   JW_N(r->counts[JW_JOB_WARMED], "module", "modules"),
                   r->counts[JW_JOB_WARMED] == 1 ? "it" : "them");
        say_why(out, r->counts[JW_JOB_WARMED] ? "" : "Nothing was compiled", r->run->why,
                "there is no usable NVIDIA GPU");
        break;
    case JW_END_CANNOT_WRITE: say_cannot_write(out, r); break;
    case JW_END_CONSENT: say_why(out, "Nothing was compiled yet", r->run->why, "confirm with --yes"); break;
    case JW_END_BUSY:
        say_why(out, "Nothing was done", r->run->why, "another jitwarm is using this cache");
        break;
    case JW_END_TIME: say_unfinished(out, r, "The time is up"); break;
    case JW_END_INTERRUPTED: say_unfinished(out, r, "Interrupted"); break;
    case JW_END_STOPPED: say_why(out, "Nothing was done", r->run->why, "the settings make it useless"); break;
    case JW_END_WAITING: say_why(out, "Waiting", r->run->why, "for a better moment"); break;
    default: break;
    }
}

static void say_plan_head(struct jw_buf *out, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts f = jw_prime_facts(r);

    if (r->counts[JW_JOB_TODO])
        say_planned(out, r);
    else if (r->n_jobs > jw_prime_warm(r))
        say_state(out, r);
    else if (r->run->end == JW_END_PARTLY && !r->n_recorded && jw_next_start_of(&f) != JW_NEXT_START_WARM)
        say_partly(out, r);
    else if (r->run->end == JW_END_DONE || r->run->end == JW_END_NOTHING || r->run->end == JW_END_PARTLY)
        say_nothing_to_do(out, r);
    else if (r->run->end == JW_END_INTERRUPTED)
        jw_say(out, "Interrupted: there is no plan yet");
    else
        say_why(out, "There is no plan", r->run->why, "nothing is known of a GPU here");
}

/* The modules that were loaded are one thing; another is what recorded commands load beside them, and what the cache
 * keeps. */
static void say_recorded_beside(struct jw_buf *out, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts all = jw_prime_facts(r), f = {
        .asked = all.asked,
        .lost = all.lost,
        .imported = all.imported,
        .commands = all.commands,
        .login = all.login,
        .obstacle = r->verify.done && r->verify.passes[0].hits ? all.obstacle : NULL,
        .lacking = r->verify.done ? NULL : all.lacking,
        .doubtful = all.doubtful,
        .lto = all.lto,
        .stored = all.stored,
        .limit = all.limit,
        .unasked = all.modules ? r->gone : NULL
    };

    (void)jw_next_start_say_rest(out, ", but ", &f);
}

static void say_verify_head(struct jw_buf *out, const struct jw_prime_report *r)
{
    if (r->run->end == JW_END_INTERRUPTED) {
        jw_say(out, "Interrupted: nothing is verified");
    } else if (r->verify.done) {
        const struct jw_verify_pass none = { 0 }, *p = r->verify.n_passes ? r->verify.passes : &none;
        uint64_t all = p->hits + p->misses + p->failed;

        if (p->hits == all && all)
            jw_say(out, "Loaded %s", JW_N(all, "module", "modules"));
        else if (!p->hits && r->counts[JW_JOB_HIDDEN] && jw_prime_warm(r))
            jw_say(out, "%s of %s are warm", JW_NUM(jw_prime_warm(r)), JW_N(r->n_jobs, "module", "modules"));
        else if (p->hits)
            jw_say(out, "Found %s of %s in the cache", JW_NUM(p->hits), JW_N(all, "module", "modules"));
        else
            jw_say(out, "Nothing is warm");
        say_for_some(out, r, p->hits < all || !all);
        if (p->loaded)
            jw_say(out, ", in %s", JW_TOOK((double)r->run->milliseconds / 1000));
        if (jw_failing_link(&r->verify))
            jw_say(out, ", but programs that link %s fail at their start", p->loaded == 1 ? "it" : "them");
        say_recorded_beside(out, r);
        say_imported(out, r, r->imported == 1 ? ", and was not loaded" : ", and were not loaded");
    } else if (r->run->why) {
        say_why(out, "Nothing was verified", r->run->why, "");
    } else if (!say_own(out, r) && !say_not_known(out, r)) {
        const struct jw_next_start_facts f = jw_prime_facts(r);

        jw_say(out, "Nothing to verify");
        if (jw_next_start_of(&f) == JW_NEXT_START_WARM) {
            jw_say(out, ": ");
            jw_next_start_say(out, &f);
        } else if (!r->named)
            jw_say(out, " of what was found here");
        say_for(out, r);
        say_recorded_beside(out, r);
        say_imported(out, r, r->imported == 1 ? ", and was not loaded" : ", and were not loaded");
    }
}

static void say_nothing_compiled(struct jw_buf *out, const struct jw_command_seen *s)
{
    if (!s->links)
        jw_say(out, "the driver compiled nothing for it, in ");
    else if (s->link_milliseconds)
        jw_say(out, "links while it starts (%s), compiles nothing; it ended after ",
               JW_TENTHS((double)s->link_milliseconds / 1000));
    else
        jw_say(out, "links while it starts (how long was not measured), compiles nothing; it ended after ");
}

/* "python x.py: the driver compiled 17 modules for it (3.2 MiB), in 12 s; exit code 1" */
static void say_run_head(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;
    const struct jw_command_seen *s = &r->seen;

    jw_say(out, "%s: ", v->command);
    if (s->answer == JW_WITNESS_UNKNOWN)
        jw_say(out, "not known whether the driver compiled for it");
    else if (s->answer == JW_WITNESS_NOTHING)
        say_nothing_compiled(out, s);
    else if (s->nowhere)
        jw_say(out, "the driver compiled for it and kept nothing (%s), in ", s->nowhere);
    else
        jw_say(out, "the driver compiled %s for it (%s), in ", JW_N(s->entries, "module", "modules"),
               JW_SIZE(s->bytes));
    if (s->answer != JW_WITNESS_UNKNOWN)
        jw_say(out, "%s", JW_TOOK((double)r->run_milliseconds / 1000));
    if (s->why)
        jw_say(out, ": %s", s->why);
    if (r->run_code)
        jw_say(out, "; exit code %d", r->run_code);
}

static bool has_recorded(const struct jw_prime_report *r)
{
    return r->profile_entries || r->profile_files;
}

/* "1 entry of the driver's cache and 2 files of other caches" */
static void say_recorded(struct jw_buf *out, const struct jw_prime_report *r)
{
    if (r->profile_entries)
        jw_say(out, "%s of the driver's cache", JW_N(r->profile_entries, "entry", "entries"));
    if (r->profile_files)
        jw_say(out, "%s%s of other caches", r->profile_entries ? " and " : "",
               JW_N(r->profile_files, "file", "files"));
}

/* "Nothing was recorded of python x.py: it ended with exit code 1 before it loaded a module" */
static void say_unlearned_head(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;
    const struct jw_command_seen *s = &r->seen;
    bool any = has_recorded(r);

    jw_say(out, any ? "%s: recorded " : "Nothing was recorded of %s", v->command);
    say_recorded(out, r);
    jw_say(out, any ? "; " : ": ");
    if (r->run_code)
        jw_say(out, "it ended with exit code %d before it loaded a module", r->run_code);
    else if (r->run->end == JW_END_DONE || r->profile_known || r->recorded_every)
        jw_say(out, "it loads no module that jitwarm could compile");
    else if (s->nowhere)
        jw_say(out, "it has the driver keep nothing (%s), so every start compiles", s->nowhere);
    else
        jw_say(out, "%s", s->why ? s->why : r->run->why ? r->run->why : "it loaded no module");
}

/* "python x.py loads 17 modules, and all of them are warm for ..." */
static void say_learned_head(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;

    jw_say(out, "%s loads %s", v->command, JW_N(r->profile_modules, "module", "modules"));
    if (r->profile_shared)
        jw_say(out,
               " (recorded from 1 run), and %s %s a kernel with %s, which another start may load instead: "
               "all are warm",
               JW_N(r->profile_shared, "more module", "more modules"),
               r->profile_shared == 1 ? "shares" : "share", r->profile_modules == 1 ? "it" : "them");
    else if (r->profile_modules)
        jw_say(out, r->profile_modules == 1 ? ", which is warm" : ", and all of them are warm");
    if (r->profile_modules)
        say_for(out, r);
    else
        jw_say(out, " that the driver would compile: there is nothing to warm");
}

/* If no module has code for the GPU, nothing compiles, and nothing runs. */
static bool say_lacking(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_next_start_facts f = jw_prime_facts(v->report);

    uint64_t others = f.modules;

    for (size_t i = 0; i < JW_LEFT_OUT; i++)
        others += i == JW_OUT_IS_NOTHING ? 0 : v->report->left_out[i].modules;
    if (!f.lacking || others || jw_next_start_of(&f) != JW_NEXT_START_UNKNOWN)
        return false;
    jw_say(out, "Nothing runs here");
    say_for(out, v->report);
    jw_say(out, ": ");
    return jw_next_start_say_why(out, &f);
}

static bool is_learned(const struct prime_view *v)
{
    return v->verb == PRIME_PRIME && v->command && v->report->profile_known
           && (v->report->run->end == JW_END_DONE || v->report->run->end == JW_END_NOTHING);
}

/* True if there is nothing to say about the command's modules: only its use of other caches was recorded, or
 * nothing was. */
static bool is_unlearned(const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;

    if (is_learned(v))
        return !r->profile_modules && has_recorded(r);
    return v->verb == PRIME_PRIME && v->command && !r->profile_known
           && (r->run->end == JW_END_PARTLY || r->run->end == JW_END_DONE);
}

void prime_say_head(struct jw_buf *out, const struct prime_view *v)
{
    if (is_unlearned(v)) {
        say_unlearned_head(out, v);
        return;
    }
    if (is_learned(v)) {
        say_learned_head(out, v);
        return;
    }
    if (say_blocked(out, v->report) || say_lacking(out, v))
        return;
    if (v->verb == PRIME_VERIFY && v->command
        && (v->report->run->end == JW_END_DONE || v->report->run->end == JW_END_PARTLY))
        say_run_head(out, v);
    else if (v->verb == PRIME_PLAN)
        say_plan_head(out, v->report);
    else if (v->verb == PRIME_VERIFY)
        say_verify_head(out, v->report);
    else
        say_prime_head(out, v->report);
}

/* Says why a verification still ends with exit code 1, where its first line does not. */
static bool say_but(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_next_start_facts f = jw_prime_facts(v->report);

    return v->verb == PRIME_VERIFY && jw_next_start_say_rest(out, ", but ", &f);
}

/* Says the proof if all that was verified are commands with caches of their own. */
static bool say_own_proof(struct jw_buf *out, const struct jw_prime_report *r)
{
    struct jw_prime_starts starts = { .n = r->n_recorded, .alone = true };
    uint64_t modules = 0;
    bool verified = starts.n > 0, held = verified;

    for (size_t i = 0; i < r->n_recorded; i++) {
        const struct jw_recorded_command *c = &r->recorded[i];

        modules += c->modules;
        starts.last = c->when > starts.last ? c->when : starts.last;
        verified &= c->verified;
        held &= c->held;
    }
    if (!held || jw_prime_warm(r))
        return false;
    if (!verified) {
        jw_say(out, "not verified; jitwarm verify --run, with the words of a command, asks the program");
        return false;
    }
    jw_say(out, "verified: fresh processes loaded ");
    jw_starts_say(out, modules, &starts);
    jw_say(out, " from the caches that recorded commands chose, and compiled nothing");
    return true;
}

/* "verified: ..." or "not verified: ..."; nothing if there is nothing to verify. True: verified. */
static bool say_verdict(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;

    /* If verify could not start, its first line says so. */
    if (v->verb == PRIME_PLAN || (v->verb == PRIME_VERIFY && !r->verify.done))
        return v->verb == PRIME_VERIFY && say_own_proof(out, r) && !say_but(out, v);
    if (r->verify.done)
        return jw_verify_say(out, &r->verify, jw_prime_warm(r), &r->starts) && !say_but(out, v);
    if (r->verify.why) {
        jw_say(out, "not verified: %s", r->verify.why);
    } else if (r->receipt && jw_prime_warm(r)
               && (r->run->end == JW_END_NOTHING || r->run->end == JW_END_PARTLY)) {
        jw_say(out, "verified before; the entries' bytes were not read again");
        if (r->link_milliseconds)
            jw_say(out, "; programs link while they start (%s)",
                   JW_TENTHS((double)r->link_milliseconds / 1000));
        return true;
    } else if (jw_prime_warm(r)
               && (r->run->end == JW_END_DONE || r->run->end == JW_END_NOTHING
                   || r->run->end == JW_END_PARTLY)) {
        jw_say(out, "not verified; jitwarm verify does it");
    }
    return false;
}

/* ---- tables ---- */

static void cell_time(struct jw_table *t, double seconds)
{
    jw_table_cell(t, TINT_NONE, seconds > 0 ? JW_TENTHS(seconds) : "-");
}

/* The bytes that a module adds to the cache; a warm one adds none. */
static void cell_room(struct jw_table *t, uint64_t bytes)
{
    if (bytes)
        jw_table_cell_bytes(t, bytes);
    else
        jw_table_cell(t, TINT_NONE, "-");
}

/* Adds a column for packages if there are any. */
static size_t columns_for(const F *files, size_t n)
{
    enum { WITHOUT = 6, WITH = 7 };

    for (size_t i = 0; i < n; i++)
        if (files[i].package)
            return WITH;
    return WITHOUT;
}

static void show_files(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = { { "MODULES", COLUMN_RIGHT },  { "PTX", COLUMN_RIGHT },
                                                { "CPU TIME", COLUMN_RIGHT }, { "CACHE", COLUMN_RIGHT },
                                                { "WARM", COLUMN_RIGHT },     { "FILE", COLUMN_PATH },
                                                { "PACKAGE", COLUMN_LEFT } };
    const T *t = of;
    size_t n_columns = columns_for(t->files, t->n_files);
    size_t shown = t->n_files < t->max.files ? t->n_files : t->max.files;
    struct jw_table table;

    if (!shown || (t->v.verb != PRIME_PLAN && t->r.run->end != JW_END_CONSENT))
        return;
    jw_page_put(p, "\n");
    jw_table_begin(&table, p->arena, columns, n_columns);
    for (size_t i = 0; i < shown; i++) {
        const F *f = &t->files[i];

        jw_table_cell_count(&table, f->modules);
        jw_table_cell_bytes(&table, f->ptx_bytes);
        cell_time(&table, f->seconds);
        cell_room(&table, f->cache_bytes);
        jw_table_cell_count(&table, f->warm);
        jw_table_cell(&table, TINT_NONE, f->path);
        if (n_columns == JW_COUNT(columns))
            jw_table_cell(&table, TINT_NONE, f->package ? f->package : "-");
    }
    jw_page_table(p, &table);
    jw_page_more(p, NULL, shown, t->n_files, "more file", "more files");
    jw_page_put(p, "\n");
}

static enum jw_tint job_tint(const struct jw_job *job)
{
    if (job->state == JW_JOB_WARMED)
        return TINT_GOOD;
    return job->state == JW_JOB_WARM || job->state == JW_JOB_TODO ? TINT_NONE : TINT_BAD;
}

static void show_jobs(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = { { "STATE", COLUMN_LEFT },  { "GPU", COLUMN_LEFT },
                                                { "PTX", COLUMN_RIGHT },   { "TIME", COLUMN_RIGHT },
                                                { "CACHE", COLUMN_RIGHT }, { "FILE", COLUMN_PATH } };
    const R *r = &((const T *)of)->r;
    struct jw_table table;

    if (!p->verbose || !r->n_jobs)
        return;
    jw_table_begin(&table, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct jw_job *job = &r->jobs[i];

        jw_table_cell(&table, job_tint(job), jw_outcome_names[job->state]);
        jw_table_cellf(&table, TINT_NONE, "sm_%u", job->sm);
        jw_table_cell_bytes(&table, job->module.ptx_bytes);
        cell_time(&table, job->state == JW_JOB_TODO ? job->seconds : job->milliseconds / 1000.0);
        jw_table_cell_bytes(&table, job->entry_bytes ? job->entry_bytes : job->cache_bytes);
        jw_table_cell(&table, TINT_NONE, jw_job_path(job));
    }
    jw_page_table(p, &table);
    jw_page_put(p, "\n");
}

static void show_texts(struct jw_page *p, enum jw_tint tint, const char *label, const char *const *list,
                       size_t n, size_t max)
{
    size_t shown = n < max ? n : max;

    jw_page_texts(p, tint, label, list, shown);
    jw_page_more(p, "", shown, n, "more", "more");
}

/* ---- what went wrong ---- */

/* "kernel a", or nothing; its plain or mangled name. */
static void say_kernel(struct jw_buf *out, const struct jw_job *job, bool mangled)
{
    if (!job->module.kernel || !*job->module.kernel)
        return;
    jw_buf_text(out, "kernel ");
    (mangled ? jw_text_clean : jw_kernel_plain)(out, job->module.kernel);
}

/* "libfoo.so (kernel a)" */
static void say_where(struct jw_buf *out, const struct jw_job *job, bool mangled)
{
    struct jw_buf kernels = JW_BUF(JW_MAX_LINE);

    if (job->state != JW_JOB_NO_ROOM)
        say_kernel(&kernels, job, mangled);
    jw_say(out, kernels.n ? "%s (%s)" : "%s%s", jw_job_path(job), jw_buf_cstr(&kernels));
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
        jw_text_fit(out, jw_buf_cstr(&words), width < LONGEST_LOG ? width : LONGEST_LOG);
    }
    jw_buf_free(&words);
}

/* Lists every module of a kind, with the driver's log. */
static void show_each(struct jw_page *p, const struct jw_job_failure *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct jw_buf text = JW_LINE(p->arena);
        const char *log = f->jobs[i]->log;

        jw_say(&text, "- ");
        say_where(&text, f->jobs[i], true);
        jw_page_line(p, TINT_NONE, "", &text);
        while (next_words(&log, &text))
            jw_page_line(p, TINT_NONE, "", &text);
    }
}

/* "3 modules: the driver refused them: CUDA_ERROR_INVALID_PTX (218)" */
static void say_failure(struct jw_buf *out, const struct jw_job_failure *f)
{
    jw_say(out, "%s: ", JW_N(f->n, "module", "modules"));
    jw_job_say_failure(out, f->jobs[0], f->n);
}

static void show_failures(struct jw_page *p, const void *of)
{
    const T *t = of;
    size_t shown = t->n_failures < t->max.failures ? t->n_failures : t->max.failures;

    for (size_t i = 0; i < shown; i++) {
        const struct jw_job_failure *f = &t->failures[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        say_failure(&text, f);
        if (!p->verbose) {
            jw_say(&text, f->n == 1 ? "; in " : "; the first is in ");
            say_where(&text, f->jobs[0], false);
            say_first_words(&text, f->jobs[0]->log);
        }
        jw_page_line(p, TINT_BAD, i ? "" : "Not warm", &text);
        if (p->verbose)
            show_each(p, f);
    }
    jw_page_more(p, "", shown, t->n_failures, "more", "more");
}

static void show_misses(struct jw_page *p, const void *of)
{
    const T *t = of;
    size_t shown = t->n_misses < t->max.misses ? t->n_misses : t->max.misses;

    for (size_t i = 0; i < shown; i++) {
        const struct jw_job_miss *m = &t->misses[i];

        jw_page_say(p, TINT_BAD, i ? "" : "Missing", "%s%s%s%s: %s%s%s", m->pass ? "in " : "",
                    m->pass ? t->r.verify.passes[m->pass].where : "", m->pass ? " " : "",
                    JW_N(m->jobs, "module", "modules"), m->cause ? m->cause : "for an unknown reason",
                    !m->first      ? ""
                    : m->jobs == 1 ? "; in "
                                   : "; the first is in ",
                    m->first ? jw_job_path(m->first) : "");
    }
    jw_page_more(p, "", shown, t->n_misses, "more", "more");
}

static void show_unread(struct jw_page *p, const void *of)
{
    const T *t = of;

    show_texts(p, TINT_BAD, "Not read", t->r.unread, t->r.n_unread, t->max.failures);
}

/* Prints why the plan cannot run. */
static void show_obstacle(struct jw_page *p, const void *of)
{
    const T *t = of;

    if (t->v.verb == PRIME_PLAN && t->r.counts[JW_JOB_TODO] && t->r.run->why)
        jw_page_say(p, TINT_WARN, "But", "%s%s",
                    t->r.run->end == JW_END_CONSENT ? "prime asks before it begins: " : "", t->r.run->why);
}

/* ---- where the modules come from ---- */

static void show_sources(struct jw_page *p, const void *of)
{
    const T *t = of;

    for (size_t i = 0; i < t->v.sources.n; i++) {
        const struct jw_pack_source *s = &t->v.sources.v[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "%s: ", s->from);
        jw_pack_source_say(&text, s);
        jw_page_line(p,
                     s->state == JW_SOURCE_GAVE      ? TINT_GOOD
                     : s->state == JW_SOURCE_NOTHING ? TINT_NONE
                                                     : TINT_WARN,
                     i ? "" : "Sources", &text);
    }
}

/* Without PATH: how far the search went. */
static void show_searched(struct jw_page *p, const void *of)
{
    const R *r = of;

    if (r->places || r->places_left)
        jw_page_say(p, TINT_STRONG, "Searched", "%s%s (%s lists them)", JW_N(r->places, "place", "places"),
                    r->places_left ? JW_PHRASE(", not %s", JW_N(r->places_left, "other", "others")) : "",
                    r->places_line);
}

/* Modules that --all would add come last, so --all is named once. */
static const struct {
    enum jw_left_out reason;
    const char *one, *many;
} reasons[] = {
    { JW_OUT_IS_NATIVE, "runs natively", "run natively" },
    { JW_OUT_IS_RDC, "is for the device linker", "are for the device linker" },
    { JW_OUT_IS_BLOCKED, "needs a newer driver", "need a newer driver" },
    { JW_OUT_IS_NOTHING, "is for other GPUs only", "are for other GPUs only" },
    { JW_OUT_IS_UNUSED, "is not in the profile", "are not in the profile" },
    { JW_OUT_IS_DOUBTFUL, "is damaged, or of a form that must not reach a driver",
      "are damaged, or of a form that must not reach a driver" },
    { JW_OUT_IS_LAZY, "is loaded on demand only", "are loaded on demand only" },
    { JW_OUT_IS_MADE, "is PTX in pieces, which its program puts together: only --run finds what it compiles",
      "are PTX in pieces, which their programs put together: only --run finds what they compile" },
    { JW_OUT_IS_TEST, "is of a package's own tests", "are of packages' own tests" },
    { JW_OUT_IS_LTO, "is link-time code (LTO): whether the driver compiles it is not known",
      "are link-time code (LTO): whether the driver compiles them is not known" },
    { JW_OUT_IS_VENDOR, "is in a library of NVIDIA's own", "are in NVIDIA's own libraries" },
};

_Static_assert(JW_COUNT(reasons) == JW_LEFT_OUT, "every reason has words");

static void say_left_out(struct jw_buf *out, const R *r)
{
    uint64_t lazy = r->left_out[JW_OUT_IS_LAZY].modules,
             vendor = r->on_use ? 0 : r->left_out[JW_OUT_IS_VENDOR].modules,
             tests = r->left_out[JW_OUT_IS_TEST].modules, all = lazy + vendor + tests;
    bool first = true;

    for (size_t i = 0; i < JW_COUNT(reasons); i++) {
        uint64_t n = reasons[i].reason == JW_OUT_IS_VENDOR ? vendor : r->left_out[reasons[i].reason].modules;

        if (!n)
            continue;
        jw_say(out, first ? "%s%s %s" : "; %s%s %s", JW_NUM(n),
               !first   ? ""
               : n == 1 ? " module"
                        : " modules",
               n == 1 ? reasons[i].one : reasons[i].many);
        first = false;
    }
    if (all)
        jw_say(out, " (--all warms %s, too)", all == 1 ? "it" : lazy && vendor && !tests ? "both" : "them");
}

/* Modules of NVIDIA's own libraries are said by each run and verb, and by one that looked at a receipt alone: nothing
 * else shows that they are not warm. */
static void show_left_out(struct jw_page *p, const void *of)
{
    const T *t = of;
    const char *on_use = prime_on_use_words(t->r.on_use, p->arena);
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (t->v.verb != PRIME_VERIFY)
        say_left_out(&text, &t->r);
    if (on_use)
        jw_say(&text, "%s%s", text.n ? "; " : "", on_use);
    jw_page_line(p, TINT_STRONG, "Skipped", &text);
}

/* ---- the cache ---- */

static uint64_t room(const R *r)
{
    return r->cache.limit.bytes > r->cache.used ? r->cache.limit.bytes - r->cache.used : 0;
}

static bool room_is_short(const R *r)
{
    return r->counts[JW_JOB_NO_ROOM] || r->need > room(r);
}

static struct jw_words limit_words(const R *r)
{
    return r->cache.limit.known ? jw_words(jw_cache_say_limit, r->cache.limit.bytes)
                                : jw_phrase("the driver's default");
}

/* "71 MiB needed, but only 20 MiB are left under the limit of 256 MiB" */
static void say_need(struct jw_buf *out, const R *r)
{
    if (r->need > room(r))
        jw_say(out, "%s needed, but only %s left under the limit of %s", JW_SIZE(r->need), JW_SIZE(room(r)),
               limit_words(r).text);
    else
        jw_say(out, "%s needed; %s of %s used", JW_SIZE(r->need), JW_SIZE(r->cache.used),
               limit_words(r).text);
}

static void say_added(struct jw_buf *out, const R *r)
{
    if (r->warmed_bytes)
        jw_say(out, "%s added to %s", JW_SIZE(r->warmed_bytes), JW_SIZE(r->cache.used));
    else
        jw_say(out, "%s used", JW_SIZE(r->cache.used));
    if (r->cache.limit.bytes)
        jw_say(out, ", the limit is %s", limit_words(r).text);
}

static void say_filling(struct jw_buf *out, const T *t)
{
    const R *r = &t->r;
    bool planned = t->v.verb == PRIME_PLAN || r->run->end == JW_END_CONSENT;

    if (planned && r->need)
        say_need(out, r);
    else
        say_added(out, r);
    if (r->outdated)
        jw_say(out, ", %s of it by other driver builds", JW_SIZE(r->outdated));
    if (r->cache.free_disk != UINT64_MAX) /* else not known: the folder is not there */
        jw_say(out, "; %s free on the disk", JW_SIZE(r->cache.free_disk));
}

static void show_cache(struct jw_page *p, const void *of)
{
    const T *t = of;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (t->v.passing || !t->r.cache.folder)
        return;
    jw_say(&text, "%s", t->r.cache.folder);
    if (t->v.verb != PRIME_VERIFY) {
        jw_say(&text, ": ");
        say_filling(&text, t);
    }
    jw_page_line(p, room_is_short(&t->r) ? TINT_WARN : TINT_STRONG, "Cache", &text);
}

/* ---- recorded commands ---- */

/* "first start 234.0 s, now 2.1 s": the last starts that were watched. */
static void show_starts(struct jw_page *p, const void *of)
{
    const R *r = &((const T *)of)->r;
    double cold = (double)r->cold_milliseconds / 1000, warm = (double)r->warm_milliseconds / 1000;

    if (!r->warm_milliseconds)
        return;
    if (r->cold_milliseconds)
        jw_page_say(p, TINT_STRONG, "Start", "first start %s, now %s", JW_TENTHS(cold), JW_TENTHS(warm));
    else
        jw_page_say(p, TINT_STRONG, "Start", "%s", JW_TENTHS(warm));
}

/* "python serve.py: all 17 modules are warm in /home/ada/.cache/sglang/nv" */
static void show_command_caches(struct jw_page *p, const void *of)
{
    const R *r = of;

    for (size_t i = 0; i < r->n_recorded; i++) {
        const struct jw_recorded_command *c = &r->recorded[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "%s: ", c->command);
        if (c->held && c->warmed)
            jw_say(&text, "warmed %s in %s", JW_N(c->warmed, "module", "modules"), c->cache);
        else if (c->held)
            jw_say(&text, "%s warm in %s", JW_N(c->modules, "module is", "modules are"), c->cache);
        else if (!c->modules && c->why)
            jw_say(&text, "%s", c->why);
        else
            jw_say(&text, "%s of %s warm in %s%s%s", JW_NUM(c->warm),
                   JW_N(c->modules, "module is", "modules are"), c->cache, c->why ? "; " : "",
                   c->why ? c->why : "");
        jw_page_line(p, c->held ? TINT_NONE : TINT_WARN, i ? "" : "Commands", &text);
    }
}

/* ---- the end ---- */

static enum jw_tint tint_of_head(const T *t)
{
    switch (t->r.run->end) {
    case JW_END_DONE:
    case JW_END_NOTHING: return TINT_STRONG;
    case JW_END_NO_GPU:
    case JW_END_CANNOT_WRITE:
    case JW_END_STOPPED: return TINT_BAD;
    default: return t->v.verb == PRIME_PLAN ? TINT_STRONG : TINT_WARN;
    }
}

static void show_head(struct jw_page *p, const void *of)
{
    const T *t = of;
    struct jw_buf head = JW_BUF(JW_MAX_LINE);

    prime_say_head(&head, &t->v);
    jw_page_sentence(p, tint_of_head(t), &head);
}

/* The first line says one of them already, where it ended the run. */
static void show_notes(struct jw_page *p, const void *of)
{
    const T *t = of;
    const struct jw_notes *notes = &t->r.run->notes;
    const char *why = t->r.run->why ? t->r.run->why : "",
               *unknowable = t->r.unknowable ? t->r.unknowable : "";
    const char **rest = jw_arena_alloc(p->arena, (notes->n + 1) * sizeof *rest);
    size_t n = 0;

    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->v[i], why) != 0 && strcmp(notes->v[i], unknowable) != 0)
            rest[n++] = notes->v[i];
    show_texts(p, TINT_FAINT, "Note", rest, n, t->max.notes);
}

static void show_verdict(struct jw_page *p, const void *of)
{
    const T *t = of;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool proven = say_verdict(&text, &t->v);

    jw_page_sentence(p, proven ? TINT_GOOD : t->r.verify.done ? TINT_BAD : TINT_WARN, &text);
}

/* The last line is the next command. */
static void show_advice(struct jw_page *p, const void *of)
{
    const T *t = of;
    const struct jw_notes *advice = &t->r.run->advice;
    size_t shown = advice->n < t->max.advice ? advice->n : t->max.advice;

    if (t->v.passing)
        return;
    jw_page_advice(p, advice->v, shown);
    jw_page_more(p, "", shown, advice->n, "more", "more");
}

/* ---- the rows ---- */

static const struct jw_row totals[] = {
    { JW_ROW("jobs", T, r.n_jobs) },       { JW_ROW("warm", T, warm), JW_ABOUT("were, or are now") },
    { JW_ROW("ptx_bytes", T, ptx_bytes) }, { JW_PART(T, r, prime_added_rows) },
    { JW_PART(T, r, prime_compile_rows) }, { 0 },
};

static const struct jw_row files[] = {
    { JW_ROW("path", F, path) },
    { JW_ROW("package", F, package), JW_NULLABLE },
    { JW_ROW("jobs", F, modules), JW_ABOUT("of which it is the first place") },
    { JW_ROW("warm", F, warm), JW_ABOUT("were warm before") },
    { JW_ROW("ptx_bytes", F, ptx_bytes) },
    { JW_ROW("seconds", F, seconds),
      JW_ABOUT("predicted, for those that were neither warm nor skipped, of one worker") },
    { 0 },
};

static const struct jw_row jobs[] = {
    { JW_ROWS(plan_module_rows) },
    { JW_ROWS(prime_job_end_rows) },
    { JW_ROWS(prime_job_failure_rows) },
    { JW_ROWS(plan_place_rows) },
    { 0 },
};

static const struct jw_row verify[] = {
    { JW_ROW("done", T, r.verify.done) },
    { JW_ROW("verified", T, verified), JW_ABOUT("every pass found all, and not one file appeared") },
    { JW_PART(T, r.verify, prime_verify_rows) },
    { 0 },
};

static const struct jw_row run[] = {
    { JW_ROW("command", T, v.command) },
    { JW_PART(T, r, prime_command_rows) },
    { JW_PART(T, r, prime_kit_rows) },
    { JW_ROW("profile_modules", T, r.profile_modules), JW_IF(T, profiled),
      JW_ABOUT("that it loads, as far as could be seen") },
    { JW_ROW("shared_modules", T, r.profile_shared), JW_IF(T, profiled),
      JW_ABOUT("more that share a kernel with these: another start may load them instead") },
    { 0 },
};

static const struct jw_row ending[] = JW_RUN_END(~(JW_CAN(LISTED) | JW_PACK_ENDS));

static const struct jw_row unread[] = { { JW_PART(T, r, prime_unread_rows) }, { 0 } };
static const struct jw_row counts[] = { { JW_PART(T, r, prime_count_rows) }, { 0 } };
static const struct jw_row cache[] = { { JW_PART(T, r, prime_room_rows) }, { 0 } };
static const struct jw_row notes[] = { { JW_PART_AT(T, r.run, jw_run_notes) }, { 0 } };
static const struct jw_row advice[] = { { JW_PART_AT(T, r.run, jw_run_advice) }, { 0 } };

static const struct jw_row rows[] = {
    { JW_TEXT_ALONE(show_head) },
    { JW_PART_AT(T, r.run, ending) },
    { JW_PART(T, next_start, jw_next_start_rows) },
    { JW_PART(T, r, prime_receipt_rows) },
    { JW_SUB("driver", T, r.driver, prime_driver_named_rows) },
    { JW_LIST("gpus", T, r.driver.gpus, r.driver.n_gpus, prime_gpu_rows) },
    { JW_PART(T, r, prime_absent_rows) },
    { JW_SUB("predicted", T, r, prime_predicted_rows) },
    { JW_SUB_OF("totals", totals) },
    { JW_LIST("files", T, files, n_files, files), JW_SHOW(show_files), JW_ABOUT("most seconds first") },
    { JW_LIST("jobs", T, r.jobs, r.n_jobs, jobs), JW_SHOW(show_jobs),
      JW_ABOUT("in the order in which they are begun") },
    { JW_TEXT_ALONE(show_failures) },
    { JW_TEXT_ALONE(show_misses) },
    { JW_ROWS(unread), JW_SHOW(show_unread) },
    { JW_TEXT_ALONE(show_obstacle) },
    { JW_LIST("sources", T, v.sources.v, v.sources.n, jw_pack_source_rows), JW_SHOW(show_sources),
      JW_ABOUT("that were asked because something was to be compiled, and what came of it") },
    { JW_SUB("targets", T, r, prime_target_rows), JW_SHOW(show_searched) },
    { JW_ROWS(counts), JW_SHOW(show_left_out) },
    { JW_SUB_OF("cache", cache), JW_SHOW(show_cache) },
    { JW_SUB_OF("run", run), JW_IF(T, v.command), JW_NULLABLE, JW_SHOW(show_starts),
      JW_ABOUT("the command of --run") },
    { JW_PART(T, r, prime_command_cache_rows), JW_SHOW(show_command_caches) },
    { JW_ROWS(notes), JW_SHOW(show_notes) },
    { JW_SUB_OF("verify", verify), JW_SHOW(show_verdict) },
    { JW_LAST_LINE(T, r.driver.stamp) },
    { JW_ROWS(advice), JW_SHOW(show_advice) },
    { 0 },
};

const struct jw_form prime_form = {
    .verb = "prime",
    .about = "What is to be compiled, was compiled, was not and why, and the proof.",
    .rows = rows,
    .label = LABEL,
};

const struct jw_form verify_form = {
    .verb = "verify",
    .about = "What fresh processes found of what should be warm.",
    .rows = rows,
    .label = LABEL,
};

/* ---- its length ---- */

static bool fits_screen(const struct jw_page *page, const T *t)
{
    struct jw_row_counter counter = { .line = JW_BUF(JW_MAX_LINE), .width = page->width };
    struct jw_page trial = *page;

    trial.to = jw_row_counter_sink(&counter);
    trial.paint = (struct jw_paint){ false };
    jw_page_rows(&trial, TINT_NONE, rows, t);
    jw_buf_free(&counter.line);
    return counter.n <= SCREEN_ROWS;
}

static void choose_brief(struct cli *cli, T *t, struct jw_err *err)
{
    static const struct brief steps[] = {
        { 10, 6, 6, 6, 6 }, { 8, 4, 4, 3, 4 }, { 5, 3, 3, 2, 3 }, { 5, 2, 2, 1, 3 }, { 3, 1, 1, 1, 2 },
    };
    static const struct brief all = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX };
    struct jw_page page;

    t->max = all;
    jw_page_open(&page, cli, LABEL, err);
    for (size_t i = 0; !page.verbose && i < JW_COUNT(steps); i++) {
        t->max = steps[i];
        if (fits_screen(&page, t))
            return;
    }
}

bool prime_report(struct cli *cli, const struct prime_view *v, struct jw_err *err)
{
    const R *r = v->report;
    const struct jw_next_start_facts facts = jw_prime_facts(r);
    T t = { .r = *r,
            .v = *v,
            .warm = jw_prime_warm(r),
            .verified = jw_is_verified(&r->verify),
            .profiled = v->verb == PRIME_PRIME,
            .next_start = jw_next_start_answer(&facts, cli->arena) };

    for (size_t i = 0; i < r->n_jobs; i++)
        t.ptx_bytes += r->jobs[i].module.ptx_bytes;
    t.files = jw_job_files(r, cli->arena, &t.n_files);
    if (!cli->common.json) {
        t.failures = jw_job_failures(r, v->verb == PRIME_VERIFY, cli->arena, &t.n_failures);
        t.misses = jw_job_misses(r, cli->arena, &t.n_misses);
        choose_brief(cli, &t, err);
    }
    return jw_cli_report(cli, v->verb == PRIME_VERIFY ? &verify_form : &prime_form, &t, err);
}

void prime_report_failures(struct cli *cli, const struct prime_view *v)
{
    const R *r = v->report;
    struct jw_buf text = JW_LINE(cli->arena);
    size_t n;
    const struct jw_job_failure *failures = jw_job_failures(r, v->verb == PRIME_VERIFY, cli->arena, &n);

    if (v->verb == PRIME_VERIFY && r->verify.done)
        (void)say_verdict(&text, v);
    else
        prime_say_head(&text, v);
    jw_messages_error(&cli->messages, "%s", jw_buf_cstr(&text));
    for (size_t i = 0; i < n; i++) {
        jw_buf_clear(&text);
        say_failure(&text, &failures[i]);
        jw_messages_error(&cli->messages, "%s; the first is in %s", jw_buf_cstr(&text),
                          jw_job_path(failures[i].jobs[0]));
    }
}

/* The sentences of prime and verify that more than their page needs: the first one, the proof, a failure. */
#include "base/text.h"
#include "prime/job_words.h"
#include "verbs/prime.h"

#include <ctype.h>
#include <string.h>

enum { WORTH_SAYING_S = 5 };

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
        jw_say(out, gpu->name[0] ? "%s (sm_%u)" : "%ssm_%u", gpu->name, gpu->sm);
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

/* Of commands with caches of their own. False: of the rest there is more to say. */
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

/* Of what packs brought it is known that it is there, and not which program loads it. */
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
    jw_say(out, "; %s", r->next_box ? r->run->why : "the next run continues from there");
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

/* The modules that were loaded are one thing; another is what recorded commands load beside them, and what the cache keeps. */
static void say_recorded_beside(struct jw_buf *out, const struct jw_prime_report *r)
{
    const struct jw_next_start_facts all = jw_prime_facts(r), f = {
        .asked = all.asked,
        .lost = all.lost,
        .imported = all.imported,
        .commands = all.commands,
        .login = all.login,
        .elsewhere = r->verify.done && r->verify.passes[0].hits ? all.elsewhere : NULL,
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
    else if (r->run->end == JW_END_DONE || r->profile_known)
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

/* Where no module has code for the GPU, nothing compiles, and nothing runs. */
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

/* Of its modules there is nothing to say: what else it uses was recorded, or nothing was. */
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

/* Of a verification that ends with 1 all the same: what its first line does not say. */
static bool say_but(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_next_start_facts f = jw_prime_facts(v->report);

    return v->verb == PRIME_VERIFY && jw_next_start_say_rest(out, ", but ", &f);
}

/* Of commands with caches of their own alone. */
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

bool prime_say_verdict(struct jw_buf *out, const struct prime_view *v)
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

#include "prime/report/job_words.h"

#include "base/text.h"
#include "os/machine/time.h"

#include <string.h>

const char *jw_job_path(const struct jw_job *job)
{
    return job->module.n_places && job->module.places[0].path ? job->module.places[0].path : "";
}

void jw_job_say_part(struct jw_buf *out, uint64_t n, uint64_t all)
{
    jw_say(out, "%s of %s", JW_NUM(n), JW_N(all, "module", "modules"));
}

void jw_job_say_failure(struct jw_buf *out, const struct jw_job *job, uint64_t jobs)
{
    static const struct {
        const char *one, *many;
    } words[JW_OUTCOMES] = {
        [JW_JOB_FAILED] = { "the driver refused it", "the driver refused them" },
        [JW_JOB_TIMEOUT] = { "the driver did not finish it in time",
                             "the driver did not finish them in time" },
        [JW_JOB_CRASHED] = { "the driver crashed on it", "the driver crashed on them" },
        [JW_JOB_SKIPPED] = { "skipped, because this driver could not compile it before",
                             "skipped, because this driver could not compile them before" },
        [JW_JOB_NO_COMPILER] = { "not compiled", "not compiled" },
        [JW_JOB_HIDDEN] = { "not compiled", "not compiled" },
        [JW_JOB_NO_ROOM] = { "there is no room for it in the cache",
                             "there is no room for them in the cache" },
        [JW_JOB_CHANGED] = { "its file was changed or went away meanwhile",
                             "their files were changed or went away meanwhile" },
        [JW_JOB_UNSTORED] = { "compiled, but the driver did not cache it",
                              "compiled, but the driver did not cache them" },
    };
    const char *text = jobs == 1 ? words[job->state].one : words[job->state].many;

    jw_say(out, "%s", text ? text : jw_outcome_names[job->state]);
    if (job->code_name)
        jw_say(out, ": %s (%d)", job->code_name, job->code);
    else if (job->code)
        jw_say(out, ": error %d", job->code);
    if (job->why)
        jw_say(out, ": %s", job->why);
}

/* ---- was it proven? ---- */

/* "all 143", "20 of 143", "the one module" */
static struct jw_words loaded_words(uint64_t loaded, uint64_t all)
{
    return loaded < all  ? jw_phrase("%s of %s", JW_NUM(loaded), JW_NUM(all))
           : loaded == 0 ? jw_phrase("nothing")
           : loaded == 1 ? jw_phrase("the one module")
           : loaded == 2 ? jw_phrase("both modules")
                         : jw_phrase("all %s", JW_NUM(loaded));
}

/* " (0.4 s)", " (1.2 s for 3 files; of 1 file not known: why)" */
static void say_link_times(struct jw_buf *out, const struct jw_verify_report *v)
{
    uint64_t ms = 0, known = 0;
    const char *why = "it is not known which inputs are linked together";

    for (size_t i = 0; i < v->n_links; i++) {
        known += !v->links[i].why;
        ms += v->links[i].why ? 0 : v->links[i].milliseconds;
        why = v->links[i].why ? v->links[i].why : why;
    }
    if (!known) {
        jw_say(out, " (how long that takes was not measured: %s)", why);
        return;
    }
    jw_say(out, " (%s", JW_TENTHS((double)ms / 1000));
    if (v->n_links > 1)
        jw_say(out, " for %s", JW_N(known, "file", "files"));
    if (known < v->n_links)
        jw_say(out, "; not measured for %s: %s", JW_N(v->n_links - known, "file", "files"), why);
    jw_say(out, ")");
}

/* Says how long a link takes whose inputs are all in the cache, or that it fails. */
static void say_links(struct jw_buf *out, const struct jw_verify_report *v)
{
    const struct jw_verify_pass *p = &v->passes[0];
    const struct jw_link_time *failing = jw_failing_link(v);

    if (failing) {
        jw_say(out, "; programs that link %s fail at their start: %s", failing->path, failing->why);
        return;
    }
    jw_say(out, "; programs link %s while they start",
           p->inputs == p->loaded ? p->loaded == 1 ? "it" : "them"
                                  : JW_PHRASE("%s of them", JW_NUM(p->inputs)));
    say_link_times(out, v);
}

/* "2 h ago": of a start that was recorded, and not made now */
static struct jw_words ago(int64_t when)
{
    enum { MINUTE = 60 };
    int64_t age = jw_time_unix() - when;

    return age < MINUTE ? jw_phrase("less than a minute ago") : jw_phrase("%s ago", JW_CLOCK((double)age));
}

/* "all 6 modules of the start that was recorded 2 h ago," */
static void say_starts(struct jw_buf *out, struct jw_words loaded, const struct jw_prime_starts *s)
{
    bool counted = strchr("0123456789", loaded.text[strlen(loaded.text) - 1]) != NULL;

    jw_say(out,
           s->n == 1 ? "%s%s of the start that was recorded %s,"
                     : "%s%s of the starts that were recorded, the last %s,",
           loaded.text, counted ? " modules" : "", ago(s->last).text);
}

void jw_starts_say(struct jw_buf *out, uint64_t modules, const struct jw_prime_starts *s)
{
    say_starts(out, loaded_words(modules, modules), s);
}

static void say_verified(struct jw_buf *out, const struct jw_verify_report *v, uint64_t all,
                         const struct jw_prime_starts *starts)
{
    struct jw_words loaded = loaded_words(v->passes[0].loaded, all);

    jw_say(out, v->n_passes == 1 ? "verified: a fresh process" : "verified: fresh processes, ");
    for (size_t i = 0; v->n_passes > 1 && i < v->n_passes; i++)
        jw_say(out, "%sin %s", jw_text_between(i, v->n_passes), v->passes[i].where);
    jw_say(out, "%sloaded ", v->n_passes > 1 ? ", " : " ");
    if (starts->alone)
        say_starts(out, loaded, starts);
    else
        jw_say(out, "%s", loaded.text);
    jw_say(out, " and compiled nothing");
    if (starts->n && !starts->alone)
        jw_say(out,
               starts->n == 1
                   ? "; of the recorded command, what it loaded when it was recorded %s"
                   : "; of recorded commands, what they loaded when they were recorded, the last %s",
               ago(starts->last).text);
    if (v->passes[0].inputs)
        say_links(out, v);
}

/* "in this environment 3 of 143 modules were not found, 1 module could not be loaded, 3 new entries appeared" */
static void say_pass(struct jw_buf *out, const struct jw_verify_pass *p)
{
    jw_say(out, "in %s", p->where);
    if (p->misses) {
        jw_say(out, " ");
        jw_job_say_part(out, p->misses, p->hits + p->misses + p->failed);
        jw_say(out, p->misses == 1 ? " was not found" : " were not found");
    }
    if (p->failed)
        jw_say(out, "%s%s could not be loaded", p->misses ? ", " : " ", JW_N(p->failed, "module", "modules"));
    if (p->new_entries)
        jw_say(out, "%s%s", p->misses || p->failed ? ", " : " ",
               JW_N(p->new_entries, "new entry appeared", "new entries appeared"));
    if (!p->misses && !p->failed && !p->new_entries)
        jw_say(out, " the driver loaded its compiler");
}

static void say_unverified(struct jw_buf *out, const struct jw_verify_report *v)
{
    bool any = false;

    jw_say(out, "not verified: ");
    for (size_t i = 0; i < v->n_passes; i++) {
        if (jw_verify_pass_succeeded(&v->passes[i]))
            continue;
        jw_say(out, "%s", any ? "; " : "");
        say_pass(out, &v->passes[i]);
        any = true;
    }
    if (!any)
        jw_say(out, v->n_misses ? "modules were not found again" : "nothing was loaded");
}

bool jw_verify_say(struct jw_buf *out, const struct jw_verify_report *v, uint64_t all,
                   const struct jw_prime_starts *starts)
{
    bool verified = jw_is_verified(v);

    if (verified)
        say_verified(out, v, all, starts);
    else
        say_unverified(out, v);
    return verified;
}

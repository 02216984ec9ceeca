#include "base/kernel_name.h"
#include "base/text.h"
#include "verbs/prime_view.h"
#include "verbs/status.h"

#include <string.h>

bool prime_job_is_warm(const struct jw_job *job)
{
    return job->state == JW_JOB_WARM || job->state == JW_JOB_WARMED;
}

uint64_t prime_warm(const struct jw_prime_report *r)
{
    return r->counts[JW_JOB_WARM] + r->counts[JW_JOB_WARMED];
}

const char *prime_job_path(const struct jw_job *job)
{
    return job->module.n_places && job->module.places[0].path ? job->module.places[0].path : "";
}

int prime_exit(enum prime_verb verb, enum jw_end end)
{
    bool fails = end == JW_END_INTERRUPTED || end == JW_END_CANNOT_WRITE;

    return verb == PRIME_PLAN && !fails ? EXIT_DONE : jw_cli_exit(end);
}

/* ---- numbers ---- */

void prime_say_part(struct jw_buf *out, uint64_t n, uint64_t all)
{
    jw_say(out, "%s of %s", JW_NUM(n), JW_N(all, "module", "modules"));
}

void prime_say_bytes_of(struct jw_buf *out, uint64_t n, uint64_t all)
{
    struct jw_words part = jw_words(jw_text_bytes, n), whole = jw_words(jw_text_bytes, all);
    size_t digits = strcspn(part.text, " ");

    if (strcmp(part.text + digits, whole.text + strcspn(whole.text, " ")) == 0)
        part.text[digits] = '\0';
    jw_say(out, "%s of %s", part.text, whole.text);
}

/* ---- what went wrong ---- */

void prime_say_failure(struct jw_buf *out, const struct jw_job *job, uint64_t jobs)
{
    static const struct {
        const char *one, *many;
    } words[JW_OUTCOMES] = {
        [JW_JOB_FAILED] = { "the driver refused it", "the driver refused them" },
        [JW_JOB_TIMEOUT] = { "the driver did not finish it in time",
                             "the driver did not finish them in time" },
        [JW_JOB_CRASHED] = { "the driver crashed on it", "the driver crashed on them" },
        [JW_JOB_BANNED] = { "left alone, because this driver crashed or hung on it before",
                            "left alone, because this driver crashed or hung on them before" },
        [JW_JOB_NO_ROOM] = { "there is no room for it in the cache",
                             "there is no room for them in the cache" },
        [JW_JOB_CHANGED] = { "its file was changed or went away meanwhile",
                             "their files were changed or went away meanwhile" },
        [JW_JOB_UNSTORED] = { "compiled, but the driver did not cache it",
                              "compiled, but the driver did not cache them" },
    };
    const char *text = jobs == 1 ? words[job->state].one : words[job->state].many;

    jw_say(out, "%s", text ? text : jw_outcome_name(job->state));
    if (job->code_name)
        jw_say(out, ": %s (%d)", job->code_name, job->code);
    else if (job->code)
        jw_say(out, ": error %d", job->code);
    if (job->why)
        jw_say(out, ": %s", job->why);
}

void prime_say_kernel(struct jw_buf *out, const struct jw_job *job, bool mangled)
{
    if (!job->module.kernel || !*job->module.kernel)
        return;
    jw_buf_text(out, "kernel ");
    (mangled ? jw_text_clean : jw_kernel_plain)(out, job->module.kernel);
}

/* ---- what is no job ---- */

/* Modules that --all would add come last, so --all is named once. */
static const struct {
    enum jw_left_out reason;
    const char *one, *many;
} reasons[] = {
    { JW_OUT_IS_NATIVE, "runs natively", "run natively" },
    { JW_OUT_IS_RDC, "is for the device linker", "are for the device linker" },
    { JW_OUT_IS_BLOCKED, "needs a newer driver", "need a newer driver" },
    { JW_OUT_IS_NOTHING, "has nothing for this GPU", "have nothing for this GPU" },
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

void prime_say_left_out(struct jw_buf *out, const struct jw_prime_report *r)
{
    uint64_t lazy = r->left_out[JW_OUT_IS_LAZY].modules, vendor = r->left_out[JW_OUT_IS_VENDOR].modules,
             tests = r->left_out[JW_OUT_IS_TEST].modules, all = lazy + vendor + tests;
    bool first = true;

    for (size_t i = 0; i < JW_COUNT(reasons); i++) {
        uint64_t n = r->left_out[reasons[i].reason].modules;

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

/* ---- the cache ---- */

static uint64_t room(const struct jw_prime_report *r)
{
    return r->cache.limit > r->cache.used ? r->cache.limit - r->cache.used : 0;
}

bool prime_room_is_short(const struct jw_prime_report *r)
{
    return r->counts[JW_JOB_NO_ROOM] || r->need > room(r);
}

static struct jw_words limit_words(const struct jw_prime_report *r)
{
    return r->cache.limit_known ? jw_words(status_say_limit, r->cache.limit)
                                : jw_phrase("the driver's default");
}

/* "71 MiB needed, but only 20 MiB are left under the limit of 256 MiB" */
static void say_need(struct jw_buf *out, const struct jw_prime_report *r)
{
    if (r->need > room(r))
        jw_say(out, "%s needed, but only %s left under the limit of %s", JW_SIZE(r->need), JW_SIZE(room(r)),
               limit_words(r).text);
    else
        jw_say(out, "%s needed; %s of %s used", JW_SIZE(r->need), JW_SIZE(r->cache.used),
               limit_words(r).text);
}

static void say_added(struct jw_buf *out, const struct jw_prime_report *r)
{
    if (r->warmed_bytes)
        jw_say(out, "%s added to %s", JW_SIZE(r->warmed_bytes), JW_SIZE(r->cache.used));
    else
        jw_say(out, "%s used", JW_SIZE(r->cache.used));
    if (r->cache.limit)
        jw_say(out, ", the limit is %s", limit_words(r).text);
}

void prime_say_cache(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;
    bool planned = v->verb == PRIME_PLAN || r->run->end == JW_END_CONSENT;

    jw_say(out, "%s", r->cache.root ? r->cache.root : "there is none");
    if (!r->cache.root || v->verb == PRIME_VERIFY)
        return;
    jw_say(out, ": ");
    if (planned && r->need)
        say_need(out, r);
    else
        say_added(out, r);
    if (r->outdated)
        jw_say(out, ", %s of it by other driver builds", JW_SIZE(r->outdated));
    if (r->cache.free_disk != UINT64_MAX) /* else not known: the folder is not there */
        jw_say(out, "; %s free on the disk", JW_SIZE(r->cache.free_disk));
}

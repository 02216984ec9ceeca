/* The last word: was it proven? */
#include "base/text.h"
#include "verbs/prime_view.h"

bool prime_is_verified(const struct jw_verify_report *v)
{
    for (size_t i = 0; i < v->n_passes; i++)
        if (!jw_verify_pass_held(&v->passes[i]))
            return false;
    return v->done && v->n_passes && v->passes[0].loaded && !v->n_misses;
}

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

/* How long, or that it fails, whose inputs are all in the cache. */
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

static void say_verified(struct jw_buf *out, const struct jw_verify_report *v, uint64_t all)
{
    jw_say(out, v->n_passes == 1 ? "verified: a fresh process" : "verified: fresh processes, ");
    for (size_t i = 0; v->n_passes > 1 && i < v->n_passes; i++)
        jw_say(out, "%sin %s", jw_text_between(i, v->n_passes), v->passes[i].where);
    jw_say(out, "%sloaded %s and compiled nothing", v->n_passes > 1 ? ", " : " ",
           loaded_words(v->passes[0].loaded, all).text);
    if (v->passes[0].inputs)
        say_links(out, v);
}

/* "in this environment 3 of 143 modules were not found, 1 module could not be loaded, 3 new entries appeared" */
static void say_pass(struct jw_buf *out, const struct jw_verify_pass *p)
{
    jw_say(out, "in %s", p->where);
    if (p->misses) {
        jw_say(out, " ");
        prime_say_part(out, p->misses, p->hits + p->misses + p->failed);
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
        if (jw_verify_pass_held(&v->passes[i]))
            continue;
        jw_say(out, "%s", any ? "; " : "");
        say_pass(out, &v->passes[i]);
        any = true;
    }
    if (!any)
        jw_say(out, v->n_misses ? "modules were not found again" : "nothing was loaded");
}

bool prime_say_proof(struct jw_buf *out, const struct jw_verify_report *v, uint64_t all)
{
    bool verified = prime_is_verified(v);

    if (verified)
        say_verified(out, v, all);
    else
        say_unverified(out, v);
    return verified;
}

bool prime_say_verdict(struct jw_buf *out, const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;

    /* If verify could not start, its first line says so. */
    if (v->verb == PRIME_PLAN || (v->verb == PRIME_VERIFY && !r->verify.done))
        return false;
    if (r->verify.done)
        return prime_say_proof(out, &r->verify, prime_warm(r));
    if (r->verify.why) {
        jw_say(out, "not verified: %s", r->verify.why);
    } else if (r->receipt && (r->run->end == JW_END_NOTHING || r->run->end == JW_END_PARTLY)) {
        jw_say(out, "verified before; the entries' bytes were not read again");
        if (r->link_milliseconds)
            jw_say(out, "; programs link while they start (%s)",
                   JW_TENTHS((double)r->link_milliseconds / 1000));
        return true;
    } else if (prime_warm(r)
               && (r->run->end == JW_END_DONE || r->run->end == JW_END_NOTHING
                   || r->run->end == JW_END_PARTLY)) {
        jw_say(out, "not verified; jitwarm verify does it");
    }
    return false;
}

#include "base/limits.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "pack/import/command/import_view.h"
#include "prime/command/prime_view.h"

/* "12 entries (3.4 MiB)" */
static void say_entries(struct jw_buf *out, uint64_t n, uint64_t bytes)
{
    prime_say_count(out, n, "entry", "entries");
    jw_buf_text(out, " (");
    jw_text_bytes(out, bytes);
    jw_buf_text(out, ")");
}

void import_say_for(struct jw_buf *out, const struct jw_pack_manifest *m)
{
    jw_buf_printf(out, "%sdriver %s (built %s), sm_%u", m->simulated ? "simulated " : "",
                  m->driver ? m->driver : "of unknown version", jw_stamp_text(m->stamp).text, m->sm);
}

const char *import_why(enum jw_import_state s, uint64_t n)
{
    switch (s) {
    case JW_IMPORT_FOREIGN:
        return n == 1 ? "is of software that was not found here" : "are of software that was not found here";
    case JW_IMPORT_BEYOND:
        return n == 1 ? "is of software that the key is not trusted for"
                      : "are of software that the key is not trusted for";
    case JW_IMPORT_UNPROVEN:
        return n == 1 ? "was not made by this driver (carried over or forged)"
                      : "were not made by this driver (carried over or forged)";
    case JW_IMPORT_NO_ROOM:
        return n == 1 ? "has no room under the cache's limit" : "have no room under the cache's limit";
    case JW_IMPORT_REJECTED: return n == 1 ? "could not be placed" : "could not be placed";
    default: return "";
    }
}

static void say_why(struct jw_buf *out, const char *before, const struct jw_import_report *r,
                    const char *otherwise)
{
    jw_buf_printf(out, "%s: ", before);
    jw_text_clean(out, r->why ? r->why : otherwise);
}

static uint64_t here(const struct jw_import_report *r)
{
    return r->counts[JW_IMPORT_IMPORTED] + r->counts[JW_IMPORT_PRESENT];
}

static void say_before(struct jw_buf *out, const struct jw_import_report *r)
{
    uint64_t n = r->counts[JW_IMPORT_PRESENT];

    if (!n)
        return;
    jw_buf_text(out, "; ");
    jw_text_count(out, n);
    jw_buf_text(out, n == 1 ? " more was there already" : " more were there already");
}

static void say_done(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_buf_text(out, "Imported ");
    say_entries(out, r->counts[JW_IMPORT_IMPORTED], r->bytes[JW_IMPORT_IMPORTED]);
    jw_buf_text(out, ", in ");
    jw_text_clock(out, (double)r->milliseconds / 1000);
    say_before(out, r);
}

static void say_nothing_to_do(struct jw_buf *out, const struct jw_import_report *r)
{
    uint64_t n = r->counts[JW_IMPORT_PRESENT];

    jw_buf_text(out, "Nothing to do: ");
    if (n == 1)
        jw_buf_text(out, "the one entry for this machine is");
    else {
        jw_buf_text(out, "all ");
        prime_say_count(out, n, "entry", "entries");
        jw_buf_text(out, " for this machine are");
    }
    jw_buf_text(out, " in the cache already");
}

/* "12 of 143 entries are in the cache" */
static void say_state(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_text_count(out, here(r));
    jw_buf_text(out, " of ");
    prime_say_count(out, r->n_entries, "entry", "entries");
    jw_buf_text(out, here(r) == 1 ? " is in the cache" : " are in the cache");
}

static void say_partly(struct jw_buf *out, const struct jw_import_report *r)
{
    if (!here(r) && r->counts[JW_IMPORT_FOREIGN] == r->n_entries) {
        jw_buf_text(out, "Nothing was imported: ");
        jw_buf_text(out, r->n_entries == 1 ? "the one entry " : "all entries ");
        jw_buf_text(out, import_why(JW_IMPORT_FOREIGN, r->n_entries));
        return;
    }
    if (here(r) + r->counts[JW_IMPORT_FOREIGN] == r->n_entries && !r->records) {
        say_done(out, r);
        jw_buf_text(out, ", but not all could be verified");
        return;
    }
    jw_buf_text(out, "Not all: ");
    say_state(out, r);
}

static void say_stopped(struct jw_buf *out, const struct jw_import_report *r)
{
    bool some = r->counts[JW_IMPORT_IMPORTED] > 0;

    say_why(out, some ? "Stopped" : "Nothing was imported", r, "the cache cannot be written");
    if (some) {
        jw_buf_text(out, "; ");
        say_state(out, r);
    }
}

static void say_interrupted(struct jw_buf *out, const struct jw_import_report *r)
{
    jw_buf_text(out, "Interrupted: ");
    if (!r->counts[JW_IMPORT_IMPORTED]) {
        jw_buf_text(out, "nothing was imported");
        return;
    }
    say_state(out, r);
    jw_buf_text(out, "; the same command goes on from there");
}

static void say_plan(struct jw_buf *out, const struct jw_import_report *r)
{
    if (!r->counts[JW_IMPORT_NEW] && r->end == JW_END_NOTHING) {
        say_nothing_to_do(out, r);
        return;
    }
    say_entries(out, r->counts[JW_IMPORT_NEW], r->bytes[JW_IMPORT_NEW]);
    jw_buf_text(out, " would be imported");
    say_before(out, r);
}

void import_say_head(struct jw_buf *out, const struct jw_import_report *r)
{
    switch (r->end) {
    case JW_END_DONE:
    case JW_END_NOTHING:
    case JW_END_PARTLY:
        if (r->dry_run)
            say_plan(out, r);
        else if (r->end == JW_END_DONE)
            say_done(out, r);
        else if (r->end == JW_END_NOTHING)
            say_nothing_to_do(out, r);
        else
            say_partly(out, r);
        break;
    case JW_END_NO_GPU: say_why(out, "Nothing was imported", r, "there is no usable GPU"); break;
    case JW_END_CANNOT_WRITE: say_stopped(out, r); break;
    case JW_END_UNFIT: say_why(out, "Does not fit this machine", r, "its driver is not understood"); break;
    case JW_END_REFUSED: say_why(out, "Refused, and nothing was changed", r, ""); break;
    case JW_END_CONSENT: say_why(out, "Nothing was imported yet", r, "confirm with --yes"); break;
    case JW_END_BUSY: say_why(out, "Nothing was done", r, "another run is at work"); break;
    case JW_END_STOPPED: say_why(out, "Nothing was done", r, "the settings make it useless"); break;
    case JW_END_INTERRUPTED: say_interrupted(out, r); break;
    default: break;
    }
}

/* What is gone of what jitwarm compiled, and what does not fit under the limit: each with what it costs and what helps. */
#include "base/text.h"
#include "cache/status/command/status_view.h"
#include "os/machine/env.h"

#include <string.h>

static void say_sum(struct jw_buf *out, const struct jw_status_sum *sum)
{
    jw_say(out, "%s (%s)", JW_N(sum->entries, "entry", "entries"), JW_SIZE(sum->bytes));
}

/* The verb for the cache that was looked at. */
static void say_command(struct jw_buf *out, const struct jw_status_report *r, const char *verb)
{
    jw_buf_printf(out, "jitwarm %s", verb);
    if (strcmp(r->dir.root_from.origin, "--cache") == 0) {
        jw_buf_text(out, " --cache ");
        jw_text_shell_word(out, r->dir.root, jw_os_is_windows());
    }
}

/* Without CUDA_CACHE_MAXSIZE no driver keeps more than the newest ones do. 0: not known. */
static uint64_t limit_of(const struct jw_status_report *r)
{
    if (r->dir.limit_known)
        return r->dir.limit;
    return r->dir.limit_from.value ? 0 : r->documented.since;
}

static void say_limit(struct jw_buf *out, const struct jw_status_report *r)
{
    jw_buf_text(out, r->dir.limit_known ? "the limit (" : "the limit that drivers have by themselves (");
    status_say_limit(out, limit_of(r));
    jw_buf_text(out, ")");
}

/* What holds so many bytes, and ends what was told before. */
static void say_room(struct jw_buf *out, const struct jw_status_report *r, uint64_t bytes, const char *ends)
{
    uint64_t better = jw_cache_limit_for(bytes, r->dir.usual);

    if (better)
        jw_buf_printf(out, "CUDA_CACHE_MAXSIZE=%llu %s\n", (unsigned long long)better, ends);
    else
        jw_buf_printf(out, "no cache may hold that much; one for each framework (CUDA_CACHE_PATH) %s\n",
                      ends);
}

/* Bytes that there would be if all were there again. An index may still count what is gone. */
static uint64_t whole(const struct jw_status_report *r)
{
    uint64_t gone = r->primed.gone.bytes;
    uint64_t there = r->used > r->list.missing_bytes ? r->used - r->list.missing_bytes : 0;

    return there < UINT64_MAX - gone ? there + gone : UINT64_MAX;
}

/* First in, first out: a program that needs more than the limit, in the same order each time, finds nothing again.
 * driver-fact: F56-fifo */
static bool say_thrash(struct jw_buf *out, const struct jw_status_report *r)
{
    const struct jw_status_primed *p = &r->primed;
    uint64_t limit = limit_of(r);

    if (!limit || p->need.bytes <= limit)
        return false;
    jw_say(out, "what was primed needs %s, more than ", JW_SIZE(p->need.bytes));
    say_limit(out, r);
    jw_buf_text(out,
                ": the driver drops its oldest entries for new ones, so that programs that use all of it "
                "compile it again at every start; ");
    say_room(out, r, p->need.bytes > whole(r) ? p->need.bytes : whole(r), "ends that");
    return true;
}

static void say_emptied(struct jw_buf *out, const struct jw_status_report *r)
{
    jw_buf_text(out, r->list.found ? "the folder is empty, and " : "the folder is gone, and with it ");
    say_sum(out, &r->primed.recorded);
    jw_buf_printf(out, " that jitwarm compiled or verified%s: the next starts compile that again, unless ",
                  !r->list.found                    ? ""
                  : r->primed.recorded.entries == 1 ? " is gone"
                                                    : " are gone");
    say_command(out, r, "prime");
    jw_buf_text(out, " does it before\n");
}

/* `limit_told`: that not all of it fits was said already; true: it was, or is now. */
static bool say_gone(struct jw_buf *out, const struct jw_status_report *r, bool limit_told)
{
    const struct jw_status_sum *gone = &r->primed.gone;
    uint64_t limit = limit_of(r);

    if (!gone->entries)
        return limit_told;
    say_sum(out, gone);
    jw_buf_printf(
        out,
        " that jitwarm compiled or verified %s gone, evicted or removed: the next starts compile that "
        "again, unless ",
        gone->entries == 1 ? "is" : "are");
    say_command(out, r, "prime");
    jw_buf_text(out, " does it before");
    if (limit_told || !limit || whole(r) <= limit) {
        jw_buf_text(out, "\n");
        return limit_told;
    }
    jw_buf_text(out, "; with what is there now that is more than ");
    say_limit(out, r);
    jw_buf_text(out, ", which pushes as much out again: ");
    say_room(out, r, whole(r), "keeps all");
    return true;
}

static void say_changed(struct jw_buf *out, const struct jw_status_report *r)
{
    const struct jw_status_sum *changed = &r->primed.changed;

    if (!changed->entries)
        return;
    jw_say(out, "%s another size than jitwarm recorded: something else wrote %s since; ",
           JW_N(changed->entries, "entry has", "entries have"), changed->entries == 1 ? "it" : "them");
    say_command(out, r, "verify");
    jw_buf_text(out, " shows whether programs find what they need\n");
}

bool status_say_primed(struct jw_buf *out, const struct jw_status_report *r)
{
    bool limit_told;

    if (!r->primed.known)
        return false;
    limit_told = say_thrash(out, r);
    if (r->primed.emptied)
        say_emptied(out, r);
    limit_told = say_gone(out, r, limit_told);
    say_changed(out, r);
    return limit_told;
}

#include "base/limits.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "pack/carry/command/carry_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

enum { LABEL = 10, MOST_REFUSED = 4 };

static void say_entries(struct jw_buf *out, uint64_t n, uint64_t bytes)
{
    prime_say_count(out, n, "entry", "entries");
    jw_buf_text(out, ", ");
    jw_text_bytes(out, bytes);
}

static uint64_t bytes_of(const struct jw_carry_report *r, enum jw_carry_state s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->n_entries; i++)
        sum += r->entries[i].state == s ? r->entries[i].bytes : 0;
    return sum;
}

/* ---- the head ---- */

static void say_undone(struct jw_buf *out, const struct carry_view *v)
{
    const struct jw_carry_report *r = v->report;

    if (!r->removed) {
        jw_buf_text(out, "Nothing to undo: no entry here was carried");
        return;
    }
    jw_buf_text(out, v->dry_run ? "Would remove " : "Removed ");
    prime_say_count(out, r->removed, "entry that was carried", "entries that were carried");
    jw_buf_text(out, " (");
    jw_text_bytes(out, r->removed_bytes);
    jw_buf_text(out, "); those that they were copied from are where they were");
}

static void say_carried(struct jw_buf *out, const struct carry_view *v)
{
    const struct jw_carry_report *r = v->report;
    uint64_t n = r->counts[JW_CARRY_CARRIED];

    if (!n && !r->n_entries)
        jw_buf_text(out, "Nothing to carry: the cache holds nothing of an older build of this driver");
    else if (!n && r->counts[JW_CARRY_THERE] == r->n_entries)
        jw_buf_text(out, "Nothing to carry: all that older builds left is there for this driver already");
    else if (!n)
        jw_buf_text(out, "Nothing was carried");
    if (!n)
        return;
    jw_buf_text(out, v->dry_run ? "Would carry " : "Carried ");
    say_entries(out, n, r->carried_bytes);
    jw_buf_text(out, v->dry_run ? ": programs would find them, and compile nothing of that"
                                : ": programs find them, and compile nothing of that");
    if (!v->dry_run)
        jw_buf_printf(out, "; it took %llu ms", (unsigned long long)r->prime.milliseconds);
}

static void show_head(struct jw_page *page, const struct carry_view *v)
{
    const struct jw_prime_report *p = &v->report->prime;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = p->end == JW_END_DONE || p->end == JW_END_NOTHING ? TINT_STRONG : TINT_BAD;

    if (p->why) {
        jw_buf_text(&text, "Not done: ");
        jw_text_clean(&text, p->why);
    } else if (v->undo)
        say_undone(&text, v);
    else
        say_carried(&text, v);
    jw_page_sentence(page, tint, &text);
}

/* ---- the lines ---- */

static void show_build(struct jw_page *page, const char *label, const struct jw_carry_report *r,
                       const char *stamp)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t n = 0, bytes = 0;

    for (size_t i = 0; i < r->n_entries; i++)
        if (strcmp(r->entries[i].stamp, stamp) == 0 && r->entries[i].state == JW_CARRY_CARRIED) {
            n++;
            bytes += r->entries[i].bytes;
        }
    if (n) {
        say_entries(&text, n, bytes);
        jw_buf_printf(&text, " of the build of %s", jw_stamp_text(stamp).text);
    }
    jw_page_line(page, TINT_STRONG, label, &text);
}

/* One line for each build, the newest first. */
static void show_builds(struct jw_page *page, const struct jw_carry_report *r)
{
    const char *label = "From";
    char told[8][JW_CACHE_STAMP + 1];
    size_t n = 0;

    for (size_t i = r->n_entries; i-- > 0 && n < JW_COUNT(told);) {
        bool again = false;

        for (size_t k = 0; k < n; k++)
            again = again || strcmp(told[k], r->entries[i].stamp) == 0;
        if (again || r->entries[i].state != JW_CARRY_CARRIED)
            continue;
        memcpy(told[n++], r->entries[i].stamp, sizeof told[0]);
        show_build(page, label, r, r->entries[i].stamp);
        label = "";
    }
}

/* What was not carried, a line for each reason. */
static void show_rest(struct jw_page *page, const struct jw_carry_report *r)
{
    const char *label = "Not";

    if (r->counts[JW_CARRY_THERE] && r->counts[JW_CARRY_THERE] < r->n_entries) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        prime_say_count(&text, r->counts[JW_CARRY_THERE], "entry", "entries");
        jw_buf_text(&text, " of which this driver has its own, or a newer build's is carried");
        jw_page_line(page, TINT_NONE, label, &text);
        label = "";
    }
    if (r->counts[JW_CARRY_NO_ROOM]) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        say_entries(&text, r->counts[JW_CARRY_NO_ROOM], bytes_of(r, JW_CARRY_NO_ROOM));
        jw_buf_text(&text, ": the cache has no room for copies of them");
        jw_page_line(page, TINT_WARN, label, &text);
        label = "";
    }
    if (r->newer) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        prime_say_count(&text, r->newer, "entry", "entries");
        jw_buf_text(&text, " of a newer build of the driver: nothing is carried back to an older one");
        jw_page_line(page, TINT_NONE, label, &text);
    }
}

static void show_refused(struct jw_page *page, const struct jw_carry_report *r, bool verbose)
{
    uint64_t shown = 0, most = verbose ? UINT64_MAX : MOST_REFUSED;

    for (size_t i = 0; i < r->n_entries && shown < most; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        if (r->entries[i].state != JW_CARRY_REFUSED)
            continue;
        jw_text_clean(&text, r->entries[i].why);
        jw_page_line(page, TINT_BAD, shown++ ? "" : "Refused", &text);
    }
    if (r->counts[JW_CARRY_REFUSED] > shown) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_buf_printf(&text, "and %llu more (--verbose lists all)",
                      (unsigned long long)(r->counts[JW_CARRY_REFUSED] - shown));
        jw_page_line(page, TINT_NONE, "", &text);
    }
}

static void show_note(struct jw_page *page, const struct carry_view *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (v->report->counts[JW_CARRY_CARRIED] && !v->dry_run) {
        jw_buf_text(&text, v->report->played
                               ? "it is the older compiler's code, which this driver takes; phantom runs no "
                                 "kernel, so that it runs rightly is not proven; a fix in the newer compiler "
                                 "does not reach it"
                               : "it is the older compiler's code, which this driver was seen to run "
                                 "rightly; a fix in the newer compiler does not reach it");
        jw_buf_text(&text, v->renewing
                               ? ". A prime in the background replaces it: jitwarm status shows how far it is"
                               : " until it is compiled anew");
    }
    jw_page_line(page, TINT_FAINT, "Note", &text);
}

bool carry_write_text(struct cli *cli, const struct carry_view *v, struct jw_err *err)
{
    const struct jw_carry_report *r = v->report;
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    show_head(&page, v);
    show_builds(&page, r);
    show_rest(&page, r);
    show_refused(&page, r, cli->common.verbose);
    show_note(&page, v);
    for (size_t i = 0; i < r->prime.n_notes; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, r->prime.notes[i]);
        jw_page_line(&page, TINT_FAINT, "Note", &text);
    }
    if (r->counts[JW_CARRY_CARRIED] && !v->dry_run && !v->renewing)
        jw_page_whole(&page, TINT_STRONG, "To do",
                      "jitwarm carry --renew compiles them anew; jitwarm carry --undo takes them away");
    else if (r->counts[JW_CARRY_CARRIED] && v->dry_run)
        jw_page_whole(&page, TINT_STRONG, "To do", "jitwarm carry");
    for (size_t i = 0; i < r->prime.n_advice; i++)
        jw_page_whole(&page, TINT_STRONG, "To do", r->prime.advice[i]);
    jw_page_simulated(&page, r->prime.simulated);
    return !page.bad;
}

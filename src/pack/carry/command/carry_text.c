#include "base/limits.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "cli/page.h"
#include "pack/carry/command/carry_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

enum { LABEL = 10, MOST_REFUSED = 4 };

static uint64_t bytes_of(const struct jw_carry_report *r, enum jw_carry_state s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->n_entries; i++)
        sum += r->entries[i].state == s ? r->entries[i].bytes : 0;
    return sum;
}

/* ---- the head ---- */

static void say_carried(struct jw_buf *out, const struct carry_view *v)
{
    const struct jw_carry_report *r = v->report;
    uint64_t n = r->counts[JW_CARRY_CARRIED];

    if (!n && !r->n_entries)
        jw_say(out, "Nothing to carry: the cache has no entries of an older build of this driver");
    else if (!n && r->counts[JW_CARRY_THERE] == r->n_entries)
        jw_say(out, "Nothing to carry: this driver already has all entries of older builds");
    else if (!n)
        jw_say(out, "Nothing was carried");
    else if (v->dry_run)
        jw_say(out, "Would carry %s (%s), which programs would not compile again",
               JW_N(n, "entry", "entries"), JW_SIZE(r->carried_bytes));
    else
        jw_say(out, "Carried %s (%s) in %llu ms: programs do not compile them again",
               JW_N(n, "entry", "entries"), JW_SIZE(r->carried_bytes),
               (unsigned long long)r->run->milliseconds);
}

static void show_carry_head(struct jw_page *page, const struct carry_view *v)
{
    const struct jw_run *p = v->report->run;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = p->end == JW_END_DONE || p->end == JW_END_NOTHING ? TINT_STRONG : TINT_BAD;

    if (p->why)
        jw_say(&text, "Not done: %s", p->why);
    else if (!v->undo)
        say_carried(&text, v);
    else if (!v->report->removed)
        jw_say(&text, "Nothing to undo: no entry here was carried");
    else
        jw_say(&text, "%s %s (%s); the original entries stay", v->dry_run ? "Would remove" : "Removed",
               JW_N(v->report->removed, "carried entry", "carried entries"),
               JW_SIZE(v->report->removed_bytes));
    jw_page_head(page, tint, &text);
}

/* ---- the lines ---- */

static void show_build(struct jw_page *page, const char *label, const struct jw_carry_report *r,
                       const char *stamp)
{
    uint64_t n = 0, bytes = 0;

    for (size_t i = 0; i < r->n_entries; i++)
        if (strcmp(r->entries[i].stamp, stamp) == 0 && r->entries[i].state == JW_CARRY_CARRIED) {
            n++;
            bytes += r->entries[i].bytes;
        }
    if (n)
        jw_page_say(page, TINT_STRONG, label, "%s, %s of the build of %s", JW_N(n, "entry", "entries"),
                    JW_SIZE(bytes), jw_stamp_text(stamp).text);
}

/* One line for each build, the newest first. */
static void show_builds(struct jw_page *page, const struct jw_carry_report *r)
{
    const char *label = "From";
    char shown[8][JW_CACHE_STAMP + 1];
    size_t n = 0;

    for (size_t i = r->n_entries; i-- > 0 && n < JW_COUNT(shown);) {
        bool again = false;

        for (size_t k = 0; k < n; k++)
            again = again || strcmp(shown[k], r->entries[i].stamp) == 0;
        if (again || r->entries[i].state != JW_CARRY_CARRIED)
            continue;
        memcpy(shown[n++], r->entries[i].stamp, sizeof shown[0]);
        show_build(page, label, r, r->entries[i].stamp);
        label = "";
    }
}

static void show_not_carried(struct jw_page *page, const struct jw_carry_report *r)
{
    const char *label = "Not";

    if (r->counts[JW_CARRY_THERE] && r->counts[JW_CARRY_THERE] < r->n_entries) {
        jw_page_say(page, TINT_NONE, label,
                    "%s that this driver compiled itself, or that a newer build's entry replaces",
                    JW_N(r->counts[JW_CARRY_THERE], "entry", "entries"));
        label = "";
    }
    if (r->counts[JW_CARRY_NO_ROOM]) {
        jw_page_say(page, TINT_WARN, label, "%s (%s): no room in the cache for copies",
                    JW_N(r->counts[JW_CARRY_NO_ROOM], "entry", "entries"),
                    JW_SIZE(bytes_of(r, JW_CARRY_NO_ROOM)));
        label = "";
    }
    if (r->newer)
        jw_page_say(page, TINT_NONE, label,
                    "%s of a newer driver build: jitwarm never carries to an older build",
                    JW_N(r->newer, "entry", "entries"));
}

static void show_refused(struct jw_page *page, const struct jw_carry_report *r, bool verbose)
{
    uint64_t shown = 0, most = verbose ? UINT64_MAX : MOST_REFUSED;

    for (size_t i = 0; i < r->n_entries && shown < most; i++)
        if (r->entries[i].state == JW_CARRY_REFUSED)
            jw_page_say(page, TINT_BAD, shown++ ? "" : "Refused", "%s", r->entries[i].why);
    if (r->counts[JW_CARRY_REFUSED] > shown)
        jw_page_say(page, TINT_NONE, "", "and %llu more (--verbose lists all)",
                    (unsigned long long)(r->counts[JW_CARRY_REFUSED] - shown));
}

static void show_note(struct jw_page *page, const struct carry_view *v)
{
    if (!v->report->counts[JW_CARRY_CARRIED] || v->dry_run)
        return;
    jw_page_say(
        page, TINT_FAINT, "Note",
        "this is code of the older compiler, which %s. Fixes in the newer compiler do not reach it%s",
        v->report->played
            ? "the driver accepts, but phantom runs no kernel, so nothing proves that it runs correctly"
            : "ran correctly on this driver",
        v->renewing ? ". A prime in the background replaces it; jitwarm status shows its progress"
                    : " until it is compiled again");
}

bool carry_write_text(struct cli *cli, const struct carry_view *v, struct jw_err *err)
{
    const struct jw_carry_report *r = v->report;
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    show_carry_head(&page, v);
    show_builds(&page, r);
    show_not_carried(&page, r);
    show_refused(&page, r, cli->common.verbose);
    show_note(&page, v);
    for (size_t i = 0; i < r->run->notes.n; i++)
        jw_page_say(&page, TINT_FAINT, "Note", "%s", r->run->notes.v[i]);
    if (r->counts[JW_CARRY_CARRIED] && !v->dry_run && !v->renewing)
        jw_page_whole(&page, TINT_STRONG, "To do",
                      "jitwarm carry --renew compiles them again; jitwarm carry --undo removes them");
    else if (r->counts[JW_CARRY_CARRIED] && v->dry_run)
        jw_page_whole(&page, TINT_STRONG, "To do", "jitwarm carry");
    for (size_t i = 0; i < r->run->advice.n; i++)
        jw_page_whole(&page, TINT_STRONG, "To do", "%s", r->run->advice.v[i]);
    jw_page_end(&page, r->driver.stamp);
    return !page.bad;
}

/* What was found, as sentences with their consequence. Said is what is certain; what is not known is said to be so. */
#include "base/limits.h"
#include "base/text.h"
#include "cache/status/command/status_view.h"

#include <string.h>

enum {
    FULL = 95, /* percent */
    NAMED = 3  /* damaged entries that are told by name */
};

/* The limit that is proposed to whoever has a lower one; 0: there is none. */
static uint64_t room_above(const struct jw_status_report *r)
{
    uint64_t better = jw_cache_limit_for(r->used, r->dir.usual);

    return r->dir.limit < better ? better : 0;
}

void status_say_limit(struct jw_buf *out, uint64_t bytes)
{
    static const struct {
        unsigned shift;
        const char *unit;
    } units[] = { { 30, "GiB" }, { 20, "MiB" } };

    for (size_t i = 0; i < JW_COUNT(units); i++) {
        if (bytes == 0 || bytes & (((uint64_t)1 << units[i].shift) - 1))
            continue;
        jw_say(out, "%s %s", JW_NUM(bytes >> units[i].shift), units[i].unit);
        return;
    }
    jw_text_bytes(out, bytes);
}

/* "12 entries (3.4 MiB) have" */
static void say_sum(struct jw_buf *out, uint64_t n, uint64_t bytes, const char *noun, const char *one,
                    const char *many)
{
    jw_say(out, "%s %s (%s) %s", JW_NUM(n), noun, JW_SIZE(bytes), n == 1 ? one : many);
}

/* The sentences of the format name what they are about, which is said here already. */
static void say_reason(struct jw_buf *out, const char *reason, const char *about)
{
    jw_text_clean(out, jw_text_starts(reason, about) ? reason + strlen(about) : reason);
}

static void say_notes(struct jw_buf *out, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        jw_say(out, "%s\n", notes->v[i]);
}

static void say_trust(struct jw_buf *out, const struct jw_status_report *r)
{
    if (r->trust.owner)
        jw_buf_printf(out,
                      "the folder belongs to %s, not to you: whether your programs can keep anything there "
                      "depends on its rights\n",
                      r->trust.owner);
    if (r->trust.writers)
        jw_buf_printf(
            out,
            "%s may write to the folder: who can write an entry chooses the code that your programs "
            "run on the GPU; %s closes it\n",
            r->trust.writers, r->trust.mend ? r->trust.mend : "chmod 700");
}

static void say_fill(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->dir.limit_known || jw_status_fill(r, r->dir.limit) < FULL)
        return;
    jw_buf_text(out, "the cache is full, or nearly so: what is compiled next pushes older entries out, and "
                     "what was pushed out "
                     "is compiled again when it is needed");
    if (room_above(r))
        jw_buf_printf(out, "; CUDA_CACHE_MAXSIZE=%llu gives it room", (unsigned long long)room_above(r));
    jw_buf_text(out, "\n");
}

static void say_dead(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->dead.entries)
        return;
    say_sum(out, r->dead.entries, r->dead.bytes, r->dead.entries == 1 ? "entry" : "entries", "is", "are");
    jw_buf_text(out,
                " of other driver builds than the one that was met here last, which does not use them; they "
                "count against the limit all the same\n");
}

static void say_carried(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->carried.entries)
        return;
    say_sum(out, r->carried.entries, r->carried.bytes, r->carried.entries == 1 ? "entry" : "entries", "holds",
            "hold");
    jw_buf_text(
        out, " code that this driver did not compile: it was carried from another build, or made by another "
             "compiler; jitwarm carry --renew compiles it anew, jitwarm carry --undo takes it away\n");
}

/* Before all else. */
static void say_lost(struct jw_buf *out, const struct jw_status_report *r)
{
    if (!r->list.index_lost)
        return;
    jw_buf_text(out, "EMERGENCY: ");
    if (r->list.index_damage) {
        jw_buf_text(out, "the index is damaged (");
        say_reason(out, r->list.index_damage, "cache index: ");
        jw_buf_text(out, ")");
    } else
        jw_buf_text(out, "the index is missing or empty");
    jw_buf_text(out,
                ". The next program that compiles something deletes every other entry. Run jitwarm status "
                "--repair first: it rebuilds the index\n");
}

static void say_index(struct jw_buf *out, const struct jw_status_report *r)
{
    if (r->list.index_unread) {
        jw_buf_text(out, "the index could not be read: ");
        say_reason(out, r->list.index_damage, "cache index: ");
        jw_buf_text(out, "; which entries the driver counts cannot be told\n");
    } else if (r->list.index_damage && !r->list.index_lost) {
        jw_buf_text(out, "the index is damaged: ");
        say_reason(out, r->list.index_damage, "cache index: ");
        jw_buf_text(out, "; jitwarm status --repair rebuilds it\n");
    }
    if (r->orphans.entries) {
        say_sum(out, r->orphans.entries, r->orphans.bytes, r->orphans.entries == 1 ? "file" : "files", "has",
                "have");
        jw_buf_text(out,
                    " no record in the index: the driver does not count them, and whether it still uses them "
                    "is not known\n");
    }
    if (r->list.missing) {
        say_sum(out, r->list.missing, r->list.missing_bytes, r->list.missing == 1 ? "record" : "records",
                "has", "have");
        jw_buf_text(
            out, " no file: that code is compiled again when it is needed, and the index counts it all the "
                 "same\n");
    }
    if (r->mismatched)
        jw_say(out, "%s another size than the index says\n",
               JW_N(r->mismatched, "entry has", "entries have"));
}

static void say_damaged(struct jw_buf *out, const struct jw_status_report *r, bool unread)
{
    const struct jw_status_sum *sum = unread ? &r->unread : &r->damaged;
    uint64_t named = 0;

    if (!sum->entries)
        return;
    jw_say(out, "%s%s", JW_N(sum->entries, "entry", "entries"),
           unread              ? " could not be read: "
           : sum->entries == 1 ? " is damaged: "
                               : " are damaged: ");
    for (size_t i = 0; i < r->list.n && named < NAMED; i++) {
        const struct jw_cache_file *f = &r->list.files[i];

        if (!f->damage || f->unread != unread)
            continue;
        jw_buf_printf(out, "%s%s (", named++ ? ", " : "", jw_cache_name(f->name).text);
        say_reason(out, f->damage, "cache entry: ");
        jw_buf_text(out, ")");
    }
    if (named < sum->entries)
        jw_say(out, " and %s more (--json names them)", JW_NUM(sum->entries - named));
    jw_buf_text(out, unread ? "\n" : "; to delete such a file is safe, and costs at most one compilation\n");
}

static void say_others(struct jw_buf *out, const struct jw_status_report *r)
{
    if (r->list.links)
        jw_say(out, "%s below the root: not followed\n", JW_N(r->list.links, "link", "links"));
    if (r->list.foreign)
        jw_say(out, "%s below the root that the driver does not use: left alone\n",
               JW_N(r->list.foreign, "other name", "other names"));
    if (r->list.more)
        jw_say(out, "%s not looked at: jitwarm stops at %zu\n",
               JW_N(r->list.more, "entry was", "entries were"), JW_MAX_CACHE_FILES);
}

void status_say_findings(struct jw_buf *out, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;

    say_notes(out, &r->dir.notes);
    say_lost(out, r);
    say_trust(out, r);
    if (!status_say_primed(out, r))
        say_fill(out, r);
    say_dead(out, r);
    say_carried(out, r);
    say_damaged(out, r, false);
    say_damaged(out, r, true);
    say_index(out, r);
    say_others(out, r);
    say_notes(out, &r->list.notes);
    say_notes(out, &r->drivers.notes);
    say_notes(out, &r->memory.notes);
}

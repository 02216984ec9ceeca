/* Says what is wrong with a cache, and what the user should do about it. */
#include "cache/status/status.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <string.h>

enum {
    FULL = 95, /* percent */
    NAMED = 3  /* damaged entries that are listed by name */
};

/* The sentences so far: the problem, its cost, the command. */
struct problems {
    struct jw_notes *out;
    struct jw_arena *a;
};

#define warn(p, ...) jw_note((p)->out, (p)->a, __VA_ARGS__)

/* The reason without the words that it begins with, which the line has already. */
static const char *reason_of(const char *reason, const char *about)
{
    return jw_text_starts(reason, about) ? reason + strlen(about) : reason;
}

/* `said`: a sentence of the line "Warm"; NULL: none. */
static void warn_notes(struct problems *p, const struct jw_notes *notes, const char *said)
{
    for (size_t i = 0; i < notes->n; i++)
        if (!jw_text_same(notes->v[i], said))
            warn(p, "%s", notes->v[i]);
}

/* Inside of a sentence, which is broken into lines at blanks. */
static const char *words_of(struct jw_arena *a, const struct jw_status_report *r, const char *verb)
{
    return jw_status_is_cache_named(r) && !jw_command_is_plain(r->dir.root, jw_os_is_windows())
               ? jw_arena_printf(a, "%s --cache DIR", verb)
               : jw_status_command_of(r, verb, a);
}

static void warn_trust(struct problems *p, const struct jw_status_report *r, const struct jw_blocker *h)
{
    if (r->trust.owner)
        warn(p, "the folder is owned by %s, not by you: your programs may not be able to write to it",
             r->trust.owner);
    if (r->trust.writers && h->is != JW_BLOCKER_OPEN)
        warn(p,
             "%s may write to the folder, and so replace the GPU code that your programs run. To fix it: %s",
             r->trust.writers,
             r->trust.fix_command ? r->trust.fix_command
             : r->trust.sticky    ? "give the driver another folder (jitwarm doctor says how)"
                                  : "chmod go-w");
}

/* Warns of a full disk, or of a folder to which others may write. Other blockers are said where status says
 * what is warm. */
static void warn_spared(struct problems *p, const struct jw_blocker *h)
{
    if (h->is && !jw_blocker_hides(h))
        warn(p, "%s", h->what);
}

static void warn_fill(struct problems *p, const struct jw_status_report *r)
{
    static const char full[] = "the cache is full, or nearly full: new entries replace older ones, which the "
                               "driver must compile again";

    if (!r->dir.limit_known || jw_status_fill(r, r->dir.limit) < FULL)
        return;
    if (r->dir.limit < jw_status_limit(r))
        warn(p, "%s. Set CUDA_CACHE_MAXSIZE=%llu", full, (unsigned long long)jw_status_limit(r));
    else
        warn(p, "%s", full);
}

static void warn_outdated(struct problems *p, const struct jw_status_report *r)
{
    const struct jw_status_sum *sum = &r->outdated;

    if (sum->entries)
        warn(p,
             "%s (%s) %s outdated: another driver build made them. This machine's driver cannot use them, "
             "but they count against the limit",
             JW_N(sum->entries, "entry", "entries"), JW_SIZE(sum->bytes), sum->entries == 1 ? "is" : "are");
}

static void warn_index_lost(struct problems *p, const struct jw_status_report *r)
{
    bool damaged = r->list.index_damage;

    if (r->list.index_lost)
        warn(p,
             "EMERGENCY: the index is %s%s%s. The next program that compiles something deletes all other "
             "entries. Run jitwarm %s first: it rebuilds the index",
             damaged ? "damaged (" : "missing or empty",
             damaged ? reason_of(r->list.index_damage, "cache index: ") : "", damaged ? ")" : "",
             words_of(p->a, r, "status --repair"));
}

static void warn_index(struct problems *p, const struct jw_status_report *r)
{
    const char *it = r->unindexed.entries == 1 ? "it" : "them";

    if (r->list.index_unread)
        warn(p, "the index could not be read: %s; it is unknown which entries count against the limit",
             reason_of(r->list.index_damage, "cache index: "));
    else if (r->list.index_damage && !r->list.index_lost)
        warn(p, "the index is damaged: %s; jitwarm %s rebuilds it",
             reason_of(r->list.index_damage, "cache index: "), words_of(p->a, r, "status --repair"));
    if (r->unindexed.entries)
        warn(p,
             "%s (%s) %s no record in the index: the driver does not count %s against the limit, and may not "
             "use %s",
             JW_N(r->unindexed.entries, "file", "files"), JW_SIZE(r->unindexed.bytes),
             r->unindexed.entries == 1 ? "has" : "have", it, it);
    if (r->list.missing)
        warn(p,
             "%s (%s) %s no file: a program that needs that code compiles it again, and the index still "
             "counts it against the limit. %s removes %s",
             JW_N(r->list.missing, "record", "records"), JW_SIZE(r->list.missing_bytes),
             r->list.missing == 1 ? "has" : "have", words_of(p->a, r, "jitwarm prune --yes"),
             r->list.missing == 1 ? "it" : "them");
    if (r->mismatched)
        warn(p, "%s a different size in the index", JW_N(r->mismatched, "entry has", "entries have"));
}

static void warn_damaged(struct problems *p, const struct jw_status_report *r, bool unread)
{
    const struct jw_status_sum *sum = unread ? &r->unread : &r->damaged;
    struct jw_buf names = JW_LINE(p->a);
    uint64_t named = 0;

    for (size_t i = 0; i < r->list.n && named < NAMED; i++) {
        const struct jw_cache_file *f = &r->list.files[i];

        if (f->damage && f->unread == unread)
            jw_say(&names, "%s%s (%s)", named++ ? ", " : "", jw_cache_name(f->name).text,
                   reason_of(f->damage, "cache entry: "));
    }
    if (named < sum->entries)
        jw_say(&names, " and %s more (--json names them)", JW_NUM(sum->entries - named));
    if (sum->entries)
        warn(p, "%s %s: %s%s", JW_N(sum->entries, "entry", "entries"),
             unread              ? "could not be read"
             : sum->entries == 1 ? "is damaged"
                                 : "are damaged",
             jw_buf_cstr(&names),
             unread ? ""
                    : jw_arena_printf(
                        p->a, ". jitwarm %s removes %s, and the driver compiles that code again",
                        words_of(p->a, r, "prune --damaged --yes"), sum->entries == 1 ? "it" : "them"));
}

static void warn_others(struct problems *p, const struct jw_status_report *r)
{
    if (r->list.links)
        warn(p, "%s below the folder: not followed", JW_N(r->list.links, "symbolic link", "symbolic links"));
    if (r->list.foreign)
        warn(p, "%s that the driver does not use: skipped",
             JW_N(r->list.foreign, "other file or folder", "other files or folders"));
    if (r->list.more)
        warn(p, "%s not read: jitwarm reads at most %zu", JW_N(r->list.more, "entry was", "entries were"),
             JW_MAX_CACHE_FILES);
}

/* The limit, or the largest default of any driver. 0: unknown. */
static uint64_t limit_of(const struct jw_status_report *r)
{
    if (r->dir.limit_known)
        return r->dir.limit;
    return r->dir.limit_from.value ? 0 : r->documented.since;
}

static const char *limit_words(const struct jw_status_report *r)
{
    return r->dir.limit_known ? "the limit" : "the driver's default limit";
}

/* How to make room for all of it. */
static const char *how_to_fit(const struct problems *p, const struct jw_status_report *r)
{
    uint64_t better = jw_status_limit(r);

    return better ? jw_arena_printf(p->a, "Set CUDA_CACHE_MAXSIZE=%llu", (unsigned long long)better)
                  : "No cache can hold that much: give each framework its own (CUDA_CACHE_PATH)";
}

/* The driver evicts the oldest entry first: a program that needs more than the limit finds none of its entries.
 * driver-fact: F56-fifo */
static bool warn_thrash(struct problems *p, const struct jw_status_report *r)
{
    uint64_t limit = limit_of(r), need = r->primed.need.bytes;

    if (!limit || need <= limit)
        return false;
    warn(p,
         "the primed modules need %s, more than %s (%s): the next program that compiles anything evicts "
         "some, and those that use all of them compile again then, at every start. %s",
         JW_SIZE(need), limit_words(r), JW_LIMIT(limit), how_to_fit(p, r));
    return true;
}

static void warn_emptied(struct problems *p, const struct jw_status_report *r)
{
    const struct jw_status_sum *all = r->primed.need.entries ? &r->primed.need : &r->primed.recorded;
    bool one = all->entries == 1;

    warn(p,
         "the folder is %s: %s (%s) that jitwarm compiled or verified no longer exist%s. The next starts "
         "compile %s again",
         r->list.found ? "empty" : "gone", JW_N(all->entries, "entry", "entries"), JW_SIZE(all->bytes),
         one ? "s" : "", one ? "it" : "them");
}

/* `limit_named`: the problems name the limit already. Returns whether they do now. */
static bool warn_gone(struct problems *p, const struct jw_status_report *r, bool limit_named)
{
    const struct jw_status_sum *gone = &r->primed.gone;
    uint64_t limit = limit_of(r);
    bool tell = !limit_named && limit && jw_status_need(r) > limit;

    if (gone->entries)
        warn(p,
             "%s (%s) that jitwarm compiled or verified %s evicted or removed. The next starts compile %s "
             "again%s",
             JW_N(gone->entries, "entry", "entries"), JW_SIZE(gone->bytes),
             gone->entries == 1 ? "was" : "were", gone->entries == 1 ? "it" : "them",
             tell ? jw_arena_printf(p->a, ". All entries together exceed %s (%s). %s", limit_words(r),
                                    JW_LIMIT(limit), how_to_fit(p, r))
                  : "");
    return limit_named || (gone->entries && tell);
}

static void warn_changed(struct problems *p, const struct jw_status_report *r)
{
    const struct jw_status_sum *changed = &r->primed.changed;

    if (changed->entries)
        warn(p,
             "%s a different size than jitwarm recorded: another program wrote %s. jitwarm %s checks that "
             "the next start compiles nothing",
             JW_N(changed->entries, "entry has", "entries have"), changed->entries == 1 ? "it" : "them",
             words_of(p->a, r, "verify"));
}

/* Primed entries that are gone and `missed`, or do not fit. True: a limit was recommended. */
static bool warn_primed(struct problems *p, const struct jw_status_report *r, bool missed)
{
    bool limit_named;

    if (!r->primed.known)
        return false;
    limit_named = warn_thrash(p, r);
    if (missed && r->primed.emptied)
        warn_emptied(p, r);
    if (missed)
        limit_named = warn_gone(p, r, limit_named);
    warn_changed(p, r);
    return limit_named;
}

struct jw_notes jw_status_problems(const struct jw_status_report *r, const struct jw_blocker *blocker,
                                   const char *lost, bool missed, struct jw_arena *a)
{
    struct jw_notes out = { NULL, 0 };
    struct problems p = { .out = &out, .a = a };

    warn_notes(&p, &r->dir.notes, blocker->what);
    warn_index_lost(&p, r);
    warn_trust(&p, r, blocker);
    warn_spared(&p, blocker);
    if (!warn_primed(&p, r, missed))
        warn_fill(&p, r);
    warn_outdated(&p, r);
    warn_damaged(&p, r, false);
    warn_damaged(&p, r, true);
    warn_index(&p, r);
    warn_others(&p, r);
    warn_notes(&p, &r->list.notes, NULL);
    warn_notes(&p, &r->drivers.notes, NULL);
    warn_notes(&p, &r->memory.notes, lost);
    return out;
}

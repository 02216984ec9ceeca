/* Says what status alone says of a cache: what could not be looked at, and what is odd. */
#include "cache/status/status.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <string.h>

enum { NAMED = 3 }; /* unreadable entries that are listed by name */

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
    return jw_cachedir_is_named(&r->dir) && !jw_command_is_plain(r->dir.folder, jw_os_is_windows())
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

static void warn_index(struct problems *p, const struct jw_status_report *r)
{
    if (r->list.index_unread)
        warn(p, "the index could not be read: %s; it is unknown which entries count against the limit",
             reason_of(r->list.index_damage, "cache index: "));
    if (r->mismatched)
        warn(p, "%s a different size in the index", JW_N(r->mismatched, "entry has", "entries have"));
}

static void warn_unread(struct problems *p, const struct jw_status_report *r)
{
    struct jw_buf names = JW_LINE(p->a);
    uint64_t named = 0;

    for (size_t i = 0; i < r->list.n && named < NAMED; i++) {
        const struct jw_cache_file *f = &r->list.files[i];

        if (f->damage && f->unread)
            jw_say(&names, "%s%s (%s)", named++ ? ", " : "", jw_cache_name(f->name).text,
                   reason_of(f->damage, "cache entry: "));
    }
    if (named < r->unread.entries)
        jw_say(&names, " and %s more (--json names them)", JW_NUM(r->unread.entries - named));
    if (r->unread.entries)
        warn(p, "%s could not be read: %s", JW_N(r->unread.entries, "entry", "entries"), jw_buf_cstr(&names));
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

static void warn_changed(struct problems *p, const struct jw_status_report *r)
{
    const struct jw_status_sum *changed = &r->primed.changed;

    if (r->primed.known && changed->entries)
        warn(p,
             "%s a different size than jitwarm recorded: another program wrote %s. jitwarm %s checks that "
             "the next start compiles nothing",
             JW_N(changed->entries, "entry has", "entries have"), changed->entries == 1 ? "it" : "them",
             words_of(p->a, r, "verify"));
}

struct jw_notes jw_status_problems(const struct jw_status_report *r, const struct jw_blocker *blocker,
                                   const char *lost, struct jw_arena *a)
{
    struct jw_notes out = { NULL, 0 };
    struct problems p = { .out = &out, .a = a };

    warn_notes(&p, &r->dir.notes, blocker->what);
    warn_trust(&p, r, blocker);
    warn_spared(&p, blocker);
    warn_changed(&p, r);
    warn_unread(&p, r);
    warn_index(&p, r);
    warn_others(&p, r);
    warn_notes(&p, &r->list.notes, NULL);
    warn_notes(&p, &r->drivers.notes, NULL);
    warn_notes(&p, &r->memory.notes, lost);
    return out;
}

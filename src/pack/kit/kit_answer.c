/* Compares what starts of a command did in other caches than the driver's with its record, and makes the record. */
#include "base/arena.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "pack/kit/kit_starts.h"

#include <string.h>

enum { NO_ROOM = 1 << 20 };

bool jw_kit_use_made_nothing(const struct jw_kit_use *u)
{
    return !u->why && !u->made && (!u->known || u->read) && !(u->differs && u->read < u->known);
}

static void count(struct jw_kit_top *t, const struct kit_used *u)
{
    t->read += u->held && !u->waits;
    t->asked += u->asked;
    t->fresh += u->made && !u->was;
    t->again += u->made && u->was && !u->held;
    t->rewritten += u->made && u->held;
}

/* ---- against its record ---- */

static bool is_gone(const struct kit_used *u)
{
    struct jw_file_info now;
    struct jw_err ignored;

    return u->recorded && u->info.kind == JW_FILE_REGULAR && !u->made && !u->held && !u->asked
           && jw_file_stat(u->path, &now, &ignored) && now.kind == JW_FILE_NONE;
}

/* An engine that could not store its code has compiled, and no file shows it. In folders that are known by behaviour
 * alone, it is not known what a start would make. */
static const char *find_doubt(const struct jw_kit_starts *s, const struct jw_kit_top *t)
{
    const char *folder = t->cache.path;
    struct jw_disk disk;
    struct jw_err ignored;
    bool may = true;

    if (s->by->why)
        return s->by->why;
    if (!jw_is_folder(folder))
        return NULL;
    if (jw_dir_may_add(folder, &may, &ignored) && !may)
        return "nothing can be written there, so what was made again would not be seen";
    if (jw_disk_look(folder, &disk, &ignored) && disk.free < NO_ROOM)
        return "its disk is full, so what was made again could not be kept";
    if (t->lost && t->known)
        return jw_arena_printf(s->a, "%s begun there and not kept",
                               t->lost == 1 ? "a file was" : "files were");
    if (t->gone)
        return jw_arena_printf(s->a, "%s removed there and not made again",
                               t->gone == 1 ? "a file was" : "files were");
    return s->by->left && !t->known ? "processes that it left behind still run" : NULL;
}

static struct jw_kit_use compare(const struct jw_kit_starts *s, const struct jw_kit_top *t,
                                 const struct jw_kit *now)
{
    const struct jw_kit_cache none = { 0 }, *was = t->was ? t->was : &none;
    uint64_t same = t->rewritten - jw_min(t->rewritten, was->rewritten);
    uint64_t others = jw_min(t->fresh, was->others);
    struct jw_kit_use use = { .name = t->cache.name,
                              .folder = t->cache.path ? t->cache.path : t->cache.place,
                              .known = t->recorded,
                              .read = t->read ? t->read + t->asked - same : 0,
                              .made = t->fresh - others + t->again + same,
                              .others = others + t->rewritten - same };

    if (!t->cache.path)
        use.why = "its variable is not set here";
    else if (!use.made)
        use.why = find_doubt(s, t);
    if (t->was) {
        const struct jw_kit_cache is = jw_kit_cache_here(s->packages, &t->cache, s->of->argv, s->a);

        use.differs = jw_kit_differs(&s->then.kit, now, t->was, &is, s->a);
    }
    return use;
}

bool jw_kit_starts_compare(struct jw_kit_starts *s, struct jw_kit_answer *out, struct jw_err *err)
{
    struct jw_kit now = { 0 };
    size_t n;
    struct jw_kit_top *tops = jw_kit_tops_all(s->tops, &n);

    *out = (struct jw_kit_answer){ .uses = jw_arena_alloc(s->a, (n + 1) * sizeof *out->uses) };
    jw_kit_describe(s->packages, s->of, s->a, &now);
    for (size_t i = 0; i < s->n; i++) {
        const struct kit_used *u = &s->files[i];
        struct jw_kit_top *top = jw_kit_top_find(s->tops, u->path);

        if (top) {
            count(top, u);
            top->gone += is_gone(u);
        } else if (u->made && !out->others++)
            out->first = u->path;
    }
    for (size_t i = 0; i < n; i++) {
        struct jw_kit_use *use = &out->uses[out->n];

        *use = compare(s, &tops[i], &now);
        out->n += use->known || use->read || use->made;
    }
    *err = s->why;
    return err->code == JW_OK;
}

/* ---- as its record ---- */

static bool is_entry(const struct jw_kit_starts *s, const struct kit_used *u)
{
    const struct jw_kit_top *top;
    bool further = s->n_starts > 1;

    return (u->held && (further || !u->waits))
           || (!further && u->made && !u->database && (top = jw_kit_top_find(s->tops, u->path))
               && top->known);
}

static void find_entries(struct jw_kit_starts *s, struct jw_kit_tops *tops, struct jw_kit_answer *out)
{
    bool further = s->n_starts > 1;

    for (size_t i = 0; i < s->n; i++) {
        struct kit_used *u = &s->files[i];
        bool entry = is_entry(s, u), database = u->database && (further || !u->made),
             used = entry || database;
        struct jw_kit_top *top = used ? jw_kit_top_of(tops, u->path) : NULL;

        u->top = entry ? top : NULL;
        if (top) {
            top->files += entry;
            top->databases += database;
        }
        out->entries += u->top != NULL;
        if (used && !top && !out->outside++)
            out->first_outside = u->path;
        out->others += (further ? u->earlier : u->made) && !used;
    }
    /* Files that it wrote there all the same, too: logs, results. Nobody knows whether a file that is only asked for
     * elsewhere is a cache's. */
    for (size_t i = 0; i < s->n; i++) {
        struct kit_used *u = &s->files[i];
        struct jw_kit_top *top = u->top || (!further && !u->asked) ? u->top : jw_kit_top_find(tops, u->path);

        if (top)
            count(top, u);
        if (!top || !u->asked || !top->files)
            continue;
        u->top = top;
        top->files++;
        out->entries++;
        out->others -= further ? u->earlier : u->made;
    }
}

/* Adds a file to the last cache: files come sorted by path. Files that may not travel are left out, and those
 * that an unproven record names a second time. */
static bool add_entry(const struct jw_kit_starts *s, const struct kit_used *u, struct jw_kit *kit,
                      struct jw_err *err)
{
    struct jw_kit_file one = { .cache = (uint32_t)kit->n_caches - 1,
                               .path = jw_kit_below(u->path, u->top->cache.path),
                               .bytes = u->info.size,
                               .asked = u->asked,
                               .mode = u->info.mode & JW_KIT_MODES,
                               .mtime_us = jw_kit_microseconds(&u->info) };
    struct jw_kit_file *slot;

    if (!u->asked)
        (void)jw_kit_digest(u->path, one.bytes, one.digest); /* not known: its size counts alone */

    if (!jw_kit_path_plain(one.path)
        || (kit->n_files && jw_kit_file_order(&kit->files[kit->n_files - 1], &one) == 0))
        return true;
    slot = jw_list_add(s->a, &kit->files, &kit->n_files, sizeof *slot, JW_MAX_KIT_FILES, err);
    if (slot)
        *slot = one;
    return slot != NULL;
}

static bool add_cache(const struct jw_kit_starts *s, const struct jw_kit_top *t, struct jw_kit *now,
                      struct jw_err *err)
{
    struct jw_kit_cache *c = &now->caches[now->n_caches++];

    *c = jw_kit_cache_here(s->packages, &t->cache, s->of->argv, s->a);
    c->rewritten = (uint32_t)jw_min(t->rewritten, JW_MAX_KIT_FILES);
    c->others = s->n_starts > 1 ? (uint32_t)jw_min(t->fresh + t->again, JW_MAX_KIT_FILES) : 0;
    c->databases = (uint32_t)jw_min(t->databases, JW_MAX_KIT_FILES);
    for (size_t i = 0; i < s->n; i++)
        if (s->files[i].top == t && !add_entry(s, &s->files[i], now, err))
            return false;
    return true;
}

/* Finds files that a single start made in caches of no known name: none where they are more than a record takes. */
static void find_unproven(struct jw_kit_starts *s, struct jw_kit *out)
{
    struct jw_kit_tops *found = jw_kit_tops_new(NULL, s->a);
    struct jw_err too_many = { 0 };
    size_t n;

    *out = (struct jw_kit){ 0 };
    if (s->n_starts > 1)
        return;
    for (size_t i = 0; i < s->n; i++) {
        struct kit_used *u = &s->files[i];
        bool waits = (u->made || u->waits) && !u->database && !is_entry(s, u);

        u->top = waits ? jw_kit_top_of(found, u->path) : NULL;
        if (u->top)
            u->top->files++;
    }
    const struct jw_kit_top *tops = jw_kit_tops_all(found, &n);

    out->caches = jw_arena_alloc(s->a, (n + 1) * sizeof *out->caches);
    for (size_t i = 0; i < n; i++)
        if (tops[i].files && !add_cache(s, &tops[i], out, &too_many)) {
            *out = (struct jw_kit){ 0 };
            return;
        }
}

bool jw_kit_starts_keep(struct jw_kit_starts *s, bool ended_well, struct jw_kit_answer *out,
                        struct jw_err *err)
{
    struct jw_kit_tops *found = jw_kit_tops_new(NULL, s->a);
    struct jw_kit now = { 0 };
    bool further = s->n_starts > 1, ok = s->why.code == JW_OK;
    size_t n;

    *out = (struct jw_kit_answer){ 0 };
    *err = s->why;
    find_entries(s, found, out);
    struct jw_kit_top *tops = jw_kit_tops_all(found, &n);

    jw_kit_describe(s->packages, s->of, s->a, &now);
    now.caches = jw_arena_alloc(s->a, (n + 1) * sizeof *now.caches);
    out->uses = jw_arena_alloc(s->a, (n + 1) * sizeof *out->uses);
    for (size_t i = 0; i < n; i++) {
        const struct jw_kit_top *t = &tops[i];
        uint64_t made = t->fresh + t->again;

        if (!t->files && !t->databases)
            continue;
        if (t->files)
            out->uses[out->n++] = (struct jw_kit_use){ .name = t->cache.name,
                                                       .folder = t->cache.path,
                                                       .read = further ? t->files : t->files - made,
                                                       .made = further ? 0 : made,
                                                       .others = further ? made : 0 };
        if (t->databases)
            out->databases = jw_arena_printf(s->a, "%s%sin %s", out->databases ? out->databases : "",
                                             out->databases ? ", " : "", t->cache.path);
        out->more |= further && t->fresh;
        ok = ok && add_cache(s, t, &now, err);
    }
    bool had = s->then.kit.n_caches || s->then.unproven.n_files;

    if (ok)
        find_unproven(s, &s->then.unproven);
    if (!ok || (!now.n_caches && !had && !s->then.unproven.n_files))
        return ok;
    if (ended_well || now.n_files >= s->then.kit.n_files)
        s->then.kit = now;
    return jw_kit_remember(s->of->key, &s->then, s->a, err);
}

bool jw_kit_starts_remember(struct jw_kit_starts *s, const struct jw_kit_last *last, struct jw_err *err)
{
    if (s->why.code != JW_OK
        || (!last->n && !s->then.kit.n_caches && !s->then.unproven.n_files && !s->then.last.command))
        return true;
    s->then.last = *last;
    s->then.last.command = s->of->key;
    return jw_kit_remember(s->of->key, &s->then, s->a, err);
}

/* ---- what was there before ---- */

/* The program itself lies there, or what it works on. */
static bool is_at_work_in(const char *folder, const char *const *argv, struct jw_arena *a)
{
    const char *here = NULL;
    struct jw_err ignored;

    if (jw_real_path(".", a, &here, &ignored) && (strcmp(here, folder) == 0 || jw_kit_below(here, folder)))
        return true;
    for (size_t i = 0; argv[i]; i++)
        if (jw_kit_below(argv[i], folder))
            return true;
    return false;
}

/* A file that still waits for a further start is not. */
static bool is_followed(const struct jw_kit_starts *s, const char *path)
{
    const struct kit_used *u = kit_used_find(s, path);

    return u && !(u->waits && s->n_starts == 1);
}

/* A file of an installed package is in no cache, although `uv run` has its environments in ~/.cache. */
static bool is_installed(const char *path)
{
    return strstr(path, "/site-packages/") || strstr(path, "/dist-packages/")
           || jw_text_ends(path, "/pyvenv.cfg");
}

const char *jw_kit_starts_older(const struct jw_kit_starts *s)
{
    const struct jw_traced *by = s->by;
    struct jw_kit_tops *found = jw_kit_tops_new(NULL, s->a);
    const char *words = NULL;
    size_t n;

    for (size_t i = 0; i < by->n_opened; i++) {
        const char *path = by->opened[i];
        struct jw_file_info info;
        struct jw_err ignored;
        struct jw_kit_top *top;

        if (!is_installed(path) && jw_kit_lies_in_caches(found, path) && kit_is_of_interest(s, path)
            && !jw_traced_has(by->made, by->n_made, path) && !is_followed(s, path)
            && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR && info.size
            && info.ctime < by->since && (top = jw_kit_top_of(found, path)))
            top->files++;
    }
    const struct jw_kit_top *tops = jw_kit_tops_all(found, &n);

    for (size_t i = 0; i < n; i++)
        if (tops[i].files && !is_at_work_in(tops[i].cache.path, s->of->argv, s->a))
            words = jw_arena_printf(s->a, "%s%s%s in %s", words ? words : "", words ? ", " : "",
                                    words ? JW_NUM(tops[i].files) : JW_N(tops[i].files, "file", "files"),
                                    tops[i].cache.path);
    return words;
}

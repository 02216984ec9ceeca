/* Caches that only behaviour tells: a file that one start of a command made, and that its next start opened and left as it was, is a cache
 * entry, of any engine. Both are known of the command's own calls (os/process/file_trace.h). */
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/list.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "pack/kit/kit.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TOPS = 64 };

struct jw_kit_found {
    struct jw_arena *a;
    struct jw_kit_seen *files; /* by path */
    size_t n;
    bool too_many;
};

/* ---- what the first start made ---- */

static bool is_of_interest(const char *path, const struct jw_kit_skip *skip)
{
    static const char *const systems[] = { "/dev", "/proc", "/sys", "/run" };
    const char *memory = jw_text_starts(path, "/dev/shm/") ? path + strlen("/dev/shm/") : NULL;
    bool in_folder = memory && strchr(memory, '/');

    /* Semaphores and shared memory lie in /dev/shm itself; a folder there may be anybody's TMPDIR. */
    for (size_t i = 0; i < JW_COUNT(systems) && !in_folder; i++)
        if (jw_kit_below(path, systems[i]))
            return false;
    for (size_t i = 0; i < skip->n; i++)
        if (skip->v[i] && jw_kit_below(path, skip->v[i]))
            return false;
    return !jw_kit_is_beside(path);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct jw_kit_seen *)a)->path, ((const struct jw_kit_seen *)b)->path);
}

static bool is_found(const struct jw_kit_found *f, size_t n, const char *path)
{
    const struct jw_kit_seen key = { .path = path };

    return n && bsearch(&key, f->files, n, sizeof key, by_path);
}

void jw_kit_found_more(struct jw_kit_found *f, const struct jw_traced *by, int64_t since,
                       const struct jw_kit_skip *skip)
{
    struct jw_err ignored;
    size_t n = f->n;

    for (size_t i = 0; i < by->n_made; i++) {
        struct jw_kit_seen one = { .path = by->made[i] }, *slot;

        if (is_found(f, n, one.path) || !is_of_interest(one.path, skip)
            || !jw_kit_is_made(one.path, since, &one.before, f->a))
            continue;
        jw_kit_see(&one);
        slot = jw_list_add(f->a, &f->files, &f->n, sizeof *slot, JW_MAX_KIT_FILES, &ignored);
        if (slot)
            *slot = one;
        f->too_many |= !slot;
    }
    if (f->n > n)
        qsort(f->files, f->n, sizeof *f->files, by_path);
}

struct jw_kit_found *jw_kit_found_made(const struct jw_traced *by, int64_t since,
                                       const struct jw_kit_skip *skip, struct jw_arena *a)
{
    struct jw_kit_found *f = jw_arena_alloc(a, sizeof *f);

    f->a = a;
    jw_kit_found_more(f, by, since, skip);
    return f;
}

size_t jw_kit_found_files(const struct jw_kit_found *f)
{
    return f->n;
}

const char *jw_kit_found_first(const struct jw_kit_found *f)
{
    return f->files[0].path;
}

/* ---- what was there before it ---- */

enum { MAX_OLDER = 8 };

struct older {
    const char *folder;
    uint64_t files;
};

/* "NAME" of "BASE/NAME/...", with the base before it; NULL: it is not so far below. */
static const char *folder_in(const char *base, const char *path, struct jw_arena *a)
{
    const char *below = base ? jw_kit_below(path, base) : NULL, *end = below ? strchr(below, '/') : NULL;

    return end ? jw_arena_text(a, path, (size_t)(end - path)) : NULL;
}

static bool is_recorded(const struct jw_kit *k, const char *path, struct jw_arena *a)
{
    for (size_t i = 0; i < k->n_files; i++) {
        const char *root = jw_kit_root_here(&k->caches[k->files[i].cache], a),
                   *below = root ? jw_kit_below(path, root) : NULL;

        if (below && strcmp(below, k->files[i].path) == 0)
            return true;
    }
    return false;
}

static void count_older(struct older *v, const char *folder)
{
    size_t i = 0;

    while (i < MAX_OLDER && v[i].folder && strcmp(v[i].folder, folder) != 0)
        i++;
    if (i < MAX_OLDER) {
        v[i].folder = folder;
        v[i].files++;
    }
}

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

const char *jw_kit_found_older(const struct jw_traced *by, int64_t since, const struct jw_kit_skip *skip,
                               const char *key, const char *const *argv, struct jw_arena *a)
{
    const char *xdg = jw_env(a, "XDG_CACHE_HOME"), *temporary = jw_env(a, "TMPDIR"), *home = jw_env_home(a);
    const char *bases[] = { xdg && *xdg ? xdg : NULL, home ? jw_path_join(a, home, ".cache") : NULL,
                            temporary && *temporary ? temporary : "/tmp" };
    struct older found[MAX_OLDER] = { { 0 } };
    struct jw_kit known = { 0 };
    struct jw_err ignored = { 0 };
    const char *words = NULL;

    for (size_t b = 0; b < JW_COUNT(bases); b++)
        if (bases[b] && !jw_real_path(bases[b], a, &bases[b], &ignored))
            bases[b] = NULL;
    if (!jw_kit_recall(key, a, &known, &ignored))
        return NULL;
    for (size_t i = 0; i < by->n_opened; i++) {
        const char *folder = NULL;
        struct jw_file_info info;

        for (size_t b = 0; !folder && b < JW_COUNT(bases); b++)
            folder = folder_in(bases[b], by->opened[i], a);
        if (folder && is_of_interest(by->opened[i], skip)
            && !jw_traced_has(by->made, by->n_made, by->opened[i])
            && jw_file_stat(by->opened[i], &info, &ignored) && info.kind == JW_FILE_REGULAR && info.size
            && info.ctime < since && !is_recorded(&known, by->opened[i], a))
            count_older(found, folder);
    }
    for (size_t i = 0; i < MAX_OLDER && found[i].folder; i++)
        if (!is_at_work_in(found[i].folder, argv, a))
            words = jw_arena_printf(a, "%s%s%s in %s", words ? words : "", words ? ", " : "",
                                    JW_NUM(found[i].files), found[i].folder);
    return words;
}

/* ---- folders ---- */

/* How many parts of a place name the cache: all that programs keep in one of these folders is not one. */
static size_t top_length(const char *place)
{
    static const struct {
        const char *above;
        unsigned more;
    } shared[] = {
        { "~/.cache/", 1 },
        { "~/.local/share/", 1 },
        { "~/.local/state/", 1 },
        { "~/", 1 },
        { "$XDG_CACHE_HOME/", 1 },
        { "$XDG_DATA_HOME/", 1 },
        { "$XDG_STATE_HOME/", 1 },
        { "$TMPDIR/", 1 },
        { "/tmp/", 1 },
        { "/var/tmp/", 1 },
        { "/dev/shm/", 1 },
        { "/", 2 },
    };

    for (size_t i = 0; i < JW_COUNT(shared); i++) {
        size_t n = strlen(shared[i].above);

        if (!jw_text_starts(place, shared[i].above))
            continue;
        for (unsigned k = 0; k < shared[i].more; k++) {
            size_t part = strcspn(place + n, "/");

            if (!part)
                return 0;
            n += part + (k + 1 < shared[i].more && place[n + part]);
        }
        return n;
    }
    return place[0] == '$' ? strcspn(place, "/") : 0;
}

struct top {
    const char *key; /* the beginning of the places of its files */
    struct jw_kit_root root;
    uint64_t entries, others, rewritten;
};

struct tops {
    struct jw_arena *a;
    struct top v[MAX_TOPS];
    size_t n;
    uint64_t beside; /* files for which there is none */
};

/* A word for people, of the last part of its path: "taichi", "torchinductor_ada". */
static const char *cache_name(const struct tops *t, size_t n, const char *path)
{
    const char *base = jw_path_base(path), *name;
    char *word = jw_arena_text(t->a, base, strnlen(base, JW_MAX_KIT_WORD));

    while (*word == '.')
        word++;
    for (char *c = word; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+_~-", *c))
            *c = '_';
    name = *word ? word : "cache";
    for (unsigned k = 2;; k++) {
        bool taken = false;

        for (size_t i = 0; i < n; i++)
            taken |= strcmp(t->v[i].root.of.name, name) == 0;
        for (size_t i = 0; i < jw_jitcaches(); i++)
            taken |= strcmp(jw_jitcache_at(i, false).name, name) == 0;
        if (!taken)
            return name;
        name = jw_arena_printf(t->a, "%s~%u", word, k);
    }
}

/* The folder of a cache that a file is in; NULL: it lies beside all other things, or nobody could place it elsewhere. */
static struct top *top_of(struct tops *t, const char *file)
{
    const char *folder = jw_path_dir(t->a, file), *place = jw_kit_place_of(folder, t->a);
    size_t n = place ? top_length(place) : 0, cut = place ? strlen(place) - n : 0;

    bool is_path = n && place[0] == '/' && !jw_text_starts(place, "/tmp/")
                   && !jw_text_starts(place, "/var/tmp/") && !jw_text_starts(place, "/dev/shm/");

    for (size_t i = 0; n && i < t->n; i++) {
        struct jw_kit_root *root = &t->v[i].root;

        if (strncmp(t->v[i].key, place, n) != 0 || t->v[i].key[n])
            continue;
        while (is_path && strcmp(folder, root->path) != 0 && !jw_kit_below(folder, root->path))
            root->path = root->place = jw_path_dir(t->a, root->path);
        return &t->v[i];
    }
    if (!n || t->n == MAX_TOPS)
        return NULL;
    struct jw_kit_root root = { .path = is_path ? folder : jw_arena_text(t->a, folder, strlen(folder) - cut),
                                .place = is_path ? folder : jw_arena_text(t->a, place, n) };

    t->v[t->n] = (struct top){ .key = jw_arena_text(t->a, place, n), .root = root };
    return &t->v[t->n++];
}

/* When all files have a folder, for a folder may have become one above. */
static void name_tops(struct tops *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *name = cache_name(t, i, t->v[i].root.path);

        t->v[i].root.of = (struct jw_jitcache){ .name = name, .title = name, .packages = "" };
    }
}

/* ---- what the second start opened ---- */

/* The files of one cache, with those that are known of before and were opened, too. */
static bool add_cache(struct jw_kit_found *f, const struct top *t, const bool *entries,
                      const struct jw_kit *then, const struct jw_traced *by, const char *const *argv,
                      struct jw_kit *now, struct jw_err *err)
{
    const char *root = t->root.path;

    now->caches[now->n_caches] = jw_kit_cache_here(&t->root, argv, f->a);
    now->caches[now->n_caches].rewritten = (uint32_t)jw_min(t->rewritten, JW_MAX_KIT_FILES);
    now->caches[now->n_caches++].others = (uint32_t)jw_min(t->others, JW_MAX_KIT_FILES);
    for (size_t i = 0; i < f->n; i++)
        if (entries[i] && jw_kit_below(f->files[i].path, root)
            && !jw_kit_add_file(now, jw_kit_below(f->files[i].path, root), &f->files[i].before, f->a, err))
            return false;
    for (size_t i = 0; i < then->n_files; i++) {
        const struct jw_kit_cache *c = &then->caches[then->files[i].cache];
        const char *path = jw_arena_printf(f->a, "%s/%s", root, then->files[i].path);
        struct jw_file_info info;

        if (c->place && strcmp(c->place, t->root.place) == 0 && jw_traced_has(by->opened, by->n_opened, path)
            && jw_file_stat(path, &info, err) && info.kind == JW_FILE_REGULAR
            && !jw_kit_add_file(now, then->files[i].path, &info, f->a, err))
            return false;
    }
    return true;
}

static bool is_replaced(const struct tops *t, const struct jw_kit_cache *c)
{
    for (size_t i = 0; c->place && i < t->n; i++)
        if (t->v[i].entries && strcmp(t->v[i].root.place, c->place) == 0)
            return true;
    return false;
}

/* What this start wrote there all the same, too: logs, results, an index that is read and written again. True: and a file that none before
 * it wrote. */
static bool count_others(struct jw_kit_found *f, struct tops *t, const bool *entries,
                         const struct jw_traced *by, int64_t since)
{
    const char **its = jw_arena_alloc(f->a, (f->n + 1) * sizeof *its);
    struct jw_file_info info;
    bool more = false;
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        if (entries[i])
            its[n++] = f->files[i].path;
    for (size_t i = 0; i < by->n_made; i++)
        for (size_t k = 0; k < t->n; k++) {
            if (!jw_kit_below(by->made[i], t->v[k].root.path) || jw_kit_is_beside(by->made[i])
                || !jw_kit_is_made(by->made[i], since, &info, f->a))
                continue;
            if (jw_traced_has(its, n, by->made[i]))
                t->v[k].rewritten++;
            else
                t->v[k].others++;
            more |= !is_found(f, f->n, by->made[i]);
        }
    return more;
}

bool jw_kit_found_confirm(struct jw_kit_found *f, const struct jw_traced *by, int64_t since,
                          struct jw_kit_machine machine, const char *key, const char *const *argv,
                          struct jw_kit_confirmed *out, struct jw_err *err)
{
    struct jw_kit then = { 0 }, now = { 0 };
    struct tops *t = jw_arena_alloc(f->a, sizeof *t);
    bool *entries = jw_arena_alloc(f->a, f->n + 1);
    bool ok = jw_kit_recall(key, f->a, &then, err);

    *out = (struct jw_kit_confirmed){ 0 };
    t->a = f->a;
    for (size_t i = 0; i < f->n; i++) {
        struct top *top = jw_kit_is_entry(&f->files[i], by) ? top_of(t, f->files[i].path) : NULL;

        entries[i] = top != NULL;
        out->entries += top != NULL;
        out->beside += !top && jw_kit_is_entry(&f->files[i], by);
        if (top)
            top->entries++;
    }
    out->others = f->n - out->entries - out->beside;
    name_tops(t);
    out->more = count_others(f, t, entries, by, since);
    jw_kit_describe(argv, machine, f->a, &now);
    now.caches = jw_arena_alloc(f->a, (t->n + then.n_caches + 1) * sizeof *now.caches);
    out->uses = jw_arena_alloc(f->a, (t->n + 1) * sizeof *out->uses);
    for (size_t i = 0; i < t->n; i++) {
        const struct top *one = &t->v[i];

        out->uses[out->n++] = (struct jw_kit_use){
            .name = one->root.of.name, .root = one->root.path, .read = one->entries, .others = one->others
        };
        ok = ok && now.n_caches < JW_MAX_KIT_CACHES && add_cache(f, one, entries, &then, by, argv, &now, err);
    }
    for (size_t i = 0; ok && i < then.n_caches; i++)
        ok = is_replaced(t, &then.caches[i]) || jw_kit_copy(&then, i, &now, f->a, err);
    jw_kit_sort(&now);
    return ok && (!out->n || jw_kit_remember(key, &now, f->a, err));
}

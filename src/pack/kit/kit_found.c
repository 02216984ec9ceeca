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

enum { MAX_TOPS = 64, MAX_COMPARED = 64 << 20 };

struct file {
    const char *path; /* no part of it is a link */
    struct jw_file_info before;
    bool compared; /* the digest is known */
    uint8_t digest[JW_DIGEST];
};

struct jw_kit_found {
    struct jw_arena *a;
    struct file *files; /* by path */
    size_t n;
    bool too_many;
};

static const char *below_of(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* ---- a file, then and now ---- */

static bool read_digest(const char *path, uint64_t size, uint8_t digest[JW_DIGEST])
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored = { 0 };
    bool ok = size <= MAX_COMPARED && jw_file_open(&f, path, &ignored);

    if (ok) {
        struct jw_source bytes = jw_file_source(&f, size);

        ok = jw_digest_source(digest, &bytes, NULL, &ignored);
    }
    jw_file_close(&f);
    return ok;
}

static void look_at(struct file *f)
{
    f->compared = read_digest(f->path, f->before.size, f->digest);
}

static bool is_unchanged(const struct jw_file_info *a, const struct jw_file_info *b)
{
    return a->mtime == b->mtime && a->size == b->size && jw_file_same(a->id, b->id);
}

/* It was opened, and has the same bytes. Some engines (KeOps) read an index at their start and write the same again at their end; a result that
 * is only written, the same each time, is none. */
static bool is_entry(const struct file *f, const struct jw_traced *by)
{
    struct jw_file_info now;
    struct jw_err ignored;
    uint8_t digest[JW_DIGEST];
    bool opened = jw_traced_has(by->opened, by->n_opened, f->path);

    if ((!opened && !jw_traced_has(by->made, by->n_made, f->path)) || f->before.kind != JW_FILE_REGULAR
        || !jw_file_stat(f->path, &now, &ignored) || now.kind != JW_FILE_REGULAR)
        return false;
    return is_unchanged(&f->before, &now)
           || (opened && f->compared && now.size == f->before.size && read_digest(f->path, now.size, digest)
               && memcmp(digest, f->digest, JW_DIGEST) == 0);
}

/* ---- what the first start made ---- */

/* Python's bytecode is no code for a GPU, and a lock only says that somebody is at work. */
static bool is_of_interest(const char *path, const struct jw_kit_skip *skip)
{
    static const char *const systems[] = { "/dev", "/proc", "/sys", "/run" };
    const char *memory = jw_text_starts(path, "/dev/shm/") ? path + strlen("/dev/shm/") : NULL;
    bool in_folder = memory && strchr(memory, '/');

    /* Semaphores and shared memory lie in /dev/shm itself; a folder there may be anybody's TMPDIR. */
    for (size_t i = 0; i < JW_COUNT(systems) && !in_folder; i++)
        if (below_of(path, systems[i]))
            return false;
    for (size_t i = 0; i < skip->n; i++)
        if (skip->v[i] && below_of(path, skip->v[i]))
            return false;
    return !jw_text_ends(path, ".pyc") && !jw_text_ends(path, ".lock") && !jw_text_ends(path, ".lck");
}

static bool is_made(struct jw_arena *a, const char *path, int64_t since, struct jw_file_info *info)
{
    const char *real;
    struct jw_err ignored;

    return jw_file_stat(path, info, &ignored) && info->kind == JW_FILE_REGULAR && info->ctime >= since
           && jw_real_path(path, a, &real, &ignored) && strcmp(real, path) == 0;
}

struct jw_kit_found *jw_kit_found_made(const struct jw_traced *by, int64_t since,
                                       const struct jw_kit_skip *skip, struct jw_arena *a)
{
    struct jw_kit_found *f = jw_arena_alloc(a, sizeof *f);
    struct jw_err ignored;

    f->a = a;
    for (size_t i = 0; i < by->n_made; i++) {
        struct file one = { .path = by->made[i] }, *slot;

        if (!is_of_interest(one.path, skip) || !is_made(a, one.path, since, &one.before))
            continue;
        look_at(&one);
        slot = jw_list_add(a, &f->files, &f->n, sizeof *slot, JW_MAX_KIT_FILES, &ignored);
        if (slot)
            *slot = one;
        f->too_many |= !slot;
    }
    return f;
}

size_t jw_kit_found_files(const struct jw_kit_found *f)
{
    return f->n;
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
    const char *below = base ? below_of(path, base) : NULL, *end = below ? strchr(below, '/') : NULL;

    return end ? jw_arena_text(a, path, (size_t)(end - path)) : NULL;
}

static bool is_recorded(const struct jw_kit *k, const char *path, struct jw_arena *a)
{
    for (size_t i = 0; i < k->n_files; i++) {
        const char *root = jw_kit_root_here(&k->caches[k->files[i].cache], a),
                   *below = root ? below_of(path, root) : NULL;

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

    if (jw_real_path(".", a, &here, &ignored) && (strcmp(here, folder) == 0 || below_of(here, folder)))
        return true;
    for (size_t i = 0; argv[i]; i++)
        if (below_of(argv[i], folder))
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
    uint64_t entries, others;
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
        while (is_path && strcmp(folder, root->path) != 0 && !below_of(folder, root->path))
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

static bool record_entry(struct jw_arena *a, struct jw_kit *kit, const char *path,
                         const struct jw_file_info *info, struct jw_err *err)
{
    struct jw_kit_file *slot;

    if (!jw_kit_path_plain(path))
        return true;
    slot = jw_list_add(a, &kit->files, &kit->n_files, sizeof *slot, JW_MAX_KIT_FILES, err);
    if (!slot)
        return false;
    *slot = (struct jw_kit_file){ .cache = (uint32_t)kit->n_caches - 1,
                                  .path = path,
                                  .bytes = info->size,
                                  .mode = info->mode & JW_KIT_MODES,
                                  .mtime_us = info->mtime > 0 ? (uint64_t)info->mtime / 1000 : 0 };
    return true;
}

/* The files of one cache, with those that are known of before and were opened, too. */
static bool add_cache(struct jw_kit_found *f, const struct top *t, const bool *entries,
                      const struct jw_kit *then, const struct jw_traced *by, const char *const *argv,
                      struct jw_kit *now, struct jw_err *err)
{
    const char *root = t->root.path;

    now->caches[now->n_caches] = jw_kit_cache_here(&t->root, argv, f->a);
    now->caches[now->n_caches++].others = (uint32_t)jw_min(t->others, JW_MAX_KIT_FILES);
    for (size_t i = 0; i < f->n; i++)
        if (entries[i] && below_of(f->files[i].path, root)
            && !record_entry(f->a, now, below_of(f->files[i].path, root), &f->files[i].before, err))
            return false;
    for (size_t i = 0; i < then->n_files; i++) {
        const struct jw_kit_cache *c = &then->caches[then->files[i].cache];
        const char *path = jw_arena_printf(f->a, "%s/%s", root, then->files[i].path);
        struct jw_file_info info;

        if (c->place && strcmp(c->place, t->root.place) == 0 && jw_traced_has(by->opened, by->n_opened, path)
            && jw_file_stat(path, &info, err) && info.kind == JW_FILE_REGULAR
            && !record_entry(f->a, now, then->files[i].path, &info, err))
            return false;
    }
    return true;
}

static int by_cache_and_path(const void *a, const void *b)
{
    const struct jw_kit_file *x = a, *y = b;

    return x->cache != y->cache ? (x->cache < y->cache ? -1 : 1) : strcmp(x->path, y->path);
}

static void sort_files(struct jw_kit *k)
{
    size_t kept = 0;

    if (k->n_files)
        qsort(k->files, k->n_files, sizeof *k->files, by_cache_and_path);
    for (size_t i = 0; i < k->n_files; i++)
        if (!kept || by_cache_and_path(&k->files[kept - 1], &k->files[i]) != 0)
            k->files[kept++] = k->files[i];
    k->n_files = kept;
}

bool jw_kit_copy(const struct jw_kit *from, size_t cache, struct jw_kit *to, struct jw_arena *a,
                 struct jw_err *err)
{
    if (to->n_caches == JW_MAX_KIT_CACHES)
        return true;
    to->caches[to->n_caches++] = from->caches[cache];
    for (size_t i = 0; i < from->n_files; i++) {
        struct jw_kit_file *slot;

        if (from->files[i].cache != cache)
            continue;
        slot = jw_list_add(a, &to->files, &to->n_files, sizeof *slot, JW_MAX_KIT_FILES, err);
        if (!slot)
            return false;
        *slot = from->files[i];
        slot->cache = (uint32_t)to->n_caches - 1;
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

/* What is no entry, but was made there by this start. */
static void count_others(struct jw_kit_found *f, struct tops *t, const bool *entries,
                         const struct jw_traced *by, int64_t since)
{
    const char **its = jw_arena_alloc(f->a, (f->n + 1) * sizeof *its);
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        if (entries[i])
            its[n++] = f->files[i].path;
    for (size_t i = 0; i < by->n_made; i++) {
        struct jw_file_info info;

        if (jw_traced_has(its, n, by->made[i]))
            continue;

        for (size_t k = 0; k < t->n; k++)
            if (below_of(by->made[i], t->v[k].root.path) && is_made(f->a, by->made[i], since, &info))
                t->v[k].others++;
    }
}

bool jw_kit_found_confirm(struct jw_kit_found *f, const struct jw_traced *by, int64_t since, const char *key,
                          const char *const *argv, struct jw_kit_confirmed *out, struct jw_err *err)
{
    struct jw_kit then = { 0 }, now = { 0 };
    struct tops *t = jw_arena_alloc(f->a, sizeof *t);
    bool *entries = jw_arena_alloc(f->a, f->n + 1);
    bool ok = jw_kit_recall(key, f->a, &then, err);

    *out = (struct jw_kit_confirmed){ 0 };
    t->a = f->a;
    for (size_t i = 0; i < f->n; i++) {
        struct top *top = is_entry(&f->files[i], by) ? top_of(t, f->files[i].path) : NULL;

        entries[i] = top != NULL;
        out->entries += top != NULL;
        out->beside += !top && is_entry(&f->files[i], by);
        if (top)
            top->entries++;
    }
    out->others = f->n - out->entries - out->beside;
    name_tops(t);
    count_others(f, t, entries, by, since);
    jw_kit_describe(argv, f->a, &now);
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
    sort_files(&now);
    return ok && (!out->n || jw_kit_remember(key, &now, f->a, err));
}

/* ---- what a later start used of them ---- */

struct jw_kit_known {
    struct jw_arena *a;
    struct jw_kit then;
    struct file *files; /* as they were before */
    int64_t since;
};

struct jw_kit_known *jw_kit_known_begin(const char *key, int64_t since, struct jw_arena *a)
{
    struct jw_kit_known *k = jw_arena_alloc(a, sizeof *k);
    struct jw_err ignored = { 0 };
    bool any = false;

    k->a = a;
    k->since = since;
    if (!jw_kit_recall(key, a, &k->then, &ignored))
        return NULL; /* the end of the other watch says it */
    k->files = jw_arena_alloc(a, (k->then.n_files + 1) * sizeof *k->files);
    for (size_t i = 0; i < k->then.n_files; i++) {
        const struct jw_kit_cache *c = &k->then.caches[k->then.files[i].cache];
        const char *root = c->place ? jw_kit_root_here(c, a) : NULL;

        any |= c->place != NULL;
        if (!root)
            continue;
        k->files[i].path = jw_arena_printf(a, "%s/%s", root, k->then.files[i].path);
        if (jw_file_stat(k->files[i].path, &k->files[i].before, &ignored)
            && k->files[i].before.kind == JW_FILE_REGULAR)
            look_at(&k->files[i]);
    }
    return any ? k : NULL;
}

/* What was made there is not what was read and written the same again. */
static void count_use(struct jw_kit_known *k, size_t cache, const char *root, const struct jw_traced *by,
                      struct jw_kit_use *use)
{
    const char **read = jw_arena_alloc(k->a, (k->then.n_files + 1) * sizeof *read);
    size_t n = 0;

    for (size_t i = 0; i < k->then.n_files; i++) {
        if (k->then.files[i].cache != cache)
            continue;
        use->known++;
        if (is_entry(&k->files[i], by))
            read[n++] = k->files[i].path; /* sorted, as the record is */
    }
    use->read = n;
    for (size_t i = 0; i < by->n_made; i++) {
        struct jw_file_info info;

        use->made += below_of(by->made[i], root) && !jw_text_ends(by->made[i], ".lock")
                     && !jw_traced_has(read, n, by->made[i]) && is_made(k->a, by->made[i], k->since, &info);
    }
}

struct jw_kit_use *jw_kit_known_end(struct jw_kit_known *k, const struct jw_traced *by,
                                    const char *const *argv, size_t *n)
{
    struct jw_kit_use *uses = jw_arena_alloc(k->a, (k->then.n_caches + 1) * sizeof *uses);
    struct jw_kit now = { 0 };

    *n = 0;
    jw_kit_describe(argv, k->a, &now);
    for (size_t c = 0; c < k->then.n_caches; c++) {
        const struct jw_kit_cache *was = &k->then.caches[c];
        struct jw_kit_root root = { .of = { .name = was->name, .packages = "" }, .place = was->place };
        struct jw_kit_use use = { .name = was->name, .root = was->place, .why = by->why };

        if (!use.why && by->left)
            use.why = "processes that it left behind still run";

        if (!was->place)
            continue;
        root.path = jw_kit_root_here(was, k->a);
        if (!root.path)
            use.why = "its variable is not set here";
        else {
            use.root = root.path;
            count_use(k, c, root.path, by, &use);
            use.others = jw_min(use.made, was->others);
            use.made -= use.others;
            const struct jw_kit_cache is = jw_kit_cache_here(&root, argv, k->a);

            use.differs = jw_kit_differs(&k->then, &now, was, &is, &root.of, k->a);
        }
        uses[(*n)++] = use;
    }
    return uses;
}

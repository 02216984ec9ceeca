/* What a start of a command does in other caches than the driver's, by its own calls (os/process/file_trace.h): in those of the table, and in
 * those that its record has. */
#include "base/num.h"
#include "machine/listing.h"
#include "os/files/dir.h"
#include "os/files/disk.h"
#include "pack/kit/kit.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ROOM = 1 << 20 };

struct cache {
    struct jw_kit_root root;        /* its path is NULL: it has no place here */
    const struct jw_kit_cache *was; /* NULL: it is not recorded */
    size_t first, n;                /* its files in the record */
    uint64_t lost;                  /* begun and not kept */
    uint64_t again, rewritten;      /* of its files, made with other bytes, or with the same */
};

struct jw_kit_start {
    struct jw_arena *a;
    const char *key;
    struct jw_kit then;
    struct jw_kit_seen *files; /* of the record, as they were before; by number there */
    struct cache *caches;
    size_t n;
    int64_t since;
    struct jw_kit_machine machine;
    struct jw_err why; /* its record could not be read */
};

static const struct jw_kit_cache *recorded(const struct jw_kit *kit, const char *name)
{
    for (size_t i = 0; i < kit->n_caches; i++)
        if (!kit->caches[i].place && strcmp(kit->caches[i].name, name) == 0)
            return &kit->caches[i];
    return NULL;
}

/* The record is sorted by cache and path. */
static void see_files(struct jw_kit_start *k, struct cache *c)
{
    while (c->first < k->then.n_files && &k->then.caches[k->then.files[c->first].cache] != c->was)
        c->first++;
    for (size_t i = c->first; i < k->then.n_files && &k->then.caches[k->then.files[i].cache] == c->was; i++) {
        struct jw_kit_seen *f = &k->files[i];
        struct jw_err ignored = { 0 };

        c->n++;
        if (!c->root.path)
            continue;
        f->path = jw_arena_printf(k->a, "%s/%s", c->root.path, k->then.files[i].path);
        if (jw_file_stat(f->path, &f->before, &ignored) && f->before.kind == JW_FILE_REGULAR)
            jw_kit_see(f);
    }
}

struct jw_kit_start *jw_kit_start_begin(const char *key, struct jw_kit_machine machine, int64_t since,
                                        struct jw_arena *a)
{
    struct jw_kit_start *k = jw_arena_alloc(a, sizeof *k);
    struct jw_kit_root *table = jw_kit_roots(a, &k->n);

    k->a = a;
    k->key = jw_arena_str(a, key);
    k->since = since;
    k->machine = machine;
    (void)!jw_kit_recall(key, a, &k->then, &k->why);
    k->files = jw_arena_alloc(a, (k->then.n_files + 1) * sizeof *k->files);
    k->caches = jw_arena_alloc(a, (k->n + k->then.n_caches + 1) * sizeof *k->caches);
    for (size_t i = 0; i < k->n; i++)
        k->caches[i] = (struct cache){ .root = table[i], .was = recorded(&k->then, table[i].of.name) };
    for (size_t i = 0; i < k->then.n_caches; i++) {
        const struct jw_kit_cache *c = &k->then.caches[i];

        if (c->place)
            k->caches[k->n++] = (struct cache){ .root = { .of = { .name = c->name, .packages = "" },
                                                          .path = jw_kit_root_here(c, a),
                                                          .place = c->place },
                                                .was = c };
    }
    for (size_t i = 0; i < k->n; i++)
        if (k->caches[i].was)
            see_files(k, &k->caches[i]);
    return k;
}

/* ---- afterwards ---- */

struct counting {
    struct jw_kit_start *k;
    struct cache *c;
    const struct jw_traced *by;
    struct jw_kit_use *use;
    struct jw_kit *record; /* gets its files; NULL */
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct jw_kit_seen *)a)->path, ((const struct jw_kit_seen *)b)->path);
}

static const struct jw_kit_seen *seen_before(const struct counting *x, const char *path)
{
    const struct jw_kit_seen key = { .path = path };

    return x->c->n ? bsearch(&key, x->k->files + x->c->first, x->c->n, sizeof key, by_path) : NULL;
}

/* One of the names that it made, or else only opened. */
static bool count_name(const struct counting *x, const char *path, bool makes, struct jw_err *err)
{
    const char *below = jw_kit_below(path, x->c->root.path);
    struct jw_file_info info;
    struct jw_err ignored;

    if (!below || jw_kit_is_beside(path) || !jw_file_stat(path, &info, &ignored))
        return true;
    if (info.kind != JW_FILE_REGULAR) {
        x->c->lost += makes && info.kind == JW_FILE_NONE;
        return true;
    }
    const struct jw_kit_seen *was = seen_before(x, path);
    bool made = makes && jw_kit_is_made(path, x->k->since, &info, x->k->a);
    bool read = was ? jw_kit_is_entry(was, x->by) : !made && !x->c->root.place;

    x->use->made += made && !was;
    x->use->read += read;
    x->c->rewritten += made && read;
    x->c->again += made && was && !read;
    return !x->record || (!made && !read) || jw_kit_add_file(x->record, below, &info, x->k->a, err);
}

static bool count_names(const struct counting *x, struct jw_err *err)
{
    const struct jw_traced *by = x->by;
    bool ok = true;

    for (size_t i = 0; ok && i < by->n_made; i++)
        ok = count_name(x, by->made[i], true, err);
    for (size_t i = 0; ok && i < by->n_opened; i++)
        ok = jw_traced_has(by->made, by->n_made, by->opened[i]) || count_name(x, by->opened[i], false, err);
    const struct jw_kit_cache none = { 0 }, *was = x->c->was ? x->c->was : &none;
    uint64_t same = x->c->rewritten - jw_min(x->c->rewritten, was->rewritten);

    x->use->others = jw_min(x->use->made, was->others);
    x->use->made += same + x->c->again - x->use->others;
    x->use->read -= same;
    return ok;
}

static uint64_t count_gone(const struct counting *x)
{
    uint64_t gone = 0;

    for (size_t i = 0; i < x->c->n; i++) {
        const struct jw_kit_seen *f = &x->k->files[x->c->first + i];
        struct jw_file_info now;
        struct jw_err ignored;

        gone += f->before.kind == JW_FILE_REGULAR && jw_file_stat(f->path, &now, &ignored)
                && now.kind == JW_FILE_NONE;
    }
    return gone;
}

/* An engine that could not keep what it made has compiled, and no file tells. In folders that no row names, what each start begins is not known. */
static const char *find_doubt(const struct counting *x)
{
    uint64_t gone = count_gone(x);
    const char *root = x->c->root.path;
    struct jw_disk disk;
    struct jw_err ignored;
    bool may = true;

    if (x->use->made)
        return NULL;
    if (x->by->why)
        return x->by->why;
    if (!jw_is_folder(root))
        return NULL;
    if (jw_dir_may_add(root, &may, &ignored) && !may)
        return "nothing can be written there, so what was made again would not be seen";
    if (jw_disk_look(root, &disk, &ignored) && disk.free < NO_ROOM)
        return "its disk is full, so what was made again could not be kept";
    if (x->c->lost && !x->c->root.place)
        return jw_arena_printf(x->k->a, "%s begun there and not kept",
                               x->c->lost == 1 ? "a file was" : "files were");
    if (gone)
        return jw_arena_printf(x->k->a, "%s removed there and not made again",
                               gone == 1 ? "a file was" : "files were");
    return x->by->left && x->c->root.place ? "processes that it left behind still run" : NULL;
}

bool jw_kit_start_end(struct jw_kit_start *k, const struct jw_traced *by, const char *const *argv, bool keep,
                      bool ended_well, struct jw_kit_use **uses, size_t *n, struct jw_err *err)
{
    struct jw_kit now = { .caches =
                              jw_arena_alloc(k->a, (k->n + k->then.n_caches + 1) * sizeof *now.caches) };
    bool ok = k->why.code == JW_OK;

    *uses = jw_arena_alloc(k->a, (k->n + 1) * sizeof **uses);
    *n = 0;
    if (!ok)
        *err = k->why;
    jw_kit_describe(argv, k->machine, k->a, &now);
    for (size_t i = 0; i < k->n; i++) {
        struct cache *c = &k->caches[i];
        struct jw_kit_use use = { .name = c->root.of.name,
                                  .root = c->root.path ? c->root.path : c->root.place,
                                  .known = c->n };
        struct counting x = { k, c, by, &use, keep ? &now : NULL };

        if (keep && c->root.place)
            continue;
        now.n_caches++;
        if (!c->root.path)
            use.why = "its variable is not set here";
        else if (!count_names(&x, ok ? err : &(struct jw_err){ 0 }))
            ok = false;
        if (!use.read && !use.made && (keep || !c->was)) {
            now.n_caches--;
            continue;
        }
        struct jw_kit_cache *is = &now.caches[now.n_caches - 1];

        *is = jw_kit_cache_here(&c->root, argv, k->a);
        if (!use.why)
            use.why = find_doubt(&x);
        if (c->was && !keep)
            use.differs = jw_kit_differs(&k->then, &now, c->was, is, &c->root.of, k->a);
        (*uses)[(*n)++] = use;
    }
    for (size_t i = 0; ok && keep && i < k->then.n_caches; i++)
        ok = !k->then.caches[i].place || jw_kit_copy(&k->then, i, &now, k->a, err);
    jw_kit_sort(&now);
    return ok
           && (!keep || !(now.n_files || k->then.n_files) || (!ended_well && now.n_files < k->then.n_files)
               || jw_kit_remember(k->key, &now, k->a, err));
}

bool jw_kit_use_held(const struct jw_kit_use *u)
{
    return !u->why && !u->made && (!u->known || u->read) && !(u->differs && u->read < u->known);
}

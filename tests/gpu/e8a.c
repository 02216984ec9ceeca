/*
 * E8 a and d: how large the cache may grow when nobody says, and who goes when it is full: those that were added first, or
 * those that were not used for the longest time.
 */
#include "lab.h"

#include <stdio.h>
#include <string.h>

enum {
    FIRST_N = 8001,
    MAX_STORES = 60,
    SMALL_STORES = 24,
    SIX = 6,
    EIGHT = 8,
    ENTRY = 200000,
    SILENT_MS = 60000
};
#define MB ((uint64_t)1 << 20)
#define BULK ((size_t)48 << 20)
#define SMALL_BULK ((size_t)128 << 10)

static bool store(struct lab *l, const char *root, const char *limit, unsigned number, size_t bytes,
                  struct lab_done *done, struct jw_err *err)
{
    struct jw_child_edit edit = { "CUDA_CACHE_MAXSIZE", limit };
    const char *path = lab_path(l, "bulk.ptx");
    struct lab_step s = { .root = root,
                          .loading = "EAGER",
                          .silent_ms = SILENT_MS,
                          .edits = &edit,
                          .n_edits = 1,
                          .ops = { "context", lab_op_text(l, "data", path) } };
    struct lab_module m;
    bool ok = lab_bulk(l, &m, number, bytes, err) && lab_write(l, path, jw_buf_bytes(&m.ptx), err)
              && lab_run(l, &s, done, err);

    lab_module_free(&m);
    return ok;
}

/* ---- a: the default ---- */

struct growth {
    uint64_t most, each; /* bytes as the index counts them */
    unsigned stores;
    bool full; /* an entry went, or was not stored */
};

static bool grow(struct lab *l, const char *root, struct growth *g, struct jw_err *err)
{
    size_t bytes = l->small ? SMALL_BULK : BULK;
    struct lab_census census;
    struct lab_done done;

    while (!g->full && g->stores < lab_scaled(l, MAX_STORES, SMALL_STORES) && lab_seconds_left(l) > 12) {
        if (!store(l, root, NULL, FIRST_N + g->stores, bytes, &done, err)
            || !lab_census(l, root, &census, err))
            return false;
        if (!lab_all_zero(&done))
            return jw_fail(err, JW_E_DRIVER, "a module of %zu bytes was not loaded: %s", bytes, done.how);
        g->stores++;
        g->full = census.entries < g->stores;
        g->most = census.total > g->most ? census.total : g->most;
        g->each = g->stores == 1 ? census.total : g->each;
    }
    return true;
}

static void judge_default(struct lab *l, const struct growth *g)
{
    uint64_t wanted = l->m.cuda >= 12000 ? 1024 * MB : 256 * MB;

    if (!g->full)
        lab_finds(l, "F51-default-limit", g->most > wanted ? LAB_CONTRADICTED : LAB_NOT_TESTABLE,
                  "no entry went, of %llu bytes in all", (unsigned long long)g->most);
    else
        lab_finds(l, "F51-default-limit",
                  g->most <= wanted && g->most + g->each > wanted ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "the limit is between %llu and %llu bytes", (unsigned long long)g->most,
                  (unsigned long long)(g->most + g->each));
}

static bool by_default(struct lab *l, struct jw_err *err)
{
    struct growth g = { 0 };
    const char *root;

    if (!lab_root(l, "default", &root, err) || !grow(l, root, &g, err))
        return false;
    lab_say(l, "a", "CUDA_CACHE_MAXSIZE unset, large entries until one goes", true);
    jw_json_number(&l->json, "stored", g.stores);
    jw_json_number(&l->json, "entry_bytes", g.each);
    jw_json_number(&l->json, "most_bytes", g.most);
    jw_json_bool(&l->json, "full", g.full);
    judge_default(l, &g);
    lab_say_end(l);
    return true;
}

/* ---- d: who goes ---- */

struct turn {
    uint64_t names[EIGHT]; /* in the order in which they were stored */
    bool there[EIGHT];
    size_t n;
};

static bool learn_name(struct lab *l, const char *root, struct turn *t, struct jw_err *err)
{
    struct jw_cache_listing now = { 0 };
    bool ok = jw_cachedir_list(root, false, &l->arena, &now, err);

    for (size_t i = 0; ok && i < now.n; i++) {
        bool known = false;

        for (size_t k = 0; k < t->n; k++)
            known |= t->names[k] == now.files[i].name;
        if (!known && t->n < EIGHT)
            t->names[t->n++] = now.files[i].name;
    }
    jw_cache_listing_free(&now);
    return ok;
}

static bool look(struct lab *l, const char *root, struct turn *t, struct jw_err *err)
{
    struct jw_cache_listing now = { 0 };
    bool ok = jw_cachedir_list(root, false, &l->arena, &now, err);

    for (size_t k = 0; ok && k < t->n; k++)
        t->there[k] = jw_cache_file_find(&now, t->names[k]) != NULL;
    jw_cache_listing_free(&now);
    return ok;
}

static void judge_order(struct lab *l, const struct turn *t)
{
    bool old_gone = !t->there[0], unused_gone = !t->there[2];

    if (t->n == EIGHT && old_gone && (!t->there[1] || !unused_gone))
        lab_finds(l, "F56-fifo", LAB_CONFIRMED, "the first one went, though it had just been used");
    else if (t->n == EIGHT && unused_gone && t->there[0])
        lab_finds(l, "F56-fifo", LAB_CONTRADICTED, "an unused one went, the first one, just used, stayed");
    else
        lab_finds(l, "F56-fifo", LAB_NOT_TESTABLE, "nothing went that would tell");
    lab_finds_holds(l, "F30-order-free", t->n == EIGHT && !t->there[t->there[0] ? 2 : 0],
                    "the order decides who goes");
}

/* Room for six and a half. */
static bool order(struct lab *l, struct jw_err *err)
{
    struct turn t = { .n = 0 };
    struct lab_done done;
    struct lab_census census = { 0 };
    const char *root;
    char limit[32] = "1073741824";

    if (!lab_root(l, "order", &root, err))
        return false;
    for (unsigned i = 0; i < EIGHT; i++) {
        bool used = i != SIX
                    || (store(l, root, limit, FIRST_N + 100, ENTRY, &done, err)
                        && store(l, root, limit, FIRST_N + 101, ENTRY, &done, err));

        if (!used || !store(l, root, limit, FIRST_N + 100 + i, ENTRY, &done, err)
            || !learn_name(l, root, &t, err) || (i == 0 && !lab_census(l, root, &census, err)))
            return false;
        (void)snprintf(limit, sizeof limit, "%llu", (unsigned long long)(census.total * 13 / 2));
    }
    if (!look(l, root, &t, err))
        return false;
    lab_say(l, "d", "room for six entries: six stored, the first two used again, two more stored", true);
    jw_json_number(&l->json, "entry_bytes", census.total);
    jw_json_text(&l->json, "limit", limit);
    jw_json_array(&l->json, "gone");
    for (size_t i = 0; i < t.n; i++)
        if (!t.there[i])
            jw_json_number(&l->json, NULL, i + 1);
    jw_json_close(&l->json);
    judge_order(l, &t);
    lab_say_end(l);
    return true;
}

bool lab_e8a(struct lab *l, struct jw_err *err)
{
    return order(l, err) && by_default(l, err);
}

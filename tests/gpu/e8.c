/*
 * E8 a and d: how large the cache may grow when nobody says, and who goes when it is full: those that were added first, or
 * those that were not used for the longest time.
 */
#include "cache/place/listing.h"
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    FIRST_N_E8A = 8001,
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

static bool store_e8a(struct lab *l, const char *root, const char *limit, unsigned number, size_t bytes,
                      struct lab_done *done, struct jw_err *err)
{
    struct jw_child_edit edit = { "CUDA_CACHE_MAXSIZE", limit };
    const char *path = lab_path(l, "bulk.ptx");
    struct lab_step s = { .cache = root,
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
    uint64_t max, each; /* bytes as the index counts them */
    unsigned stores;
    bool full; /* an entry went, or was not stored */
};

static bool grow(struct lab *l, const char *root, struct growth *g, struct jw_err *err)
{
    size_t bytes = l->small ? SMALL_BULK : BULK;
    struct lab_census census;
    struct lab_done done;

    while (!g->full && g->stores < lab_scaled(l, MAX_STORES, SMALL_STORES) && lab_seconds_left(l) > 12) {
        if (!store_e8a(l, root, NULL, FIRST_N_E8A + g->stores, bytes, &done, err)
            || !lab_census(l, root, &census, err))
            return false;
        if (!lab_all_zero(&done))
            return jw_fail(err, JW_E_DRIVER, "a module of %zu bytes was not loaded: %s", bytes, done.how);
        g->stores++;
        g->full = census.entries < g->stores;
        g->max = census.total > g->max ? census.total : g->max;
        g->each = g->stores == 1 ? census.total : g->each;
    }
    return true;
}

static void check_default(struct lab *l, const struct growth *g)
{
    uint64_t wanted = l->m.cuda >= 12000 ? 1024 * MB : 256 * MB;

    if (!g->full)
        lab_finds(l, "F51-default-limit", g->max > wanted ? LAB_CONTRADICTED : LAB_NOT_TESTABLE,
                  "no entry went, of %llu bytes in all", (unsigned long long)g->max);
    else
        lab_finds(l, "F51-default-limit",
                  g->max <= wanted && g->max + g->each > wanted ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "the limit is between %llu and %llu bytes", (unsigned long long)g->max,
                  (unsigned long long)(g->max + g->each));
}

static bool by_default(struct lab *l, struct jw_err *err)
{
    struct growth g = { 0 };
    const char *root;

    if (!lab_cache(l, "default", &root, err) || !grow(l, root, &g, err))
        return false;
    lab_say(l, "a", "CUDA_CACHE_MAXSIZE unset, large entries until one goes", true);
    jw_json_number(&l->json, "stored", g.stores);
    jw_json_number(&l->json, "entry_bytes", g.each);
    jw_json_number(&l->json, "most_bytes", g.max);
    jw_json_bool(&l->json, "full", g.full);
    check_default(l, &g);
    lab_say_end(l);
    return true;
}

/* ---- d: who goes ---- */

struct turn_e8a {
    uint64_t names[EIGHT]; /* in the order in which they were stored */
    bool there[EIGHT];
    size_t n;
};

static bool learn_name(struct lab *l, const char *root, struct turn_e8a *t, struct jw_err *err)
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

static bool look(struct lab *l, const char *root, struct turn_e8a *t, struct jw_err *err)
{
    struct jw_cache_listing now = { 0 };
    bool ok = jw_cachedir_list(root, false, &l->arena, &now, err);

    for (size_t k = 0; ok && k < t->n; k++)
        t->there[k] = jw_cache_file_find(&now, t->names[k]) != NULL;
    jw_cache_listing_free(&now);
    return ok;
}

static void check_order(struct lab *l, const struct turn_e8a *t)
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
    struct turn_e8a t = { .n = 0 };
    struct lab_done done;
    struct lab_census census = { 0 };
    const char *root;
    char limit[32] = "1073741824";

    if (!lab_cache(l, "order", &root, err))
        return false;
    for (unsigned i = 0; i < EIGHT; i++) {
        bool used = i != SIX
                    || (store_e8a(l, root, limit, FIRST_N_E8A + 100, ENTRY, &done, err)
                        && store_e8a(l, root, limit, FIRST_N_E8A + 101, ENTRY, &done, err));

        if (!used || !store_e8a(l, root, limit, FIRST_N_E8A + 100 + i, ENTRY, &done, err)
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
    check_order(l, &t);
    lab_say_end(l);
    return true;
}

bool lab_e8a(struct lab *l, struct jw_err *err)
{
    return order(l, err) && by_default(l, err);
}

/*
 * E8 b, c and e to h, the limit: how CUDA_CACHE_MAXSIZE is read, what is counted, what becomes of an entry that is too large,
 * whether a process with a small limit takes away what others stored, and whether entries without a record count.
 */

enum {
    FIRST_N_E8B = 8201,
    SMALL = 200000,
    LARGE = 4000000,
    SMALL_LARGE = 3000000,
    EACH = 60000,
    MANY = 10,
    ROOM = 8,
    PASSES = 3
};
#define PLENTY "1073741824"

static bool store_e8b(struct lab *l, const char *root, const char *limit, unsigned number, size_t bytes,
                      struct lab_done *done, struct jw_err *err)
{
    struct jw_child_edit edit = { "CUDA_CACHE_MAXSIZE", limit };
    const char *path = lab_path(l, "bulk.ptx");
    struct lab_step s = { .cache = root,
                          .loading = "EAGER",
                          .edits = &edit,
                          .n_edits = 1,
                          .ops = { "context", lab_op_text(l, "data", path) } };
    struct lab_module m;
    bool ok = lab_bulk(l, &m, number, bytes, err) && lab_write(l, path, jw_buf_bytes(&m.ptx), err)
              && lab_run(l, &s, done, err);

    lab_module_free(&m);
    return ok;
}

/* ---- b: how it is read ---- */

/* What should be stored when the value is read as plain decimal bytes, up to 4 GiB. */
static const struct spelling {
    const char *value;
    bool small, large;
    const char *belief; /* NULL: not known, answered */
} spellings[] = {
    { "0", false, false, "F53-plain-bytes" },
    { "1", false, false, "F53-plain-bytes" },
    { "1000000", true, false, "F53-plain-bytes" },
    { "67108864", true, true, "F53-plain-bytes" },
    { "16M", false, false, "F53-plain-bytes" },
    { "4G", false, false, "F53-plain-bytes" },
    { "1e9", false, false, "F53-plain-bytes" },
    { "0x1000000", false, false, "F53-plain-bytes" },
    { "4294967295", true, true, "F52-most" },
    { "4294967296", true, true, "F52-most" },
    { " 67108864", true, true, NULL },
    { "67108864 ", true, true, NULL },
    { "4294967297", true, true, NULL },
    { "8589934592", true, true, NULL },
    { "-1", true, true, NULL },
    { "", true, true, NULL },
    { "abc", true, true, NULL },
};

static bool read_as(struct lab *l, const struct spelling *v, unsigned number, struct jw_err *err)
{
    struct lab_done small, large;
    const char *root, *step = lab_op_of(l, "b-%s", *v->value ? v->value : "empty");

    if (!lab_cache(l, lab_op_of(l, "spelling-%u", number), &root, err)
        || !store_e8b(l, root, v->value, FIRST_N_E8B, SMALL, &small, err)
        || !store_e8b(l, root, v->value, FIRST_N_E8B + 1, (size_t)lab_scaled(l, LARGE, SMALL_LARGE), &large,
                      err))
        return false;
    bool s = lab_new(&small) != 0, b = lab_new(&large) != 0;

    lab_say(l, step, "a small entry and a large one with this value", lab_all_zero(&small));
    jw_json_text(&l->json, "value", v->value);
    jw_json_bool(&l->json, "small_stored", s);
    jw_json_bool(&l->json, "large_stored", b);
    lab_finds(l, v->belief ? v->belief : "F52-most",
              !v->belief                       ? LAB_ANSWERED
              : s == v->small && b == v->large ? LAB_CONFIRMED
                                               : LAB_CONTRADICTED,
              "'%s': of %d and %u bytes, %s", v->value, SMALL, lab_scaled(l, LARGE, SMALL_LARGE),
              s && b ? "both are stored"
              : s    ? "the small one is"
              : b    ? "the large one is"
                     : "neither is");
    lab_say_end(l);
    return true;
}

/* ---- c: what is counted, f: too large ---- */

static bool counted(struct lab *l, struct jw_err *err)
{
    static const struct {
        const char *step, *what;
        int more;
    } limits[] = { { "c-exact", "a limit of exactly key and payload", 0 },
                   { "c-header", "28 bytes more, for the header", JW_CACHE_HEADER },
                   { "c-less", "one byte less", -1 } };
    struct lab_census census;
    struct lab_done done;
    const char *root;
    bool stored[3];

    if (!lab_cache(l, "size", &root, err) || !store_e8b(l, root, PLENTY, FIRST_N_E8B + 10, EACH, &done, err)
        || !lab_census(l, root, &census, err))
        return false;
    for (size_t i = 0; i < JW_COUNT(limits); i++) {
        const char *limit =
            lab_op_of(l, "%llu", (unsigned long long)census.total + (unsigned long long)limits[i].more);

        if (!lab_cache(l, limits[i].step, &root, err)
            || !store_e8b(l, root, limit, FIRST_N_E8B + 10, EACH, &done, err))
            return false;
        stored[i] = lab_new(&done) != 0;
        lab_say(l, limits[i].step, limits[i].what, true);
        jw_json_text(&l->json, "limit", limit);
        jw_json_bool(&l->json, "stored", stored[i]);
        if (i == 2) {
            lab_finds(l, "F54-accounting",
                      stored[0] && !stored[2]    ? LAB_CONFIRMED
                      : !stored[1] && !stored[0] ? LAB_NOT_TESTABLE
                                                 : LAB_CONTRADICTED,
                      "key and payload: %s; with header: %s; one byte less: %s", stored[0] ? "stored" : "not",
                      stored[1] ? "stored" : "not", stored[2] ? "stored" : "not");
            lab_finds_holds(l, "F55-too-large", !stored[2],
                            stored[2] ? "it was stored" : "it was not stored");
        }
        lab_say_end(l);
    }
    return true;
}

static bool too_large(struct lab *l, struct jw_err *err)
{
    struct lab_census before, after;
    struct lab_done done;
    const char *root;

    if (!lab_cache(l, "f", &root, err) || !store_e8b(l, root, PLENTY, FIRST_N_E8B + 20, EACH, &done, err)
        || !store_e8b(l, root, PLENTY, FIRST_N_E8B + 21, EACH, &done, err)
        || !lab_census(l, root, &before, err))
        return false;
    const char *limit = lab_op_of(l, "%llu", (unsigned long long)before.total + 1000);

    if (!store_e8b(l, root, limit, FIRST_N_E8B + 22, (size_t)lab_scaled(l, LARGE, SMALL_LARGE), &done, err)
        || !lab_census(l, root, &after, err))
        return false;
    lab_say(l, "f", "an entry above the limit, beside two that fit", true);
    lab_say_census(l, "left", &after);
    lab_finds(l, "F55-too-large", lab_new(&done) ? LAB_CONTRADICTED : LAB_CONFIRMED,
              "%s stored; %zu of 2 others are left", lab_new(&done) ? "it was" : "it was not",
              after.entries - (lab_new(&done) ? 1 : 0));
    lab_say_end(l);
    return true;
}

/* ---- e: in turn ---- */

static bool in_turn(struct lab *l, struct jw_err *err)
{
    struct lab_census census = { 0 };
    struct lab_done done;
    const char *root, *limit = PLENTY;
    unsigned hits = 0, passes = lab_scaled(l, PASSES, 2);

    if (!lab_cache(l, "e", &root, err))
        return false;
    for (unsigned i = 0; i < passes * MANY; i++) {
        if (!store_e8b(l, root, limit, FIRST_N_E8B + 30 + i % MANY, EACH, &done, err)
            || (i == 0 && !lab_census(l, root, &census, err)))
            return false;
        hits += i >= MANY && !lab_new(&done);
        limit = lab_op_of(l, "%llu", (unsigned long long)census.total * (2 * ROOM + 1) / 2);
    }
    lab_say(l, "e", "ten modules in turn, room for eight", true);
    jw_json_number(&l->json, "loads", (passes - 1) * MANY);
    jw_json_number(&l->json, "hits", hits);
    lab_finds(l, "F56-fifo", hits ? LAB_CONTRADICTED : LAB_CONFIRMED,
              "%u hits of %u loads after the first pass", hits, (passes - 1) * MANY);
    lab_say_end(l);
    return true;
}

/* ---- g: a small limit, h: entries without a record ---- */

static bool small_limit(struct lab *l, struct jw_err *err)
{
    struct lab_done hit, miss, done;
    struct lab_census census;
    const char *root;
    unsigned stored = 6;

    if (!lab_cache(l, "g", &root, err))
        return false;
    for (unsigned i = 0; i < stored; i++)
        if (!store_e8b(l, root, PLENTY, FIRST_N_E8B + 50 + i, EACH, &done, err))
            return false;
    if (!lab_census(l, root, &census, err))
        return false;
    const char *limit = lab_op_of(l, "%llu", (unsigned long long)census.total / 2);

    if (!store_e8b(l, root, limit, FIRST_N_E8B + 50 + stored - 1, EACH, &hit, err)
        || !lab_census(l, root, &census, err))
        return false;
    size_t after_hit = census.entries;

    if (!store_e8b(l, root, limit, FIRST_N_E8B + 60, EACH, &miss, err) || !lab_census(l, root, &census, err))
        return false;
    lab_say(l, "g", "half the room of what is there: a process that only hits, then one that stores", true);
    jw_json_number(&l->json, "before", stored);
    jw_json_number(&l->json, "after_hit", after_hit);
    jw_json_number(&l->json, "after_store", census.entries);
    lab_finds(l, "F57-small-limit", census.entries < stored ? LAB_CONFIRMED : LAB_CONTRADICTED,
              "of %u entries %zu are left after a start that hits, %zu after one that stores", stored,
              after_hit, census.entries);
    lab_say_end(l);
    return true;
}

static bool without_record(struct lab *l, struct jw_err *err)
{
    struct lab_census census;
    struct lab_done done;
    const char *root, *other;

    /* Four that nobody recorded, and room for two and a half. */
    if (!lab_cache(l, "h-from", &other, err) || !lab_cache(l, "h", &root, err))
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (!store_e8b(l, other, PLENTY, FIRST_N_E8B + 70 + i, EACH, &done, err))
            return false;
    /* The index is there, and sound: without one they would be deleted (F83-damaged-index). */
    if (!lab_census(l, other, &census, err) || !store_e8b(l, root, PLENTY, FIRST_N_E8B + 80, EACH, &done, err)
        || !lab_copy_cache(l, other, root, false, err))
        return false;
    const char *limit = lab_op_of(l, "%llu", (unsigned long long)census.total * 5 / 8);

    if (!store_e8b(l, root, limit, FIRST_N_E8B + 81, EACH, &done, err) || !lab_census(l, root, &census, err))
        return false;
    bool apart = census.entries == 6 && census.records == 2;

    lab_say(l, "h", "four entries without a record, room for two and a half, two stored", true);
    lab_say_census(l, "left", &census);
    lab_finds_holds(l, "F54-accounting", apart,
                    apart ? "those without a record do not count"
                          : "those without a record count, or were taken in");
    lab_say_end(l);
    return true;
}

bool lab_e8b(struct lab *l, struct jw_err *err)
{
    if (!counted(l, err) || !too_large(l, err) || !small_limit(l, err) || !without_record(l, err)
        || !in_turn(l, err))
        return false;
    for (unsigned i = 0; i < JW_COUNT(spellings) && lab_seconds_left(l) > 8; i++)
        if ((!l->small || spellings[i].belief) && !read_as(l, &spellings[i], i, err))
            return false;
    return true;
}

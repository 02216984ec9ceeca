/*
 * E3, is the index needed? A folder whose index is missing, empty, wrong or damaged (a to g, k), and two folders that share some
 * modules, merged by copying with the index treated in several ways (h to j). How many of all modules does a fresh process then
 * find, how many does the next one, and what has become of the index?
 */
#include "base/sort.h"
#include "cache/place/listing.h"
#include "lab.h"

#include "base/compiler.h"
#include "base/path.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES = 12, LAST_OF_A = 8, FIRST_OF_B = 5, FIRST_N = 401 };

enum merge {
    NO_INDEX,
    INDEX_OF_A,
    EMPTY,
    ONE_LESS,
    FILE_GONE,
    WRONG_TOTAL,
    MORE_THAN_THERE,
    VERSION_42,
    ENTRY_VERSION_42,
    TWICE,
    APPENDED,
    SORTED
};
enum { THIRD = 2, COUNT_AT = 4, TOTAL_AT = 8 };

static const struct variant {
    const char *name, *what;
    enum merge merge;
    bool with_b;
} variants[] = {
    { "a", "the first folder without its index", NO_INDEX, false },
    { "b", "its index says that there is nothing", EMPTY, false },
    { "c", "its index lacks the third record", ONE_LESS, false },
    { "d", "the third entry's file is gone, its record is there", FILE_GONE, false },
    { "e", "its index has a wrong total", WRONG_TOTAL, false },
    { "f", "its index counts more records than it has", MORE_THAN_THERE, false },
    { "g", "its index has format 0x42", VERSION_42, false },
    { "g-entry", "the third entry has format 0x42", ENTRY_VERSION_42, false },
    { "k", "the third record is there twice", TWICE, false },
    { "h", "the second folder's files copied in, the first one's index kept", INDEX_OF_A, true },
    { "i", "the same, and the missing records appended", APPENDED, true },
    { "j", "the same, and all records sorted by name", SORTED, true },
};

struct merging {
    struct lab *l;
    const char *files[MODULES];
    unsigned cold_us[MODULES], steps, cold_ms;
    const char *a, *b;
};

static bool make_files(struct merging *t, struct jw_err *err)
{
    for (unsigned i = 0; i < MODULES; i++) {
        struct lab_module m;
        char name[32];

        (void)snprintf(name, sizeof name, "m%02u.ptx", i + 1);
        t->files[i] = lab_path(t->l, name);
        bool ok = lab_heavy(t->l, &m, FIRST_N + i, t->steps, err)
                  && lab_write(t->l, t->files[i], jw_buf_bytes(&m.ptx), err);

        lab_module_free(&m);
        if (!ok)
            return false;
    }
    return true;
}

/* One fresh process loads modules `first` to `last`, counted from 1. */
static bool load_all(struct merging *t, const char *root, unsigned first, unsigned last,
                     struct lab_done *done, struct jw_err *err)
{
    struct lab_step s = { .cache = root, .loading = "EAGER", .ops = { "context" } };

    for (unsigned i = first; i <= last; i++)
        s.ops[1 + i - first] = lab_op_text(t->l, "data", t->files[i - 1]);
    return lab_run(t->l, &s, done, err);
}

static bool warm(struct merging *t, const char *name, unsigned first, unsigned last, const char **root,
                 struct jw_err *err)
{
    struct lab_done done;

    if (!lab_cache(t->l, name, root, err) || !load_all(t, *root, first, last, &done, err))
        return false;
    for (size_t i = 1; i < done.n; i++)
        t->cold_us[first - 1 + i - 1] = (unsigned)done.ops[i].us;
    lab_say(t->l, name, "modules loaded into an empty folder", lab_all_zero(&done));
    lab_say_done(t->l, &done);
    jw_json_number(&t->l->json, "entries", lab_new(&done));
    lab_say_end(t->l);
    return true;
}

static int by_hash(const void *a, const void *b)
{
    const struct jw_cache_record *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

static bool write_index(struct merging *t, const char *root, bool sorted, struct jw_err *err)
{
    struct jw_cache_listing in = { 0 }, from = { 0 };
    struct jw_buf bytes = JW_BUF(1 << 20);
    bool ok = jw_cachedir_list(root, false, &t->l->arena, &in, err)
              && jw_cachedir_list(t->b, false, &t->l->arena, &from, err);

    for (size_t i = 0; ok && i < from.index.n; i++)
        ok = jw_cache_index_add(&in.index, from.index.list[i], err);
    if (ok && sorted && in.index.n)
        jw_sort(in.index.list, in.index.n, sizeof *in.index.list, by_hash);
    const char *path = jw_path_join(&t->l->arena, root, "index");

    ok = ok && jw_cache_index_write(&in.index, &bytes, err)
         && lab_write(t->l, path, jw_buf_bytes(&bytes), err);
    jw_buf_free(&bytes);
    jw_cache_listing_free(&in);
    jw_cache_listing_free(&from);
    return ok;
}

static bool write_as(struct merging *t, const char *path, struct jw_buf *bytes, struct jw_err *err)
{
    bool ok = jw_buf_ok(bytes, err) && lab_write(t->l, path, jw_buf_bytes(bytes), err);

    jw_buf_free(bytes);
    return ok;
}

/* The index of `root` as the variant wants it. Its numbers: format, then count and total where cache/format/jitcache.h says. */
static bool spoil(struct merging *t, const char *root, enum merge how, struct jw_err *err)
{
    struct jw_cache_listing in = { 0 };
    struct jw_buf bytes = JW_BUF(1 << 20), file = JW_BUF(LAB_MAX_ENTRY);
    const char *path = jw_path_join(&t->l->arena, root, "index"), *entry;
    bool ok = jw_cachedir_list(root, false, &t->l->arena, &in, err), found = false;
    struct jw_cache_index *index = &in.index;

    if (ok && index->n <= THIRD)
        ok = jw_fail(err, JW_E_FORMAT, "%s: an index of %zu records", root, index->n);
    if (!ok) {
        jw_cache_listing_free(&in);
        return false;
    }
    struct jw_cache_record third = index->list[THIRD];

    entry = jw_path_join(&t->l->arena, root, jw_cache_name(third.hash).text);
    if (how == EMPTY) {
        index->n = 0;
        index->total = 0;
    } else if (how == ONE_LESS) {
        memmove(&index->list[THIRD], &index->list[THIRD + 1], (--index->n - THIRD) * sizeof third);
        index->total -= third.size;
    } else if (how == FILE_GONE) {
        ok = remove(entry) == 0 || jw_fail(err, JW_E_IO, "%s: cannot be removed", entry);
    }
    ok = ok && jw_cache_index_write(index, &bytes, err);
    if (ok && how == WRONG_TOTAL)
        bytes.p[TOTAL_AT] ^= 0x55;
    if (ok && how == MORE_THAN_THERE)
        bytes.p[COUNT_AT]++;
    if (ok && how == VERSION_42)
        bytes.p[0] = 0x42;
    if (ok && how == TWICE) { /* our writer refuses it */
        jw_buf_add(&bytes, bytes.p + bytes.n - 16, 16);
        bytes.p[COUNT_AT]++;
    }
    ok = ok && write_as(t, path, &bytes, err);
    if (ok && how == ENTRY_VERSION_42) {
        ok = jw_file_slurp(entry, &file, &found, err) && found;
        if (ok)
            file.p[0] = 0x42;
        ok = ok && write_as(t, entry, &file, err);
    }
    jw_buf_free(&bytes);
    jw_buf_free(&file);
    jw_cache_listing_free(&in);
    return ok;
}

static bool prepare(struct merging *t, const struct variant *v, const char **root, struct jw_err *err)
{
    bool ok =
        lab_cache(t->l, v->name, root, err) && lab_copy_cache(t->l, t->a, *root, v->merge != NO_INDEX, err);

    if (ok && v->with_b)
        ok = lab_copy_cache(t->l, t->b, *root, false, err);
    if (v->merge > INDEX_OF_A && v->merge < APPENDED)
        return ok && spoil(t, *root, v->merge, err);
    return ok && (v->merge < APPENDED || write_index(t, *root, v->merge == SORTED, err));
}

/* Found: nothing new, nothing changed; and where the cost is known, in a fifth of it. */
static unsigned say_hits(struct merging *t, const struct lab_done *done)
{
    unsigned hits = 0, slow = 0;

    for (size_t i = 1; i < done->n; i++) {
        const struct lab_op *op = &done->ops[i];

        if (op->code || op->fresh || op->changed)
            continue;
        hits++;
        slow += t->cold_ms && op->us > t->cold_us[i - 1] / 5;
    }
    jw_json_number(&t->l->json, "hits", hits);
    jw_json_number(&t->l->json, "slow_hits", slow);
    jw_json_bool(&t->l->json, "timed", t->cold_ms != 0);
    return hits;
}

static bool same_order(const struct jw_cache_index *a, const struct jw_cache_index *b)
{
    return a->n == b->n && memcmp(a->list, b->list, a->n * sizeof *a->list) == 0;
}

/* Of the first process that meets the folder so. */
static void check(struct merging *t, const struct variant *v, const struct lab_done *done, unsigned hits,
                  unsigned modules, const struct jw_cache_listing *before,
                  const struct jw_cache_listing *after)
{
    struct lab *l = t->l;
    enum lab_says all = hits == modules ? LAB_CONFIRMED : LAB_CONTRADICTED;

    if (!lab_all_zero(done))
        lab_finds(l, "F32-delete-is-safe", LAB_CONTRADICTED, "%s: a module could not be loaded", v->what);
    else if (v->merge == NO_INDEX || v->merge == ONE_LESS || (v->merge == INDEX_OF_A && v->with_b))
        lab_finds(l, "F28-index-needed", all, "%s: %u hits of %u", v->what, hits, modules);
    else if (v->merge == APPENDED)
        lab_finds(l, "F27-merge-copy-append", all, "%u hits of %u", hits, modules);
    else if (v->merge == SORTED)
        lab_finds(l, "F30-order-free", all, "%u hits of %u", hits, modules);
    else
        lab_finds(l, "F83-damaged-index", LAB_ANSWERED, "%s: %u hits of %u, then %zu records for %zu entries",
                  v->what, hits, modules, after->index.n, after->n);
    if (hits == modules && v->merge >= APPENDED)
        lab_finds_holds(l, "F31-hit-changes-nothing", same_order(&before->index, &after->index),
                        "the index after nothing but hits");
}

static bool ask(struct merging *t, const struct variant *v, const char *root, const char *suffix,
                struct jw_err *err)
{
    struct jw_cache_listing before = { 0 }, after = { 0 };
    struct lab_done done;
    unsigned modules = v->with_b ? MODULES : LAST_OF_A;
    char step[16];
    bool ok = jw_cachedir_list(root, false, &t->l->arena, &before, err)
              && load_all(t, root, 1, modules, &done, err)
              && jw_cachedir_list(root, false, &t->l->arena, &after, err);

    if (ok) {
        (void)snprintf(step, sizeof step, "%s%s", v->name, suffix);
        lab_say(t->l, step, v->what, done.whole);
        lab_say_done(t->l, &done);
        jw_json_number(&t->l->json, "modules", modules);
        unsigned hits = say_hits(t, &done);

        jw_json_number(&t->l->json, "entries_before", before.n);
        jw_json_number(&t->l->json, "entries_after", after.n);
        jw_json_number(&t->l->json, "records_before", before.index.n);
        jw_json_number(&t->l->json, "records_after", after.index.n);
        jw_json_text(&t->l->json, "index_damage", after.index_damage);
        if (!*suffix)
            check(t, v, &done, hits, modules, &before, &after);
        lab_say_end(t->l);
    }
    jw_cache_listing_free(&before);
    jw_cache_listing_free(&after);
    return ok;
}

bool lab_e3(struct lab *l, struct jw_err *err)
{
    struct merging t = { .l = l };
    const char *root;

    if (!lab_calibrate(l, &t.steps, &t.cold_ms, err) || !make_files(&t, err)
        || !warm(&t, "warm-first", 1, LAST_OF_A, &t.a, err)
        || !warm(&t, "warm-second", FIRST_OF_B, MODULES, &t.b, err))
        return false;
    for (size_t i = 0; i < JW_COUNT(variants); i++)
        if (!prepare(&t, &variants[i], &root, err) || !ask(&t, &variants[i], root, "", err)
            || (!l->small && !ask(&t, &variants[i], root, "-again", err)))
            return false;
    return true;
}

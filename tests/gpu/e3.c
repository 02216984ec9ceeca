/*
 * E3 h and i (and a and j beside them): two folders that share some modules are merged by copying, with the index treated
 * in several ways. How many of all modules does a fresh process then find, and what has it made of the index?
 */
#include "lab.h"

#include "base/compiler.h"
#include "base/path.h"
#include "os/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES = 12, LAST_OF_A = 8, FIRST_OF_B = 5, FIRST_N = 401 };

enum merge { NO_INDEX, INDEX_OF_A, APPENDED, SORTED };

static const struct variant {
    const char *name, *what;
    enum merge merge;
    bool with_b;
} variants[] = {
    { "a", "the first folder without its index", NO_INDEX, false },
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
    struct lab_step s = { .root = root, .loading = "EAGER", .ops = { "context" } };

    for (unsigned i = first; i <= last; i++)
        s.ops[1 + i - first] = lab_op_text(t->l, "data", t->files[i - 1]);
    return lab_run(t->l, &s, done, err);
}

static bool warm(struct merging *t, const char *name, unsigned first, unsigned last, const char **root,
                 struct jw_err *err)
{
    struct lab_done done;

    if (!lab_root(t->l, name, root, err) || !load_all(t, *root, first, last, &done, err))
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
        qsort(in.index.list, in.index.n, sizeof *in.index.list, by_hash);
    const char *path = jw_path_join(&t->l->arena, root, "index");

    ok = ok && jw_cache_index_write(&in.index, &bytes, err)
         && lab_write(t->l, path, jw_buf_bytes(&bytes), err);
    jw_buf_free(&bytes);
    jw_cache_listing_free(&in);
    jw_cache_listing_free(&from);
    return ok;
}

static bool prepare(struct merging *t, const struct variant *v, const char **root, struct jw_err *err)
{
    bool ok =
        lab_root(t->l, v->name, root, err) && lab_copy_root(t->l, t->a, *root, v->merge != NO_INDEX, err);

    if (ok && v->with_b)
        ok = lab_copy_root(t->l, t->b, *root, false, err);
    return ok && (v->merge < APPENDED || write_index(t, *root, v->merge == SORTED, err));
}

/* Found: nothing new, nothing changed; and where the cost is known, in a fifth of it. */
static void say_hits(struct merging *t, const struct lab_done *done)
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
        say_hits(t, &done);
        jw_json_number(&t->l->json, "entries_before", before.n);
        jw_json_number(&t->l->json, "entries_after", after.n);
        jw_json_number(&t->l->json, "records_before", before.index.n);
        jw_json_number(&t->l->json, "records_after", after.index.n);
        jw_json_text(&t->l->json, "index_damage", after.index_damage);
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
            || !ask(&t, &variants[i], root, "-again", err))
            return false;
    return true;
}

/*
 * E4 c, a lock that somebody else holds: another process locks the index for a while; does a load wait for it, go on without
 * the cache, or fail? With something to store, and with a hit; with the driver's kind of lock, and with jitwarm's.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_N = 4301, HOLD_MS = 3000, SMALL_HOLD_MS = 400 };

static const struct held {
    const char *name, *what, *op;
    bool hit;
} holds[] = {
    { "write-miss", "a write lock, something to store", "lock w", false },
    { "write-hit", "a write lock, a hit", "lock w", true },
    { "read-miss", "a read lock, something to store", "lock r", false },
    { "read-hit", "a read lock, a hit", "lock r", true },
    { "ofd-write-miss", "a write lock of the open file, as jitwarm takes it, something to store", "ofd w",
      false },
    { "ofd-write-hit", "a write lock of the open file, as jitwarm takes it, a hit", "ofd w", true },
};

struct locking {
    struct lab *l;
    struct lab_set set;
    unsigned hold_ms;
};

/* `recorded`: what was to be stored is in the index, too. */
static void judge(struct lab *l, const struct held *h, bool failed, bool waited, bool recorded)
{
    const char *how = failed               ? "it failed"
                      : waited             ? "it waited"
                      : h->hit || recorded ? "it did not wait"
                                           : "it went on, and left no record";

    jw_json_text(&l->json, "load", how);
    lab_finds(l, "F42-foreign-lock", LAB_ANSWERED, "%s: %s", h->what, how);
    if (strcmp(h->name, "ofd-write-miss") == 0)
        lab_finds_holds(l, "F41-ofd-excludes", waited || !recorded, how);
}

/* The load has a budget of the time that the lock is held: a load that needs half of it is taken for one that waited. */
static bool ask(struct locking *t, const struct held *h, size_t which, struct jw_err *err)
{
    struct lab *l = t->l;
    struct lab_census census;
    const char *root, *file = t->set.items[h->hit ? 0 : which + 1].path;
    struct lab_step warm = { .loading = "EAGER",
                             .ops = { "context", lab_op_text(l, "data", t->set.items[0].path) } };
    struct lab_done done[2];

    if (!lab_root(l, h->name, &root, err))
        return false;
    const char *meet = lab_op_of(l, "meet %s-meet 2", root);
    struct lab_step steps[] = {
        { .root = root, .ops = { h->op, meet, lab_op_of(l, "pause %u", t->hold_ms), "unlock" } },
        { .root = root, .loading = "EAGER", .ops = { "context", meet, lab_op_text(l, "data", file) } }
    };

    warm.root = root;
    if (!lab_run(l, &warm, &done[0], err) || !lab_run_all(l, steps, done, 2, err)
        || !lab_census(l, root, &census, err))
        return false;
    const struct lab_op *op = lab_op(&done[1], "data");
    const struct lab_op *locked = done[0].n ? &done[0].ops[0] : NULL;

    lab_say(l, h->name, h->what, locked && locked->code == 0);
    lab_say_done(l, &done[1]);
    jw_json_number(&l->json, "held_ms", t->hold_ms);
    judge(l, h, !op || op->code != 0, op && op->us / 1000 > t->hold_ms / 2, census.records > 1);
    lab_say_end(l);
    return true;
}

bool lab_e4c(struct lab *l, struct jw_err *err)
{
    struct locking t = { .l = l, .hold_ms = lab_scaled(l, HOLD_MS, SMALL_HOLD_MS) };

    if (!lab_set_make(l, &t.set, "lock", FIRST_N, JW_COUNT(holds) + 1, 0, err))
        return false;
    for (size_t i = 0; i < JW_COUNT(holds); i++)
        if (!ask(&t, &holds[i], i, err))
            return false;
    return true;
}

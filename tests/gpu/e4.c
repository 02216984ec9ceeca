/*
 * E4 a, many processes that store at the same time: sixteen, each with a module of its own, into one folder, several times.
 * Are entries lost, are records, is a file torn; and does a fresh process then find them all?
 */
#include "lab.h"

#include "base/compiler.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

enum { PROCESSES_E4A = 16, ROUNDS = 5, SMALL_PROCESSES_E4A = 6, SMALL_ROUNDS = 2, FIRST_N_E4A = 4001 };

struct crowd {
    struct lab *l;
    struct lab_set set;
    unsigned processes, steps;
};

static bool store_all(struct crowd *c, unsigned round, const char *root, unsigned *failed, struct jw_err *err)
{
    struct lab_step steps[PROCESSES_E4A];
    struct lab_done done[PROCESSES_E4A];
    char folder[32];

    (void)snprintf(folder, sizeof folder, "meet-%u", round);
    for (unsigned i = 0; i < c->processes; i++)
        steps[i] =
            (struct lab_step){ .cache = root,
                               .loading = "EAGER",
                               .ops = { "context",
                                        lab_op_of(c->l, "meet %s %u", lab_path(c->l, folder), c->processes),
                                        lab_op_text(c->l, "data", c->set.items[i].path) } };
    if (!lab_run_all(c->l, steps, done, c->processes, err))
        return false;
    *failed = 0;
    for (unsigned i = 0; i < c->processes; i++)
        *failed += !lab_all_zero(&done[i]);
    return true;
}

static bool round_of(struct crowd *c, unsigned round, struct lab_census *all, struct jw_err *err)
{
    struct lab_census census;
    struct lab_reload again;
    const char *root;
    unsigned failed;
    char name[16];

    (void)snprintf(name, sizeof name, "a-%u", round);
    if (!lab_cache(c->l, name, &root, err) || !store_all(c, round, root, &failed, err)
        || !lab_census(c->l, root, &census, err) || !lab_set_load(c->l, &c->set, root, false, &again, err))
        return false;
    lab_say(c->l, name, "processes that store a module each, all at once", true);
    jw_json_number(&c->l->json, "processes", c->processes);
    jw_json_number(&c->l->json, "processes_failed", failed);
    lab_say_census(c->l, "left", &census);
    jw_json_number(&c->l->json, "found_again", again.right - (again.fresh + again.changed));
    jw_json_number(&c->l->json, "compiled_again", again.fresh + again.changed);
    lab_say_end(c->l);
    all->entries += census.entries;
    all->records += census.records;
    all->orphans += census.orphans;
    all->torn += census.torn;
    return true;
}

static void check_e4a(struct crowd *c, unsigned rounds, const struct lab_census *all)
{
    struct lab *l = c->l;

    lab_say(l, "a", "all rounds together", true);
    lab_say_census(l, "left", all);
    jw_json_number(&l->json, "stored", (uint64_t)rounds * c->processes);
    if (all->entries < (uint64_t)rounds * c->processes || all->torn)
        lab_finds(l, "F43-lost-records", LAB_CONTRADICTED, "entries were lost or torn: %zu of %u, %zu torn",
                  all->entries, rounds * c->processes, all->torn);
    else
        lab_finds(l, "F43-lost-records", all->orphans ? LAB_CONFIRMED : LAB_ANSWERED, /* it is seldom */
                  "%zu of %u entries had no record", all->orphans, rounds * c->processes);
    lab_say_end(l);
}

bool lab_e4a(struct lab *l, struct jw_err *err)
{
    struct crowd c = { .l = l, .processes = lab_scaled(l, PROCESSES_E4A, SMALL_PROCESSES_E4A) };
    unsigned rounds = lab_scaled(l, ROUNDS, SMALL_ROUNDS), ms;
    struct lab_census all = { 0 };

    if (!lab_calibrate(l, &c.steps, &ms, err)
        || !lab_set_make(l, &c.set, "crowd", FIRST_N_E4A, c.processes, c.steps, err))
        return false;
    for (unsigned i = 0; i < rounds; i++)
        if (!round_of(&c, i + 1, &all, err))
            return false;
    check_e4a(&c, rounds, &all);
    return true;
}

/*
 * E4 b and d to f: many processes that want the same module at once; jitwarm's way into a folder while others store there;
 * threads of one process; and in which order the driver writes, and whether it reads the index again before it does.
 */

enum {
    PROCESSES_E4B = 16,
    SMALL_PROCESSES_E4B = 4,
    WRITERS = 8,
    SMALL_WRITERS = 3,
    EACH = 6,
    FIRST_N_E4B = 4401,
    MAX_LOG = 1 << 20
};

struct meeting {
    struct lab *l;
    unsigned steps, cost_ms;
};

/* ---- b ---- */

static bool read_only_entry(struct lab *l, const char *root, uint64_t *payload, size_t *n, struct jw_err *err)
{
    struct lab_entry e = { 0 };
    bool ok = lab_entry_read(l, root, &e, n, err);

    *payload = *n ? jw_fnv1a(JW_FNV_START, e.payload.p, e.payload.n) : 0;
    lab_entry_free(&e);
    return ok;
}

static bool same_module(struct meeting *t, struct jw_err *err)
{
    struct lab *l = t->l;
    unsigned n = lab_scaled(l, PROCESSES_E4B, SMALL_PROCESSES_E4B), compiled = 0, failed = 0;
    struct lab_step steps[PROCESSES_E4B];
    struct lab_done done[PROCESSES_E4B], once;
    struct lab_set set;
    struct lab_census census;
    const char *alone, *root;
    uint64_t first, second;
    size_t n_first, n_second;

    if (!lab_set_make(l, &set, "same", FIRST_N_E4B, 1, t->steps, err) || !lab_cache(l, "b-alone", &alone, err)
        || !lab_cache(l, "b", &root, err))
        return false;
    struct lab_step cold = { .cache = alone,
                             .loading = "EAGER",
                             .ops = { "context", lab_op_text(l, "data", set.items[0].path) } };

    for (unsigned i = 0; i < n; i++) {
        steps[i] = cold;
        steps[i].cache = root;
        steps[i].ops[2] = steps[i].ops[1];
        steps[i].ops[1] = lab_op_of(l, "meet %s %u", lab_path(l, "b-meet"), n);
    }
    if (!lab_run(l, &cold, &once, err) || !lab_run_all(l, steps, done, n, err)
        || !lab_census(l, root, &census, err) || !read_only_entry(l, alone, &first, &n_first, err)
        || !read_only_entry(l, root, &second, &n_second, err))
        return false;
    for (unsigned i = 0; i < n; i++) {
        const struct lab_op *op = lab_op(&done[i], "data");

        failed += !lab_all_zero(&done[i]);
        compiled += op && once.n > 1 && op->us > once.ops[1].us / 2;
    }
    lab_say(l, "b", "processes that load the same module at the same moment", true);
    jw_json_number(&l->json, "processes", n);
    jw_json_number(&l->json, "processes_failed", failed);
    jw_json_number(&l->json, "compiled", compiled);
    jw_json_bool(&l->json, "timed", t->cost_ms != 0);
    lab_say_census(l, "left", &census);
    lab_finds(l, "F44-same-key-race",
              failed || census.torn || census.entries != 1 || first != second ? LAB_CONTRADICTED
              : t->cost_ms && compiled < 2                                    ? LAB_CONTRADICTED
                                                                              : LAB_CONFIRMED,
              "%zu entries, %zu torn, %u processes failed, about %u of %u compiled", census.entries,
              census.torn, failed, compiled, n);
    lab_finds_holds(l, "F39-deterministic", first == second && n_first && n_second,
                    "the code of one process alone, and of the race");
    lab_say_end(l);
    return true;
}

/* ---- d and e ---- */

static void check_crowd(struct lab *l, const char *belief, const struct lab_set *all,
                        const struct lab_census *c, const struct lab_reload *again, unsigned failed)
{
    bool whole =
        !failed && c->entries >= all->n && !c->torn && !c->index_damage && !(again->fresh + again->changed);

    lab_say_census(l, "left", c);
    jw_json_number(&l->json, "modules", all->n);
    jw_json_number(&l->json, "compiled_again", again->fresh + again->changed);
    lab_finds(l, belief,
              strcmp(belief, "F43-lost-records") == 0 ? c->orphans ? LAB_CONFIRMED : LAB_ANSWERED
              : whole                                 ? LAB_CONFIRMED
                                                      : LAB_CONTRADICTED,
              "%zu entries, %zu torn, %zu without a record, %u operations failed, %u compiled again",
              c->entries, c->torn, c->orphans, failed, again->fresh + again->changed);
}

static bool while_others_store(struct meeting *t, struct jw_err *err)
{
    struct lab *l = t->l;
    unsigned writers = lab_scaled(l, WRITERS, SMALL_WRITERS), n = writers * EACH, failed = 0;
    struct lab_step steps[WRITERS + 1];
    struct lab_done done[WRITERS + 1];
    struct lab_set ours, theirs;
    struct lab_reload again;
    struct lab_census census;
    const char *from, *root, *meet = lab_path(l, "d-meet");

    if (!lab_set_make(l, &ours, "ours", FIRST_N_E4B + 100, n, 0, err)
        || !lab_set_make(l, &theirs, "theirs", FIRST_N_E4B + 300, n, 0, err)
        || !lab_cache(l, "d-from", &from, err) || !lab_set_load(l, &ours, from, false, &again, err)
        || !lab_cache(l, "d", &root, err))
        return false;
    for (unsigned i = 0; i <= writers; i++) {
        const char *list = i < writers ? lab_set_list(l, &theirs, i, writers, err) : from;

        if (!list)
            return false;
        steps[i] = (struct lab_step){ .cache = root,
                                      .loading = "EAGER",
                                      .ops = { "context", lab_op_of(l, "meet %s %u", meet, writers + 1),
                                               lab_op_text(l, i < writers ? "many" : "publish", list) } };
    }
    if (!lab_run_all(l, steps, done, writers + 1, err) || !lab_census(l, root, &census, err))
        return false;
    for (unsigned i = 0; i <= writers; i++)
        failed += !lab_all_zero(&done[i]);
    size_t published = done[writers].n == 3 ? (size_t)done[writers].ops[2].value : 0;

    if (!lab_set_load(l, &ours, root, false, &again, err))
        return false;
    lab_say(l, "d", "jitwarm brings entries in while others store", true);
    jw_json_number(&l->json, "published", published);
    check_crowd(l, "F27-merge-copy-append", &ours, &census, &again, failed + (published < ours.n));
    lab_say_end(l);
    return true;
}

static bool threads(struct meeting *t, struct jw_err *err)
{
    struct lab *l = t->l;
    unsigned n = lab_scaled(l, PROCESSES_E4B, SMALL_PROCESSES_E4B);
    struct lab_set set;
    struct lab_done done;
    struct lab_reload again;
    struct lab_census census;
    struct lab_step s = { .loading = "EAGER", .ops = { "context" } };

    if (!lab_set_make(l, &set, "thread", FIRST_N_E4B + 600, n, t->steps, err)
        || !lab_cache(l, "e", &s.cache, err))
        return false;
    s.ops[1] = lab_op_of(l, "threads %u shared %s", n, lab_set_list(l, &set, 0, 1, err));
    if (!lab_run(l, &s, &done, err) || !lab_census(l, s.cache, &census, err)
        || !lab_set_load(l, &set, s.cache, false, &again, err))
        return false;
    lab_say(l, "e", "threads of one process, a module each", true);
    lab_say_done(l, &done);
    check_crowd(l, "F43-lost-records", &set, &census, &again, !lab_all_zero(&done));
    lab_say_end(l);
    return true;
}

/* ---- f ---- */

/* "entry index", "index entry", or what the log has of it; and whether the index is read between its lock and its writing. */
static void order_of(const char *log, bool *entry_first, bool *reread, bool *seen)
{
    const char *entry = NULL, *index = NULL, *lock = NULL, *read = NULL;

    for (const char *p = log; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        bool of_index = strncmp(p + strcspn(p, " "), " index ", 7) == 0;

        if (strncmp(p, "write ", 6) == 0 && !of_index && !entry)
            entry = p;
        if (strncmp(p, "fcntl ", 6) == 0 && of_index && strncmp(p + 12, "F_SETLK", 7) == 0 && !index)
            lock = p;
        if (strncmp(p, "read ", 5) == 0 && of_index && lock && !index)
            read = p;
        if (strncmp(p, "write ", 6) == 0 && of_index && !index)
            index = p;
    }
    *seen = entry && index;
    *entry_first = *seen && entry < index;
    *reread = *seen && read && read > lock;
}

static bool order(struct meeting *t, struct jw_err *err)
{
    struct lab *l = t->l;
    struct lab_set set;
    struct lab_done done;
    struct jw_buf log = JW_BUF(MAX_LOG);
    bool found = false, entry_first, reread, seen;
    struct lab_step s = { .loading = "EAGER", .ops = { "context" } };

    if (!lab_set_make(l, &set, "order", FIRST_N_E4B + 700, 2, 0, err) || !lab_cache(l, "f", &s.cache, err))
        return false;
    for (size_t i = 0; i < 2; i++) { /* the second finds an index with a record */
        s.ops[1] = lab_op_text(l, "data", set.items[i].path);
        s.log = i ? lab_path(l, "calls-f") : NULL;
        if (!lab_run(l, &s, &done, err))
            return false;
    }
    bool ok = jw_file_slurp(s.log, &log, &found, err);

    if (!ok || !found) {
        jw_buf_free(&log);
        return ok
               && lab_not_asked(l, "f", "there is no shim beside this program",
                                "F43-lost-records F45-in-place");
    }
    order_of(jw_buf_cstr(&log), &entry_first, &reread, &seen);
    jw_buf_free(&log);
    if (!seen)
        return lab_not_asked(l, "f", "the driver's writes do not go through libc",
                             "F43-lost-records F45-in-place");
    lab_say(l, "f", "a second module stored, as a preloaded shim saw it", true);
    jw_json_text(&l->json, "first", entry_first ? "entry" : "index");
    jw_json_bool(&l->json, "index_read_again", reread);
    lab_finds(l, "F43-lost-records", LAB_ANSWERED, "under its lock the index is %s before it is written",
              reread ? "read again" : "not read again");
    lab_finds(l, "F45-in-place", LAB_ANSWERED, "written first: the %s", entry_first ? "entry" : "index");
    lab_say_end(l);
    return true;
}

bool lab_e4b(struct lab *l, struct jw_err *err)
{
    struct meeting t = { .l = l };

    return lab_calibrate(l, &t.steps, &t.cost_ms, err) && same_module(&t, err) && while_others_store(&t, err)
           && threads(&t, err) && order(&t, err);
}

/*
 * E4 c, a lock that another process holds: another process locks the index for a while; does a load wait for it, go on without
 * the cache, or fail? With something to store, and with a hit; with the driver's kind of lock, and with jitwarm's.
 */

enum { FIRST_N_E4C = 4301, HOLD_MS = 3000, SMALL_HOLD_MS = 1200 };

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
static void check_e4c(struct lab *l, const struct held *h, bool failed, bool waited, bool recorded)
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

/* The load has a budget of the time that the lock is held: one that needs half of it is taken for one that waited. A
 * driver tries for 0.2 s before it goes on. */
static bool ask(struct locking *t, const struct held *h, size_t which, struct jw_err *err)
{
    struct lab *l = t->l;
    struct lab_census census;
    const char *root, *file = t->set.items[h->hit ? 0 : which + 1].path;
    struct lab_step warm = { .loading = "EAGER",
                             .ops = { "context", lab_op_text(l, "data", t->set.items[0].path) } };
    struct lab_done done[2];

    if (!lab_cache(l, h->name, &root, err))
        return false;
    const char *meet = lab_op_of(l, "meet %s-meet 2", root);
    struct lab_step steps[] = {
        { .cache = root, .ops = { h->op, meet, lab_op_of(l, "pause %u", t->hold_ms), "unlock" } },
        { .cache = root, .loading = "EAGER", .ops = { "context", meet, lab_op_text(l, "data", file) } }
    };

    if (!l->cost_ms) /* the lock is held until the load is over, however long that takes */
        steps[0].ops[2] = steps[1].ops[3] = lab_op_of(l, "meet %s-over 2", root);

    warm.cache = root;
    if (!lab_run(l, &warm, &done[0], err) || !lab_run_all(l, steps, done, 2, err)
        || !lab_census(l, root, &census, err))
        return false;
    const struct lab_op *op = lab_op(&done[1], "data");
    const struct lab_op *locked = done[0].n ? &done[0].ops[0] : NULL;

    lab_say(l, h->name, h->what, locked && locked->code == 0);
    lab_say_done(l, &done[1]);
    jw_json_number(&l->json, "held_ms", t->hold_ms);
    check_e4c(l, h, !op || op->code != 0, op && op->us / 1000 > t->hold_ms / 2, census.records > 1);
    lab_say_end(l);
    return true;
}

bool lab_e4c(struct lab *l, struct jw_err *err)
{
    struct locking t = { .l = l, .hold_ms = lab_scaled(l, HOLD_MS, SMALL_HOLD_MS) };

    if (!lab_set_make(l, &t.set, "lock", FIRST_N_E4C, JW_COUNT(holds) + 1, 0, err))
        return false;
    for (size_t i = 0; i < JW_COUNT(holds); i++)
        if (!ask(&t, &holds[i], i, err))
            return false;
    return true;
}

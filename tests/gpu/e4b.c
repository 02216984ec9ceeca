/*
 * E4 b and d to f: many processes that want the same module at once; jitwarm's way into a folder while others store there;
 * threads of one process; and in which order the driver writes, and whether it reads the index again before it does.
 */
#include "lab.h"

#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

enum {
    PROCESSES = 16,
    SMALL_PROCESSES = 4,
    WRITERS = 8,
    SMALL_WRITERS = 3,
    EACH = 6,
    FIRST_N = 4401,
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
    unsigned n = lab_scaled(l, PROCESSES, SMALL_PROCESSES), compiled = 0, failed = 0;
    struct lab_step steps[PROCESSES];
    struct lab_done done[PROCESSES], once;
    struct lab_set set;
    struct lab_census census;
    const char *alone, *root;
    uint64_t first, second;
    size_t n_first, n_second;

    if (!lab_set_make(l, &set, "same", FIRST_N, 1, t->steps, err) || !lab_root(l, "b-alone", &alone, err)
        || !lab_root(l, "b", &root, err))
        return false;
    struct lab_step cold = { .root = alone,
                             .loading = "EAGER",
                             .ops = { "context", lab_op_text(l, "data", set.items[0].path) } };

    for (unsigned i = 0; i < n; i++) {
        steps[i] = cold;
        steps[i].root = root;
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

static void judge_crowd(struct lab *l, const char *belief, const struct lab_set *all,
                        const struct lab_census *c, const struct lab_reload *again, unsigned failed)
{
    bool whole =
        !failed && c->entries >= all->n && !c->torn && !c->index_damage && !(again->fresh + again->changed);

    lab_say_census(l, "left", c);
    jw_json_number(&l->json, "modules", all->n);
    jw_json_number(&l->json, "compiled_again", again->fresh + again->changed);
    lab_finds(l, belief,
              strcmp(belief, "F43-lost-records") == 0 ? c->orphans ? LAB_CONFIRMED : LAB_CONTRADICTED
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

    if (!lab_set_make(l, &ours, "ours", FIRST_N + 100, n, 0, err)
        || !lab_set_make(l, &theirs, "theirs", FIRST_N + 300, n, 0, err) || !lab_root(l, "d-from", &from, err)
        || !lab_set_load(l, &ours, from, false, &again, err) || !lab_root(l, "d", &root, err))
        return false;
    for (unsigned i = 0; i <= writers; i++) {
        const char *list = i < writers ? lab_set_list(l, &theirs, i, writers, err) : from;

        if (!list)
            return false;
        steps[i] = (struct lab_step){ .root = root,
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
    judge_crowd(l, "F27-merge-copy-append", &ours, &census, &again, failed + (published < ours.n));
    lab_say_end(l);
    return true;
}

static bool threads(struct meeting *t, struct jw_err *err)
{
    struct lab *l = t->l;
    unsigned n = lab_scaled(l, PROCESSES, SMALL_PROCESSES);
    struct lab_set set;
    struct lab_done done;
    struct lab_reload again;
    struct lab_census census;
    struct lab_step s = { .loading = "EAGER", .ops = { "context" } };

    if (!lab_set_make(l, &set, "thread", FIRST_N + 600, n, t->steps, err) || !lab_root(l, "e", &s.root, err))
        return false;
    s.ops[1] = lab_op_of(l, "threads %u shared %s", n, lab_set_list(l, &set, 0, 1, err));
    if (!lab_run(l, &s, &done, err) || !lab_census(l, s.root, &census, err)
        || !lab_set_load(l, &set, s.root, false, &again, err))
        return false;
    lab_say(l, "e", "threads of one process, a module each", true);
    lab_say_done(l, &done);
    judge_crowd(l, "F43-lost-records", &set, &census, &again, !lab_all_zero(&done));
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

    if (!lab_set_make(l, &set, "order", FIRST_N + 700, 2, 0, err) || !lab_root(l, "f", &s.root, err))
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

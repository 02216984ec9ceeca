/*
 * E9 f, kill -9: workers that store many modules are killed at some instant. What is left, does the next process compute
 * right with it, and is what is torn made again, or missed for ever?
 */
#include "lab.h"

#include <stdio.h>
#include <string.h>

enum {
    WORKERS = 8,
    ROUNDS = 20,
    MODULES = 80,
    SMALL_WORKERS = 3,
    SMALL_ROUNDS = 2,
    SMALL_MODULES = 9,
    FIRST_N = 9001,
    X = 1000
};

struct killing {
    struct lab *l;
    struct lab_set set;
    unsigned workers, whole_ms; /* what it takes when nobody is killed */
    size_t torn, healed, wrong, orphans, missed;
};

/* `die_ms` 0: nobody dies. */
static bool warm(struct killing *k, const char *root, const char *name, unsigned die_ms, unsigned *ms,
                 struct jw_err *err)
{
    struct lab_step steps[WORKERS];
    struct lab_done done[WORKERS];
    struct lab *l = k->l;

    for (unsigned i = 0; i < k->workers; i++) {
        const char *list = lab_set_list(l, &k->set, i, k->workers, err);

        if (!list)
            return false;
        steps[i] = (struct lab_step){ .root = root, .loading = "EAGER", .ops = { "context" } };
        steps[i].ops[1] = lab_op_of(l, "meet %s-meet %u", lab_path(l, name), k->workers);
        steps[i].ops[2] = die_ms ? lab_op_of(l, "diein %u", die_ms) : "pause 0";
        steps[i].ops[3] = lab_op_text(l, "many", list);
    }
    if (!lab_run_all(l, steps, done, k->workers, err))
        return false;
    *ms = 1;
    for (unsigned i = 0; i < k->workers; i++)
        if (done[i].n == 4 && done[i].ops[3].us / 1000 > *ms)
            *ms = (unsigned)(done[i].ops[3].us / 1000);
    return true;
}

static bool round_of(struct killing *k, unsigned round, struct jw_err *err)
{
    /* An instant that differs from round to round, and not from run to run. */
    unsigned die_ms = 1 + (round * 2654435761U >> 8) % k->whole_ms, ms;
    struct lab_census killed, once, twice;
    struct lab_reload first, second;
    struct lab *l = k->l;
    const char *root;
    char name[16];

    (void)snprintf(name, sizeof name, "f-%u", round);
    if (!lab_root(l, name, &root, err) || !warm(k, root, name, die_ms, &ms, err)
        || !lab_census(l, root, &killed, err) || !lab_set_load(l, &k->set, root, true, &first, err)
        || !lab_census(l, root, &once, err) || !lab_set_load(l, &k->set, root, true, &second, err)
        || !lab_census(l, root, &twice, err))
        return false;
    lab_say(l, name, "workers killed while they store", true);
    jw_json_number(&l->json, "killed_after_ms", die_ms);
    lab_say_census(l, "killed", &killed);
    lab_say_census(l, "loaded_again", &once);
    lab_say_census(l, "and_again", &twice);
    jw_json_number(&l->json, "modules", k->set.n);
    jw_json_number(&l->json, "right", first.right);
    jw_json_number(&l->json, "right_again", second.right);
    jw_json_number(&l->json, "compiled_the_second_time", second.fresh + second.changed);
    jw_json_text(&l->json, "ended", first.how);
    lab_say_end(l);
    k->torn += killed.torn;
    k->healed += killed.torn > twice.torn ? killed.torn - twice.torn : 0;
    k->wrong += (k->set.n - first.right) + (k->set.n - second.right);
    k->orphans += killed.orphans;
    k->missed += second.fresh + second.changed;
    return true;
}

static void judge(struct killing *k)
{
    struct lab *l = k->l;

    lab_say(l, "f", "all rounds together", true);
    jw_json_number(&l->json, "torn", k->torn);
    jw_json_number(&l->json, "made_whole_again", k->healed);
    jw_json_number(&l->json, "wrong_numbers", k->wrong);
    jw_json_number(&l->json, "entries_without_record", k->orphans);
    jw_json_number(&l->json, "missed_for_ever", k->missed);
    if (k->torn)
        lab_finds(l, "F68-torn-possible", LAB_CONFIRMED,
                  "%zu entries torn, %zu of them made whole by the next loads, %zu numbers wrong", k->torn,
                  k->healed, k->wrong);
    else
        lab_finds(l, "F68-torn-possible", LAB_NOT_TESTABLE, "no kill hit the moment: no torn entry");
    if (k->wrong)
        lab_finds(l, "F69-checksum-checked", LAB_CONTRADICTED, "%zu wrong numbers with %zu torn entries",
                  k->wrong, k->torn);
    if (k->orphans)
        lab_finds(l, "F29-orphans-exist", LAB_CONFIRMED,
                  "a kill left %zu whole entries or more without a record", k->orphans);
    lab_say_end(l);
}

bool lab_e9f(struct lab *l, struct jw_err *err)
{
    struct killing k = { .l = l, .workers = lab_scaled(l, WORKERS, SMALL_WORKERS) };
    unsigned rounds = lab_scaled(l, ROUNDS, SMALL_ROUNDS);
    const char *root;

    if (!lab_set_make(l, &k.set, "kill", FIRST_N, lab_scaled(l, MODULES, SMALL_MODULES), 0, err)
        || !lab_root(l, "unharmed", &root, err) || !warm(&k, root, "unharmed", 0, &k.whole_ms, err))
        return false;
    for (unsigned i = 0; i < rounds && lab_seconds_left(l) > 15; i++)
        if (!round_of(&k, i + 1, err))
            return false;
    judge(&k);
    return true;
}

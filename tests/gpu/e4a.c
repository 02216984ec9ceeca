/*
 * E4 a, many processes that store at the same time: sixteen, each with a module of its own, into one folder, several times.
 * Are entries lost, are records, is a file torn; and does a fresh process then find them all?
 */
#include "lab.h"

#include <stdio.h>
#include <string.h>

enum { PROCESSES = 16, ROUNDS = 5, SMALL_PROCESSES = 6, SMALL_ROUNDS = 2, FIRST_N = 4001 };

struct crowd {
    struct lab *l;
    struct lab_set set;
    unsigned processes, steps;
};

static bool store_all(struct crowd *c, unsigned round, const char *root, unsigned *failed, struct jw_err *err)
{
    struct lab_step steps[PROCESSES];
    struct lab_done done[PROCESSES];
    char folder[32];

    (void)snprintf(folder, sizeof folder, "meet-%u", round);
    for (unsigned i = 0; i < c->processes; i++)
        steps[i] =
            (struct lab_step){ .root = root,
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
    if (!lab_root(c->l, name, &root, err) || !store_all(c, round, root, &failed, err)
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

static void judge(struct crowd *c, unsigned rounds, const struct lab_census *all)
{
    struct lab *l = c->l;

    lab_say(l, "a", "all rounds together", true);
    lab_say_census(l, "left", all);
    jw_json_number(&l->json, "stored", (uint64_t)rounds * c->processes);
    if (all->entries < (uint64_t)rounds * c->processes || all->torn)
        lab_finds(l, "F43-lost-records", LAB_CONTRADICTED, "entries were lost or torn: %zu of %u, %zu torn",
                  all->entries, rounds * c->processes, all->torn);
    else
        lab_finds(l, "F43-lost-records", all->orphans ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "%zu of %u entries had no record", all->orphans, rounds * c->processes);
    lab_say_end(l);
}

bool lab_e4a(struct lab *l, struct jw_err *err)
{
    struct crowd c = { .l = l, .processes = lab_scaled(l, PROCESSES, SMALL_PROCESSES) };
    unsigned rounds = lab_scaled(l, ROUNDS, SMALL_ROUNDS), ms;
    struct lab_census all = { 0 };

    if (!lab_calibrate(l, &c.steps, &ms, err)
        || !lab_set_make(l, &c.set, "crowd", FIRST_N, c.processes, c.steps, err))
        return false;
    for (unsigned i = 0; i < rounds; i++)
        if (!round_of(&c, i + 1, &all, err))
            return false;
    judge(&c, rounds, &all);
    return true;
}

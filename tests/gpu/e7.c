/*
 * E7 a, and memory: threads of one process, and what loading and unloading does to memory. E7e is not asked: of all PTX in a
 * container only one item is compiled, so there is nothing to be done side by side in it.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <unistd.h>

enum {
    MODULES_E7A = 32,
    SMALL_MODULES_E7A = 4,
    FIRST_N_E7A = 7101,
    COST_MS_E7A = 250,
    SILENT_MS_E7A = 90000,
    CYCLES = 100,
    SMALL_CYCLES = 5,
    LEAK_KB = 4096,
    SCALES_PERCENT_E7A = 60
};

struct costs {
    struct lab *l;
    struct lab_set set;
    const char *list;
    unsigned steps, cost_ms, cores;
    uint64_t one_us;
};

/* A fresh process with an empty folder does one operation; begins a line. */
static bool timed(struct costs *t, const char *step, const char *what, const char *op,
                  const struct lab_op **out, struct lab_done *done, struct jw_err *err)
{
    struct lab *l = t->l;
    struct lab_step s = { .loading = "EAGER",
                          .silent_ms = SILENT_MS_E7A,
                          .ops = { "rss", "context", "rss", "free", op, "rss", "free" } };

    if (!lab_cache(l, step, &s.cache, err) || !lab_run(l, &s, done, err))
        return false;
    *out = done->n > 4 ? &done->ops[4] : NULL;
    lab_say(l, step, what, true);
    lab_say_done(l, done);
    jw_json_real(&l->json, "seconds", *out ? (double)(*out)->us / 1e6 : 0);
    jw_json_real(&l->json, "speed_up", *out && (*out)->us ? (double)t->one_us / (double)(*out)->us : 0);
    return true;
}

/* ---- a ---- */

static bool threads(struct costs *t, struct jw_err *err)
{
    static const unsigned counts[] = { 1, 2, 4, 8, 16 };
    static const char *const hows[] = { "shared", "own" };
    struct lab *l = t->l;
    unsigned failed = 0, at = 1;
    double gain = 0;

    for (size_t k = 0; k < JW_COUNT(hows); k++)
        for (size_t i = 0; i < (l->small ? 2 : JW_COUNT(counts)) && lab_seconds_left(l) > 15; i++) {
            const struct lab_op *op;
            struct lab_done done;

            if (!timed(t, lab_op_of(l, "a-%s-%u", hows[k], counts[i]), "threads of one process",
                       lab_op_of(l, "threads %u %s %s", counts[i], hows[k], t->list), &op, &done, err))
                return false;
            failed += !op || op->code != 0;
            if (k == 0 && i == 0)
                t->one_us = op ? op->us : 0;
            if (k == 0 && op && counts[i] <= t->cores && counts[i] <= 8 && op->us) {
                gain = (double)t->one_us / (double)op->us;
                at = counts[i];
            }
            lab_say_end(l);
        }
    lab_say(l, "a", "what more threads gain", true);
    jw_json_number(&l->json, "threads", at);
    jw_json_real(&l->json, "speed_up", gain);
    jw_json_number(&l->json, "runs_failed", failed);
    if (failed)
        lab_finds(l, "F47-processes-scale", LAB_CONFIRMED, "threads failed in %u runs", failed);
    else if (!t->cost_ms || at < 2)
        lab_finds(l, "F47-processes-scale", LAB_NOT_TESTABLE, "%s",
                  at < 2 ? "one core" : "compiling is too fast here");
    else
        lab_finds(l, "F47-processes-scale", LAB_ANSWERED,
                  "threads %s: %u of them are %.1f times as fast as one",
                  gain * 100 >= at * SCALES_PERCENT_E7A ? "scale" : "do not scale", at, gain);
    lab_say_end(l);
    return true;
}

/* ---- memory ---- */

static bool memory_e7a(struct costs *t, struct jw_err *err)
{
    struct lab *l = t->l;
    const struct lab_op *op;
    struct lab_done done;
    unsigned n = lab_scaled(l, CYCLES, SMALL_CYCLES);

    if (!timed(t, "memory", "one module loaded and unloaded again and again",
               lab_op_of(l, "cycle %u %s", n, t->set.items[0].path), &op, &done, err))
        return false;
    jw_json_number(&l->json, "times", n);
    if (op && op->code == 0)
        lab_finds(l, "F26-unload-keeps",
                  op->value <= LEAK_KB && op->fresh == 1 && !op->gone ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "after %u unloads %llu KB of the GPU's memory are missing, and the entry is %s", n,
                  (unsigned long long)op->value, op->fresh == 1 ? "there" : "not there");
    else
        lab_finds(l, "F26-unload-keeps", LAB_NOT_TESTABLE, "the module could not be loaded or unloaded");
    lab_say_end(l);
    return lab_not_asked(l, "e", "of all PTX in a container only one item is compiled", NULL);
}

bool lab_e7a(struct lab *l, struct jw_err *err)
{
    struct costs t = { .l = l, .cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };

    if (!l->small)
        l->cost_ms = COST_MS_E7A;
    if (!lab_calibrate(l, &t.steps, &t.cost_ms, err)
        || !lab_set_make(l, &t.set, "thread", FIRST_N_E7A, lab_scaled(l, MODULES_E7A, SMALL_MODULES_E7A),
                         t.steps, err)
        || !(t.list = lab_set_list(l, &t.set, 0, 1, err)))
        return false;
    return memory_e7a(&t, err) && threads(&t, err);
}

/*
 * E7 b, processes side by side: the same modules compiled by one process and by more, each time into an empty folder.
 */

enum {
    MODULES_E7B = 64,
    SMALL_MODULES_E7B = 6,
    FIRST_N_E7B = 7001,
    COST_MS_E7B = 300,
    SILENT_MS_E7B = 120000,
    SCALES_PERCENT_E7B = 60
};

static const unsigned counts_e7b[] = { 1, 2, 4, 8, 16, 24 };

struct scaling {
    struct lab *l;
    struct lab_set set;
    uint64_t us[JW_COUNT(counts_e7b)];
    unsigned cores, failures;
};

static bool run(struct scaling *s, size_t which, struct jw_err *err)
{
    struct lab_step steps[LAB_MAX_PROCESSES];
    struct lab_done done[LAB_MAX_PROCESSES];
    struct lab *l = s->l;
    unsigned n = counts_e7b[which];
    char name[16];
    const char *root;

    (void)snprintf(name, sizeof name, "b-%u", n);
    if (!lab_cache(l, name, &root, err))
        return false;
    for (unsigned i = 0; i < n; i++) {
        const char *list = lab_set_list(l, &s->set, i, n, err);

        if (!list)
            return false;
        steps[i] = (struct lab_step){ .cache = root,
                                      .loading = "EAGER",
                                      .silent_ms = SILENT_MS_E7B,
                                      .ops = { "rss", "context", "rss", "free",
                                               lab_op_of(l, "meet %s-meet %u", lab_path(l, name), n),
                                               lab_op_text(l, "many", list), "rss", "free" } };
    }
    if (!lab_run_all(l, steps, done, n, err))
        return false;
    uint64_t longest = 0, loaded = 0, memory = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct lab_op *op = lab_op(&done[i], "many");

        longest = op && op->us > longest ? op->us : longest;
        loaded += op ? op->value : 0;
        s->failures += !lab_all_zero(&done[i]);
        memory = done[i].n > 6 && done[i].ops[6].value > memory ? done[i].ops[6].value : memory;
    }
    s->us[which] = longest;
    lab_say(l, name, "processes side by side, one folder", true);
    lab_say_done(l, &done[0]);
    jw_json_number(&l->json, "processes", n);
    jw_json_number(&l->json, "modules", s->set.n);
    jw_json_number(&l->json, "loaded", loaded);
    jw_json_real(&l->json, "seconds", (double)longest / 1e6);
    jw_json_real(&l->json, "speed_up", longest ? (double)s->us[0] / (double)longest : 0);
    jw_json_number(&l->json, "most_memory_kb", memory);
    jw_json_number(&l->json, "cores", s->cores);
    lab_say_end(l);
    return true;
}

/* With as many processes as there are cores, up to eight. */
static void check(struct scaling *s, size_t measured, unsigned cost_ms)
{
    struct lab *l = s->l;
    size_t at = 0;

    while (at + 1 < measured && counts_e7b[at + 1] <= s->cores && counts_e7b[at + 1] <= 8)
        at++;
    double gain = s->us[at] ? (double)s->us[0] / (double)s->us[at] : 0;

    lab_say(l, "b", "what more processes gain", true);
    jw_json_number(&l->json, "processes", counts_e7b[at]);
    jw_json_real(&l->json, "speed_up", gain);
    jw_json_number(&l->json, "processes_failed", s->failures);
    if (!cost_ms || !at)
        lab_finds(l, "F47-processes-scale", LAB_NOT_TESTABLE, "%s",
                  at ? "compiling is too fast here" : "one core");
    else
        lab_finds(l, "F47-processes-scale",
                  gain * 100 >= counts_e7b[at] * SCALES_PERCENT_E7B ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "%u processes are %.1f times as fast as one, on %u cores", counts_e7b[at], gain, s->cores);
    lab_say_end(l);
}

bool lab_e7b(struct lab *l, struct jw_err *err)
{
    struct scaling s = { .l = l, .cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
    unsigned steps, ms;
    size_t i = 0;

    if (!l->small)
        l->cost_ms = COST_MS_E7B;
    if (!lab_calibrate(l, &steps, &ms, err)
        || !lab_set_make(l, &s.set, "scale", FIRST_N_E7B, lab_scaled(l, MODULES_E7B, SMALL_MODULES_E7B),
                         steps, err))
        return false;
    for (; i < (l->small ? 3 : JW_COUNT(counts_e7b)) && lab_seconds_left(l) > 20; i++)
        if (!run(&s, i, err))
            return false;
    check(&s, i, ms);
    return true;
}

/*
 * E7 b, processes side by side: the same modules compiled by one process and by more, each time into an empty folder.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MODULES = 64,
    SMALL_MODULES = 6,
    FIRST_N = 7001,
    COST_MS = 300,
    SILENT_MS = 120000,
    SCALES_PERCENT = 60
};

static const unsigned counts[] = { 1, 2, 4, 8, 16, 24 };

struct scaling {
    struct lab *l;
    struct lab_set set;
    uint64_t us[JW_COUNT(counts)];
    unsigned cores, failures;
};

static bool run(struct scaling *s, size_t which, struct jw_err *err)
{
    struct lab_step steps[LAB_MAX_PROCESSES];
    struct lab_done done[LAB_MAX_PROCESSES];
    struct lab *l = s->l;
    unsigned n = counts[which];
    char name[16];
    const char *root;

    (void)snprintf(name, sizeof name, "b-%u", n);
    if (!lab_root(l, name, &root, err))
        return false;
    for (unsigned i = 0; i < n; i++) {
        const char *list = lab_set_list(l, &s->set, i, n, err);

        if (!list)
            return false;
        steps[i] = (struct lab_step){ .root = root,
                                      .loading = "EAGER",
                                      .silent_ms = SILENT_MS,
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
static void judge(struct scaling *s, size_t measured, unsigned cost_ms)
{
    struct lab *l = s->l;
    size_t at = 0;

    while (at + 1 < measured && counts[at + 1] <= s->cores && counts[at + 1] <= 8)
        at++;
    double gain = s->us[at] ? (double)s->us[0] / (double)s->us[at] : 0;

    lab_say(l, "b", "what more processes gain", true);
    jw_json_number(&l->json, "processes", counts[at]);
    jw_json_real(&l->json, "speed_up", gain);
    jw_json_number(&l->json, "processes_failed", s->failures);
    if (!cost_ms || !at)
        lab_finds(l, "F47-processes-scale", LAB_NOT_TESTABLE, "%s",
                  at ? "compiling is too fast here" : "one core");
    else
        lab_finds(l, "F47-processes-scale",
                  gain * 100 >= counts[at] * SCALES_PERCENT ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "%u processes are %.1f times as fast as one, on %u cores", counts[at], gain, s->cores);
    lab_say_end(l);
}

bool lab_e7b(struct lab *l, struct jw_err *err)
{
    struct scaling s = { .l = l, .cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
    unsigned steps, ms;
    size_t i = 0;

    if (!l->small)
        l->cost_ms = COST_MS;
    if (!lab_calibrate(l, &steps, &ms, err)
        || !lab_set_make(l, &s.set, "scale", FIRST_N, lab_scaled(l, MODULES, SMALL_MODULES), steps, err))
        return false;
    for (; i < (l->small ? 3 : JW_COUNT(counts)) && lab_seconds_left(l) > 20; i++)
        if (!run(&s, i, err))
            return false;
    judge(&s, i, ms);
    return true;
}

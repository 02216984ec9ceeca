/*
 * lab EXPERIMENT OUTDIR      one experiment; its lines go to OUTDIR/EXPERIMENT.jsonl
 * lab --list                 the experiments that there are
 *
 * Exit: 0 all steps could be carried out, 1 some could not, 2 usage, 77 there is no GPU (the reason is said).
 */
#include "lab.h"

#include "base/compiler.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COST_MS = 600, MAX_LINE = 1 << 20 };

static const struct experiment {
    const char *name, *title;
    bool (*run)(struct lab *l, struct jw_err *err);
} experiments[] = {
    { "e1", "E1", lab_e1 },    { "e2a", "E2a", lab_e2a }, { "e6", "E6", lab_e6 },
    { "e5a", "E5a", lab_e5a }, { "e3", "E3", lab_e3 },    { "e2b", "E2b", lab_e2b },
    { "e4c", "E4c", lab_e4c }, { "e12", "E12", lab_e12 }, { "e16", "E16", lab_e16 },
    { "e4a", "E4a", lab_e4a }, { "e7b", "E7b", lab_e7b }, { "e8a", "E8a", lab_e8a },
    { "e9b", "E9b", lab_e9b }, { "e9f", "E9f", lab_e9f }, { "e10", "E10", lab_e10 },
    { "e5b", "E5b", lab_e5b }, { "e13", "E13", lab_e13 }, { "e17", "E17", lab_e17 },
    { "e7a", "E7a", lab_e7a }, { "e4b", "E4b", lab_e4b }, { "e2c", "E2c", lab_e2c },
    { "e9a", "E9a", lab_e9a }, { "e8b", "E8b", lab_e8b }, { "e12b", "E12b", lab_e12b },
};

static bool prepare(struct lab *l, const char *out, struct jw_err *err)
{
    struct jw_buf self = JW_BUF(4096);
    const char *cost = getenv("LAB_MS");
    bool ok = jw_process_self(&self, err) && jw_make_dirs(out, err);

    const char *seconds = getenv("LAB_SECONDS");

    if (seconds)
        l->deadline = jw_time_monotonic_ns() + strtoull(seconds, NULL, 10) * 1000000000ULL;
    l->small = getenv("LAB_SMALL") != NULL;
    l->cost_ms = cost ? (unsigned)strtoul(cost, NULL, 10) : COST_MS;
    if (ok) {
        char real[4096];

        l->exe = jw_arena_str(&l->arena, jw_buf_cstr(&self));
        l->out = realpath(out, real) ? jw_arena_str(&l->arena, real) : NULL;
        ok = l->exe && l->out ? true : jw_fail(err, JW_E_IO, "%s: no such folder", out);
    }
    jw_buf_free(&self);
    return ok && jw_scratch_make("/tmp", "jitwarm-lab", &l->arena, &l->work, err);
}

static void summary(struct lab *l, const struct experiment *e, uint64_t ms)
{
    lab_say(l, "end", "the experiment is over", true);
    jw_json_number(&l->json, "lines", l->lines);
    jw_json_number(&l->json, "failed", l->failed);
    jw_json_number(&l->json, "ms", ms);
    lab_say_end(l);
    (void)printf(
        "%s: %u lines, %u steps failed, %u findings confirmed, %u contradicted, %.1f s, driver %s, %s%s\n",
        e->title, l->lines, l->failed, l->said[LAB_CONFIRMED], l->said[LAB_CONTRADICTED], (double)ms / 1000,
        l->m.driver, l->m.gpu,
        l->m.simulated ? " (simulated)"
        : l->m.phantom ? " (phantom)"
                       : "");
}

static int carry_out(struct lab *l, const struct experiment *e, const char *out)
{
    uint64_t start = jw_time_monotonic_ns();
    const char *why = NULL;
    struct jw_err err = { 0 };

    l->experiment = e->title;
    if (!prepare(l, out, &err) || !lab_machine_ask(l, &why, &err)) {
        (void)fprintf(stderr, "lab: %s\n", err.msg);
        return 1;
    }
    if (why) {
        (void)printf("SKIP: no GPU that could be asked: %s\n", why);
        return LAB_SKIP;
    }
    lab_say_anew(l);
    if (!lab_reference(l, &err) || !e->run(l, &err))
        lab_say_failure(l, "run", "the experiment stopped here", &err);
    summary(l, e, (jw_time_monotonic_ns() - start) / 1000000);
    return l->failed ? 1 : 0;
}

static int experiment(const struct experiment *e, const char *out)
{
    struct lab l = { .line = JW_BUF(MAX_LINE) };
    int code = carry_out(&l, e, out);

    if (!getenv("LAB_KEEP"))
        jw_scratch_remove(l.work);
    jw_buf_free(&l.line);
    jw_arena_free(&l.arena);
    return code;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "child") == 0)
        return lab_child(argc - 2, argv + 2);
    if (argc > 2 && strcmp(argv[1], "ask") == 0)
        return lab_ask_driver(argc - 2, argv + 2);
    for (size_t i = 0; i < JW_COUNT(experiments); i++) {
        if (argc == 2 && strcmp(argv[1], "--list") == 0)
            (void)puts(experiments[i].name);
        else if (argc == 3 && strcmp(argv[1], experiments[i].name) == 0)
            return experiment(&experiments[i], argv[2]);
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return 0;
    (void)fprintf(stderr, "lab EXPERIMENT OUTDIR, or lab --list\n");
    return 2;
}

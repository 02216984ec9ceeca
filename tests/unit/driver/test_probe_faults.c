/* Drivers that crash, hang, refuse and lie in the middle of a probe; a machine that fails under it
 * is in tests/fault. */
#include "rigs/probe_rig.h"

#include "os/machine/time.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <stdlib.h>

EACH(rig_begin, NULL)

/* Modules 1 to 5 are for the first levels, 6 begins the placing test's folder. */
TEST(refused_modules)
{
    for (unsigned n = 1; n <= 6; n++) {
        char script[32];

        if (n == 4) /* zstd: a driver need not take it, see below */
            continue;
        rig_begin();
        (void)snprintf(script, sizeof script, "badptx@%u", n);
        set_variable("SIMCUDA_FAULTS", script);
        set_variable("SIMCUDA_SHARED", tree_dir(&rig_arena, "shared"));
        struct jw_probe_report r = rig_probe();

        rig_expect_unproven(&r, n < 6 ? JW_LEVEL_NONE : JW_LEVEL_PREDICTABLE, 218,
                            "CUDA_ERROR_INVALID_PTX (error 218)");
    }
}

TEST(processes_that_end)
{
    static const struct {
        const char *fault, *word;
    } faults[] = {
        {"crash", "ended its process over the test module"},
        {"exit", "exit 3"},
        {"kill", "ended its process over the test module"},
    };

    for (size_t i = 0; i < JW_COUNT(faults); i++)
        for (unsigned n = 1; n <= 6; n++) {
            char script[32];

            rig_begin();
            (void)snprintf(script, sizeof script, "%s@%u", faults[i].fault, n);
            set_variable("SIMCUDA_FAULTS", script);
            set_variable("SIMCUDA_SHARED", tree_dir(&rig_arena, "shared"));
            struct jw_probe_report r = rig_probe();

            rig_expect_unproven(&r, n < 6 ? JW_LEVEL_NONE : JW_LEVEL_PREDICTABLE, 0,
                                faults[i].word);
        }
}

/* A worker that dies over the placed entries, which it need not compile. */
TEST(processes_that_hang)
{
    static const char *const scripts[] = {"hang@1", "spin@3", "hang@6"};

    for (size_t i = 0; i < JW_COUNT(scripts); i++) {
        struct jw_probe_options o = rig_options();

        rig_begin();
        set_variable("SIMCUDA_FAULTS", scripts[i]);
        set_variable("SIMCUDA_SHARED", tree_dir(&rig_arena, "shared"));
        o.worker.timeout_ms = 3000;
        uint64_t before = jw_time_monotonic_ns();
        struct jw_probe_report r = rig_probe_with(&o);

        rig_expect_unproven(&r, i < 2 ? JW_LEVEL_NONE : JW_LEVEL_PREDICTABLE, 0,
                            "within 3 seconds and was ended");
        CHECK((jw_time_monotonic_ns() - before) / 1000000 < 30000);
    }
}

TEST(a_driver_that_does_not_start)
{
    static const struct {
        const char *fault, *word;
    } cases[] = {{"crash@init", "ended its process: "}, {"exit@init", "ended its process: exit 3"}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        rig_begin();
        set_variable("SIMCUDA_FAULTS", cases[i].fault);
        struct jw_probe_report r = rig_probe();

        CHECK_HAS(r.broken ? r.broken : "", cases[i].word);
        CHECK(r.driver.init_result == -1 && r.n_devices == 0 && r.state.level == JW_LEVEL_NONE);
    }
}

/* Nothing is remembered of it. */
TEST(a_start_that_hangs)
{
    struct jw_probe_options o = rig_options();

    o.worker.timeout_ms = 0;
    set_variable("SIMCUDA_FAULTS", "hang@init");
    set_variable("JW_TEST_HURRY", "20");
    CHECK_HAS(rig_probe_with(&o).broken, "did not respond within 3 s and was ended");
    set_variable("SIMCUDA_FAULTS", NULL);
    set_variable("JW_TEST_HURRY", NULL);
    struct jw_probe_report r = rig_probe_with(&o);

    rig_expect(&r, JW_LEVEL_PLACEABLE);
    CHECK_NUM(scratch_count(rig_path("state/drivers")), 1);
}

TEST(other_faults)
{
    set_variable("SIMCUDA_FAULTS", "oom@1");
    struct jw_probe_report r = rig_probe();

    rig_expect_unproven(&r, JW_LEVEL_NONE, 2, "CUDA_ERROR_OUT_OF_MEMORY");
    rig_begin();
    set_variable("SIMCUDA_JIT", "none");
    r = rig_probe();
    rig_expect_unproven(&r, JW_LEVEL_NONE, 221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND");
    rig_begin();
    set_variable("SIMCUDA_FAULTS", "print@*");
    r = rig_probe();
    rig_expect(&r, JW_LEVEL_PLACEABLE);
    rig_begin();
    set_variable("SIMCUDA_FAULTS", "short@2");
    r = rig_probe();
    rig_expect(&r, JW_LEVEL_OPAQUE);
    CHECK_HAS(r.state.why ? r.state.why : "", "is not as expected: it has ");
    rig_begin();
    set_variable("SIMCUDA_FAULTS", "enospc@6");
    set_variable("SIMCUDA_SHARED", tree_dir(&rig_arena, "shared"));
    r = rig_probe();
    rig_expect_unproven(&r, JW_LEVEL_PREDICTABLE, 0,
                        "cached nothing, or nothing whole, in a second cache folder");
}

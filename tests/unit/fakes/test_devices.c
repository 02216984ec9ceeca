#include "os/machine/env.h"
#include "rig.h"

static const char two_and_slices[] =
    "sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G;sm_61:NVIDIA GeForce GTX 1080:8G;"
    "sm_90:NVIDIA H100:80G:mig=1g.10gb+2g.20gb";

/* The unique id of device `i`, as CUDA_VISIBLE_DEVICES takes it: the first `digits` of it. */
static const char *id_of(const char *listing, const char *kind, unsigned digits)
{
    static char id[64];
    const char *at = strrchr(listing, '|');

    while (at && strncmp(at, "|slice", 6) == 0) {
        const char *before = at - 1;

        while (*before != '|')
            before--;
        at = before;
    }
    (void)snprintf(id, sizeof id, "%s-%.*s", kind, (int)digits, at ? at + 1 : "");
    return id;
}

TEST(default_device_says_that_it_is_simulated)
{
    rig_begin();
    const char *said = rig_play("version", "init", "devices", "mode", NULL);

    CHECK_HAS(said, "version 0 13000\ninit 0\ndevices 0 1\n");
    CHECK_HAS(said, "  0 NVIDIA GeForce RTX 3070 Laptop GPU (simulated)|sm_86|8192 MiB|mode 0|");
    CHECK_HAS(said, "mode 0 lazy");
}

TEST(driver_version_decides_cuda_version_and_mode)
{
    rig_begin();
    rig_set("SIMCUDA_DRIVER", "470.82.01");
    CHECK_HAS(rig_play("version", "init", "mode", NULL), "version 0 11040\ninit 0\nmode 0 eager");
    rig_set("SIMCUDA_DRIVER", "590.48.01");
    CHECK_HAS(rig_play("version", NULL), "version 0 13010");
}

TEST(several_devices_without_their_slices)
{
    rig_begin();
    rig_set("SIMCUDA_GPUS", two_and_slices);
    const char *said = rig_play("init", "devices", NULL);

    CHECK_HAS(said, "devices 0 2");
    CHECK_HAS(said, "NVIDIA GeForce GTX 1080 (simulated)|sm_61|8192 MiB");
}

TEST(slices_are_seen_one_at_a_time)
{
    rig_begin();
    rig_set("SIMCUDA_GPUS", "sm_90:NVIDIA H100:80G:mig=1g.10gb+2g.20gb");
    const char *said = rig_play("init", "devices", NULL);

    CHECK_HAS(said, "devices 0 1");
    CHECK_HAS(said, "NVIDIA H100 MIG 1g.10gb (simulated)|sm_90|10240 MiB");
    CHECK_HAS(said, "|slice");
    char first[64];

    (void)snprintf(first, sizeof first, "%s", id_of(said, "MIG", 8));
    rig_set("CUDA_VISIBLE_DEVICES", first);
    CHECK_HAS(rig_play("init", "devices", NULL), "1g.10gb");
}

TEST(visible_devices_by_number_end_at_the_first_bad_one)
{
    rig_begin();
    rig_set("SIMCUDA_GPUS", two_and_slices);
    rig_set("CUDA_VISIBLE_DEVICES", "1,7,0");
    const char *said = rig_play("init", "devices", NULL);

    CHECK_HAS(said, "devices 0 1");
    CHECK_HAS(said, "GTX 1080");
    rig_set("CUDA_VISIBLE_DEVICES", "1,0");
    CHECK_HAS(rig_play("init", "devices", NULL), "devices 0 2\n  0 NVIDIA GeForce GTX 1080");
    rig_set("CUDA_VISIBLE_DEVICES", "2");
    CHECK_HAS(rig_play("init", "devices", NULL), "MIG 1g.10gb");
}

/* driver-fact: F103-first-visible */
TEST(visible_devices_are_numbers_as_the_driver_reads_them)
{
    static const char *const first[] = { "0", " 0", "+0", "-0", "0x0", "0,9", "0 ,-1" };
    static const char *const none[] = { "", "-1", "-1,0", "none", ",0", "9", "9,0", "+", "+ 0" };

    rig_begin();
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        rig_set("CUDA_VISIBLE_DEVICES", first[i]);
        CHECK_HAS(rig_play("init", "devices", NULL), "devices 0 1");
    }
    for (size_t i = jw_os_is_windows() ? 1 : 0; i < sizeof none / sizeof *none;
         i++) { /* it has no empty variables */
        rig_set("CUDA_VISIBLE_DEVICES", none[i]);
        CHECK_HAS(rig_play("init", "devices", NULL), "init 100");
    }
}

TEST(visible_devices_by_unique_id)
{
    rig_begin();
    rig_set("SIMCUDA_GPUS", two_and_slices);
    rig_set("CUDA_VISIBLE_DEVICES", "1");
    char id[64];

    (void)snprintf(id, sizeof id, "%s", id_of(rig_play("init", "devices", NULL), "GPU", 8));
    rig_set("CUDA_VISIBLE_DEVICES", id);
    CHECK_HAS(rig_play("init", "devices", NULL), "devices 0 1\n  0 NVIDIA GeForce GTX 1080");
}

TEST(nothing_visible_is_no_device)
{
    rig_begin();
    rig_set("CUDA_VISIBLE_DEVICES", "-1");
    CHECK_HAS(rig_play("init", "devices", NULL), "init 100\ndevices 3");
    rig_set("CUDA_VISIBLE_DEVICES", NULL);
    rig_set("SIMCUDA_GPUS", "none");
    CHECK_HAS(rig_play("init", NULL), "init 100");
}

TEST(init_gives_what_it_is_told)
{
    static const char *const codes[] = { "3", "34", "100", "803", "804", "999" };

    rig_begin();
    for (size_t i = 0; i < JW_COUNT(codes); i++) {
        char want[32];

        rig_set("SIMCUDA_INIT", codes[i]);
        (void)snprintf(want, sizeof want, "init %s\n", codes[i]);
        CHECK_HAS(rig_play("init", NULL), want);
    }
    rig_set("SIMCUDA_INIT", "34");
    CHECK_HAS(rig_play("version", "init", "devices", NULL), "version 34 -1\ninit 34\ndevices 34");
}

TEST(mistyped_switches_are_not_ignored)
{
    static const char *const wrong[][2] = {
        { "SIMCUDA_TORN", "teared" },  { "SIMCUDA_GPUS", "sm_86" },      { "SIMCUDA_DRIVER", "banana" },
        { "SIMCUDA_FAULTS", "crash" }, { "SIMCUDA_STAMP", "today" },     { "SIMCUDA_COST", "fast" },
        { "SIMCUDA_KNOWLEDGE", "4" },  { "SIMCUDA_FAULTS", "slow@1=x" }, { "SIMCUDA_INIT", "x" },
    };

    for (size_t i = 0; i < JW_COUNT(wrong); i++) {
        rig_begin();
        rig_set(wrong[i][0], wrong[i][1]);
        CHECK_HAS(rig_play("init", NULL), "init 999");
    }
}

TEST(nothing_works_before_init)
{
    rig_begin();
    CHECK_HAS(rig_play("devices", "ctx 0", NULL), "devices 3 0\nctx 3");
}

TEST(contexts_take_memory)
{
    rig_begin();
    rig_set("SIMCUDA_GPUS", "sm_86:Small:1G");
    rig_set("SIMCUDA_CONTEXT_BYTES", "400M");
    const char *said = rig_play("init", "ctx 0", "mem", "primary 0", "ctx 0", "mem", NULL);

    CHECK_HAS(said, "ctx 0\nmem 0 624/1024 MiB\nprimary 0\nctx 2\nmem 0 224/1024 MiB");
    CHECK_HAS(rig_play("init", "ctx 0", "alloc 100000000", "alloc 700000000", "mem", NULL),
              "alloc 0\nalloc 2\nmem 0 624/1024 MiB");
}

TEST(compute_modes)
{
    rig_begin();
    rig_set("SIMCUDA_GPUS", "sm_86:Locked:8G:mode=prohibited");
    CHECK_HAS(rig_play("init", "devices", "ctx 0", NULL), "mode 2|");
    CHECK_HAS(rig_play("init", "ctx 0", NULL), "ctx 46");
    rig_set("SIMCUDA_GPUS", "sm_86:Own:8G:mode=exclusive");
    CHECK_HAS(rig_play("init", "ctx 0", "ctx 0", NULL), "ctx 0\nctx 0");
}

TEST(procedures_by_name_and_version)
{
    rig_begin();
    const char *said =
        rig_play("proc cuMemAlloc 13000", "proc cuMemAlloc_v2 13000", "proc cuLibraryLoadData 11040",
                 "proc cuDeviceGetUuid 11000", "proc cuNoSuch 13000", NULL);

    CHECK_HAS(said,
              "proc 0 found status 0\nproc 0 null status 1\nproc 0 null status 2\nproc 0 found status 0\n"
              "proc 0 null status 1");
    rig_set("SIMCUDA_DRIVER", "470.82.01");
    CHECK_HAS(rig_play("proc cuLibraryLoadData 13000", NULL), "proc 0 null status 2");
}

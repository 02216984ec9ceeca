#include "base/path.h"
#include "check.h"
#include "machine/gpus.h"
#include "rigs/tree.h"

#include <sys/stat.h>
#include <unistd.h>

static void file(struct jw_arena *a, const char *cache, const char *name, const char *text)
{
    (void)tree_file(a, jw_path_join(a, cache, name), text);
}

static void device(struct jw_arena *a, const char *cache, const char *address, const char *ids[5])
{
    static const char *const names[] = {"vendor", "class", "device", "subsystem_vendor",
                                        "subsystem_device"};
    const char *folder = jw_path_join(a, jw_path_join(a, cache, "sys/bus/pci/devices"), address);

    for (size_t i = 0; i < 5; i++) {
        if (ids[i])
            file(a, folder, names[i], ids[i]);
    }
}

static struct jw_host_gpus ask(struct jw_arena *a, const char *cache)
{
    struct jw_host_gpus gpus = {0};

    jw_host_gpus(tree_path(a, cache), a, &gpus);
    return gpus;
}

/* A container shows no bus, and of the driver's list the GPUs that are its own. */
TEST_ARENA(without_a_bus)
{
    file(a, "box", "proc/driver/nvidia/version",
         "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.163.01  Tue Apr  8 12:41:17 UTC "
         "2025\n");
    file(a, "box", "proc/driver/nvidia/gpus/0000:81:00.0/information",
         "Model: \t\t NVIDIA L40S\nIRQ:   \t\t 98\nGPU UUID: \t "
         "GPU-01234567-89ab-cdef-0123-456789abcdef\n");
    file(a, "box", "proc/driver/nvidia/gpus/0000:c1:00.0/information", "Model: \t\t Unknown\n");
    file(a, "box", "proc/driver/nvidia/gpus/0000:c2:00.0/power", "");

    struct jw_host_gpus gpus = ask(a, "box");

    CHECK_NUM(gpus.n, 3);
    if (gpus.n == 3) {
        CHECK_TEXT(gpus.gpus[0].name, "NVIDIA L40S");
        CHECK_NUM(gpus.gpus[0].sm, 89);
        CHECK_TEXT(gpus.gpus[1].name, "Unknown");
        CHECK_NUM(gpus.gpus[1].sm, 0);
        CHECK_NUM(gpus.gpus[2].sm, 0);
    }
}

TEST_ARENA(two_cards_in_order)
{
    device(a, "pc", "0000:0a:00.0",
           (const char *[]){"0x10de\n", "0x030200\n", "0x1e30\n", "0x1028\n", "0x129e\n"});
    device(a, "pc", "0000:0a:00.1",
           (const char *[]){"0x10de\n", "0x040300\n", "0x228b\n", NULL, NULL});
    device(a, "pc", "0000:01:00.0",
           (const char *[]){"0x10de\n", "0x030000\n", "0x2484\n", NULL, NULL});
    device(a, "pc", "0000:00:02.0",
           (const char *[]){"0x8086\n", "0x030000\n", "0x9bc4\n", NULL, NULL});
    device(a, "pc", "10000:00:00.0",
           (const char *[]){"0x10de\n", "0x030000\n", "0xfffe\n", NULL, NULL});
    device(a, "pc", "not-an-address",
           (const char *[]){"0x10de\n", "0x030000\n", "0x2484\n", NULL, NULL});
    file(a, "pc", "proc/driver/nvidia/version",
         "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.126.09  Wed Jan  7 22:51:46 UTC "
         "2026\n");

    struct jw_host_gpus gpus = ask(a, "pc");

    CHECK_NUM(gpus.n, 3);
    CHECK_TEXT(gpus.driver, "580.126.09");
    if (gpus.n == 3) {
        CHECK_NUM(gpus.gpus[0].sm, 86);
        CHECK_TEXT(gpus.gpus[1].name, "Quadro RTX 8000");
        CHECK_TEXT(gpus.gpus[2].name, "NVIDIA device 10de:fffe");
        CHECK_NUM(gpus.gpus[2].sm, 0);
    }
}

/* Who may use it, and which driver the kernel has. */
TEST_ARENA(access_to_the_nodes)
{
    static const char version[] = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.126.09  Wed "
                                  "Jan  7 22:51:46 UTC 2026\n";
    struct jw_host_gpus gpus = ask(a, "no-such-machine");

    CHECK(!gpus.nouveau && !gpus.no_nodes && !gpus.closed);
    file(a, "without-nodes", "sys/module/nouveau/version", "");
    file(a, "without-nodes", "proc/driver/nvidia/version", version);
    gpus = ask(a, "without-nodes");
    CHECK(gpus.nouveau && gpus.no_nodes && !gpus.closed);
    file(a, "with-nodes", "proc/driver/nvidia/version", version);
    file(a, "with-nodes", "dev/nvidiactl", "");
    CHECK_NUM(chmod(tree_path(a, "with-nodes/dev/nvidiactl"), 0600), 0);
    gpus = ask(a, "with-nodes");
    CHECK(!gpus.no_nodes && !gpus.closed);
    CHECK_NUM(chmod(tree_path(a, "with-nodes/dev/nvidiactl"), 0), 0);
    gpus = ask(a, "with-nodes");
    CHECK(gpus.closed == (geteuid() != 0) && gpus.group == NULL);
    CHECK_NUM(chmod(tree_path(a, "with-nodes/dev/nvidiactl"), 0600), 0);
}

TEST_ARENA(rubbish_and_locked_files)
{
    device(a, "odd", "0000:01:00.0", (const char *[]){"", "", "", NULL, NULL});
    device(a, "odd", "0000:02:00.0",
           (const char *[]){"10de\n", "0x030000\n", "0x2484\n", NULL, NULL});
    device(a, "odd", "0000:03:00.0", (const char *[]){"0x10de", "zz", "0x2484", NULL, NULL});
    device(a, "odd", "0000:04:00.0", (const char *[]){"0x10de", "0x030000", NULL, NULL, NULL});
    (void)tree_dir(a, "odd/sys/bus/pci/devices/0000:05:00.0/vendor");
    file(a, "odd", "proc/driver/nvidia/version", "hello\n");

    struct jw_host_gpus gpus = ask(a, "odd");

    CHECK_NUM(gpus.n, 1);
    if (gpus.n == 1)
        CHECK_TEXT(gpus.gpus[0].name, "NVIDIA device 10de:0000");
    CHECK(gpus.driver == NULL);
}

TEST_ARENA(wsl_and_nothing)
{
    file(a, "wsl", "dev/dxg", "");
    struct jw_host_gpus gpus = ask(a, "wsl");
    CHECK(gpus.wsl && !gpus.n);

    gpus = ask(a, "nothing");
    CHECK(!gpus.wsl && !gpus.n && !gpus.driver);
}

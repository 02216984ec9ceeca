#include "check.h"
#include "machine/gpu_text.h"

TEST(names)
{
    struct jw_gpu gpu = jw_gpu_of_pci("10de:2484");

    CHECK_NUM(gpu.sm, 86);
    CHECK_HAS(gpu.name, "RTX 3070");
    gpu = jw_gpu_of_pci("PCI\\VEN_10DE&DEV_2484&SUBSYS_146910DE&REV_A1\\4&1D81E16&0&0019");
    CHECK_NUM(gpu.sm, 86);
    gpu = jw_gpu_of_pci("10de:1e30:1028:129e");
    CHECK_TEXT(gpu.name, "Quadro RTX 8000");

    gpu = jw_gpu_of_pci("10de:fffe");
    CHECK_NUM(gpu.sm, 0);
    CHECK_TEXT(gpu.name, "NVIDIA device 10de:fffe");
}

static const char *proc(const char *text, char *out, size_t room)
{
    return jw_driver_of_proc((struct jw_bytes){(const uint8_t *)text, strlen(text)}, out, room)
               ? out
               : "none";
}

TEST(linux_driver_versions)
{
    char v[32], tiny[4];

    CHECK_TEXT(proc("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.126.09  Wed Jan  7 "
                    "22:51:46 UTC 2026\n"
                    "GCC version:  gcc version 12.2.0\n",
                    v, sizeof v),
               "580.126.09");
    CHECK_TEXT(proc("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  595.45.04  Release "
                    "Build  (x@y)\n",
                    v, sizeof v),
               "595.45.04");
    CHECK_TEXT(proc("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.4.0  Release", v,
                    sizeof v),
               "540.4.0");
    CHECK_TEXT(proc("NVRM version: NVIDIA UNIX x86_64 Kernel Module  455.38", v, sizeof v),
               "455.38");
    CHECK_TEXT(proc("NVRM version: nothing here\nGCC version 12.2.0 \n", v, sizeof v), "none");
    CHECK_TEXT(proc("NVRM version: 1.2.3.4 .5 6. 7..8 9", v, sizeof v), "none");
    CHECK_TEXT(proc("something 580.126.09 ", v, sizeof v), "none");
    CHECK_TEXT(proc("NVRM version: 580.126.09 ", tiny, sizeof tiny), "none");
    CHECK_TEXT(proc("", v, sizeof v), "none");
}

static const char *windows(const char *text, char *out, size_t room)
{
    return jw_driver_of_windows(text, out, room) ? out : "none";
}

TEST(windows_driver_versions)
{
    char v[32], tiny[4];

    CHECK_TEXT(windows("32.0.15.8129", v, sizeof v), "581.29");
    CHECK_TEXT(windows("30.0.14.7111", v, sizeof v), "471.11");
    CHECK_TEXT(windows("32.0.15.6094", v, sizeof v), "560.94");
    CHECK_TEXT(windows("9.18.13.697", v, sizeof v), "306.97");
    CHECK_TEXT(windows("32.0.16.1", v, sizeof v), "600.01");
    CHECK_TEXT(windows("32.0.15", v, sizeof v), "none");
    CHECK_TEXT(windows("32.0.15.81299", v, sizeof v), "none");
    CHECK_TEXT(windows("32.0.15.8129 ", v, sizeof v), "none");
    CHECK_TEXT(windows("32.0.15.9999999999", v, sizeof v), "none");
    CHECK_TEXT(windows("32.0.15.8129", tiny, sizeof tiny), "none");
    CHECK_TEXT(windows("", v, sizeof v), "none");
}

TEST(gpus_that_are_hidden)
{
    static const char *const hide[] = {"",    "-1", "-1,0", "NoDevFiles", "none",
                                       "all", ",0", "1",    "1,0",        "7"};
    static const char *const show[] = {"0",   " 0",  "+0",           "-0",
                                       "0,9", "0x0", "GPU-94f6441f", "MIG-x"};

    for (size_t i = 0; i < sizeof hide / sizeof *hide; i++)
        CHECK(jw_gpus_are_hidden(hide[i], 1));
    for (size_t i = 0; i < sizeof show / sizeof *show; i++)
        CHECK(!jw_gpus_are_hidden(show[i], 1));
    CHECK(!jw_gpus_are_hidden("7", 0) && !jw_gpus_are_hidden("1", 2) && jw_gpus_are_hidden("2", 2));
}

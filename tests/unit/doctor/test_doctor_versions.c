/* Driver, GPUs and CUDA held against each other. */
#include "check.h"
#include "doctor_rig.h"

static void only_plugged(struct doctor_rig *r, const char *name, unsigned sm, const char *driver)
{
    r->gpus[0] = (struct jw_gpu){ .sm = (uint16_t)sm };
    (void)snprintf(r->gpus[0].name, sizeof r->gpus[0].name, "%s", name);
    r->m.host.driver = driver;
    r->m.probe.driver.version = driver;
    r->m.probe.n_devices = 0;
    r->m.probe.driver.init_result = 100;
}

TEST(driver_too_old_for_gpu)
{
    struct doctor_rig r;

    doctor_rig(&r);
    only_plugged(&r, "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 120, "550.54.14");
    doctor_rig_has(
        &r, (struct wanted){
                .id = "driver-old-for-gpu",
                .severity = JW_PROBLEM,
                .subject = "RTX PRO 6000",
                .text = "too old for NVIDIA RTX PRO 6000",
                .evidence = "driver 550.54.14 is installed; this GPU (Blackwell, sm_120) needs 570 or newer",
                .consequence = "do not see this GPU",
                .command = "sudo ubuntu-drivers install" });
    r.m.probe.driver.container = true;
    doctor_rig_has(&r, (struct wanted){ .id = "driver-old-for-gpu",
                                        .severity = JW_PROBLEM,
                                        .fix = "host of this container",
                                        .command = "" });
    doctor_rig_free(&r);
}

TEST(driver_dropped_gpu)
{
    struct doctor_rig r;

    doctor_rig(&r);
    only_plugged(&r, "NVIDIA GeForce GTX 1080", 61, "590.44.01");
    doctor_rig_has(&r, (struct wanted){ .id = "gpu-dropped",
                                        .severity = JW_PROBLEM,
                                        .evidence = "the last for this GPU (Pascal, sm_61) is branch 580",
                                        .command = "sudo apt-get install nvidia-driver-580" });
    doctor_rig_free(&r);
}

TEST(driver_last_branch)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.devices[0].sm = 61;
    r.gpus[0].sm = 61;
    doctor_rig_one(&r, (struct wanted){ .id = "driver-last-branch",
                                        .severity = JW_NOTE,
                                        .text = "newer than branch 580",
                                        .fix = "branch 580 is the last that drives this GPU" });
    r.m.probe.driver.version = r.m.host.driver = "581.29"; /* Windows' numbers of the same branch */
    r.m.windows = true;
    doctor_rig_one(&r, (struct wanted){ .id = "driver-last-branch", .severity = JW_NOTE });
    doctor_rig_free(&r);
}

TEST(gpus_differ)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.devices[1] = (struct jw_device){ .index = 1, .name = "NVIDIA GeForce RTX 5090", .sm = 120 };
    r.m.probe.n_devices = 2;
    doctor_rig_one(&r, (struct wanted){
                           .id = "gpus-differ",
                           .severity = JW_NOTE,
                           .evidence = "NVIDIA GeForce RTX 3070 is sm_86, NVIDIA GeForce RTX 5090 is sm_120",
                           .command = "CUDA_VISIBLE_DEVICES=0" });
    r.devices[1].sm = 86; /* two alike */
    CHECK_NUM(doctor_rig_check(&r).n, 0);
    doctor_rig_free(&r);
}

TEST(gpu_exclusive)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.devices[0].compute_mode = 3;
    doctor_rig_one(&r, (struct wanted){ .id = "gpu-exclusive",
                                        .severity = JW_NOTE,
                                        .consequence = "one worker",
                                        .command = "sudo nvidia-smi --compute-mode=0" });
    doctor_rig_free(&r);
}

TEST(gpu_closed)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.devices[0].compute_mode = 2;
    doctor_rig_one(&r, (struct wanted){ .id = "gpu-closed",
                                        .severity = JW_WARNING,
                                        .text = "does not accept compute programs",
                                        .evidence = "prohibited",
                                        .command = "sudo nvidia-smi" });
    doctor_rig_free(&r);
}

TEST(driver_compat_used)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.probe.driver.library = "/usr/local/cuda/compat/libcuda.so.580.126.09";
    r.m.host.driver = "535.183.01";
    doctor_rig_one(&r, (struct wanted){ .id = "driver-compat-used",
                                        .severity = JW_NOTE,
                                        .evidence = "the kernel module is 535.183.01" });
    doctor_rig_free(&r);
}

TEST(driver_mismatch)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.probe.n_devices = 0;
    r.m.probe.driver.init_result = 803;
    doctor_rig_has(&r, (struct wanted){ .id = "driver-mismatch",
                                        .severity = JW_PROBLEM,
                                        .fix = "reboot before you warm anything" });
    r.m.probe.driver.init_result = 999;
    r.m.host.driver = "575.57.08";
    doctor_rig_has(
        &r, (struct wanted){ .id = "driver-mismatch",
                             .severity = JW_PROBLEM,
                             .evidence = "libcuda.so.580.126.09 is 580.126.09, the kernel module 575.57.08",
                             .command = "sudo reboot" });
    r.m.probe.driver.init_result = 0;
    doctor_rig_has(&r, (struct wanted){ .id = "driver-mismatch",
                                        .severity = JW_WARNING,
                                        .consequence = "Driver/library version mismatch",
                                        .command = "sudo reboot" });
    r.m.probe.driver.container = true;
    doctor_rig_has(&r, (struct wanted){ .id = "driver-mismatch",
                                        .severity = JW_WARNING,
                                        .fix = "the host of this container has to reboot",
                                        .command = "sudo reboot" });
    doctor_rig_free(&r);
}

TEST(driver_stub_path)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_set(&r, "LD_LIBRARY_PATH", "/opt/x/lib:/usr/local/cuda/lib64/stubs:/y", NULL);
    doctor_rig_one(&r, (struct wanted){ .id = "driver-stub-path",
                                        .severity = JW_WARNING,
                                        .evidence = "LD_LIBRARY_PATH holds /usr/local/cuda/lib64/stubs",
                                        .command = "export LD_LIBRARY_PATH=/opt/x/lib:/y" });
    doctor_rig_set(&r, "LD_LIBRARY_PATH", "/opt/x/lib:/usr/local/stubs-of-mine", NULL);
    CHECK_NUM(doctor_rig_check(&r).n, 0);
    doctor_rig_free(&r);
}

TEST(driver_too_old_for_cuda)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.probe.driver.cuda_version = 12080;
    r.m.probe.driver.version = r.m.host.driver = "570.124.06";
    r.m.toolkits[0] = (struct jw_toolkit){ "CUDA_VERSION", 13, 0, true };
    r.m.n_toolkits = 1;
    doctor_rig_one(&r, (struct wanted){ .id = "driver-old-for-cuda",
                                        .severity = JW_WARNING,
                                        .text = "older than CUDA 13.0, which this container's image",
                                        .evidence = "the driver 570.124.06 serves CUDA up to 12.8",
                                        .consequence = "(error 35)",
                                        .fix = "update the driver to 580 or newer" });
    r.m.toolkits[0] = (struct jw_toolkit){ "/usr/local/cuda", 12, 9, false };
    doctor_rig_one(&r, (struct wanted){ .id = "driver-old-for-cuda",
                                        .severity = JW_NOTE,
                                        .subject = "/usr/local/cuda",
                                        .consequence = "error 222",
                                        .fix = "to 575 or newer" });
    r.m.toolkits[0].minor = 8;
    CHECK_NUM(doctor_rig_check(&r).n, 0);
    doctor_rig_free(&r);
}

TEST(driver_wsl)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.probe.driver.wsl = true;
    doctor_rig_one(
        &r, (struct wanted){ .id = "driver-wsl", .severity = JW_NOTE, .fix = "do not install one here" });
    doctor_rig_free(&r);
}

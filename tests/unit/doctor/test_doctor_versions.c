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

TEST_DOCTOR(driver_too_old_for_gpu)
{
    only_plugged(r, "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 120, "550.54.14");
    doctor_rig_has(
        r,
        PROBLEM("driver-old-for-gpu", .subject = "RTX PRO 6000", .text = "too old for NVIDIA RTX PRO 6000",
                .evidence = "driver 550.54.14 is installed; this GPU (Blackwell, sm_120) needs 570 or newer",
                .consequence = "do not see this GPU", .command = "sudo ubuntu-drivers install"));
    r->m.probe.driver.container = true;
    doctor_rig_has(r, PROBLEM("driver-old-for-gpu", .fix = "host of this container", .command = ""));
}

TEST_DOCTOR(driver_dropped_gpu)
{
    only_plugged(r, "NVIDIA GeForce GTX 1080", 61, "590.44.01");
    doctor_rig_has(r,
                   PROBLEM("gpu-dropped", .evidence = "the last for this GPU (Pascal, sm_61) is branch 580",
                           .command = "sudo apt-get install nvidia-driver-580"));
}

TEST_DOCTOR(driver_last_branch)
{
    r->devices[0].sm = 61;
    r->gpus[0].sm = 61;
    doctor_rig_one(r, NOTE("driver-last-branch", .text = "newer than branch 580",
                           .fix = "branch 580 is the last that drives this GPU"));
    r->m.probe.driver.version = r->m.host.driver = "581.29"; /* Windows' numbers of the same branch */
    r->m.windows = true;
    doctor_rig_one(r, NOTE("driver-last-branch"));
}

TEST_DOCTOR(gpus_differ)
{
    r->devices[1] = (struct jw_device){ .index = 1, .name = "NVIDIA GeForce RTX 5090", .sm = 120 };
    r->m.probe.n_devices = 2;
    doctor_rig_one(r, NOTE("gpus-differ",
                           .evidence = "NVIDIA GeForce RTX 3070 is sm_86, NVIDIA GeForce RTX 5090 is sm_120",
                           .command = "CUDA_VISIBLE_DEVICES=0"));
    r->devices[1].sm = 86; /* two alike */
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(gpu_exclusive)
{
    r->devices[0].compute_mode = 3;
    doctor_rig_one(
        r, NOTE("gpu-exclusive", .consequence = "one worker", .command = "sudo nvidia-smi --compute-mode=0"));
}

TEST_DOCTOR(gpu_closed)
{
    r->devices[0].compute_mode = 2;
    doctor_rig_one(r, WARNING("gpu-closed", .text = "does not accept compute programs",
                              .evidence = "prohibited", .command = "sudo nvidia-smi"));
}

TEST_DOCTOR(driver_compat_used)
{
    r->m.probe.driver.library = "/usr/local/cuda/compat/libcuda.so.580.126.09";
    r->m.host.driver = "535.183.01";
    doctor_rig_one(r, NOTE("driver-compat-used", .evidence = "the kernel module is 535.183.01"));
}

TEST_DOCTOR(driver_mismatch)
{
    r->m.probe.n_devices = 0;
    r->m.probe.driver.init_result = 803;
    doctor_rig_has(r, PROBLEM("driver-mismatch", .fix = "reboot before you warm anything"));
    r->m.probe.driver.init_result = 999;
    r->m.host.driver = "575.57.08";
    doctor_rig_has(r, PROBLEM("driver-mismatch",
                              .evidence = "libcuda.so.580.126.09 is 580.126.09, the kernel module 575.57.08",
                              .command = "sudo reboot"));
    r->m.probe.driver.init_result = 0;
    doctor_rig_has(r, WARNING("driver-mismatch", .consequence = "Driver/library version mismatch",
                              .command = "sudo reboot"));
    r->m.probe.driver.container = true;
    doctor_rig_has(r, WARNING("driver-mismatch", .fix = "the host of this container has to reboot",
                              .command = "sudo reboot"));
}

TEST_DOCTOR(driver_stub_path)
{
    doctor_rig_set(r, "LD_LIBRARY_PATH", "/opt/x/lib:/usr/local/cuda/lib64/stubs:/y", NULL);
    doctor_rig_one(r, WARNING("driver-stub-path",
                              .evidence = "LD_LIBRARY_PATH holds /usr/local/cuda/lib64/stubs",
                              .command = "export LD_LIBRARY_PATH=/opt/x/lib:/y"));
    doctor_rig_set(r, "LD_LIBRARY_PATH", "/opt/x/lib:/usr/local/stubs-of-mine", NULL);
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(driver_too_old_for_cuda)
{
    r->m.probe.driver.cuda_version = 12080;
    r->m.probe.driver.version = r->m.host.driver = "570.124.06";
    r->m.toolkits[0] = (struct jw_toolkit){ "CUDA_VERSION", 13, 0, true };
    r->m.n_toolkits = 1;
    doctor_rig_one(r, WARNING("driver-old-for-cuda",
                              .text = "older than CUDA 13.0, which this container's image",
                              .evidence = "the driver 570.124.06 serves CUDA up to 12.8",
                              .consequence = "(error 35)", .fix = "update the driver to 580 or newer"));
    r->m.toolkits[0] = (struct jw_toolkit){ "/usr/local/cuda", 12, 9, false };
    doctor_rig_one(r, NOTE("driver-old-for-cuda", .subject = "/usr/local/cuda", .consequence = "error 222",
                           .fix = "to 575 or newer"));
    r->m.toolkits[0].minor = 8;
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(driver_wsl)
{
    r->m.probe.driver.wsl = true;
    doctor_rig_one(r, NOTE("driver-wsl", .fix = "do not install one here"));
}

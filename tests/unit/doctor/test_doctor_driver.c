/* What doctor makes of a driver's answer: made-up answers, one for each thing that it can say. */
#include "check.h"
#include "doctor/doctor.h"
#include "facts/errors.h"

#include <string.h>

static struct jw_arena arena;
static const struct jw_device card = { .name = "NVIDIA GeForce RTX 3070", .sm = 86, .uuid = "GPU-1" };

static struct jw_gpu plugged[] = { { .sm = 86, .name = "NVIDIA GeForce RTX 3070" },
                                   { .sm = 120, .name = "NVIDIA GeForce RTX 5090" } };

static struct jw_probe_report answer(int init)
{
    return (struct jw_probe_report){ .driver = { .init_result = init, .init_name = "" },
                                     .state = { .level = JW_LEVEL_NONE } };
}

static struct jw_probe_report works(enum jw_level level)
{
    struct jw_probe_report r = answer(0);

    r.devices = &card;
    r.n_devices = 1;
    r.state.level = level;
    return r;
}

static struct jw_findings check_machine(const struct jw_doctor_machine *m)
{
    const struct jw_probe_report *r = &m->probe;
    struct jw_findings f = JW_FINDINGS(&arena);
    struct jw_err err = { 0 };

    jw_doctor_driver(m, &f);
    CHECK_TEXT(err.msg, "");
    CHECK(jw_doctor_sees_gpus(m) == (!r->broken && r->driver.init_result == 0 && r->n_devices > 0));
    return f;
}

static struct jw_findings check(const struct jw_probe_report *r, size_t gpus, const char *asked, bool windows)
{
    struct jw_doctor_machine m = {
        .probe = *r, .host = { .gpus = plugged, .n = gpus }, .asked = asked, .windows = windows
    };

    return check_machine(&m);
}

/* One finding, of this name, with this in what is said and that in what to do. */
static void expect(const struct jw_findings *f, const char *id, enum jw_severity severity, const char *text,
                   const char *fix)
{
    char said[1024], mends[1024];

    CHECK_NUM(f->n, 1);
    if (f->n == 0)
        return;
    CHECK_TEXT(f->v[0].id, id);
    CHECK(jw_finding_exists(id));
    CHECK_NUM(f->v[0].severity, severity);
    (void)snprintf(said, sizeof said, "%s: %s", f->v[0].text, f->v[0].evidence ? f->v[0].evidence : "");
    (void)snprintf(mends, sizeof mends, "%s %s", f->v[0].fix ? f->v[0].fix : "",
                   f->v[0].command ? f->v[0].command : "");
    CHECK_HAS(said, text);
    CHECK_HAS(mends, fix);
    CHECK(f->v[0].severity == JW_NOTE || f->v[0].fix);
    CHECK(f->v[0].severity != JW_PROBLEM || f->v[0].consequence);
}

TEST(no_driver)
{
    struct jw_probe_report r = answer(-1);
    struct jw_findings v;

    r.driver.init_name = "libcuda.so.1: cannot open shared object file: No such file or directory";
    v = check(&r, 0, NULL, false);
    expect(&v, "driver-absent", JW_WARNING, "no NVIDIA GPU was seen", "without one there is nothing to do");
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-absent", JW_PROBLEM, "NVIDIA GeForce RTX 3070 is plugged in, but there is no",
           "install");
    v = check(&r, 2, NULL, false);
    expect(&v, "driver-absent", JW_PROBLEM, "2 NVIDIA GPUs are plugged in", "reboot");
    v = check(&r, 1, "/x/libcuda.so.1", false);
    expect(&v, "driver-absent", JW_PROBLEM, "that JITWARM_DRIVER names", "unset JITWARM_DRIVER");
    r.driver.container = true;
    v = check(&r, 0, NULL, false);
    expect(&v, "driver-absent", JW_WARNING, "this container has no NVIDIA driver", "--gpus all");
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-absent", JW_PROBLEM, "RTX 3070 is plugged in, but this container", "--gpus all");
    r.driver.container = false;
    r.driver.init_name = "libnvidia-something.so.580: cannot open shared object file";
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-unloadable", JW_PROBLEM, "libnvidia-something.so.580", "reinstall");
    r.driver.init_name = "nvcuda.dll: The specified module could not be found.";
    v = check(&r, 1, NULL, true);
    expect(&v, "driver-absent", JW_PROBLEM, "(nvcuda.dll)", "install");
}

/* A container's driver comes from outside: what runs it decides what is typed there. */
TEST(each_engine_has_its_own_word_for_a_gpu)
{
    static const struct {
        struct jw_container c;
        const char *command;
    } engines[] = {
        { { .engine = JW_CONTAINER_DOCKER, .id = "4f1c9b0a7d3e" },
          "docker run -it --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility \"$(docker inspect -f "
          "'{{.Config.Image}}' 4f1c9b0a7d3e)\"" },
        { { .engine = JW_CONTAINER_PODMAN, .id = "4f1c9b0a7d3e" },
          "podman run -it --device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility "
          "\"$(podman inspect -f '{{.ImageName}}' 4f1c9b0a7d3e)\"" },
        { { .engine = JW_CONTAINER_KUBERNETES, .workload = "deployment/app", .space = "ml", .name = "web" },
          "kubectl -n ml set resources deployment/app -c web --limits=nvidia.com/gpu=1" },
        { { .engine = JW_CONTAINER_KUBERNETES, .pod = "job-x2k4p" }, "kubectl get pod job-x2k4p -o yaml" },
        { { .engine = JW_CONTAINER_APPTAINER, .image = "/x/an image.sif", .outside = "apptainer" },
          "apptainer shell --nv '/x/an image.sif'" },
        { { .engine = JW_CONTAINER_DESKTOP, .outside = "flatpak-spawn --host" },
          "flatpak-spawn --host jitwarm doctor" },
    };
    struct jw_doctor_machine m = { .probe = answer(-1) };

    m.probe.driver.init_name = "libcuda.so.1: cannot open shared object file: No such file or directory";
    for (size_t i = 0; i < JW_COUNT(engines); i++) {
        m.container = engines[i].c;
        struct jw_findings v = check_machine(&m);

        CHECK_TEXT(jw_finding_of(&v, "driver-absent")->command, engines[i].command);
        CHECK(jw_finding_runs(jw_finding_of(&v, "driver-absent")));
    }
}

/* A GPU that is part of the processor's chip has JetPack's driver, and Docker another word for it. */
TEST(jetsons)
{
    struct jw_gpu orin = { .sm = 87, .name = "NVIDIA Jetson Orin" };
    struct jw_doctor_machine m = { .probe = answer(-1), .host = { .gpus = &orin, .n = 1, .tegra = true } };
    const char *const gone = "libcuda.so.1: cannot open shared object file: No such file or directory";
    struct jw_findings v;

    m.probe.driver.init_name = gone;
    v = check_machine(&m);
    expect(&v, "driver-absent", JW_PROBLEM,
           "NVIDIA Jetson Orin is part of this machine, but there is no NVIDIA driver", "nvidia-l4t-cuda");
    m.probe.driver.container = true;
    v = check_machine(&m);
    expect(&v, "driver-absent", JW_PROBLEM, "this container has no NVIDIA driver",
           "has to give it the GPU and all of the driver (docker run --runtime nvidia)");
    m.container = (struct jw_container){ .engine = JW_CONTAINER_DOCKER, .id = "4f1c9b0a7d3e" };
    v = check_machine(&m);
    expect(&v, "driver-absent", JW_PROBLEM, "this container has no NVIDIA driver",
           "docker run -it --runtime nvidia \"$(docker inspect -f '{{.Config.Image}}' 4f1c9b0a7d3e)\"");
    m.container = (struct jw_container){ 0 };
    m.host.library = "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1";
    v = check_machine(&m);
    expect(&v, "driver-absent", JW_PROBLEM, "it is /usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1",
           "echo /usr/lib/aarch64-linux-gnu/tegra | sudo tee /etc/ld.so.conf.d/nvidia-tegra.conf && sudo "
           "ldconfig");
    m.probe = answer(100);
    v = check_machine(&m);
    expect(&v, "no-device", JW_PROBLEM, "is part of this machine, but the driver shows no GPU", "/dev/nvmap");
    m.probe.driver.container = true;
    v = check_machine(&m);
    expect(&v, "no-device", JW_PROBLEM, "is part of this machine", "--runtime nvidia");
}

/* Error 100 has many causes; each that is seen has its own command. */
TEST(why_no_gpu_is_shown)
{
    struct jw_env_value hides = { .name = "CUDA_VISIBLE_DEVICES", .value = "7" };
    struct jw_doctor_machine m = { .probe = answer(100),
                                   .host = { .gpus = plugged, .n = 1, .driver = "580.126.09" },
                                   .who = { .user = "ada" } };
    struct jw_findings v = check_machine(&m);

    expect(&v, "no-device", JW_PROBLEM, "shows no GPU to programs (error 100)",
           "sudo dmesg | grep -iE 'nvrm|nvidia' | tail");
    m.host.no_nodes = true;
    v = check_machine(&m);
    expect(&v, "no-device", JW_PROBLEM, "(/dev/nvidia*) are not there", "sudo nvidia-modprobe -c 0 -u");
    m.host.no_nodes = false;
    m.host.closed = true;
    v = check_machine(&m);
    expect(&v, "no-device", JW_PROBLEM, "you may not open /dev/nvidiactl", "sudo chmod a+rw /dev/nvidia*");
    m.host.group = "video";
    v = check_machine(&m);
    expect(&v, "no-device", JW_PROBLEM, "only the group video may open", "sudo usermod -aG video ada");
    m.host = (struct jw_host_gpus){ .gpus = plugged, .n = 1, .nouveau = true };
    v = check_machine(&m);
    expect(&v, "no-device", JW_PROBLEM, "the kernel drives it with nouveau", "blacklist nouveau");
    m.env = (struct jw_env_set){ .v = &hides, .n = 1 };
    v = check_machine(&m);
    expect(&v, "no-device", JW_PROBLEM, "CUDA_VISIBLE_DEVICES=7 names none that is here",
           "unset CUDA_VISIBLE_DEVICES");
    m.env.n = 0;
    m.probe = answer(-1);
    m.probe.driver.init_name = "libcuda.so.1: cannot open shared object file: No such file or directory";
    v = check_machine(&m);
    expect(&v, "driver-absent", JW_PROBLEM, "drives it with nouveau, which has no CUDA", "install");
}

TEST(a_driver_that_does_not_start)
{
    struct jw_probe_report r = answer(34);
    struct jw_findings v = check(&r, 1, NULL, false);

    expect(&v, "driver-stub", JW_PROBLEM, "stub", "LD_LIBRARY_PATH");
    r = answer(100);
    v = check(&r, 0, NULL, false);
    expect(&v, "no-device", JW_PROBLEM, "none was seen on the bus", "modprobe nvidia");
    v = check(&r, 1, NULL, false);
    expect(&v, "no-device", JW_PROBLEM, "RTX 3070 is plugged in, but the driver shows no GPU",
           "Secure Boot wants it signed): sudo modprobe nvidia");
    v = check(&r, 1, NULL, true);
    expect(&v, "no-device", JW_PROBLEM, "RTX 3070 is plugged in", "device manager");
    r.driver.container = true;
    v = check(&r, 1, NULL, false);
    expect(&v, "no-device", JW_PROBLEM, "RTX 3070 is plugged in", "--gpus all");
    r = answer(0);
    v = check(&r, 0, NULL, false);
    expect(&v, "no-device", JW_PROBLEM, "sees no GPU", "modprobe nvidia");
    r = answer(2);
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-error", JW_PROBLEM, "may use too little of the machine's", "ulimit -v unlimited");
    r = answer(802);
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-not-ready", JW_PROBLEM, "(error 802)", "nvidia-fabricmanager");
    r = answer(803);
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-mismatch", JW_PROBLEM, "(error 803)", "reboot before you warm anything");
    r.driver.library = "/home/ada/old/libcuda.so.535.261.03";
    r.driver.put_before = "/home/ada/old"; /* no reboot changes what LD_LIBRARY_PATH leads to */
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-mismatch", JW_PROBLEM, "in /home/ada/old (error 803)",
           "remove that folder from LD_LIBRARY_PATH; for this shell: unset LD_LIBRARY_PATH");
    r = answer(804);
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-compat", JW_PROBLEM, "cuda-compat", "LD_LIBRARY_PATH");
    r = answer(999);
    r.driver.init_name = "CUDA_ERROR_UNKNOWN";
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-error", JW_PROBLEM, "CUDA_ERROR_UNKNOWN (error 999)", "dmesg");
    v = check(&r, 1, NULL, true);
    expect(&v, "driver-error", JW_PROBLEM, "(error 999)", "reinstall");
    r = answer(-1);
    r.broken = "the driver /x ended its process: signal 11 (SIGSEGV)";
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-broken", JW_PROBLEM, "signal 11", "reboot");
    r.driver.container = true; /* it has no reboot */
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-broken", JW_PROBLEM, "signal 11", "start this container again");
    CHECK(!v.v[0].command);
    r.driver.container = false;
    r.broken = r.truncated = "the driver's library, /x, is not a whole library (5 of 9 bytes)";
    v = check(&r, 1, NULL, false);
    expect(&v, "driver-broken", JW_PROBLEM, "/x, is not a whole library", "put this file right");
    CHECK(!v.v[0].command);
}

TEST(levels)
{
    static const struct {
        enum jw_level level;
        const char *text;
    } cases[] = { { JW_LEVEL_OPAQUE, "cannot read this driver's cache" },
                  { JW_LEVEL_READABLE, "needs the driver to find out" },
                  { JW_LEVEL_PREDICTABLE, "ignores entries that others write" } };
    struct jw_probe_report r;
    struct jw_findings v;

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        r = works(cases[i].level);
        v = check(&r, 1, NULL, false);
        expect(&v, "probe-level", JW_WARNING, cases[i].text, "newer jitwarm");
    }
    r = works(JW_LEVEL_NONE);
    v = check(&r, 1, NULL, false);
    expect(&v, "probe-nothing", JW_PROBLEM, "stores nothing", "doctor -v");
    r = works(JW_LEVEL_PLACEABLE);
    v = check(&r, 1, NULL, false);
    CHECK_NUM(v.n, 0);
    r.remembered_damage = "/state/x.json: json: no value";
    v = check(&r, 1, NULL, false);
    expect(&v, "state-damaged", JW_NOTE, "/state/x.json", "");
}

TEST(probes_that_did_not_end)
{
    static const struct {
        int refused;
        const char *id, *text, *fix;
    } cases[] = {
        { 0, "probe-incomplete", "could not be finished: why", "repeat it: jitwarm doctor --probe" },
        { 2, "probe-incomplete", "could not be finished: why", "GPU's memory" },
        { 46, "probe-incomplete", "why", "one process at a time" },
        { 209, "probe-incomplete", "why", "unset CUDA_DISABLE_PTX_JIT" },
        { 218, "probe-incomplete", "why", "update the driver" },
        { 221, "compiler-missing", "compiler library is missing: why", "libnvidia-ptxjitcompiler.so.1" },
        { 222, "probe-incomplete", "why", "update the driver" },
        { 223, "compiling-off", "forbids the driver to compile: why", "unset CUDA_DISABLE_PTX_JIT" },
        { 700, "probe-incomplete", "why", "repeat it: jitwarm doctor --probe" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_probe_report r = works(JW_LEVEL_NONE);
        struct jw_findings v;

        r.unproven = "why";
        r.refused = cases[i].refused;
        v = check(&r, 1, NULL, false);
        expect(&v, cases[i].id, JW_PROBLEM, cases[i].text, cases[i].fix);
    }
}

TEST(a_closed_gpu)
{
    struct jw_device two[] = { card, card };
    struct jw_probe_report r = works(JW_LEVEL_PLACEABLE);
    struct jw_findings v;

    two[1].compute_mode = 2;
    r.devices = two;
    r.n_devices = 2;
    v = check(&r, 2, NULL, false);
    expect(&v, "gpu-closed", JW_WARNING, "does not accept compute programs", "nvidia-smi");
}

/* The texts of the table of errors reach the user, whichever the driver gives at its start. */
TEST(each_error_that_is_explained)
{
    unsigned explained = 0;

    for (unsigned code = 1; code < 1000; code++) {
        struct jw_probe_report r = answer((int)code);
        struct jw_findings v;

        if (!jw_error_meaning(code))
            continue;
        explained++;
        r.driver.init_name = jw_error_name(code);
        v = check(&r, 1, NULL, false);
        CHECK_NUM(v.n, 1);
        if (v.n && strcmp(v.v[0].id, "driver-error") == 0) {
            CHECK_HAS(v.v[0].text, jw_error_meaning(code));
            CHECK_HAS(v.v[0].text, jw_error_name(code));
        }
    }
    CHECK(explained >= 11);
}

/* The variable that forbids it is a finding of its own, which knows more. */
TEST(compiling_that_a_variable_forbids_is_told_once)
{
    struct jw_env_value set = { "CUDA_DISABLE_PTX_JIT", "1", NULL };
    struct jw_doctor_machine m = { .probe = works(JW_LEVEL_NONE), .env = { &set, 1 } };
    struct jw_findings f = JW_FINDINGS(&arena);

    m.probe.unproven = "why";
    m.probe.refused = 223;
    jw_doctor_driver(&m, &f);
    CHECK_NUM(f.n, 0);
    m.env.n = 0;
    jw_doctor_driver(&m, &f);
    expect(&f, "compiling-off", JW_PROBLEM, "forbids the driver to compile", "unset CUDA_DISABLE_PTX_JIT");
}

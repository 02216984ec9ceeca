#include "base/path.h"
#include "doctor/doctor_words.h"
#include "facts/compilers.h"
#include "facts/errors.h"

#include <string.h>

/* Errors of cuInit, ... */
enum { STUB = 34, NO_DEVICE = 100, NOT_READY = 802, MISMATCH = 803, COMPAT = 804 };

/* ... and what loading a module gives. */
enum {
    NO_MEMORY = 2,
    UNAVAILABLE = 46,
    NO_BINARY = 209,
    INVALID_PTX = 218,
    OLD_DRIVER = 222,
    SWITCHED_OFF = 223
};

bool jw_doctor_sees_gpus(const struct jw_doctor_machine *m)
{
    return !m->probe.broken && m->probe.driver.init_result == 0 && m->probe.n_devices > 0;
}

const char *jw_doctor_version(const struct jw_doctor_machine *m)
{
    const struct jw_worker_driver *d = &m->probe.driver;

    return d->version ? d->version : m->host.driver;
}

static const char no_gpu[] = "no CUDA program can use a GPU: they fail, or run on the CPU";

static void add_driver_finding(struct jw_findings *f, const char *id, enum jw_severity severity,
                               const char *text, const char *fix, const char *command)
{
    JW_FINDING(f, .id = id, .severity = severity, .text = text,
               .consequence = severity == JW_PROBLEM ? no_gpu : NULL, .fix = fix, .command = command);
}

/* With evidence and command. */
static void report_problem(struct jw_findings *f, const char *id, const char *text, const char *evidence,
                           const char *fix, const char *command)
{
    JW_FINDING(f, .id = id, .severity = JW_PROBLEM, .text = text, .evidence = evidence, .consequence = no_gpu,
               .fix = fix, .command = command);
}

/* "programs load PATH" */
static const char *loaded(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *path = m->probe.driver.library;

    return path ? jw_fmt(f, "the library is %s", path) : NULL;
}

/* "NVIDIA GeForce RTX 3070 is plugged in", by the bus or the chip, not by the driver. */
static const char *plugged_in(const struct jw_host_gpus *here, struct jw_findings *f)
{
    if (here->n == 1)
        return jw_fmt(f, "%s is %s", here->gpus[0].name, here->tegra ? "part of this machine" : "plugged in");
    return jw_fmt(f, "%zu NVIDIA GPUs are %s", here->n, here->tegra ? "in this machine" : "plugged in");
}

/* ---- no driver ---- */

static const char *library(const struct jw_doctor_machine *m)
{
    return m->windows ? "nvcuda.dll" : JW_LIBCUDA_FILE;
}

/* A container or a part of a desktop: the driver comes from outside. */
static bool in_container(const struct jw_doctor_machine *m)
{
    return m->probe.driver.container || m->container.engine != JW_CONTAINER_UNKNOWN;
}

static void absent_in_container(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *lacks =
        jw_fmt(f, "this container has no NVIDIA driver library (%s); it comes from the host", library(m));

    JW_FINDING(f, .id = "driver-absent", .severity = m->host.n ? JW_PROBLEM : JW_WARNING,
               .text = m->host.n ? jw_fmt(f, "%s, but %s", plugged_in(&m->host, f), lacks)
                                 : jw_fmt(f, "no NVIDIA GPU was seen, and %s", lacks),
               .consequence = no_gpu, .fix = doctor_container_gpu_fix(m),
               .command = doctor_container_gpu(m, f));
}

/* JetPack installs the library in a folder that the loader does not search by default. */
static void out_of_sight(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *path = m->host.library;
    int folder = (int)(jw_path_base(path) - path) - 1;

    JW_FINDING(f, .id = "driver-absent", .severity = JW_PROBLEM,
               .text = jw_fmt(f, "%s and its driver is installed, but programs do not find its library (%s)",
                              plugged_in(&m->host, f), library(m)),
               .evidence = jw_fmt(f, "it is %s", path), .consequence = no_gpu,
               .fix = "give the loader its folder:",
               .command = jw_fmt(f, "%s | sudo tee /etc/ld.so.conf.d/nvidia-tegra.conf && sudo ldconfig",
                                 DOCTOR_COMMAND(m, f, "echo", jw_fmt(f, "%.*s", folder, path))));
}

static void absent(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_worker_driver *d = &m->probe.driver;
    const char *message = d->init_name ? d->init_name : "";

    if (m->asked)
        add_driver_finding(f, "driver-absent", JW_PROBLEM,
                           jw_fmt(f, "the driver that JITWARM_DRIVER names could not be loaded: %s", message),
                           "unset JITWARM_DRIVER to use the system's driver",
                           doctor_set_in_shell(m, "JITWARM_DRIVER", NULL, f));
    else if (*message && !strstr(message, library(m)))
        add_driver_finding(
            f, "driver-unloadable", JW_PROBLEM,
            jw_fmt(f, "the NVIDIA driver library %s could not be loaded: %s", library(m), message),
            "reinstall the NVIDIA driver", doctor_install_driver(m));
    else if (m->host.library)
        out_of_sight(m, f);
    else if (in_container(m))
        absent_in_container(m, f);
    else if (m->host.n)
        add_driver_finding(
            f, "driver-absent", JW_PROBLEM,
            jw_fmt(f, "%s, but there is no NVIDIA driver library (%s)%s", plugged_in(&m->host, f), library(m),
                   m->host.nouveau ? "; the kernel drives it with nouveau, which has no CUDA" : ""),
            m->host.tegra ? "install JetPack's CUDA driver (the package nvidia-l4t-cuda), then reboot"
                          : "install the NVIDIA driver, then reboot",
            m->host.tegra ? jw_fmt(f, "%sapt-get install nvidia-l4t-cuda", doctor_sudo(m))
                          : doctor_install_driver(m));
    else
        add_driver_finding(
            f, "driver-absent", JW_WARNING,
            jw_fmt(f, "no NVIDIA GPU was seen, and there is no NVIDIA driver library (%s)", library(m)),
            "if there is a GPU, install the NVIDIA driver; without one there is nothing to do",
            doctor_install_driver(m));
}

/* ---- a driver that does not start ---- */

/* Why no GPU is shown, as far as it is seen, and what is typed then. */
struct no_device {
    const char *why; /* behind "..., but "; NULL: unknown */
    const char *fix, *command;
};

static struct no_device of_windows(void)
{
    return (struct no_device){ .fix = "look in the device manager whether the GPU is enabled, and at "
                                      "CUDA_VISIBLE_DEVICES" };
}

static struct no_device of_tegra(void)
{
    return (struct no_device){
        .fix = "look at who may open /dev/nvmap and /dev/nvgpu* (on JetPack the members of "
               "the groups video and render)"
    };
}

/* NVIDIA's kernel driver is loaded. */
static struct no_device of_nodes(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *user = m->who.user ? m->who.user : "$USER";

    if (m->host.no_nodes)
        return (struct no_device){ "its device files (/dev/nvidia*) are not there",
                                   "make them:", jw_fmt(f, "%snvidia-modprobe -c 0 -u", doctor_sudo(m)) };
    if (m->host.closed && m->host.group && !m->who.root)
        return (struct no_device){ jw_fmt(f, "only the group %s may open /dev/nvidiactl", m->host.group),
                                   "join that group, and log in again:",
                                   jw_fmt(f, "sudo usermod -aG %s %s", doctor_quoted(m, m->host.group, f),
                                          m->who.user ? doctor_quoted(m, user, f) : "\"$USER\"") };
    if (m->host.closed && !m->who.root)
        return (struct no_device){ "you may not open /dev/nvidiactl",
                                   "open it for all users, until the next reboot:",
                                   "sudo chmod a+rw /dev/nvidia*" };
    return (
        struct no_device){ NULL,
                           "the kernel's messages name the cause: a GPU that did not start, or fell off the "
                           "bus, needs a reboot or its power switched off; this shows them:",
                           jw_fmt(f, "%sdmesg | grep -iE 'nvrm|nvidia' | tail", doctor_sudo(m)) };
}

static struct no_device why_no_device(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *set = doctor_variable(m, "CUDA_VISIBLE_DEVICES");

    if (set)
        return (
            struct no_device){ jw_fmt(f, "CUDA_VISIBLE_DEVICES=%.80s names none that is here", set),
                               "it is a list of numbers from 0, or of ids from nvidia-smi -L; to show all:",
                               doctor_set_in_shell(m, "CUDA_VISIBLE_DEVICES", NULL, f) };
    if (in_container(m))
        return (struct no_device){ NULL, doctor_container_gpu_fix(m), doctor_container_gpu(m, f) };
    if (m->windows)
        return of_windows();
    if (m->host.tegra)
        return of_tegra();
    if (m->host.driver)
        return of_nodes(m, f);
    if (m->host.nouveau)
        return (struct no_device){
            "the kernel drives it with nouveau, and not with NVIDIA's driver",
            "reboot, for the driver is installed; if nouveau is there again, add the line "
            "\"blacklist nouveau\" to /etc/modprobe.d/nouveau.conf, run update-initramfs -u "
            "(Fedora: dracut -f) and reboot:",
            doctor_reboot(m, f)
        };
    return (struct no_device){
        "NVIDIA's kernel module is not loaded",
        "load it; if that fails, its message says why (not found: reinstall the driver for "
        "this kernel; rejected: Secure Boot wants it signed):",
        jw_fmt(f, "%smodprobe nvidia", doctor_sudo(m))
    };
}

static void no_device(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (doctor_gpus_are_hidden(m))
        return; /* reported by doctor_env.c */

    const struct no_device d = why_no_device(m, f);

    add_driver_finding(
        f, "no-device", JW_PROBLEM,
        m->host.n ? jw_fmt(f, "%s, but the driver shows no GPU to programs (error 100)%s%s",
                           plugged_in(&m->host, f), d.why ? ": " : "", d.why ? d.why : "")
        : d.why && doctor_variable(m, "CUDA_VISIBLE_DEVICES")
            ? jw_fmt(f, "the driver shows no GPU to programs (error 100): %s", d.why)
            : "the driver is installed, but it sees no GPU (error 100), and none was seen on the bus",
        d.fix, d.command);
}

static void other_error(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_worker_driver *d = &m->probe.driver;
    const char *meaning = jw_error_meaning((unsigned)d->init_result);

    add_driver_finding(f, "driver-error", JW_PROBLEM,
                       jw_fmt(f, "the driver does not start: %s (error %d)%s%s",
                              d->init_name && *d->init_name ? d->init_name : "unknown", d->init_result,
                              meaning ? ": " : "", meaning ? meaning : ""),
                       m->windows
                           ? "reboot; if the finding is still there, reinstall the driver:"
                           : "the kernel's messages name the cause (sudo dmesg | grep -i nvrm). Reboot; if "
                             "the finding is still there, reinstall the driver:",
                       doctor_reboot(m, f));
}

static void does_not_start(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    switch (m->probe.driver.init_result) {
    case STUB:
        report_problem(f, "driver-stub",
                       "programs load the CUDA toolkit's stub instead of the driver (error 34); the stub is "
                       "for linking only",
                       loaded(m, f), "remove the folder with the stub from LD_LIBRARY_PATH; for this shell:",
                       doctor_without_folder(m, "stubs", f));
        break;
    case NO_DEVICE: no_device(m, f); break;
    case NO_MEMORY: /* it reserves an address for each byte of all GPUs */
        report_problem(
            f, "driver-error",
            "the driver does not start: CUDA_ERROR_OUT_OF_MEMORY (error 2): the GPU's memory is full, or "
            "this "
            "process may use too little of the machine's",
            NULL,
            m->windows
                ? "end programs that use the GPU, or raise the limit of the job"
                : "look with nvidia-smi who uses the GPU, and raise the limit of this shell; where that "
                  "is refused, ask the batch system for more (Slurm: --mem; SGE: h_vmem):",
            m->windows ? NULL : "ulimit -v unlimited");
        break;
    case NOT_READY:
        report_problem(
            f, "driver-not-ready", "the NVLink connections between the GPUs are not ready (error 802)", NULL,
            "start the service nvidia-fabricmanager, or wait until it is ready:",
            m->windows ? NULL : jw_fmt(f, "%ssystemctl start nvidia-fabricmanager", doctor_sudo(m)));
        break;
    case MISMATCH:
        if (m->probe.driver.misnamed) {
            report_problem(f, "driver-mismatch",
                           "the driver's file is another version than its name says (error 803)",
                           loaded(m, f), "give the file its own name again, or reinstall the driver", NULL);
            break;
        }
        if (m->probe.driver.put_before) {
            const char *folder = m->probe.driver.put_before;

            report_problem(
                f, "driver-mismatch",
                jw_fmt(f,
                       "LD_LIBRARY_PATH leads to a library of another driver than the kernel's, in %s "
                       "(error 803)",
                       folder),
                jw_fmt(f, "the library is %s%s%s", m->probe.driver.library,
                       m->host.driver ? ", the kernel module is " : "", m->host.driver ? m->host.driver : ""),
                "remove that folder from LD_LIBRARY_PATH; for this shell:",
                doctor_without_folder(m, folder, f));
            break;
        }
        report_problem(f, "driver-mismatch",
                       "the driver was updated, and the kernel still runs the old one (error 803)",
                       m->host.driver ? jw_fmt(f, "the kernel module is %s%s%s", m->host.driver,
                                               m->probe.driver.library ? ", the library " : "",
                                               m->probe.driver.library ? m->probe.driver.library : "")
                                      : loaded(m, f),
                       doctor_reboot_fix(m), doctor_reboot(m, f));
        break;
    case COMPAT:
        report_problem(
            f, "driver-compat",
            "programs load the cuda-compat library instead of the driver's own, and this GPU does not "
            "support that (error 804)",
            loaded(m, f),
            "remove the folder with cuda-compat from LD_LIBRARY_PATH, or remove the package; for this shell:",
            doctor_without_folder(m, "compat", f));
        break;
    default: other_error(m, f);
    }
}

/* ---- a driver that does not say anything ---- */

static const char reinstall[] = "put this file right: reinstall the driver, or the package that it is of";

/* "apt-get install --reinstall libnvidia-compute-550:amd64"; NULL: it is not known whose file it is. */
static const char *reinstall_command(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    return m->package ? jw_fmt(f, "%sapt-get install --reinstall %s", doctor_sudo(m), m->package) : NULL;
}

static void broken(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *text = jw_fmt(f, "the driver does not start: %s", m->probe.broken);

    if (m->probe.truncated && m->asked && !m->package)
        add_driver_finding(f, "driver-broken", JW_PROBLEM, text,
                           "unset JITWARM_DRIVER to use the system's driver",
                           doctor_set_in_shell(m, "JITWARM_DRIVER", NULL, f));
    else if (m->probe.truncated)
        add_driver_finding(f, "driver-broken", JW_PROBLEM, text,
                           in_container(m) && !m->package
                               ? "put this file right on the host, if it is the host's, or in the image"
                               : reinstall,
                           reinstall_command(m, f));
    else if (in_container(m))
        add_driver_finding(
            f, "driver-broken", JW_PROBLEM, text,
            "start this container again; if the finding is still there, the host has to reboot, or "
            "its driver has to be installed again",
            NULL);
    else
        add_driver_finding(
            f, "driver-broken", JW_PROBLEM, text,
            "reboot; if the finding is still there, reinstall the driver:", doctor_reboot(m, f));
}

/* ---- a driver that starts: the probe ---- */

static const char *compiler_fix(const struct jw_doctor_machine *m)
{
    if (m->windows)
        return "reinstall the driver: its compiler library (nvptxJITCompiler64) is missing";
    return "install the driver's compiler library, " JW_DRIVER_COMPILER_FILE " (Debian: "
           "libnvidia-ptxjitcompiler1); in a container, set NVIDIA_DRIVER_CAPABILITIES=compute,utility";
}

/* The remedy for a refused test module; NULL: none is known. */
static const char *refusal_fix(const struct jw_doctor_machine *m)
{
    switch (m->probe.refused) {
    case NO_MEMORY: return "end programs that use the GPU's memory, and run this again";
    case UNAVAILABLE:
        return "the GPU accepts one process at a time, and another one uses it: end that one, and run this "
               "again";
    case INVALID_PTX:
    case OLD_DRIVER: return "update the driver";
    case JW_ERROR_NO_COMPILER: return compiler_fix(m);
    case NO_BINARY:
    case SWITCHED_OFF: return "unset CUDA_DISABLE_PTX_JIT and CUDA_DISABLE_JIT";
    default: return NULL;
    }
}

static const char *compiler_command(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (in_container(m))
        return doctor_container_gpu(m, f);
    if (!m->windows && m->who.distro && strcmp(m->who.distro, "debian") == 0)
        return jw_fmt(f, "%sapt-get install libnvidia-ptxjitcompiler1", doctor_sudo(m));
    return NULL;
}

static bool switched_off_here(const struct jw_doctor_machine *m)
{
    return doctor_variable(m, "CUDA_DISABLE_PTX_JIT") || doctor_variable(m, "CUDA_DISABLE_JIT");
}

static void unproven(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const char *fix = refusal_fix(m);
    bool full = m->probe.unproven && strstr(m->probe.unproven, "disk is full");
    struct jw_finding one = { .id = "probe-incomplete",
                              .severity = JW_PROBLEM,
                              .text = "the probe of the driver's cache could not be finished",
                              .evidence = m->probe.unproven,
                              .consequence = "jitwarm cannot warm anything until this works",
                              .fix = fix ? fix : "repeat it:",
                              .command = fix ? NULL : "jitwarm doctor --probe" };

    if (m->probe.refused == SWITCHED_OFF && switched_off_here(m))
        return; /* reported by doctor_env.c */
    if (m->probe.no_folder && m->prime_stops && !m->prime_runs)
        return; /* prime's words say it */
    if (m->probe.cannot_compile && m->probe.compiler.path && m->probe.compiler.lacking) {
        one.id = "compiler-missing";
        one.text = jw_fmt(f, "this driver cannot compile, because its compiler library cannot be used: %s",
                          m->probe.compiler.path);
        one.consequence = "programs whose code is neither for this GPU nor in the cache fail, or crash";
        one.fix = reinstall;
        one.command = reinstall_command(m, f);
    } else if (m->probe.refused == JW_ERROR_NO_COMPILER) {
        one.id = "compiler-missing";
        one.text = "this driver cannot compile, because its compiler library is missing";
        one.consequence = "programs whose code is neither for this GPU nor in the cache fail (error 221)";
        one.command = compiler_command(m, f);
    } else if (m->probe.refused == SWITCHED_OFF) {
        one.id = "compiling-off";
        one.text = "a variable forbids the driver to compile";
        one.consequence = "programs whose code is neither for this GPU nor in the cache fail (error 223)";
        one.command = m->windows
                          ? NULL
                          : jw_fmt(f, "%s; %s", doctor_set_in_shell(m, "CUDA_DISABLE_PTX_JIT", NULL, f),
                                   doctor_set_in_shell(m, "CUDA_DISABLE_JIT", NULL, f));
    } else if (m->probe.no_folder && full) {
        one.fix = "free space there; this shows what fills that disk:";
        one.command = m->windows || !doctor_variable(m, "HOME")
                          ? NULL
                          : jw_fmt(f, "du -xh -d 2 %s | sort -h | tail",
                                   doctor_quoted(m, doctor_variable(m, "HOME"), f));
    }
    jw_finding_add(f, one);
}

static void level(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    static const char *const lacks[] = {
        [JW_LEVEL_OPAQUE] = "jitwarm cannot read this driver's cache: it can warm one module at a time, but "
                            "cannot show what is cached",
        [JW_LEVEL_READABLE] =
            "jitwarm can read this driver's cache, but needs the driver to find out whether "
            "a module is cached",
        [JW_LEVEL_PREDICTABLE] =
            "this driver ignores entries that others write: jitwarm warms one module at a "
            "time, and cannot import from another machine",
    };
    enum jw_level is = m->probe.state.level;

    if (is == JW_LEVEL_NONE)
        add_driver_finding(
            f, "probe-nothing", JW_PROBLEM,
            "the driver compiles, but stores nothing: programs compile again at every start",
            "run jitwarm doctor --probe; if that does not help, attach the output of jitwarm doctor -v to "
            "a bug report",
            "jitwarm doctor --probe");
    else if (is < JW_LEVEL_PLACEABLE)
        add_driver_finding(f, "probe-level", JW_WARNING, lacks[is],
                           "a newer jitwarm may know this driver better", NULL);
}

static void closed(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    for (size_t i = 0; i < m->probe.n_devices; i++)
        if (m->probe.devices[i].compute_mode == JW_COMPUTE_PROHIBITED) {
            JW_FINDING(f, .id = "gpu-closed", .severity = JW_WARNING,
                       .subject = jw_fmt(f, "GPU %u", m->probe.devices[i].index),
                       .text = jw_fmt(f, "%s does not accept compute programs", m->probe.devices[i].name),
                       .evidence = "its compute mode is prohibited", .consequence = "programs cannot use it",
                       .fix = "open it:",
                       .command = m->windows ? "nvidia-smi --compute-mode=0"
                                             : jw_fmt(f, "%snvidia-smi --compute-mode=0", doctor_sudo(m)));
            return;
        }
}

void jw_doctor_driver(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_probe_report *p = &m->probe;

    if (p->broken)
        broken(m, f);
    else if (p->driver.init_result < 0)
        absent(m, f);
    else if (p->driver.init_result != 0)
        does_not_start(m, f);
    else if (p->n_devices == 0)
        no_device(m, f);
    else {
        if (p->unproven)
            unproven(m, f);
        else
            level(m, f);
        closed(m, f);
    }
    if (p->remembered_damage)
        add_driver_finding(
            f, "state-damaged", JW_NOTE,
            jw_fmt(f,
                   "the saved probe result of this driver could not be used, and the probe was repeated: %s",
                   p->remembered_damage),
            NULL, NULL);
}

/* In a chroot, or a sandbox. */
static void proc(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (m->no_proc)
        JW_FINDING(f, .id = "proc-missing", .severity = JW_WARNING, .subject = "/proc",
                   .text = "/proc is not mounted here",
                   .consequence = "doctor does not see the kernel's part of the driver, whether this is a "
                                  "container, nor which programs run",
                   .fix = "mount it, and ask again:",
                   .command = jw_fmt(f, "%smount -t proc proc /proc", doctor_sudo(m)));
}

void jw_doctor_check(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    proc(m, f);
    jw_doctor_versions(m, f);
    jw_doctor_driver(m, f);
    jw_doctor_cache_limit(m, f);
    jw_doctor_cache_place(m, f);
    jw_doctor_cache_content(m, f);
    jw_doctor_env(m, f);
    jw_doctor_container(m, f);
    jw_doctor_prime(m, f);
    jw_findings_sort(f);
}

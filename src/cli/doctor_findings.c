#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/doctor_view.h"
#include "facts/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What cuInit gives, ... */
enum { STUB = 34, NO_DEVICE = 100, NOT_READY = 802, MISMATCH = 803, COMPAT = 804 };

/* ... and what loading a module gives. */
enum {
    NO_MEMORY = 2,
    UNAVAILABLE = 46,
    NO_BINARY = 209,
    INVALID_PTX = 218,
    NO_COMPILER = 221,
    OLD_DRIVER = 222,
    SWITCHED_OFF = 223
};

static bool add(struct doctor_view *v, const char *id, enum doctor_severity severity, const char *text,
                const char *fix)
{
    if (!text)
        return false;
    if (v->n_findings < DOCTOR_MAX_FINDINGS)
        v->findings[v->n_findings++] = (struct doctor_finding){ id, severity, text, fix };
    return true;
}

static const char *sentence(struct jw_arena *a, const char *fmt, ...) JW_PRINTF(2, 3);

static const char *sentence(struct jw_arena *a, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return jw_arena_str(a, text);
}

/* "NVIDIA GeForce RTX 3070 is", "2 NVIDIA GPUs are": what the bus tells, and not the driver. */
static const char *plugged_in(const struct jw_host_gpus *here, struct jw_arena *a)
{
    if (here->n == 1)
        return sentence(a, "%s is", here->gpus[0].name);
    return sentence(a, "%zu NVIDIA GPUs are", here->n);
}

/* ---- no driver ---- */

static bool driver_absent(struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_worker_driver *d = &v->probe->driver;
    const char *said = d->init_name ? d->init_name : "";
    const char *library = v->windows ? "nvcuda.dll" : "libcuda.so.1";

    if (v->asked)
        return add(v, "driver-absent", DOCTOR_ERROR,
                   sentence(a, "the driver that JITWARM_DRIVER names could not be loaded: %s", said),
                   "unset JITWARM_DRIVER to use the system's driver");
    if (*said && !strstr(said, library))
        return add(v, "driver-unloadable", DOCTOR_ERROR,
                   sentence(a, "the NVIDIA driver library %s could not be loaded: %s", library, said),
                   "reinstall the NVIDIA driver");
    if (d->container)
        return add(v, "driver-absent", v->here->n ? DOCTOR_ERROR : DOCTOR_WARNING,
                   v->here->n
                       ? sentence(a,
                                  "%s plugged into this machine, but this container has no NVIDIA driver "
                                  "library (%s); it comes from the host",
                                  plugged_in(v->here, a), library)
                       : sentence(a,
                                  "no NVIDIA GPU was seen, and this container has no NVIDIA driver library "
                                  "(%s); it comes from the host",
                                  library),
                   "start the container with GPU access (docker run --gpus all), and with "
                   "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
    if (v->here->n)
        return add(v, "driver-absent", DOCTOR_ERROR,
                   sentence(a, "%s plugged in, but there is no NVIDIA driver library (%s)",
                            plugged_in(v->here, a), library),
                   "install the NVIDIA driver, then reboot");
    return add(v, "driver-absent", DOCTOR_WARNING,
               sentence(a, "no NVIDIA GPU was seen, and there is no NVIDIA driver library (%s)", library),
               NULL);
}

/* ---- a driver that does not start ---- */

static bool no_device(struct doctor_view *v, struct jw_arena *a)
{
    const char *fix =
        v->windows ? "look in the device manager whether the GPU is enabled, and at CUDA_VISIBLE_DEVICES"
                   : "look at CUDA_VISIBLE_DEVICES, at who may open /dev/nvidia*, and whether the "
                     "kernel module is loaded (lsmod | grep nvidia)";

    if (v->probe->driver.container)
        fix = "start the container with GPU access (docker run --gpus all), and look at CUDA_VISIBLE_DEVICES";
    if (v->here->n)
        return add(v, "no-device", DOCTOR_ERROR,
                   sentence(a, "%s plugged in, but the driver shows no GPU to programs (error 100)",
                            plugged_in(v->here, a)),
                   fix);
    return add(v, "no-device", DOCTOR_ERROR,
               "the driver is installed, but it sees no GPU (error 100), and none was seen on the bus", fix);
}

static bool other_error(struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_worker_driver *d = &v->probe->driver;
    const char *meaning = jw_error_meaning((unsigned)d->init_result);

    return add(
        v, "driver-error", DOCTOR_ERROR,
        sentence(a, "the driver does not start: %s (error %d)%s%s",
                 d->init_name && *d->init_name ? d->init_name : "unknown", d->init_result,
                 meaning ? ": " : "", meaning ? meaning : ""),
        v->windows
            ? "reboot; if it stays, reinstall the driver"
            : "look at what the kernel says about it (sudo dmesg | grep -i nvrm); a reboot often helps");
}

static bool failed_init(struct doctor_view *v, struct jw_arena *a)
{
    switch (v->probe->driver.init_result) {
    case STUB:
        return add(v, "driver-stub", DOCTOR_ERROR,
                   "programs find the CUDA toolkit's stub in place of the driver (error 34); it only serves "
                   "linking, "
                   "and runs nothing",
                   "take the folder with the stub out of LD_LIBRARY_PATH");
    case NO_DEVICE: return no_device(v, a);
    case NOT_READY:
        return add(v, "driver-not-ready", DOCTOR_ERROR,
                   "the connections between the GPUs of this machine are not up (error 802)",
                   "start the service nvidia-fabricmanager, or wait until it is ready");
    case MISMATCH:
        return add(v, "driver-mismatch", DOCTOR_ERROR,
                   "the driver was updated, and the kernel still runs the old one (error 803)",
                   "reboot; nothing is warmed before, because it would be for a driver that goes away");
    case COMPAT:
        return add(
            v, "driver-compat", DOCTOR_ERROR,
            "a library of the cuda-compat package stands in front of the driver's own, and this GPU does not "
            "support that (error 804)",
            "take the folder with cuda-compat out of LD_LIBRARY_PATH, or remove the package");
    default: return other_error(v, a);
    }
}

/* ---- a driver that starts, and what the probe made of it ---- */

/* What to do about a test module that was refused; NULL: no idea. */
static const char *refusal_fix(const struct doctor_view *v)
{
    switch (v->probe->refused) {
    case NO_MEMORY: return "end programs that use the GPU's memory, and run this again";
    case UNAVAILABLE:
        return "the GPU serves one process at a time, and another one has it: end that, and run this again";
    case INVALID_PTX:
    case OLD_DRIVER: return "update the driver";
    case NO_COMPILER:
        if (v->windows)
            return "reinstall the driver: its compiler library (nvptxJITCompiler64) is missing";
        return "install the driver's compiler library, libnvidia-ptxjitcompiler.so.1 (Debian: "
               "libnvidia-ptxjitcompiler1); "
               "in a container, set NVIDIA_DRIVER_CAPABILITIES=compute,utility";
    case NO_BINARY:
    case SWITCHED_OFF: return "unset CUDA_DISABLE_PTX_JIT and CUDA_DISABLE_JIT";
    default: return NULL;
    }
}

static bool judge_unproven(struct doctor_view *v, struct jw_arena *a)
{
    const char *fix = refusal_fix(v), *id = "probe-incomplete";
    const char *what = "the probe of the driver's cache could not be finished";

    if (v->probe->refused == NO_COMPILER || v->probe->refused == SWITCHED_OFF) {
        id = v->probe->refused == NO_COMPILER ? "compiler-missing" : "compiling-off";
        what = v->probe->refused == NO_COMPILER
                   ? "this driver cannot compile, because its compiler library is missing"
                   : "the driver is told not to compile";
    }
    return add(v, id, DOCTOR_ERROR, sentence(a, "%s: %s", what, v->probe->unproven),
               fix ? fix : "run jitwarm doctor again: nothing of this was remembered");
}

static bool judge_level(struct doctor_view *v)
{
    static const char newer[] = "a newer jitwarm may know this driver better";

    switch (v->probe->state.level) {
    case JW_LEVEL_NONE:
        return add(v, "probe-nothing", DOCTOR_ERROR,
                   "the driver compiles, but keeps nothing of it: programs that need compiling will do so at "
                   "every start",
                   NULL);
    case JW_LEVEL_OPAQUE:
        return add(v, "probe-level", DOCTOR_WARNING,
                   "jitwarm cannot read what this driver keeps in its cache: it can warm one module at a "
                   "time, and not "
                   "say afterwards what is there",
                   newer);
    case JW_LEVEL_READABLE:
        return add(
            v, "probe-level", DOCTOR_WARNING,
            "jitwarm can read this driver's cache, but cannot tell without the driver whether something is "
            "in it already",
            newer);
    case JW_LEVEL_PREDICTABLE:
        return add(v, "probe-level", DOCTOR_WARNING,
                   "this driver does not take what others put into its cache: it is warmed one module at a "
                   "time, and "
                   "nothing can be brought from another machine",
                   newer);
    default: return true;
    }
}

static bool judge_closed(struct doctor_view *v)
{
    enum { PROHIBITED = 2 };

    for (size_t i = 0; i < v->probe->n_devices; i++)
        if (v->probe->devices[i].compute_mode == PROHIBITED)
            return add(v, "gpu-closed", DOCTOR_WARNING,
                       "a GPU is closed for computing (compute mode prohibited)",
                       "open it with nvidia-smi --compute-mode=0");
    return true;
}

bool doctor_judge_driver(struct doctor_view *v, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_probe_report *p = v->probe;
    bool ok;

    if (p->broken)
        ok = add(v, "driver-broken", DOCTOR_ERROR,
                 sentence(a, "the driver does not survive its start: %s", p->broken),
                 "reboot; if it stays, reinstall the driver");
    else if (p->driver.init_result < 0)
        ok = driver_absent(v, a);
    else if (p->driver.init_result != 0)
        ok = failed_init(v, a);
    else if (p->n_devices == 0)
        ok = no_device(v, a);
    else
        ok = (p->unproven ? judge_unproven(v, a) : judge_level(v)) && judge_closed(v);
    if (ok && p->remembered_damage)
        ok = add(v, "state-damaged", DOCTOR_NOTE,
                 sentence(a, "what was remembered of this driver could not be used, and was proven again: %s",
                          p->remembered_damage),
                 NULL);
    return ok || jw_nomem(err, 512);
}

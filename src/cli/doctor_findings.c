#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "cli/doctor_view.h"
#include "facts/errors.h"

#include <stdarg.h>
#include <stdio.h>

enum { STUB = 34, NO_DEVICE = 100, MISMATCH = 803, COMPAT = 804, NOT_READY = 802 };

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
    char text[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return jw_arena_str(a, text);
}

/* "an NVIDIA GeForce RTX 3070", "2 NVIDIA GPUs": what is plugged in, told by the bus and not by the driver. */
static const char *plugged_in(const struct jw_host_gpus *here, struct jw_arena *a)
{
    if (here->n == 1)
        return sentence(a, "%s is", here->gpus[0].name);
    return sentence(a, "%zu NVIDIA GPUs are", here->n);
}

static bool driver_absent(struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_worker_driver *d = &v->probe->driver;

    if (d->container)
        return add(v, "driver-absent", DOCTOR_ERROR,
                   "this container has no NVIDIA driver library; it comes from the host",
                   "start the container with GPU access: docker run --gpus all, with "
                   "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
    if (v->here->n)
        return add(
            v, "driver-absent", DOCTOR_ERROR,
            sentence(a, "%s plugged in, but no NVIDIA driver library was found", plugged_in(v->here, a)),
            "install the NVIDIA driver, then reboot");
    return add(v, "driver-absent", DOCTOR_WARNING,
               "no NVIDIA driver library was found, and no NVIDIA GPU was seen on the bus", NULL);
}

static bool no_device(struct doctor_view *v, struct jw_arena *a)
{
    if (v->here->n)
        return add(
            v, "no-device", DOCTOR_ERROR,
            sentence(a, "%s plugged in, but the driver shows no GPU to programs", plugged_in(v->here, a)),
            "look at CUDA_VISIBLE_DEVICES, at the rights of /dev/nvidia*, and whether the kernel module is "
            "loaded (nvidia-smi)");
    return add(v, "no-device", DOCTOR_ERROR, "the driver library is here, but it sees no GPU",
               "check that the GPU is plugged in, or passed through to this container or virtual machine");
}

static bool failed_init(struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_worker_driver *d = &v->probe->driver;
    const char *meaning = jw_error_meaning((unsigned)d->init_result);

    switch (d->init_result) {
    case STUB:
        return add(v, "driver-stub", DOCTOR_ERROR,
                   sentence(a, "%s is the toolkit's stub, which only serves linking and runs nothing",
                            d->library ? d->library : "libcuda.so.1"),
                   "take the stubs folder out of LD_LIBRARY_PATH");
    case NO_DEVICE: return no_device(v, a);
    case NOT_READY:
        return add(v, "driver-not-ready", DOCTOR_ERROR, "the GPUs' fabric is not up (error 802)",
                   "start nvidia-fabricmanager, or wait for it");
    case MISMATCH:
        return add(v, "driver-mismatch", DOCTOR_ERROR,
                   "the driver was updated, and the running kernel module is still the old one (error 803)",
                   "reboot; nothing is warmed before, because it would be for a driver that goes away");
    case COMPAT:
        return add(v, "driver-compat", DOCTOR_ERROR,
                   "a cuda-compat library is in front of the driver's own, and this GPU does not support "
                   "that (error "
                   "804)",
                   "take the compat folder out of LD_LIBRARY_PATH");
    default:
        return add(v, "driver-error", DOCTOR_ERROR,
                   sentence(a, "the driver does not start: %s (error %d)%s%s",
                            d->init_name ? d->init_name : "unknown", d->init_result, meaning ? ": " : "",
                            meaning ? meaning : ""),
                   NULL);
    }
}

static bool judge_level(struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_driver_state *s = &v->probe->state;

    if (s->level == JW_LEVEL_NONE)
        return add(v, "probe-nothing", DOCTOR_ERROR,
                   sentence(a, "the driver compiled nothing into an empty cache: %s",
                            s->n_evidence ? s->evidence[s->n_evidence - 1] : "no reason was seen"),
                   NULL);
    if (s->level < JW_LEVEL_PLACEABLE)
        return add(v, "probe-level", DOCTOR_WARNING,
                   sentence(a, "this driver's cache is only partly understood: %s",
                            s->n_evidence ? s->evidence[s->n_evidence - 1] : "no reason was seen"),
                   NULL);
    return true;
}

bool doctor_judge_driver(struct doctor_view *v, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_worker_driver *d = &v->probe->driver;
    bool ok;

    if (d->init_result < 0)
        ok = driver_absent(v, a);
    else if (d->init_result != 0)
        ok = failed_init(v, a);
    else if (v->probe->n_devices == 0)
        ok = no_device(v, a);
    else
        ok = judge_level(v, a);
    if (ok && v->probe->remembered_damage)
        ok = add(v, "state-damaged", DOCTOR_NOTE,
                 sentence(a, "what was remembered of this driver was unusable and proven again: %s",
                          v->probe->remembered_damage),
                 NULL);
    return ok || jw_nomem(err, 512);
}

/* Lists the NVIDIA GPUs and the kernel driver of this machine from sysfs, /proc and the registry.
 * It does not load the driver and does not wake a GPU. */
#pragma once

#include "base/arena.h"
#include "jitwarm/gpu.h"
#include "machine/run.h"

struct jw_host_gpus {
    struct jw_gpu *gpus; /* Linux: by PCI address; an unknown GPU has sm 0 and its id as name */
    size_t n;
    const char *driver; /* version of NVIDIA's kernel driver, "580.126.09"; NULL: there is none */
    bool wsl;          /* this is Linux inside of Windows, which has the driver; no GPU is listed */
    bool nouveau;      /* the kernel has the driver nouveau loaded, with which CUDA does not work */
    bool no_nodes;     /* NVIDIA's kernel driver is loaded, but there is no /dev/nvidiactl */
    bool closed;       /* this user may not open /dev/nvidiactl */
    const char *group; /* the group that may open it; NULL: root alone, or unknown */
    const char *library; /* WSL: libcuda's path, which the loader does not search; else NULL */
};

/* `sysroot` is a prefix for /sys, /proc and /dev ("": this machine; Windows has none). */
void jw_host_gpus(const char *sysroot, struct jw_arena *a, struct jw_host_gpus *out);

/* The version of NVIDIA's kernel driver, "580.126.09"; NULL: none, or no Linux. `root` is "/". */
const char *jw_kernel_driver(const char *root, struct jw_arena *a);

/* Windows: reads a display adapter from the registry. `id` is its device instance,
 * "PCI\\VEN_10DE&DEV_2484...". False: not from NVIDIA. `driver` is "" if unknown. */
bool jw_adapter_read(const char *id, struct jw_gpu *gpu, char *driver, size_t room);

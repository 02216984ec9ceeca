/*
 * The NVIDIA GPUs of this machine, and its kernel driver, without loading the driver or waking a GPU: from
 * sysfs, the device tree, /proc and the registry.
 */
#ifndef MACHINE_GPUS_H
#define MACHINE_GPUS_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "jitwarm/gpu.h"
#include "machine/gpu_text.h"
#include "machine/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

struct jw_host_gpus {
    struct jw_gpu *gpus; /* by PCI address; one that we do not know has sm 0 and its id in its name */
    size_t n;
    const char *driver; /* "580.126.09", "581.29"; NULL: no NVIDIA kernel driver was seen */
    bool tegra; /* one of them is part of the processor's chip (Jetson); its driver is not the PCI cards' */
    const char *
        library; /* of a Tegra: where its packages put the driver's library, which the loader must be told of; NULL */
    struct jw_notes notes;
};

/*
 * `sysroot` stands before /sys, /proc and /dev ("": this machine; on Windows it must be ""). What cannot be
 * read is a note; no GPU at all is no error.
 */
bool jw_host_gpus(const char *sysroot, struct jw_arena *a, struct jw_host_gpus *out,
                  struct jw_err *err) JW_MUST;

/*
 * Windows: one display adapter as the registry describes it. `id` is its device instance, "PCI\\VEN_10DE&DEV_2484...". False: none of NVIDIA's. `driver` is "" when
 * unknown.
 */
bool jw_adapter_read(const wchar_t *id, struct jw_pci *pci, char *driver, size_t room);

#endif

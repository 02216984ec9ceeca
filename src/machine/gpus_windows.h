/* One display adapter as the registry describes it. */
#ifndef MACHINE_GPUS_WINDOWS_H
#define MACHINE_GPUS_WINDOWS_H

#include "machine/gpu_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/*
 * `id` is its device instance, "PCI\\VEN_10DE&DEV_2484...". False: none of NVIDIA's. `driver` is "" when
 * unknown.
 */
bool jw_adapter_read(const wchar_t *id, struct jw_pci *pci, char *driver, size_t room);

#endif

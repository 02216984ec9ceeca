/* Parsers for the GPU and driver names of each system. Pure, and tested on every system. */
#pragma once

#include "base/bytes.h"
#include "jitwarm/gpu.h"

/* The GPU with this id of NVIDIA's: "10de:2484:1462:390a" or Windows' device instance; if unknown,
 * sm 0 and the id in its name. */
struct jw_gpu jw_gpu_of_pci(const char *id);

/* The GPU of /proc/driver/nvidia/gpus/ADDRESS/information; sm 0: not known. */
struct jw_gpu jw_gpu_of_proc(struct jw_bytes text);

/* /proc/driver/nvidia/version -> "580.126.09" */
bool jw_driver_of_proc(struct jw_bytes text, char *out, size_t room);

/* The version of Windows' display driver, "32.0.15.8129" -> "581.29" */
bool jw_driver_of_windows(const char *text, char *out, size_t room);

/* Does this value of CUDA_VISIBLE_DEVICES show programs no GPU, whatever the driver says? Its first
 * item decides: nothing, no number and no id, a number below 0, or behind the last of the GPUs that
 * are plugged in (`listed`; 0: not known). driver-fact: F103-first-visible */
bool jw_gpus_are_hidden(const char *visible, size_t listed);

/* A GPU for scan, plan and doctor: an architecture and a name, from an option, this machine or a default. */
#ifndef JITWARM_GPU_H
#define JITWARM_GPU_H

#include <stdint.h>

enum jw_gpu_source { JW_GPU_OPTION, JW_GPU_HERE, JW_GPU_DEFAULT };

struct jw_gpu {
    uint16_t sm;        /* 86 for sm_86 */
    uint16_t device_id; /* PCI, 0 when unknown */
    char name[88];      /* "NVIDIA GeForce RTX 3070"; "" when only the architecture is known */
    enum jw_gpu_source source;
};

#endif

/* A GPU as scan, plan and doctor see it: an architecture with a name, wherever it comes from. */
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

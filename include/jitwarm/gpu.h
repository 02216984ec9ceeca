/* A GPU that is named, and a GPU that the driver shows. */
#ifndef JITWARM_GPU_H
#define JITWARM_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JW_MAX_SMS ((size_t)32) /* architectures of GPUs in one run */

/* An architecture and a name, from an option, this machine or a default. */
struct jw_gpu {
    uint16_t sm;   /* 86 for sm_86 */
    char name[88]; /* "NVIDIA GeForce RTX 3070"; "" when only the architecture is known */
};

enum { JW_COMPUTE_PROHIBITED = 2, JW_COMPUTE_EXCLUSIVE = 3 };

/* A GPU or a MIG slice, as the driver describes it. */
struct jw_device {
    unsigned index;
    char uuid[48]; /* "GPU-..." or "MIG-..."; "" unknown */
    char name[96];
    uint16_t sm;
    uint64_t memory;
    unsigned compute_mode; /* 0 default, JW_COMPUTE_... */
    bool chosen;           /* by prime: usable, and this run compiles for its architecture */
};

#endif

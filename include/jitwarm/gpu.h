/* A GPU that somebody named, and a GPU that the driver lists. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JW_MAX_SMS ((size_t)32) /* architectures of GPUs in one run */

struct jw_sms { /* a set of architectures; 0 is none (facts/gpus.h) */
    uint16_t v[JW_MAX_SMS];
    size_t n;
};

/* A GPU that an option, this machine or a default named. */
struct jw_gpu {
    uint16_t sm;   /* 86 for sm_86 */
    char name[88]; /* "NVIDIA GeForce RTX 3070"; "": only the architecture is known */
};

enum { JW_COMPUTE_PROHIBITED = 2, JW_COMPUTE_EXCLUSIVE = 3 };

/* A GPU or a MIG slice, as the driver describes it. */
struct jw_device {
    unsigned index;
    char uuid[48]; /* "GPU-..." or "MIG-..."; "": unknown */
    char name[96];
    uint16_t sm;
    uint64_t memory;
    unsigned compute_mode; /* 0: default; else JW_COMPUTE_... */
};

static inline bool jw_device_is_open(const struct jw_device *g)
{
    return g->compute_mode != JW_COMPUTE_PROHIBITED;
}

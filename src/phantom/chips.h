/* The GPUs that can be emulated: one row per compute capability. */
#ifndef PHANTOM_CHIPS_H
#define PHANTOM_CHIPS_H

#include <stddef.h>
#include <stdint.h>

struct ph_chip {
    unsigned sm;             /* 86: sm_86 */
    uint32_t arch, revision; /* NV2080_CTRL_MC_ARCH_INFO */
    uint32_t sm_version;     /* NV2080_CTRL_GR_INFO_INDEX_SM_VERSION */
    uint16_t device;         /* PCI */
    const char *name;
    uint64_t gib;
    const uint32_t *classes; /* classes of its generation, 0 at the end; in addition to ph_common_classes */
};

enum {
    PH_GPU_INSTANCE = 0xc637,
    PH_COMPUTE_INSTANCE = 0xc638
}; /* classes of subscriptions to MIG instances */

extern const struct ph_chip ph_chips[];
extern const size_t ph_n_chips;
extern const uint32_t ph_common_classes[];
extern const size_t ph_n_common_classes;

enum ph_class_kind { PH_CLASS_OTHER, PH_CLASS_CHANNEL, PH_CLASS_MEMORY, PH_CLASS_VIRTUAL, PH_CLASS_USERMODE };

/* The name of a class; NULL: unknown. */
struct ph_class {
    uint32_t number;
    enum ph_class_kind kind;
    const char *name;
};
const struct ph_class *ph_class(uint32_t number);

#endif

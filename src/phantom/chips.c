
#include "phantom/phantom.h"

/* Compute, copy, 3D, channel, doorbell and MIG classes by generation. */
static const uint32_t maxwell_1[] = {0xb0c0, 0xb0b5, 0xb097, 0xb06f, 0xa140, 0};
static const uint32_t maxwell_2[] = {0xb1c0, 0xb0b5, 0xb197, 0xb06f, 0xa140, 0};
static const uint32_t pascal_a[] = {0xc0c0, 0xc0b5, 0xc097, 0xc06f, 0xa140, 0};
static const uint32_t pascal_b[] = {0xc1c0, 0xc0b5, 0xc197, 0xc06f, 0xa140, 0};
static const uint32_t volta[] = {0xc3c0, 0xc3b5, 0xc397, 0xc36f, 0xc361, 0xa140, 0};
static const uint32_t turing[] = {0xc5c0, 0xc5b5, 0xc597, 0xc46f, 0xc461,
                                  0xc36f, 0xc361, 0xa140, 0};
static const uint32_t ampere_a[] = {0xc6c0, 0xc6b5, 0xc697, 0xc56f, 0xc561, 0xc46f, 0xc461,
                                    0xc36f, 0xc361, 0xa140, 0xcb33, 0xc637, 0xc638, 0};
static const uint32_t ampere_b[] = {0xc7c0, 0xc7b5, 0xc797, 0xc56f, 0xc561, 0xc46f,
                                    0xc461, 0xc36f, 0xc361, 0xa140, 0xcb33, 0};
static const uint32_t ada[] = {0xc9c0, 0xc7b5, 0xc997, 0xc56f, 0xc561, 0xc46f,
                               0xc461, 0xc36f, 0xc361, 0xa140, 0xcb33, 0};
static const uint32_t hopper[] = {0xcbc0, 0xc8b5, 0xcb97, 0xc86f, 0xc661, 0xcba2,
                                  0xc56f, 0xc561, 0xc46f, 0xc461, 0xc36f, 0xc361,
                                  0xa140, 0xcb33, 0xc637, 0xc638, 0};
static const uint32_t blackwell_a[] = {0xcdc0, 0xc9b5, 0xcd97, 0xc96f, 0xc761, 0xcd40, 0xc86f,
                                       0xcba2, 0xc661, 0xc56f, 0xc561, 0xc46f, 0xc461, 0xc36f,
                                       0xc361, 0xcb33, 0xc637, 0xc638, 0};
static const uint32_t blackwell_b[] = {0xcec0, 0xcab5, 0xce97, 0xca6f, 0xc96f, 0xc761, 0xcd40,
                                       0xc86f, 0xcba2, 0xc661, 0xc56f, 0xc561, 0xc46f, 0xc461,
                                       0xc36f, 0xc361, 0xcb33, 0xc637, 0xc638, 0};

const uint32_t ph_common_classes[] = {
    0x0002, 0x0004, 0x0005, 0x003e, 0x003f, 0x0040, 0x0070, 0x0071, 0x0079, 0x0080,
    0x00c2, 0x00de, 0x00e0, 0x00f3, 0x00f8, 0x2080, 0x2081, 0x2082, 0x503b, 0x503c,
    0x50a0, 0x83de, 0x900e, 0x9067, 0x906f, 0x90cc, 0x90cd, 0x90ce, 0x90e6, 0x90e7,
    0x90f1, 0xa06c, 0xb0cc, 0xb1cc, 0xb2cc, 0xc076, 0xc574,
};
const size_t ph_n_common_classes = PH_COUNT(ph_common_classes);

const struct ph_chip ph_chips[] = {
    {50, 0x110, 7, 0x500, 0x1380, "NVIDIA GeForce GTX 750 Ti", 2, maxwell_1},
    {52, 0x120, 4, 0x502, 0x13c0, "NVIDIA GeForce GTX 980", 4, maxwell_2},
    {60, 0x130, 0, 0x600, 0x15f8, "Tesla P100-PCIE-16GB", 16, pascal_a},
    {61, 0x130, 2, 0x601, 0x1b06, "NVIDIA GeForce GTX 1080 Ti", 11, pascal_b},
    {70, 0x140, 0, 0x700, 0x1db4, "Tesla V100-PCIE-16GB", 16, volta},
    {75, 0x160, 2, 0x705, 0x1e04, "NVIDIA GeForce RTX 2080 Ti", 11, turing},
    {80, 0x170, 0, 0x800, 0x20b0, "NVIDIA A100-SXM4-40GB", 40, ampere_a},
    {86, 0x170, 2, 0x806, 0x2204, "NVIDIA GeForce RTX 3090", 24, ampere_b},
    {89, 0x190, 2, 0x809, 0x2684, "NVIDIA GeForce RTX 4090", 24, ada},
    {90, 0x180, 0, 0x900, 0x2330, "NVIDIA H100 80GB HBM3", 80, hopper},
    {100, 0x1a0, 0, 0xa00, 0x2901, "NVIDIA B200", 180, blackwell_a},
    {103, 0x1a0, 3, 0xa03, 0x3182, "NVIDIA B300", 270, blackwell_a},
    {120, 0x1b0, 2, 0xc00, 0x2b85, "NVIDIA GeForce RTX 5090", 32, blackwell_b},
    {121, 0x1b0, 11, 0xc01, 0x2e12, "NVIDIA GB10", 119, blackwell_b},
};
const size_t ph_n_chips = PH_COUNT(ph_chips);

static const struct ph_class classes[] = {
    {0x0000, PH_CLASS_OTHER, "client"},
    {0x0001, PH_CLASS_OTHER, "client"},
    {0x0002, PH_CLASS_OTHER, "DMA context"},
    {0x0005, PH_CLASS_OTHER, "event"},
    {0x003e, PH_CLASS_MEMORY, "system memory"},
    {0x003f, PH_CLASS_MEMORY, "privileged local memory"},
    {0x0040, PH_CLASS_MEMORY, "local memory"},
    {0x0041, PH_CLASS_OTHER, "client"},
    {0x0070, PH_CLASS_VIRTUAL, "virtual memory"},
    {0x0071, PH_CLASS_MEMORY, "the program's own memory"},
    {0x0079, PH_CLASS_OTHER, "event"},
    {0x0080, PH_CLASS_OTHER, "device"},
    {0x00de, PH_CLASS_OTHER, "shared data"},
    {0x2080, PH_CLASS_OTHER, "subdevice"},
    {0x2081, PH_CLASS_OTHER, "binary interface"},
    {0x2082, PH_CLASS_OTHER, "binary interface"},
    {0x50a0, PH_CLASS_VIRTUAL, "virtual memory"},
    {0x503b, PH_CLASS_OTHER, "peer to peer"},
    {0x83de, PH_CLASS_OTHER, "debugger"},
    {0x9067, PH_CLASS_OTHER, "context share"},
    {0x90cd, PH_CLASS_OTHER, "event buffer"},
    {0x90e6, PH_CLASS_OTHER, "subdevice master"},
    {0x90e7, PH_CLASS_OTHER, "subdevice inforom"},
    {0x90f1, PH_CLASS_OTHER, "address space"},
    {0xa06c, PH_CLASS_OTHER, "channel group"},
    {0xa140, PH_CLASS_OTHER, "inline to memory"},
    {0xcd40, PH_CLASS_OTHER, "inline to memory"},
    {0xb06f, PH_CLASS_CHANNEL, "channel of Maxwell"},
    {0xc06f, PH_CLASS_CHANNEL, "channel of Pascal"},
    {0xc36f, PH_CLASS_CHANNEL, "channel of Volta"},
    {0xc46f, PH_CLASS_CHANNEL, "channel of Turing"},
    {0xc56f, PH_CLASS_CHANNEL, "channel of Ampere"},
    {0xc86f, PH_CLASS_CHANNEL, "channel of Hopper"},
    {0xc96f, PH_CLASS_CHANNEL, "channel of Blackwell"},
    {0xca6f, PH_CLASS_CHANNEL, "channel of Blackwell"},
    {0xc361, PH_CLASS_USERMODE, "doorbell of Volta"},
    {0xc461, PH_CLASS_USERMODE, "doorbell of Turing"},
    {0xc561, PH_CLASS_USERMODE, "doorbell of Ampere"},
    {0xc661, PH_CLASS_USERMODE, "doorbell of Hopper"},
    {0xc761, PH_CLASS_USERMODE, "doorbell of Blackwell"},
    {0xc076, PH_CLASS_OTHER, "UVM software"},
    {0xc574, PH_CLASS_OTHER, "UVM channel retainer"},
    {PH_GPU_INSTANCE, PH_CLASS_OTHER, "subscription to a GPU instance"},
    {PH_COMPUTE_INSTANCE, PH_CLASS_OTHER, "subscription to a compute instance"},
    {0xcb33, PH_CLASS_OTHER, "confidential compute"},
    {0xcba2, PH_CLASS_OTHER, "secure work launch"},
};

/* Compute, copy and 3D engines: the generation is in the high byte. */
static const struct ph_class *engine(uint32_t number)
{
    static const struct ph_class engines[] = {
        {0xc0, PH_CLASS_OTHER, "compute engine"},
        {0xb5, PH_CLASS_OTHER, "copy engine"},
        {0x97, PH_CLASS_OTHER, "3D engine"},
    };

    for (size_t i = 0; number >= 0xb000 && number < 0xd000 && i < PH_COUNT(engines); i++)
        if ((number & 0xff) == engines[i].number)
            return &engines[i];
    return NULL;
}

const struct ph_class *ph_class(uint32_t number)
{
    for (size_t i = 0; i < PH_COUNT(classes); i++)
        if (classes[i].number == number)
            return &classes[i];
    return engine(number);
}

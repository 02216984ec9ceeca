/* The ioctls of /dev/nvidia-uvm: one row each, with the place of the status word in the
 * argument. */
#include "phantom/abi.h"
#include "phantom/phantom.h"

#include <errno.h>
#include <string.h>

enum { BRANCH_OF_MANY_GPUS = 545 };

/* The number of GPU slots, and the bytes of attributes of each, by first branch. */
static size_t attributes_size(void)
{
    static const struct {
        int branch;
        size_t size;
    } rows[] = {{BRANCH_OF_MANY_GPUS, 256 * 36}, {450, 32 * 36}, {418, 32 * 32}, {0, 32 * 24}};
    size_t i = 0;

    while (ph_branch() < rows[i].branch)
        i++;
    return rows[i].size;
}

static void *after_attributes(void *arg, size_t head)
{
    return (char *)arg + head + attributes_size();
}

static void map_external(void *arg)
{
    const struct uvm_map_head *head = arg;
    struct uvm_map_tail *tail = after_attributes(arg, sizeof *head);
    const struct ph_object *o = ph_object_find(tail->client, tail->memory);

    if (o && o->memory)
        ph_space_map(head->base, head->length, o->memory, head->offset);
    else
        ph_log("uvm: a mapping of memory %x, which is not there", tail->memory);
    tail->status = o ? RM_OK : RM_INVALID_OBJECT;
}

static void semaphore_pool(void *arg)
{
    char *tail = after_attributes(arg, sizeof(struct uvm_range));

    memset(tail + 8, 0, 4);
}

static void forget_range(void *arg)
{
    const struct uvm_range *range = arg;

    ph_space_unmap(range->base, range->length);
}

static void range_group(void *arg)
{
    static uint64_t next = 1;

    memcpy(arg, &next, sizeof next);
    next++;
}

static void yes(void *arg)
{
    uint32_t one = 1;

    memcpy(arg, &one, sizeof one);
}

static void no_pageable(void *arg) { memset(arg, 0, 1); }

static void no_pageable_on_gpu(void *arg) { memset((char *)arg + 16, 0, 1); }

static void no_numa(void *arg)
{
    int32_t none = -1;

    memset((char *)arg + 16, 0, 1);
    memcpy((char *)arg + 20, &none, sizeof none);
}

/* status 0: the row writes it, or there is none. late: another position from 545 on. */
static const struct row {
    unsigned long request;
    unsigned status, late;
    void (*answer)(void *arg);
} rows[] = {
    {0x30000001, 8, 0, NULL}, /* UVM_INITIALIZE */
    {0x30000002, 0, 0, NULL}, /* UVM_DEINITIALIZE */
    {23, 8, 0, range_group},
    {24, 8, 0, NULL},  /* destroy a range group */
    {25, 28, 0, NULL}, /* register an address space */
    {26, 16, 0, NULL},
    {27, 48, 0, NULL}, /* register a channel */
    {28, 24, 0, NULL},
    {29, 32, 0, NULL}, /* enable peer access */
    {30, 32, 0, NULL},
    {31, 24, 0, NULL}, /* set the range group */
    {33, 0, 0, map_external},
    {34, 16, 0, forget_range},
    {37, 36, 0, no_numa}, /* register a GPU */
    {38, 16, 0, NULL},
    {39, 4, 0, no_pageable},
    {42, 32, 36, NULL}, /* set the preferred location */
    {43, 16, 0, NULL},
    {44, 16, 0, NULL}, /* read duplication */
    {45, 16, 0, NULL},
    {46, 32, 0, NULL}, /* accessed by */
    {47, 32, 0, NULL},
    {51, 72, 0, NULL}, /* migrate: does nothing */
    {54, 16, 0, NULL}, /* system-wide atomics */
    {55, 16, 0, NULL},
    {65, 32, 0, NULL}, /* dynamic parallelism region */
    {66, 32, 0, forget_range},
    {68, 0, 0, semaphore_pool},
    {70, 20, 0, no_pageable_on_gpu},
    {72, 16, 0, NULL}, /* validate a range */
    {73, 16, 0, NULL}, /* create an external range */
    {75, 4, 0, NULL},  /* UVM_MM_INITIALIZE */
    {2047, 4, 0, yes}, /* UVM_IS_8_SUPPORTED, asked by 390 and 418 */
};

int ph_uvm_ioctl(unsigned long request, void *arg)
{
    for (size_t i = 0; i < PH_COUNT(rows); i++) {
        const struct row *row = &rows[i];
        unsigned status = row->late && ph_branch() >= BRANCH_OF_MANY_GPUS ? row->late : row->status;

        if (row->request != request)
            continue;
        ph_log("uvm %lu", request);
        if (row->answer)
            row->answer(arg);
        if (status)
            memset((char *)arg + status, 0, 4);
        return 0;
    }
    ph_unknown("the ioctl", request, "of /dev/nvidia-uvm");
    return -EINVAL;
}

/* MIG: a GPU cut into GPU instances, each with one compute instance, number 0. A program finds them
 * by control commands, may use those whose capability it can open (a file of /proc names the
 * device), and subscribes with two objects. */
#include "phantom/abi.h"
#include "phantom/params.h"

#include <stdlib.h>

enum {
    FIRST_INSTANCE = 7, /* the first seven numbers are those of larger instances */
    FIRST_CAPABILITY = 3,
    CAPABILITIES_OF_GPU = 32
};

static const struct size {
    unsigned gpcs;
    uint32_t flag; /* NV2080_CTRL_GPU_PARTITION_FLAG_COMPUTE_SIZE */
} sizes[] = {{1, 5}, {2, 3}, {3, 2}, {4, 1}, {7, 0}};

static const struct size *size_row(unsigned gpcs)
{
    for (size_t i = 0; i < PH_COUNT(sizes); i++)
        if (sizes[i].gpcs == gpcs)
            return &sizes[i];
    return NULL;
}

/* Whether the GPU can be cut, and has room for one more instance. */
static bool fits_slice(const struct ph_gpu *gpu, unsigned gpcs, uint64_t memory)
{
    const uint32_t *cls = gpu->chip->classes;

    while (*cls && *cls != PH_GPU_INSTANCE)
        cls++;
    for (size_t i = 0; i < gpu->n_slices; i++) {
        gpcs += gpu->slices[i].gpcs;
        memory += gpu->slices[i].memory;
    }
    return *cls && gpcs <= GPCS && memory <= gpu->memory;
}

/* Reads a number and the text behind it. NULL: it is something else. */
static const char *number_before(const char *at, const char *after, unsigned *number)
{
    char *end = NULL;
    unsigned long value;

    if (*at < '0' || *at > '9')
        return NULL;
    value = strtoul(at, &end, 10);
    *number = (unsigned)value;
    return value <= UINT16_MAX && strncmp(end, after, strlen(after)) == 0 ? end + strlen(after)
                                                                          : NULL;
}

bool ph_slice_add(struct ph_gpu *gpu, const char *profile, size_t n)
{
    struct ph_slice s = {.instance = FIRST_INSTANCE + (unsigned)gpu->n_slices};
    unsigned gib = 0;
    const char *end = number_before(profile, "g.", &s.gpcs);

    end = end ? number_before(end, "gb", &gib) : NULL;
    if (end != profile + n || gib == 0)
        return false;
    s.memory = (uint64_t)gib << 30;
    if (!size_row(s.gpcs) || !fits_slice(gpu, s.gpcs, s.memory))
        return false;
    memcpy(s.uuid, gpu->uuid, sizeof s.uuid);
    s.uuid[14] = (uint8_t)s.instance;
    gpu->slices[gpu->n_slices++] = s;
    return true;
}

const struct ph_slice *ph_slice_find(const struct ph_gpu *gpu, uint32_t instance)
{
    for (size_t i = 0; i < gpu->n_slices; i++)
        if (gpu->slices[i].instance == instance)
            return &gpu->slices[i];
    return NULL;
}

/* Each GPU instance has a capability, and its compute instance the next. */
int ph_capability_of(const char *path)
{
    static const char stem[] = "/proc/driver/nvidia/capabilities/gpu";
    const char *at = strncmp(path, stem, sizeof stem - 1) == 0 ? path + sizeof stem - 1 : NULL;
    unsigned gpu, instance, first;

    at = at ? number_before(at, "/mig/gi", &gpu) : NULL;
    at = at ? number_before(at, "/", &instance) : NULL;
    if (!at || gpu >= ph_options()->n_gpus || !ph_slice_find(&ph_options()->gpus[gpu], instance))
        return -1;
    first = FIRST_CAPABILITY + gpu * CAPABILITIES_OF_GPU + instance * 2;
    if (strcmp(at, "access") == 0)
        return (int)first;
    return strcmp(at, "ci0/access") == 0 ? (int)first + 1 : -1;
}

bool ph_capability_known(unsigned long number)
{
    unsigned long of_gpu = number - FIRST_CAPABILITY;

    return number >= FIRST_CAPABILITY && of_gpu / CAPABILITIES_OF_GPU < ph_options()->n_gpus
           && ph_slice_find(&ph_options()->gpus[of_gpu / CAPABILITIES_OF_GPU],
                            (uint32_t)(of_gpu % CAPABILITIES_OF_GPU / 2));
}

/* Nine numbers, then how many there are. */
uint32_t ph_mig_numbers(const struct ph_call *c)
{
    for (size_t i = 0; i < c->gpu->n_slices; i++)
        put32(c, i * 4, c->gpu->slices[i].instance);
    put32(c, 36, (uint32_t)c->gpu->n_slices);
    return RM_OK;
}

/* Eight of NV2080_CTRL_GPU_GET_PARTITION_INFO, and how many there are: words, some lists of eight
 * words about its engines, memory, place, whether it is valid. */
uint32_t ph_mig_instance(const struct ph_call *c)
{
    static const struct {
        size_t bytes, words, lists;
    } forms[] = {{232, 13, 4}, {224, 13, 4}, {144, 11, 2}}; /* from 550, 525 and 450 on */
    const struct ph_slice *s = c->slice;
    size_t i = 0, at;

    while (i < PH_COUNT(forms) && c->n != forms[i].bytes * 8 + 8)
        i++;
    if (!s || i == PH_COUNT(forms))
        return RM_NOT_SUPPORTED;
    memset(c->params, 0, c->n);
    put32(c, 0, s->instance);
    put32(c, 4, size_row(s->gpcs)->flag << 2);
    put32(c, 8, s->gpcs);               /* graphics engines */
    put32(c, 12, 8 * s->gpcs);          /* contexts */
    put32(c, 16, s->gpcs * SMS_OF_GPC); /* SMs */
    put32(c, 20, 1);                    /* copy engines */
    put32(c, 40, s->gpcs);
    if (forms[i].words > 11)
        put32(c, 44, s->gpcs); /* as programs number them */
    at = forms[i].words * 4;
    put32(c, at, s->gpcs); /* GPCs of each graphics engine */
    at += forms[i].lists * 32;
    put32(c, at - 32, 8 * s->gpcs); /* contexts of each */
    at = (at + 7) / 8 * 8;
    put64(c, at, s->memory);
    put64(c, at + 16, s->gpcs - 1); /* the place: the first, and the last */
    c->params[at + 24] = 1;
    put32(c, forms[i].bytes * 8, 1);
    return RM_OK;
}

/* How many, eight numbers, and eight of NVC637_CTRL_EXEC_PARTITIONS_INFO: GPCs, from 525 on those
 * for graphics, contexts. */
uint32_t ph_mig_compute(const struct ph_call *c)
{
    bool old = c->n < 452;

    if (!c->slice)
        return RM_NOT_SUPPORTED;
    memset(c->params, 0, c->n);
    put32(c, 0, 1);
    put32(c, 36, c->slice->gpcs);
    put32(c, old ? 40 : 44, 8 * c->slice->gpcs);
    if (!old) {
        put32(c, 76, c->slice->gpcs * SMS_OF_GPC);
        put32(c, 84, size_row(c->slice->gpcs)->flag);
    }
    return RM_OK;
}

/* How many, eight numbers, and from 470 on their UUIDs as text. */
uint32_t ph_mig_active(const struct ph_call *c)
{
    char text[41];

    if (!c->slice)
        return RM_NOT_SUPPORTED;
    ph_uuid_text("MIG", c->slice->uuid, text);
    memset(c->params, 0, c->n);
    put32(c, 0, 1);
    memcpy(c->params + 36, text, sizeof text);
    return RM_OK;
}

/* How many, and for each its size, GPCs for graphics, GPCs, contexts, SMs. */
uint32_t ph_mig_profiles(const struct ph_call *c)
{
    memset(c->params, 0, c->n);
    put32(c, 0, PH_COUNT(sizes));
    for (size_t i = 0; i < PH_COUNT(sizes); i++) {
        put32(c, 4 + i * 20, sizes[i].flag);
        put32(c, 12 + i * 20, sizes[i].gpcs);
        put32(c, 16 + i * 20, 8 * sizes[i].gpcs);
        put32(c, 20 + i * 20, sizes[i].gpcs * SMS_OF_GPC);
    }
    return RM_OK;
}

/* Sixteen bytes, then the same as text. */
uint32_t ph_mig_uuid(const struct ph_call *c)
{
    char text[41];

    if (!c->slice)
        return RM_NOT_SUPPORTED;
    ph_uuid_text("MIG", c->slice->uuid, text);
    memcpy(c->params, c->slice->uuid, sizeof c->slice->uuid);
    memcpy(c->params + 16, text, sizeof text);
    return RM_OK;
}

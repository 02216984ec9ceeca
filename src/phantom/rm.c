/* The ioctls of /dev/nvidiactl and /dev/nvidiaN: one row each. */
#include "phantom/abi.h"
#include "phantom/phantom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PARAMS = 1 << 20,
    BEYOND = 1 << 16,
    LAST_OLD = 450 /* branches with the older forms of abi.h */
};

pthread_mutex_t ph_lock = PTHREAD_MUTEX_INITIALIZER;

struct request {
    int fd;
    unsigned size;
    void *arg;
};

int ph_branch(void) { return (int)strtol(ph_version(), NULL, 10); }

static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }

/* Another driver version than the emulated one fails with error 803, as on a real machine. */
static int check_version(const struct request *r)
{
    struct esc_version *v = r->arg;
    const char *played = ph_version();

    v->reply = strncmp(v->text, played, sizeof v->text) == 0;
    ph_log("libcuda %.63s, phantom %s: %s", v->text, played, v->reply ? "they fit" : "refused");
    if (!v->reply) {
        memset(v->text, 0, sizeof v->text);
        (void)memcpy(v->text, played, strlen(played));
        return -EINVAL;
    }
    return 0;
}

static void put_card(void *to, const struct ph_gpu *gpu)
{
    struct esc_card card = {.valid = 1,
                            .bus = (uint8_t)ph_gpu_bus(gpu),
                            .vendor = 0x10de,
                            .device = gpu->chip->device,
                            .gpu_id = ph_gpu_id(gpu),
                            .interrupt = 16,
                            .registers = 0xf6000000u - 0x1000000u * gpu->index,
                            .registers_size = 16 << 20,
                            .fb = 0xe0000000u - 0x10000000u * gpu->index,
                            .fb_size = 256 << 20,
                            .minor = gpu->index};
    struct esc_card_450 old = {
        .valid = 1, .bus = card.bus, .vendor = card.vendor, .device = card.device};

    if (ph_branch() > LAST_OLD) {
        memcpy(to, &card, sizeof card);
        return;
    }
    memcpy(&old.gpu_id, &card.gpu_id,
           offsetof(struct esc_card, registers) - offsetof(struct esc_card, gpu_id));
    memcpy(&old.registers, &card.registers, sizeof card - offsetof(struct esc_card, registers));
    memcpy(to, &old, sizeof old);
}

static int card_info(const struct request *r)
{
    const struct ph_options *o = ph_options();
    size_t each = ph_branch() > LAST_OLD ? sizeof(struct esc_card) : sizeof(struct esc_card_450);

    memset(r->arg, 0, r->size);
    for (size_t i = 0; i < o->n_gpus && i < r->size / each; i++)
        put_card((char *)r->arg + i * each, &o->gpus[i]);
    return 0;
}

static int sys_params(const struct request *r)
{
    uint64_t block = 128 << 20;

    memcpy(r->arg, &block, sizeof block);
    return 0;
}

/* Node -1: the GPU's memory is not a NUMA node. */
static int numa_info(const struct request *r)
{
    int32_t none = -1;

    memset(r->arg, 0, r->size);
    memcpy(r->arg, &none, sizeof none);
    return 0;
}

/* Commands that only return status 0, and those that return nothing. */
static int fine_last(const struct request *r)
{
    if (r->size >= 4)
        memset((char *)r->arg + r->size - 4, 0, 4);
    return 0;
}

static int fine(const struct request *r)
{
    (void)r;
    return 0;
}

static int fine_all(const struct request *r)
{
    memset(r->arg, 0, r->size);
    return 0;
}

static int free_object(const struct request *r)
{
    struct rm_free *f = r->arg;

    ph_object_free(f->client, f->object);
    f->status = RM_OK;
    return 0;
}

static uint32_t memory_of(struct ph_object *o, struct rm_memory_params *p)
{
    if (!p)
        return RM_OK;
    p->limit = p->size - 1;
    return ph_object_back(o, p->size) ? RM_OK : RM_NO_MEMORY;
}

/* NVC637_ALLOCATION_PARAMETERS: a descriptor of /dev/nvidia-caps, and the number of the
 * instance. */
static uint32_t subscribe(struct ph_object *o, const void *params)
{
    uint32_t instance;

    if (!params || !o->gpu)
        return RM_INVALID_OBJECT;
    memcpy(&instance, (const char *)params + 8, sizeof instance);
    o->slice = ph_slice_find(o->gpu, instance);
    ph_log("subscribe to GPU instance %x: %s", instance, o->slice ? "done" : "there is none");
    return o->slice ? RM_OK : RM_INVALID_OBJECT;
}

static uint32_t begin_object(struct ph_object *o, const struct ph_class *cls, void *params,
                             uint32_t n)
{
    if (cls->kind == PH_CLASS_MEMORY)
        return memory_of(o, n >= sizeof(struct rm_memory_params) || n == 0 ? params : NULL);
    if (o->client == o->handle && params) /* 390 and 418 look for a new client's handle there */
        memcpy(params, &o->handle, sizeof o->handle);
    if (cls->kind == PH_CLASS_CHANNEL)
        return params && ph_channel_add(o, params) ? RM_OK : RM_NO_MEMORY;
    if (o->cls == 0x0080 && params) {
        uint32_t instance;

        memcpy(&instance, params, sizeof instance);
        if (instance >= ph_options()->n_gpus)
            return RM_INVALID_OBJECT;
        o->gpu = &ph_options()->gpus[instance];
    }
    return o->cls == PH_GPU_INSTANCE ? subscribe(o, params) : RM_OK;
}

static uint32_t make_object(struct rm_alloc *a, uint32_t n)
{
    const struct ph_class *cls = ph_class(a->cls);
    struct ph_object *o;
    uint32_t status;

    ph_log("make %04x (%s) below %x", a->cls, cls ? cls->name : "unknown", a->parent);
    if (!cls) {
        ph_unknown("an object of class", a->cls, NULL);
        return RM_INVALID_CLASS;
    }
    o = ph_object_add(a->client, a->parent, &a->object, a->cls);
    if (!o)
        return RM_NO_MEMORY;
    status = begin_object(o, cls, pointer(a->params), n);
    if (status != RM_OK)
        ph_object_free(o->client, o->handle);
    return status;
}

static int alloc(const struct request *r)
{
    struct rm_alloc *a = r->arg;

    if (r->size == 48)
        a->large.status = make_object(a, a->large.params_size);
    else
        a->small.status = make_object(a, a->small.params_size);
    return 0;
}

/* Results go into a copy with extra room, so that rows need not check a branch's struct size. */
static int control(const struct request *r)
{
    static unsigned char params[MAX_PARAMS + BEYOND];
    struct rm_control *c = r->arg;
    const struct ph_object *o = ph_object_find(c->client, c->object);
    struct ph_call call = {
        .client = c->client, .cmd = c->cmd, .object = o, .params = params, .n = c->params_size};

    if (c->params_size > MAX_PARAMS)
        return -EINVAL;
    call.gpu = o && o->gpu ? o->gpu : &ph_options()->gpus[0];
    call.slice = ph_object_slice(c->client, call.gpu);
    memset(params, 0, c->params_size + (size_t)BEYOND);
    if (c->params && call.n)
        memcpy(params, pointer(c->params), call.n);
    c->status = ph_control(&call);
    if (c->params && call.n)
        memcpy(pointer(c->params), params, call.n);
    ph_log("control %08x, %u bytes: status %x", c->cmd, c->params_size, c->status);
    return 0;
}

static int duplicate(const struct request *r)
{
    struct rm_dup *d = r->arg;
    const struct ph_object *from = ph_object_find(d->from_client, d->from_object);
    struct ph_object *o = from ? ph_object_add(d->client, d->parent, &d->object, from->cls) : NULL;

    d->status = o ? RM_OK : RM_INVALID_OBJECT;
    from = o ? ph_object_find(d->from_client, d->from_object) : NULL;
    if (o && from && from->memory)
        o->memory = ph_memory_keep(from->memory);
    return 0;
}

static bool programs_own(struct ph_object *o, const struct rm_alloc_memory *a)
{
    o->memory = calloc(1, sizeof *o->memory);
    if (!o->memory)
        return false;
    *o->memory =
        (struct ph_memory){.users = 1, .fd = -1, .size = a->limit + 1, .map = pointer(a->memory)};
    return true;
}

static int alloc_memory(const struct request *r)
{
    struct rm_alloc_memory *a = r->arg;
    struct ph_object *o = ph_object_add(a->client, a->parent, &a->object, a->cls);
    bool ok = o && (a->cls == 0x0071 ? programs_own(o, a) : ph_object_back(o, a->limit + 1));

    a->status = ok ? RM_OK : RM_NO_MEMORY;
    return 0;
}

/* Bits 25 and 26 of the attributes: 0 is the GPU's memory, else the machine's. */
static int vid_heap(const struct request *r)
{
    struct rm_vid_heap *v = r->arg;
    struct rm_vid_heap_size *s = (void *)((char *)(v + 1) + (ph_branch() > LAST_OLD ? 0 : 8));
    bool is_virtual = v->alloc_flags & VID_HEAP_VIRTUAL;
    uint32_t cls = is_virtual ? 0x0070 : (s->attr >> 25 & 3) == 0 ? 0x0040 : 0x003e;
    struct ph_object *o = ph_object_find(v->client, v->parent);
    const struct ph_gpu *gpu = o && o->gpu ? o->gpu : &ph_options()->gpus[0];
    const struct ph_slice *slice = ph_object_slice(v->client, gpu);

    v->total = slice ? slice->memory : gpu->memory;
    v->free = v->total - (v->total >> 6);
    v->status = RM_OK;
    if (v->function == VID_HEAP_INFO)
        return 0;
    if (v->function != VID_HEAP_ALLOC_SIZE) {
        ph_unknown("the heap function", v->function, NULL);
        v->status = RM_NOT_SUPPORTED;
        return 0;
    }
    o = ph_object_add(v->client, v->parent, &v->memory, cls);
    v->status = o && (is_virtual || ph_object_back(o, s->size)) ? RM_OK : RM_NO_MEMORY;
    s->limit = s->size - 1;
    return 0;
}

static int map_memory(const struct request *r)
{
    struct rm_map_memory *m = r->arg;
    const struct ph_object *o = ph_object_find(m->client, m->memory);

    ph_log("map %x, %llx bytes at %llx, flags %x%s", m->memory, (unsigned long long)m->length,
           (unsigned long long)m->offset, m->flags, o ? "" : ": it is not there");
    ph_fd_aim(m->fd, o ? o->memory : NULL, m->offset);
    m->address = o && o->is_channel ? ph_channel_userd(ph_channel_token(o)) : m->offset & 4095;
    m->status = RM_OK;
    return 0;
}

/* Bit 15 of the flags: at the address that the program chose. */
static uint64_t place_virtual(uint64_t wanted, uint32_t flags, uint64_t length)
{
    static uint64_t next = 0x700000000000u;
    uint64_t at = next;

    if (flags >> 15 & 1 || wanted)
        return wanted;
    next += (length + 0x1fffff) & ~(uint64_t)0x1fffff;
    return at;
}

static int map_dma(const struct request *r)
{
    struct rm_map_dma *m = r->arg;
    struct rm_map_dma_560 *late = r->arg;
    bool is_late = r->size >= sizeof *late;
    uint64_t *address = is_late ? &late->address : &m->address;
    const struct ph_object *o = ph_object_find(m->client, m->memory);

    *address = place_virtual(*address, m->flags, m->length);
    if (o && o->memory)
        ph_space_map(*address, m->length, o->memory, m->offset);
    *(is_late ? &late->status : &m->status) = RM_OK;
    return 0;
}

/* Both forms have the address at 24 and the status at the end. */
static int unmap_dma(const struct request *r)
{
    uint64_t address;

    memcpy(&address, (const char *)r->arg + 24, sizeof address);
    ph_space_unmap(address, 0);
    memset((char *)r->arg + (r->size >= 48 ? 40 : 32), 0, 4);
    return 0;
}

static int zero_at_24(const struct request *r)
{
    memset((char *)r->arg + 24, 0, 4);
    return 0;
}

static int zero_at_32(const struct request *r)
{
    memset((char *)r->arg + 32, 0, 4);
    return 0;
}

static const struct row {
    unsigned nr, least;
    int (*answer)(const struct request *r);
} rows[] = {
    {ESC_RM_ALLOC_MEMORY, sizeof(struct rm_alloc_memory), alloc_memory},
    {ESC_RM_FREE, sizeof(struct rm_free), free_object},
    {ESC_RM_CONTROL, sizeof(struct rm_control), control},
    {ESC_RM_ALLOC, 32, alloc},
    {ESC_RM_DUP_OBJECT, sizeof(struct rm_dup), duplicate},
    {ESC_RM_SHARE, 4, fine_last},
    {ESC_RM_VID_HEAP_CONTROL, sizeof(struct rm_vid_heap) + sizeof(struct rm_vid_heap_size),
     vid_heap},
    {ESC_RM_MAP_MEMORY, sizeof(struct rm_map_memory), map_memory},
    {ESC_RM_UNMAP_MEMORY, 28, zero_at_24},
    {ESC_RM_MAP_MEMORY_DMA, 56, map_dma},
    {ESC_RM_UNMAP_MEMORY_DMA, 40, unmap_dma},
    {ESC_RM_UPDATE_DEVICE_MAPPING_INFO, 36, zero_at_32},
    {ESC_CARD_INFO, sizeof(struct esc_card), card_info},
    {ESC_REGISTER_FD, 0, fine},
    {ESC_202, 0, fine},
    {ESC_ALLOC_OS_EVENT, 4, fine_last},
    {ESC_FREE_OS_EVENT, 4, fine_last},
    {ESC_STATUS_CODE, 4, fine_last},
    {ESC_CHECK_VERSION_STR, sizeof(struct esc_version), check_version},
    {ESC_ATTACH_GPUS_TO_FD, 0, fine},
    {ESC_SYS_PARAMS, 8, sys_params},
    {ESC_NUMA_INFO, 4, numa_info},
    {ESC_WAIT_OPEN_COMPLETE, 0, fine_all},
};

int ph_rm_ioctl(int fd, unsigned nr, unsigned size, void *arg)
{
    struct request r = {.fd = fd, .size = size, .arg = arg};

    if (nr == ESC_IOCTL_XFER_CMD && size >= sizeof(struct esc_transfer)) {
        const struct esc_transfer *x = arg;

        nr = x->cmd;
        r.size = x->size;
        r.arg = pointer(x->data);
    }
    for (size_t i = 0; i < PH_COUNT(rows); i++)
        if (rows[i].nr == nr && r.size >= rows[i].least) {
            ph_log("ioctl %u, %u bytes, descriptor %d", nr, r.size, fd);
            return rows[i].answer(&r);
        }
    ph_unknown("the ioctl", nr, "of /dev/nvidiactl");
    return -EINVAL;
}

/*
 * RM control commands: one row each. The number's high half is the class that is asked (0000
 * client, 0080 device, 2080 subdevice, and so on). Numbers, names and layouts are the open modules'
 * (ctrl/ctrl*.h).
 */
#include "phantom/abi.h"
#include "phantom/params.h"

#include <stdio.h>

enum { OLD_LIST = 32 };

struct info {
    uint32_t index, value;
};

static void *pointer(uint64_t address) { return (void *)(uintptr_t)address; }

/* The GPCs that the program may use: a MIG instance has as many GPCs as its name says. */
static uint32_t gpcs_of(const struct ph_call *c) { return c->slice ? c->slice->gpcs : GPCS; }

static uint32_t zero(const struct ph_call *c)
{
    memset(c->params, 0, c->n);
    return RM_OK;
}

/* ---- 0000: the machine ---- */

static void text_at(uint64_t address, uint32_t room, const char *text)
{
    if (address && room)
        (void)snprintf(pointer(address), room, "%s", text);
}

static uint32_t build_version(const struct ph_call *c)
{
    uint32_t room = get32(c, 0);
    char branch[16];

    (void)snprintf(branch, sizeof branch, "r%d_00", ph_branch());
    text_at(get64(c, 8), room, ph_version());
    text_at(get64(c, 16), room, branch);
    text_at(get64(c, 24), room, branch);
    put32(c, 0, (uint32_t)strlen(ph_version()) + 1);
    put32(c, 32, 1);
    put32(c, 36, 1);
    return RM_OK;
}

static void put_ids(const struct ph_call *c, size_t n_words)
{
    const struct ph_options *o = ph_options();

    for (size_t i = 0; i < n_words; i++)
        put32(c, i * 4, i < o->n_gpus ? ph_gpu_id(&o->gpus[i]) : UINT32_MAX);
}

/* Ids, excluded ids; newer branches add flags. */
static uint32_t probed_ids(const struct ph_call *c)
{
    memset(c->params, 0, c->n);
    put_ids(c, 2 * OLD_LIST);
    return RM_OK;
}

static uint32_t attached_ids(const struct ph_call *c)
{
    put_ids(c, c->n / 4);
    return RM_OK;
}

/* NV0000_CTRL_GPU_ACTIVE_DEVICE: a GPU, and the numbers of a MIG instance. */
static uint32_t active_devices(const struct ph_call *c)
{
    const struct ph_options *o = ph_options();
    uint32_t n = 0;

    for (size_t i = 0; i < o->n_gpus; i++) {
        const struct ph_gpu *gpu = &o->gpus[i];

        for (size_t k = 0; k < gpu->n_slices || k == 0; k++, n++) {
            put32(c, 4 + n * 12, ph_gpu_id(gpu));
            put32(c, 8 + n * 12, gpu->n_slices ? gpu->slices[k].instance : UINT32_MAX);
            put32(c, 12 + n * 12, gpu->n_slices ? 0 : UINT32_MAX);
        }
    }
    put32(c, 0, n);
    return RM_OK;
}

static uint32_t id_info_from(const struct ph_call *c, size_t tail)
{
    const struct ph_gpu *gpu = ph_gpu_by_id(get32(c, 0));

    if (!gpu)
        return RM_INVALID_OBJECT;
    put32(c, 4, 0);
    put32(c, 8, gpu->index); /* device instance */
    put32(c, 12, 0);
    put32(c, tail, 0);
    put32(c, tail + 4, ph_gpu_id(gpu)); /* board */
    put32(c, tail + 8, gpu->index);
    put32(c, tail + 12, UINT32_MAX); /* no NUMA node */
    return RM_OK;
}

/* The older form has a pointer to a name in its middle. */
static uint32_t id_info(const struct ph_call *c) { return id_info_from(c, 24); }

static uint32_t id_info_v2(const struct ph_call *c) { return id_info_from(c, 16); }

static uint32_t pci_of_id(const struct ph_call *c)
{
    const struct ph_gpu *gpu = ph_gpu_by_id(get32(c, 0));

    if (!gpu)
        return RM_INVALID_OBJECT;
    put32(c, 4, 0);
    put16(c, 8, (uint16_t)ph_gpu_bus(gpu));
    put16(c, 10, 0);
    return RM_OK;
}

static uint32_t device_ids(const struct ph_call *c)
{
    put32(c, 0, (1u << ph_options()->n_gpus) - 1);
    return RM_OK;
}

/* flags 2: sixteen bytes, else text. */
static uint32_t put_uuid(const struct ph_call *c, const struct ph_gpu *gpu, uint32_t flags,
                         size_t at, size_t length_at)
{
    char text[41];

    if (!gpu)
        return RM_INVALID_OBJECT;
    if ((flags & 3) == 2) {
        memcpy(c->params + at, gpu->uuid, sizeof gpu->uuid);
        put32(c, length_at, sizeof gpu->uuid);
        return RM_OK;
    }
    ph_uuid_text("GPU", gpu->uuid, text);
    memcpy(c->params + at, text, sizeof text);
    put32(c, length_at, sizeof text);
    return RM_OK;
}

static uint32_t uuid_of_id(const struct ph_call *c)
{
    return put_uuid(c, ph_gpu_by_id(get32(c, 0)), get32(c, 4), 8, 264);
}

/* 1: the machine's memory, 2: the GPU's, 3: registers */
static uint32_t address_space(const struct ph_call *c)
{
    const struct ph_object *o = ph_object_find(c->client, get32(c, 0));
    const struct ph_class *cls = o ? ph_class(o->cls) : NULL;
    bool registers =
        o && ((cls && (cls->kind == PH_CLASS_USERMODE || o->is_channel)) || o->cls == 0x2080);

    put32(c, 8, o && o->cls == 0x0040 ? 2 : registers ? 3 : 1);
    return RM_OK;
}

/* Returns a fact about an object: 1 its parent, 2 its class. */
static uint32_t handle_info(const struct ph_call *c)
{
    const struct ph_object *o = ph_object_find(c->client, get32(c, 0));

    if (!o)
        return RM_INVALID_OBJECT;
    put64(c, 8, get32(c, 4) == 1 ? o->parent : o->cls);
    return RM_OK;
}

/* ---- 0080: the device ---- */

static size_t n_classes(const struct ph_gpu *gpu)
{
    size_t n = 0;

    while (gpu->chip->classes[n])
        n++;
    return n + ph_n_common_classes;
}

static uint32_t class_at(const struct ph_gpu *gpu, size_t i)
{
    return i < ph_n_common_classes ? ph_common_classes[i]
                                   : gpu->chip->classes[i - ph_n_common_classes];
}

static uint32_t class_list(const struct ph_call *c)
{
    size_t n = n_classes(c->gpu);
    size_t max = get32(c, 0);
    uint32_t *list = pointer(get64(c, 8));

    for (size_t i = 0; list && i < n && i < max; i++)
        list[i] = class_at(c->gpu, i);
    put32(c, 0, (uint32_t)n);
    return RM_OK;
}

static uint32_t class_list_v2(const struct ph_call *c)
{
    size_t n = n_classes(c->gpu);

    for (size_t i = 0; i < n && 8 + i * 4 <= c->n; i++)
        put32(c, 4 + i * 4, class_at(c->gpu, i));
    put32(c, 0, (uint32_t)n);
    return RM_OK;
}

static uint32_t one(const struct ph_call *c)
{
    put32(c, 0, 1);
    return RM_OK;
}

/* ---- lists of index and value ---- */

typedef uint32_t info_fn(const struct ph_call *c, uint32_t index);

static uint32_t find_info(const struct info *list, size_t n, uint32_t index)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].index == index)
            return list[i].value;
    return 0;
}

static uint32_t gr_value(const struct ph_call *c, uint32_t index)
{
    static const struct info list[] = {
        {0x03, 1},    {0x04, 1},  {0x08, 2},   {0x0a, 4},  {0x0b, 16384}, {0x0d, 48},   {0x0e, 32},
        {0x11, 64},   {0x12, 64}, {0x13, 128}, {0x15, 6},  {0x16, 4},     {0x17, TPCS}, {0x18, 6},
        {0x19, 1},    {0x1a, 1},  {0x1b, 12},  {0x1c, 3},  {0x1e, 2},     {0x1f, 1},    {0x20, 2},
        {0x21, 1},    {0x24, 1},  {0x25, 12},  {0x26, 48}, {0x27, 1},     {0x28, 2},    {0x29, 2},
        {0x2a, TPCS}, {0x2b, 2},  {0x2c, 64},  {0x2d, 64}, {0x2e, 64},    {0x32, 4},    {0x33, 1},
    };
    uint32_t gpcs = gpcs_of(c);

    switch (index) {
    case 0x06:
    case 0x07:
    case 0x14:
    case 0x36: return gpcs;
    case 0x09: return gpcs * TPCS;
    case 0x0c: return c->gpu->chip->sm_version;
    case 0x1d: return gpcs * SMS_OF_GPC * 128;
    case 0x22: return gpcs * SMS_OF_GPC;
    case 0x23: return gpcs * SMS_OF_GPC * 4;
    default: return find_info(list, PH_COUNT(list), index);
    }
}

/* Sizes are in KiB. */
static uint32_t fb_value(const struct ph_call *c, uint32_t index)
{
    static const struct info list[] = {
        {0x04, 12}, {0x05, 256 << 10}, {0x0b, 384},     {0x0d, 0x10},       {0x14, 0x3f},
        {0x19, 6},  {0x1a, 0x3f},      {0x1b, 6 << 20}, {0x1d, 250 << 10},  {0x1f, 250 << 10},
        {0x22, 12}, {0x23, 48},        {0x2b, 0xfff},   {0x3b, UINT32_MAX},
    };
    uint32_t kib = (uint32_t)((c->slice ? c->slice->memory : c->gpu->memory) >> 10);

    switch (index) {
    case 0x07:
    case 0x08: return kib;
    case 0x09:
    case 0x0a: return kib - (kib >> 6); /* memory that the driver reports to programs */
    case 0x12:
    case 0x16: return kib - (kib >> 5);
    case 0x20: return kib - (kib >> 7);
    default: return find_info(list, PH_COUNT(list), index);
    }
}

static uint32_t gpu_value(const struct ph_call *c, uint32_t index)
{
    static const struct info list[] = {{0x1f, 1}, {0x36, 1}, {0x37, 1}, {0x3d, 1}};

    index &= 0xffffff;
    if (index == 0x2a)
        return c->gpu->n_slices > 0;
    return index == 0x2c ? c->gpu->chip->sm_version : find_info(list, PH_COUNT(list), index);
}

static uint32_t bus_value(const struct ph_call *c, uint32_t index)
{
    static const struct info list[] = {{0x00, 3}, {0x03, 0x2104}, {0x07, 0x11040000}, {0x0f, 1},
                                       {0x13, 3}, {0x2d, 0x44},   {0x2e, 3}};

    (void)c;
    return find_info(list, PH_COUNT(list), index);
}

/* ---- 2080: the GPU ---- */

static uint32_t arch_info(const struct ph_call *c)
{
    put32(c, 0, c->gpu->chip->arch);
    put32(c, 4, c->gpu->chip->revision);
    put32(c, 8, 0xa1);
    put32(c, 12, 0);
    return RM_OK;
}

static uint32_t pci_info(const struct ph_call *c)
{
    put32(c, 0, (uint32_t)c->gpu->chip->device << 16 | 0x10de);
    put32(c, 4, 0x147d10de);
    put32(c, 8, 0xa1);
    put32(c, 12, c->gpu->chip->device);
    return RM_OK;
}

static uint32_t bar_info(const struct ph_call *c)
{
    static const struct {
        uint32_t mib;
        uint64_t at;
    } bars[] = {{16, 0xf6000000}, {256, 0xe0000000}, {32, 0xf0000000}};

    memset(c->params, 0, c->n);
    put32(c, 0, PH_COUNT(bars));
    for (size_t i = 0; i < PH_COUNT(bars); i++) {
        put32(c, 8 + i * 24 + 4, bars[i].mib);
        put64(c, 8 + i * 24 + 8, (uint64_t)bars[i].mib << 20);
        put64(c, 8 + i * 24 + 16, bars[i].at);
    }
    return RM_OK;
}

static uint32_t name(const struct ph_call *c)
{
    (void)snprintf((char *)c->params + 4, 64, "%s", c->gpu->name);
    return RM_OK;
}

static uint32_t chip_name(const struct ph_call *c)
{
    (void)snprintf((char *)c->params, 64, "phantom-sm_%u", c->gpu->chip->sm);
    return RM_OK;
}

static uint32_t gid(const struct ph_call *c) { return put_uuid(c, c->gpu, get32(c, 4), 12, 8); }

/* Graphics, five copy engines, and software. */
static const uint32_t engines[] = {0x01, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x22};

static uint32_t engine_list(const struct ph_call *c)
{
    uint32_t *list = pointer(get64(c, 8));

    if (list && get32(c, 0) >= PH_COUNT(engines))
        memcpy(list, engines, sizeof engines);
    put32(c, 0, PH_COUNT(engines));
    return RM_OK;
}

static uint32_t engine_list_v2(const struct ph_call *c)
{
    put32(c, 0, PH_COUNT(engines));
    memcpy(c->params + 4, engines, sizeof engines);
    return RM_OK;
}

/* Each graphics runqueue has a copy engine: the two marked in copy_caps. */
static uint32_t partners(const struct ph_call *c)
{
    bool has = get32(c, 0) == engines[0] && get32(c, 8) < 2;

    put32(c, 12, has);
    put32(c, 16, has ? engines[1 + get32(c, 8)] : 0);
    return RM_OK;
}

/* Classes ending in b5 belong to copy engines. */
static uint32_t engine_classes(const struct ph_call *c)
{
    uint32_t *list = pointer(get64(c, 8));
    uint32_t max = get32(c, 4);
    uint32_t n = 0;
    bool copies = get32(c, 0) != engines[0];

    for (const uint32_t *cls = c->gpu->chip->classes; *cls; cls++)
        if (copies == ((*cls & 0xff) == 0xb5)) {
            if (list && n < max)
                list[n] = *cls;
            n++;
        }
    put32(c, 4, n);
    return RM_OK;
}

static uint32_t l2_slices(const struct ph_call *c)
{
    put32(c, 4, 3);
    put32(c, 8, 2);
    return RM_OK;
}

static uint32_t gpc_mask(const struct ph_call *c)
{
    put32(c, 16, (1u << gpcs_of(c)) - 1);
    return RM_OK;
}

static uint32_t old_gpc_mask(const struct ph_call *c)
{
    put32(c, 0, (1u << gpcs_of(c)) - 1);
    return RM_OK;
}

static uint32_t old_tpc_mask(const struct ph_call *c)
{
    put32(c, 4, (1u << TPCS) - 1);
    return RM_OK;
}

static uint32_t tpc_mask(const struct ph_call *c)
{
    put32(c, 20, (1u << TPCS) - 1);
    return RM_OK;
}

/* Clocks: the open modules do not name these commands. The meaning of fields was observed from the
 * driver's results: rows of four words after `head` bytes, whose last four count them. Older
 * branches point to the rows. */
static uint32_t *clock_rows(const struct ph_call *c, size_t head, uint32_t *n)
{
    bool outside = c->n == (head + 8 + 7) / 8 * 8;
    uint32_t max = outside ? OLD_LIST : (uint32_t)((c->n - head) / 16);

    *n = get32(c, head - 4);
    *n = *n < max ? *n : max;
    return outside ? pointer(get64(c, c->n - 8)) : (void *)(c->params + head);
}

/* Each clock is derived from itself, at 100 percent. */
static uint32_t clock_sources(const struct ph_call *c)
{
    uint32_t n, *row = clock_rows(c, 8, &n);

    for (; row && n > 0; n--, row += 4) {
        row[1] = row[0];
        row[3] = 100;
    }
    return RM_OK;
}

static uint32_t clock_rates(const struct ph_call *c)
{
    uint32_t n, *row = clock_rows(c, 20, &n);

    for (; row && n > 0; n--, row += 4)
        row[2] = 1500000;
    return RM_OK;
}

static uint32_t all_clocks(const struct ph_call *c)
{
    memset(c->params, 0xff, c->n);
    return RM_OK;
}

/* 512 rows of 4, 6 or 9 words by branch: GPC, TPC in it, SM in that, TPC of all, virtual GPC. */
static uint32_t sm_order(const struct ph_call *c)
{
    size_t words = c->n > 24 ? (c->n - 24) / 512 / 2 : 0;
    size_t k = 0;

    memset(c->params, 0, c->n);
    for (unsigned sm = 0; words >= 4 && sm < gpcs_of(c) * SMS_OF_GPC; sm++, k += words) {
        uint16_t tpc = (uint16_t)(sm / SMS_OF_TPC);
        uint16_t gpc = (uint16_t)(tpc / TPCS);
        const uint16_t row[] = {gpc, tpc % TPCS, sm % SMS_OF_TPC, tpc, gpc, tpc, 0, 0, tpc};

        size_t n = words < PH_COUNT(row) ? words : PH_COUNT(row);

        memcpy(c->params + k * 2, row, n * sizeof *row);
    }
    put16(c, 512 * words * 2, (uint16_t)(gpcs_of(c) * SMS_OF_GPC));
    put16(c, 512 * words * 2 + 2, (uint16_t)(gpcs_of(c) * TPCS));
    return RM_OK;
}

/* The two copy engines that graphics uses, then those of their own: a MIG instance needs one. */
static void put_copy_caps(unsigned char *caps, uint32_t engine)
{
    caps[0] = engine < 2 ? 0xef : 0xec;
    caps[1] = 3;
}

/* Five copy engines; the mask of existing ones follows 32 or 64 of them. */
static uint32_t copy_caps(const struct ph_call *c)
{
    memset(c->params, 0, c->n);
    for (uint32_t i = 0; i < 5; i++)
        put_copy_caps(c->params + (size_t)2 * i, i);
    if (c->n < 136)
        put32(c, 64, 0x1f);
    else
        put64(c, 128, 0x1f);
    return RM_OK;
}

/* The older form: for one engine, through a pointer. */
static uint32_t one_copy_caps(const struct ph_call *c)
{
    unsigned char *caps = pointer(get64(c, 8));

    if (caps && get32(c, 4) >= 2)
        put_copy_caps(caps, get32(c, 0) - engines[1]);
    return RM_OK;
}

/* Queries about built-in features: 20 bytes each from byte 8; the position of the result depends on
 * the query. */
static uint32_t floor_sweeping(const struct ph_call *c)
{
    const struct {
        unsigned query, at;
        uint32_t value; /* 0: the requested value, one word earlier */
    } answers[] = {
        {1, 8, gpcs_of(c)},
        {2, 12, 0},
        {3, 12, (1u << TPCS) - 1},
        {4, 12, 7},
        {5, 16, 0},
        {6, 8, 1},
        {8, 16, (1u << gpcs_of(c)) - 1},
        {10, 12, 3},
        {11, 8, 1},
        {12, 8, (1u << gpcs_of(c)) - 1},
    };
    size_t n = get32(c, 0) & 0xffff;

    for (size_t i = 0; i < n && 28 + i * 20 <= c->n; i++) {
        size_t at = 8 + i * 20;

        put32(c, at + 4, RM_OK);
        for (size_t k = 0; k < PH_COUNT(answers); k++)
            if (answers[k].query == (get32(c, at) & 0xffff))
                put32(c, at + answers[k].at,
                      answers[k].value ? answers[k].value : get32(c, at + answers[k].at - 4));
    }
    return RM_OK;
}

static uint32_t submit_token(const struct ph_call *c)
{
    put32(c, 0, c->object ? ph_channel_token(c->object) : 0);
    return RM_OK;
}

static uint32_t channel_ids(const struct ph_call *c)
{
    const uint32_t *handles = pointer(get64(c, 8));
    uint32_t *ids = pointer(get64(c, 16));

    for (uint32_t i = 0; handles && ids && i < get32(c, 0); i++) {
        const struct ph_object *o = ph_object_find(c->client, handles[i]);

        ids[i] = o ? ph_channel_token(o) : UINT32_MAX;
    }
    return RM_OK;
}

/* ---- the table ---- */

static const struct row {
    uint32_t cmd;
    uint32_t (*answer)(const struct ph_call *c); /* NULL: success without changing the parameters */
} rows[] = {
    {0x00000101, build_version},
    {0x00000127, NULL}, /* SYSTEM_GET_P2P_CAPS */
    {0x00000136, NULL}, /* SYSTEM_GET_FABRIC_STATUS */
    {0x0000013a, NULL}, /* SYSTEM_GET_P2P_CAPS_MATRIX */
    {0x000001f0, NULL}, /* SYSTEM_GET_FEATURES */
    {0x00000201, attached_ids},
    {0x00000202, id_info},
    {0x00000204, device_ids},
    {0x00000205, id_info_v2},
    {0x00000214, probed_ids},
    {0x00000215, NULL}, /* GPU_ATTACH_IDS */
    {0x00000216, NULL}, /* GPU_DETACH_IDS */
    {0x0000021b, pci_of_id},
    {0x00000275, uuid_of_id},
    {0x0000027b, zero}, /* GPU_GET_MEMOP_ENABLE */
    {0x00000288, active_devices},
    {0x00000289, NULL}, /* GPU_ASYNC_ATTACH_ID */
    {0x00000290, NULL}, /* GPU_WAIT_ATTACH_ID */
    {0x00000a04, NULL}, /* SYNC_GPU_BOOST_GROUP_INFO */
    {0x00000d01, address_space},
    {0x00000d02, handle_info},
    {0x00000d04, NULL}, /* CLIENT_SET_INHERITED_SHARE_POLICY */
    {0x00001001, address_space},
    {0x00001004, NULL}, /* d01 and d04, up to 418 */
    {0x00800201, class_list},
    {0x00800280, one},  /* GPU_GET_NUM_SUBDEVICES */
    {0x00800289, zero}, /* GPU_GET_VIRTUALIZATION_MODE */
    {0x0080028b, zero},
    {0x00800292, class_list_v2},
    {0x00801102, NULL}, /* GR_GET_CAPS */
    {0x00801301, NULL}, /* FB_GET_CAPS */
    {0x00801307, zero}, /* FB_GET_CAPS_V2 */
    {0x00801401, NULL}, /* HOST_GET_CAPS */
    {0x00801402, zero}, /* HOST_GET_CAPS_V2 */
    {0x00801701, NULL}, /* FIFO_GET_CAPS */
    {0x0080170d, channel_ids},
    {0x00801909, NULL}, /* PERF_CUDA_LIMIT_SET_CONTROL */
    {0x00809909, NULL}, /* the same, of 525 and 535 */
    {0x20800110, name},
    {0x20800111, chip_name},
    {0x20800119, zero}, /* GPU_GET_SIMULATION_INFO */
    {0x20800123, engine_list},
    {0x20800124, engine_classes},
    {0x2080012f, NULL}, /* GPU_QUERY_ECC_STATUS */
    {0x20800131, NULL}, /* GPU_QUERY_COMPUTE_MODE_RULES */
    {0x20800137, old_gpc_mask},
    {0x20800138, old_tpc_mask},
    {0x20800145, NULL}, /* no name in the open modules, as all without one */
    {0x20800146, NULL},
    {0x2080014a, gid},
    {0x20800147, partners},
    {0x20800159, NULL},
    {0x20800161, NULL},
    {0x20800170, engine_list_v2},
    {0x20800175, ph_mig_instance}, /* GPU_GET_PARTITIONS */
    {0x2080018b, ph_mig_numbers},  /* GPU_GET_ACTIVE_PARTITION_IDS */
    {0x208001a2, ph_mig_profiles}, /* GPU_GET_COMPUTE_PROFILES */
    {0xc6370103, ph_mig_compute},  /* EXEC_PARTITIONS_GET */
    {0xc6370104, ph_mig_active},   /* EXEC_PARTITIONS_GET_ACTIVE_IDS */
    {0xc63701aa, ph_mig_uuid},
    {0xc6380101, ph_mig_uuid}, /* GET_UUID */
    {0x208001a3, NULL},
    {0x20801210, NULL}, /* GR_SET_CTXSW_PREEMPTION_MODE */
    {0x20801218, NULL}, /* GR_GET_CTX_BUFFER_SIZE */
    {0x2080121b, sm_order},
    {0x20801227, NULL}, /* GR_GET_CAPS_V2 */
    {0x2080122a, gpc_mask},
    {0x2080122b, tpc_mask},
    {0x20801001, all_clocks},
    {0x20801009, all_clocks},
    {0x2080100a, clock_sources},
    {0x20809001, all_clocks},
    {0x20809009, all_clocks},
    {0x20809064, clock_sources},
    {0x2080a084, NULL},
    {0x20802016, clock_rates},
    {0x20802084, NULL},
    {0x2080a026, clock_rates},
    {0x20801230, NULL},
    {0x20801328, l2_slices},
    {0x20801701, arch_info},
    {0x20802209, zero}, /* RC_GET_WATCHDOG_INFO */
    {0x20801702, NULL}, /* MC_SERVICE_INTERRUPTS, asked when an answer is late */
    {0x20801801, pci_info},
    {0x20801803, bar_info},
    {0x2080182a, NULL}, /* BUS_GET_PCIE_SUPPORTED_GPU_ATOMICS */
    {0x2080182b, NULL}, /* BUS_GET_C2C_INFO */
    {0x2080200a, NULL}, /* PERF_BOOST */
    {0x2080220c, NULL}, /* RC_RELEASE_WATCHDOG_REQUESTS */
    {0x20802210, NULL}, /* RC_SOFT_DISABLE_WATCHDOG */
    {0x20802a01, one_copy_caps},
    {0x20802a0a, copy_caps},
    {0x20803001, zero}, /* NVLINK_GET_NVLINK_CAPS */
    {0x20803002, NULL}, /* NVLINK_GET_NVLINK_STATUS */
    {0x20803601, NULL}, /* GSP_GET_FEATURES */
    {0x20803801, floor_sweeping},
    {0x20808159, NULL},
    {0x20808161, NULL},
    {0x20808162, NULL},
    {0x20809038, NULL},
    {0x20810108, NULL},
    {0x83de0309, NULL}, /* DEBUG_SET_EXCEPTION_MASK */
    {0x906f0101, NULL}, /* GET_CLASS_ENGINEID */
    {0xa06c0101, NULL}, /* GPFIFO_SCHEDULE */
    {0xa06c0103, NULL}, /* SET_TIMESLICE */
    {0xa06c0105, NULL}, /* PREEMPT: before local memory grows (a large module) */
    {0xa06f0103, NULL}, /* GPFIFO_SCHEDULE */
    {0xa06f0104, NULL}, /* BIND */
    {0xb06f0101, NULL},
    {0xc06f0101, NULL}, /* the same */
    {0xc36f0101, NULL}, /* the same */
    {0xc36f0108, submit_token},
    {0xcb330101, NULL}, /* CONF_COMPUTE_SYSTEM_GET_CAPABILITIES */
};

/* Lists of index and value. */
static const struct list_row {
    uint32_t cmd;
    bool inside; /* in the parameters from byte 4 on; else where the pointer at byte 8 says */
    info_fn *value;
} lists[] = {
    {0x00801104, false, gr_value}, {0x00801110, true, gr_value},  {0x20800101, false, gpu_value},
    {0x20800102, true, gpu_value}, {0x20801201, false, gr_value}, {0x20801228, true, gr_value},
    {0x20801301, false, fb_value}, {0x20801303, true, fb_value},  {0x20801802, false, bus_value},
    {0x20801823, true, bus_value},
};

static uint32_t fill_list(const struct ph_call *c, const struct list_row *row)
{
    struct info *outside = row->inside ? NULL : pointer(get64(c, 8));
    uint32_t n = get32(c, 0);

    for (size_t i = 0; row->inside && i < n && 12 + i * 8 <= c->n; i++)
        put32(c, 8 + i * 8, row->value(c, get32(c, 4 + i * 8)));
    for (size_t i = 0; outside && i < n; i++)
        outside[i].value = row->value(c, outside[i].index);
    return RM_OK;
}

uint32_t ph_control(const struct ph_call *call)
{
    char about[64];

    for (size_t i = 0; i < PH_COUNT(lists); i++)
        if (lists[i].cmd == call->cmd)
            return fill_list(call, &lists[i]);
    for (size_t i = 0; i < PH_COUNT(rows); i++)
        if (rows[i].cmd == call->cmd)
            return rows[i].answer ? rows[i].answer(call) : RM_OK;
    (void)snprintf(about, sizeof about, "of class %04x, %zu bytes", call->cmd >> 16, call->n);
    ph_unknown("the control command", call->cmd, about);
    return RM_NOT_SUPPORTED;
}

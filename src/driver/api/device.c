#include "driver/api/device.h"

#include "base/limits.h"
#include "base/num.h"

#include <stdio.h>
#include <string.h>

enum attribute { /* CUdevice_attribute */
                 INTEGRATED = 18,
                 COMPUTE_MODE = 20,
                 PCI_BUS = 33,
                 PCI_DEVICE = 34,
                 PCI_DOMAIN = 50,
                 MAJOR = 75,
                 MINOR = 76
};

unsigned jw_device_count(const struct cu_api *api, unsigned *n)
{
    int count = 0;
    unsigned result = api->device_count(&count);

    *n = result || count < 0 ? 0 : (unsigned)jw_min((uint64_t)count, JW_MAX_GPUS);
    return result;
}

static int attribute(const struct cu_api *api, int device, enum attribute which)
{
    int value = 0;

    return api->device_attribute(&value, which, device) == JW_CU_OK ? value : 0;
}

static void read_pci(const struct cu_api *api, int device, struct jw_device *out)
{
    if (api->device_pci && api->device_pci(out->pci, sizeof out->pci, device) == JW_CU_OK) {
        out->pci[sizeof out->pci - 1] = '\0';
        return;
    }
    (void)snprintf(out->pci, sizeof out->pci, "%04x:%02x:%02x.0",
                   (unsigned)attribute(api, device, PCI_DOMAIN) & 0xffff,
                   (unsigned)attribute(api, device, PCI_BUS) & 0xff,
                   (unsigned)attribute(api, device, PCI_DEVICE) & 0xff);
}

static bool read_uuid(unsigned (*get)(struct CUuuid_st *, int), int device, struct CUuuid_st *out)
{
    return get && get(out, device) == JW_CU_OK;
}

/* Of a slice the newer entry point gives the slice's own, the older one that of the whole GPU. */
static void report_uuid(const struct cu_api *api, int device, struct jw_device *out)
{
    struct CUuuid_st own = { { 0 } }, whole = { { 0 } };
    bool has_own = read_uuid(api->device_uuid, device, &own);
    bool has_whole = read_uuid(api->device_uuid_whole, device, &whole);
    const char *from = has_own ? own.bytes : whole.bytes;
    size_t at = 4;

    out->mig = (has_own && has_whole && memcmp(own.bytes, whole.bytes, sizeof own.bytes) != 0)
               || strstr(out->name, " MIG ") != NULL;
    if (!has_own && !has_whole)
        return;
    memcpy(out->uuid, out->mig ? "MIG-" : "GPU-", 5);
    for (size_t i = 0; i < sizeof own.bytes; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;

        (void)snprintf(out->uuid + at, sizeof out->uuid - at, dash ? "-%02x" : "%02x", (uint8_t)from[i]);
        at += dash ? 3 : 2;
    }
}

unsigned jw_device_read(const struct cu_api *api, unsigned index, struct jw_device *out)
{
    size_t memory = 0;
    int device = 0, major, minor;

    *out = (struct jw_device){ 0 };
    unsigned result = api->device(&device, (int)index);
    if (result)
        return result;
    if (api->device_name(out->name, sizeof out->name, device) != JW_CU_OK)
        out->name[0] = '\0';
    out->name[sizeof out->name - 1] = '\0';
    report_uuid(api, device, out);
    read_pci(api, device, out);
    major = attribute(api, device, MAJOR);
    minor = attribute(api, device, MINOR);
    if (major > 0 && major < 1000 && minor >= 0 && minor < 10)
        out->sm = (uint16_t)(major * 10 + minor);
    if (api->device_memory(&memory, device) == JW_CU_OK)
        out->memory = memory;
    out->compute_mode = (unsigned)attribute(api, device, COMPUTE_MODE);
    out->integrated = attribute(api, device, INTEGRATED) != 0;
    return JW_CU_OK;
}

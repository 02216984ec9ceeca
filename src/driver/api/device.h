/* What the driver says about one GPU, or one slice of a GPU. */
#ifndef DRIVER_API_DEVICE_H
#define DRIVER_API_DEVICE_H

#include "driver/api/driver.h"

struct jw_device {
    char uuid[48]; /* "GPU-..." or "MIG-..."; "" when the driver is too old to say */
    char name[96];
    char pci[20]; /* "0000:01:00.0"; "" unknown */
    uint16_t sm;  /* 86 */
    uint64_t memory;
    unsigned compute_mode;
    bool mig, integrated;
};

/* After cuInit. The results are the driver's CUresult; what it does not know stays zero. */
unsigned jw_device_count(const struct cu_api *api, unsigned *n);
unsigned jw_device_read(const struct cu_api *api, unsigned index, struct jw_device *out);

#endif

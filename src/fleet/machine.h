/* What must be alike for one machine to use what another compiled: libcuda's stamp, the architecture, the system. */
#ifndef FLEET_MACHINE_H
#define FLEET_MACHINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "driver/probe/probe.h"

enum { JW_FLEET_SMS = 32 };

struct jw_fleet_machine {
    const char *stamp;  /* of libcuda, as it stands in keys */
    const char *driver; /* its version; NULL: unknown */
    bool simulated;
    bool asked; /* the driver itself said who it is; else it is the one that was met here last */
    uint16_t sms[JW_FLEET_SMS]; /* ascending, each once */
    size_t n_sms;
};

/* `gpus`: architectures as --gpu has them; none: those of the GPUs that are here. JW_E_DRIVER: nothing is known of a driver
 * here, or of a GPU. */
bool jw_fleet_machine(const struct jw_probe_options *probe, const char *const *gpus, size_t n_gpus,
                      struct jw_arena *a, struct jw_fleet_machine *out, struct jw_err *err) JW_MUST;

/*
 * "jitwarm1-linux-x86_64-sm_86-20260107-225146": 1 is the format of packs. Of letters, digits and . _ - alone, and the same
 * on every machine of that kind, so that it can be a tag, a file name and the key of a CI cache. Of several architectures
 * all are named.
 */
bool jw_fleet_key(struct jw_buf *out, const struct jw_fleet_machine *m, const uint16_t *sms, size_t n,
                  struct jw_arena *a, struct jw_err *err) JW_MUST;

/* The key for one architecture as text in `a`. NULL: see err. */
const char *jw_fleet_tag(const struct jw_fleet_machine *m, uint16_t sm, struct jw_arena *a,
                         struct jw_err *err);

#endif

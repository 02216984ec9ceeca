/* Two machines share entries if these are equal: the driver build, the GPU architecture and the system. */
#ifndef FLEET_MACHINE_H
#define FLEET_MACHINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "session/session.h"

struct jw_fleet_machine {
    const char *stamp;   /* build stamp of libcuda */
    const char *driver;  /* its version; NULL: unknown */
    const char *unasked; /* why the driver did not report its build, so it is the last known one; or NULL */
    uint16_t sms[JW_MAX_SMS]; /* sorted, without duplicates */
    size_t n_sms;
};

/* `gpus`: values of --gpu; none: the GPUs of this machine. JW_E_DRIVER: no driver or GPU is known. */
bool jw_fleet_machine(struct jw_session *s, const char *const *gpus, size_t n_gpus,
                      struct jw_fleet_machine *out, struct jw_err *err) JW_MUST;

/* Tells whether a machine can have both: a driver of this version, and a GPU of this architecture. Not known: yes. */
bool jw_fleet_drives(const char *driver, unsigned sm);

/*
 * "jitwarm2-linux-x86_64-sm_86-20260107-225146": 2 is the pack format. It names all architectures. It has letters,
 * digits and . _ - only, so it can be a tag, a file name or the key of a CI cache.
 */
bool jw_fleet_key(struct jw_buf *out, const struct jw_fleet_machine *m, const uint16_t *sms, size_t n,
                  struct jw_err *err) JW_MUST;

/* The key for one architecture. NULL: see err. */
const char *jw_fleet_tag(const struct jw_fleet_machine *m, uint16_t sm, struct jw_arena *a,
                         struct jw_err *err);

#endif

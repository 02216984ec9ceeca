/* The inside of a probe, from the driver that was met to what is remembered of it. */
#ifndef DRIVER_PROBE_PROBE_WORK_H
#define DRIVER_PROBE_PROBE_WORK_H

#include "driver/probe/probe.h"
#include "driver/probe/probe_judge.h"
#include "driver/probe/probe_set.h"

/* One run of the probe. */
struct probing {
    const struct jw_probe_options *o;
    struct jw_arena *a;
    struct jw_probe_report *out;
    const struct jw_worker_device *on; /* that is asked to compile */
    char *folder, *root, *other;       /* other: the root for the placing test */
    struct probe_module set[JW_PROBE_MAX];
    size_t n;
    struct probe_findings f;
};

bool probe_go_on(const struct probing *p, struct jw_err *err); /* false: interrupted */
bool probe_write(const char *path, struct jw_bytes bytes, struct jw_err *err);
unsigned probe_timeout(const struct jw_probe_options *o);

/* A fresh process of this driver with its cache in `root`; `*device`: the number of the GPU for it. */
bool probe_start_worker(const struct probing *p, const char *root, struct jw_worker **w, unsigned *device,
                        struct jw_err *err);

/* Over phantom (src/phantom): what a kernel "computed" there is no proof, and is not remembered. */
bool probe_is_played(const struct probing *p);

#endif

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

bool probe_make_folder(struct probing *p, struct jw_err *err) JW_MUST; /* and the roots in it */

/* Once for a build: a canary, compiled for another architecture than the device's, leaves the one entry whose name and key
 * are foretold for that. What it is not, is a sentence in the report. */
bool probe_sibling(struct probing *p, struct jw_err *err) JW_MUST;

/*
 * Level 4, after level 3: an entry whose stamp says that another build made it, and whose code is not what this build would
 * make for it, is re-stamped as carry does it. A fresh process must take it as it is, and its kernel, launched on four
 * bytes of the GPU's memory, must compute what that code computes.
 */
bool probe_carrying(struct probing *p, struct jw_err *err) JW_MUST;

#endif

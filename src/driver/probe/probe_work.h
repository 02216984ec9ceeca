/* What the files of the probe share. */
#ifndef DRIVER_PROBE_PROBE_WORK_H
#define DRIVER_PROBE_PROBE_WORK_H

#include "driver/probe/probe.h"
#include "driver/probe/probe_check.h"
#include "driver/probe/probe_set.h"

/* One run of the probe. */
struct probing {
    const struct jw_probe_options *o;
    struct jw_arena *a;
    struct jw_probe_report *out;
    const struct jw_device *on;  /* the device that compiles */
    char *folder, *root, *other; /* other: the root for the placing test */
    struct probe_module set[JW_PROBE_MAX];
    size_t n;
    struct probe_findings f;
};

/* The first GPU of this architecture (0: any) whose compute mode is not prohibited. */
bool probe_choose_device(struct probing *p, uint16_t sm);

bool probe_go_on(const struct probing *p, struct jw_err *err); /* false: interrupted */
bool probe_write(struct probing *p, const char *path, struct jw_bytes bytes, struct jw_err *err);
unsigned probe_timeout(const struct jw_probe_options *o);

/* A module in the probe's folder. */
struct jw_place probe_place_of(const struct probing *p, const char *file, const struct jw_buf *image,
                               bool text);

/* Starts a new process of this driver with its cache in `root`. `*device`: the GPU's number in it. */
bool probe_start_worker(const struct probing *p, const char *root, struct jw_worker **w, unsigned *device,
                        struct jw_err *err);

#endif

/*
 * Which modules of which files the driver would compile on these GPUs. The files are read as scan reads them; of each
 * module that is to be compiled the PTX is decoded once, to know it again: in another file, in the cache, next year.
 */
#ifndef SOFTWARE_SCAN_TARGETS_H
#define SOFTWARE_SCAN_TARGETS_H

#include "cache/format/module_name.h"
#include "jitwarm/prime.h"
#include "jitwarm/scan.h"
#include "os/files/file.h"

struct targets_options {
    struct jw_scan_options scan; /* roots, exclude, driver, force_jit, progress; its GPUs come from `sms` */
    const uint16_t *sms;         /* at most MODULE_MOST_ARCHS */
    size_t n_sms;
    struct module_rules rules;
    const char *const *only; /* patterns of file names */
    size_t n_only;
    bool all;          /* NVIDIA's own libraries and lazily loaded modules, too */
    const char *spool; /* a folder of ours for what a worker cannot read by itself; NULL: nothing is kept */
};

/* A module for one architecture. */
struct target {
    struct module_key key;
    uint8_t text[JW_DIGEST]; /* of its PTX alone */
    uint16_t sm;
    char from[20]; /* "compute_75" */
    const char *options;
    const char *kernel; /* the first of it; "" none */
    uint64_t ptx_bytes;
    bool optional; /* taken only because `all` are */
    bool lazy;     /* programs compile it when a kernel of it is first used, if ever: jw_isa_is_lazy */
    struct jw_job_place place;
};

/* A folder or file as it was when it was looked into. */
struct target_met {
    const char *path;
    struct jw_file_info info;
};

struct targets {
    struct target *list; /* by path and position */
    size_t n;
    struct target_met *met; /* by path */
    size_t n_met;
    struct jw_left_out_sum left_out[JW_LEFT_OUT];
    struct jw_scan_report scan;
};

/* NULL: it was not looked into. */
const struct target_met *targets_met(const struct targets *t, const char *path);

bool targets_find(const struct targets_options *o, struct targets *out, struct jw_err *err) JW_MUST;
void targets_free(struct targets *t); /* accepts a zeroed one */

#endif

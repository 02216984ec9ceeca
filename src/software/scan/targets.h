/* Lists the modules in files that the driver would compile for these GPUs. Each module's PTX is decoded once and
 * identified by its digest, to recognise it in other files and in the cache. */
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
    bool all;          /* also NVIDIA's own libraries and lazily loaded modules */
    const char *spool; /* a folder for members that a worker cannot read itself; NULL: not needed */
};

/* A module for one architecture. */
struct target {
    struct module_key key;
    uint8_t text[JW_DIGEST]; /* digest of its PTX only */
    uint16_t sm;
    char from[20]; /* "compute_75" */
    const char *options;
    const char *kernel; /* its first kernel; "" none */
    uint64_t ptx_bytes;
    bool optional; /* included only because of `all` */
    bool lazy;     /* programs compile it only when they use a kernel of it: jw_isa_is_lazy */
    struct jw_job_place place;
};

/* A folder or file at the time of the scan. */
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
    const char *
        needs_driver; /* the oldest branch for all blocked modules: "570"; NULL: none, "": newer than any known */
    struct jw_scan_report scan;
};

/* NULL: it was not scanned */
const struct target_met *targets_met(const struct targets *t, const char *path);

bool targets_find(const struct targets_options *o, struct targets *out, struct jw_err *err) JW_MUST;
void targets_free(struct targets *t); /* accepts a zeroed one */

#endif

/* Lists the modules in files that the driver would compile for these GPUs, a job for each architecture. Each module's PTX
 * is decoded once and identified by its digest, to recognise it in other files and in the cache. */
#ifndef SOFTWARE_SCAN_SCAN_JOBS_H
#define SOFTWARE_SCAN_SCAN_JOBS_H

#include "cache/format/module_name.h"
#include "jitwarm/prime.h"
#include "jitwarm/scan.h"
#include "os/files/file.h"

struct scan_jobs_options {
    struct jw_scan_options scan; /* roots, exclude, driver, force_jit, progress; its GPUs come from `sms` */
    const uint16_t *sms;         /* at most JW_MAX_SMS */
    size_t n_sms;
    struct module_rules rules;
    bool all;          /* also NVIDIA's own libraries and lazily loaded modules */
    bool shared;       /* also lists the kernels that modules may have in common */
    const char *spool; /* a folder for members that a worker cannot read itself; NULL: not needed */
};

/* A folder or file at the time of the scan. */
struct scan_visited {
    const char *path;
    struct jw_file_info info;
    uint64_t names; /* of a folder: jw_names_add; 0: a file */
};

/* Kernels of a module that others may have, too, under the same name: a program may take them from any of these. */
struct scan_shared {
    uint8_t text[JW_DIGEST]; /* of its PTX */
    const uint64_t *kernels; /* FNV of their names */
    size_t n;
};

/* An input of a link that a program makes at each start, for one architecture. */
struct scan_input {
    const struct jw_place *place;
    uint64_t name; /* of the entry that it is compiled to; 0: it has machine code, or the name is not known */
    uint16_t sm;
    bool compiled; /* else it has machine code */
};

struct scan_jobs {
    struct jw_job *list; /* by path and position */
    size_t n;
    struct scan_shared *shared; /* where that was asked for */
    size_t n_shared;
    struct scan_input *inputs; /* by path, architecture and position; of links that can be made */
    size_t n_inputs;
    struct scan_visited *visited; /* by path */
    size_t n_visited;
    struct jw_left_out_sum left_out[JW_LEFT_OUT];
    uint64_t on_use; /* of JW_OUT_IS_VENDOR: those that the driver here compiles when a program uses them */
    /* the oldest branch for all blocked modules: "570"; NULL: none, "": newer than any known */
    const char *needs_driver;
    const char *first_blocked; /* the file of a blocked module, the first by path; NULL: none */
    struct jw_scan_report scan;
};

/* NULL: it was not scanned */
const struct scan_visited *scan_jobs_visited(const struct scan_jobs *found, const char *path);

bool scan_jobs_find(const struct scan_jobs_options *o, struct scan_jobs *out, struct jw_err *err) JW_MUST;
void scan_jobs_free(struct scan_jobs *found); /* accepts a zeroed one */

#endif

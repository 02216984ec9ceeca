/* Lists the modules in files that the driver would compile for these GPUs, a job for each
 * architecture. Each module's PTX is decoded once and identified by its digest, to recognise it in
 * other files and in the cache. */
#pragma once

#include "cache/format/module_name.h"
#include "jitwarm/module.h"
#include "jitwarm/scan.h"
#include "memory/ledger.h"
#include "software/scan/scan_memo.h"

struct scan_jobs_options {
    struct jw_scan_options scan; /* folders, architectures, exclude, driver, progress */
    struct module_rules rules;
    bool lazy;   /* CUDA runtimes that can load lazily do so (facts/driver_settings.h) */
    bool shared; /* also the kernels of jobs that other modules may have, too */
    /* A folder for members that a worker cannot read itself; NULL: not needed, and their places
     * have no `disk` */
    const char *spool;
    /* Has the memo of each file; NULL: none. It knows neither what is `shared` nor members in a
     * spool. */
    struct jw_ledger *ledger;
};

/* Modules that are no jobs, for one reason. */
struct jw_left_out {
    uint64_t n;        /* for each architecture */
    uint64_t on;       /* a bit for each of these */
    const char *first; /* the file or member of one, of the first file by path; NULL: none */
};

struct scan_jobs {
    struct jw_job *list; /* by path and position; modules of equal text are several */
    size_t n;
    struct jw_left_out out[JW_OUTS];
    /* of JW_OUT_IS_NOTHING those on a GPU that runs nothing of a named path */
    struct jw_left_out dead;
    uint16_t needs;             /* the driver's branch for all blocked modules; 0: none */
    struct jw_scan_report scan; /* of files path, named; containers: modules */
};

bool scan_jobs_find(const struct scan_jobs_options *o, struct scan_jobs *out,
                    struct jw_err *err) JW_MUST;
void scan_jobs_free(struct scan_jobs *found); /* accepts a zeroed one */

/* The order of struct jw_job by file, position and architecture. */
int scan_jobs_by_place(const void *a, const void *b);

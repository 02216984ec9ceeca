/* scan: finds the CUDA code in files, and decides for each GPU whether it runs as it is or must be
 * compiled. It never loads the driver. */
#pragma once

#include "jitwarm/err.h"
#include "jitwarm/gpu.h"
#include "jitwarm/run.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct jw_scan_folder {
    const char *path;
    unsigned depth; /* levels of folders to enter; 0: none */
    bool named; /* by the user: listed even without CUDA code, and an error if it cannot be read */
    const char *as; /* its name for the user; scan does not read it */
};

struct jw_scan_options {
    const struct jw_scan_folder *folders;
    size_t n_folders;
    struct jw_sms sms;
    const char *driver;      /* judge for this driver version; NULL: for any */
    struct jw_texts exclude; /* patterns as in base/path.h */
    bool all;      /* also tests of Python packages; for jobs NVIDIA's libraries and lazy code */
    bool compiles; /* a driver is asked afterwards, so that options of PTX are in no doubt */
    /* only to describe files: decodes .ptx files, and else only PTX of inputs of links */
    bool quick;
    bool trusted_only;              /* skip files that other users can change */
    struct jw_texts vouched;        /* folders that `trusted_only` does not apply to */
    unsigned jobs;                  /* threads; 0: one for each processor */
    const atomic_bool *interrupted; /* may be NULL */
    /* Called with each path, from any thread, one call at a time; may be NULL. */
    void (*progress)(void *ctx, const char *path);
    void *progress_ctx;
};

struct jw_scan_file {
    const char *path;
    const char *format;
    uint64_t containers;
    const struct jw_fat_entry *rows; /* the first entry of each kind, target and version */
    size_t n_rows;
    struct jw_scan_verdict *verdicts; /* one for each architecture of the options */
    const char *const *problems;
    size_t n_problems;
    bool named;
    const char **needed; /* of one that is named, for jobs: NVIDIA's libraries that it asks for */
    size_t n_needed;
    uint64_t ptx_pieces; /* incomplete PTX texts, from which the program makes PTX while it runs */
    /* PTX texts of which nothing says where they begin and end (formats/ptx_strings.h) */
    uint64_t ptx_unbounded;
};

enum jw_scan_why {
    JW_SKIP_UNREADABLE,
    JW_SKIP_DAMAGED,
    JW_SKIP_OTHERS /* others may change it, and options.trusted_only is set */
};

struct jw_scan_skipped {
    const char *path, *reason;
    enum jw_scan_why why;
    bool named;
    bool packed; /* a named .deb, .rpm or .tar, which has to be unpacked first */
};

struct jw_scan_report {
    struct jw_scan_file *files; /* sorted by path */
    size_t n_files;
    struct jw_scan_skipped *skipped;
    size_t n_skipped;
    uint64_t zips; /* .zip files in folders, into which nobody looked */
    struct jw_scan_memory *memory;
};

/* False if there is no result at all: an interruption. A file that cannot be read, or has to be
 * unpacked first, is in `skipped`, and the scan continues. */
bool jw_scan(const struct jw_scan_options *options, struct jw_scan_report *out, struct jw_err *err);
void jw_scan_free(struct jw_scan_report *report); /* accepts a zeroed one */

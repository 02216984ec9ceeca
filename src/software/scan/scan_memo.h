/* What a scan for jobs knows of one file, and a memo of it. A file that the memo knows is neither
 * opened nor read; files without code are remembered, too. The result depends only on the file (its
 * stat data) and the view. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"
#include "jitwarm/module.h"
#include "jitwarm/scan.h"
#include "os/files/file.h"

/* Why a module of a file is not a job. */
enum jw_out_is {
    JW_OUT_IS_NATIVE,  /* it has machine code */
    JW_OUT_IS_BLOCKED, /* it is too new for this driver */
    JW_OUT_IS_NOTHING, /* it has nothing for this GPU */
    /* known when all files are: it is for other GPUs, in a file that has code for this one, or for
     * newer drivers, beside a file for this one */
    JW_OUT_IS_OTHERS,
    /* no driver loads it by itself: inputs of the device linker, link-time code */
    JW_OUT_IS_LINKABLE,
    JW_OUT_IS_DOUBTFUL,  /* it is damaged, of an unknown form, or not safe to hand to a driver */
    JW_OUT_IS_SKIPPED,   /* only --all takes it: it is loaded on demand */
    JW_OUT_IS_BEHIND,    /* what may be in the rest of a file of which JW_MAX_FAT_SEARCH bytes were
                            searched */
    JW_OUT_IS_MADE,      /* PTX in pieces, which its program puts together */
    JW_OUT_IS_UNBOUNDED, /* PTX of which nothing says where it begins and ends */
    JW_OUTS
};

/* What was left out for one reason. */
struct scan_out {
    uint64_t n;  /* modules, for each architecture */
    uint64_t on; /* a bit for each of these */
};

/* A module and its jobs. Where it is, and each job's place, is known when the scan ends: until then
 * its list may move. */
struct scan_module {
    struct jw_place place;
    struct jw_job *jobs;
    size_t n_jobs;
};

/* The file on disk, or a member of it. */
struct scan_member {
    struct jw_scan_file file;
    const char *tail; /* of its path, behind that of the file on disk: "" or "!MEMBER" */
    struct scan_module *modules;
    size_t n_modules;
    bool lazy;    /* the CUDA runtime loads each of its modules when it is first used */
    uint32_t has; /* a bit for each architecture for which one of its modules has something */
    struct scan_out out[JW_OUTS];
};

/* One file on disk. */
struct scan_known {
    const char *path;
    struct jw_file_info info;
    bool named;  /* a person named it */
    bool vendor; /* it is an object, or has a library of NVIDIA: these count only where they are
                    named */
    bool unread; /* some of it was not read, so that it is not remembered */
    bool in_memo;
    struct scan_member *files; /* it, or its members with code */
    size_t n_files;
    size_t n_jobs;  /* of all their modules */
    uint16_t needs; /* a driver branch, as in struct scan_jobs */
};

struct scan_jobs_options;

/* A digest of all beside the file that the knowledge depends on: architectures, rules of the
 * driver, options. */
void scan_memo_view(const struct scan_jobs_options *o, uint8_t view[JW_DIGEST]);

void scan_memo_write(const struct scan_known *k, struct jw_buf *out);
/* Fills in `k`, whose path and info are set; all of it lives in `a`. False: damaged. */
bool scan_memo_read(struct jw_bytes memo, struct jw_arena *a, struct scan_known *k);

/* Internals of a scan. Several threads take tasks (folders and files) from one stack. Each keeps
 * its results in its own arena; only the lists of results are shared, under the lock. */
#pragma once

#include "base/arena.h"
#include "formats/image.h"
#include "formats/select.h"
#include "jitwarm/scan.h"
#include "os/files/file.h"
#include "os/machine/thread.h"
#include "software/scan/scan_memo.h"

struct scan_task {
    char *path;     /* owned */
    unsigned depth; /* levels of folders below that may be entered */
    bool named;
    bool claimed;    /* the target of a link, already known to be new */
    bool vouched;    /* as in jw_scan_folder; inherited by files and folders below, but not by link
                        targets */
    uint64_t volume; /* of the folder above; 0: not known */
};

/* A set of file identities, to scan each file once under whatever name. */
struct scan_id {
    struct jw_file_id id;
    unsigned round;
};

struct scan_ids {
    struct scan_id *slots;
    size_t n, cap; /* cap: a power of two */
};

/* True: it is new. `*seen`: the round that added it first. */
bool scan_ids_add(struct scan_ids *ids, struct jw_file_id id, unsigned round, unsigned *seen);
void scan_ids_free(struct scan_ids *ids);

/* A result and its file on disk. Names of one file in the same round race each other; the smallest
 * name is kept at the end, so that the result does not depend on threads. */
struct scan_found {
    struct jw_scan_file file;
    struct jw_file_id id;
    const char *path; /* of the file on disk; for members, of the wheel */
    size_t nth;       /* found; members of a wheel in its order */
};

struct scan {
    const struct jw_scan_options *o;
    struct jw_scan_memory *memory; /* an arena for each thread, which the report keeps */
    unsigned branch;               /* of the options' driver, if there is one */
    struct jw_driver_limits driver;
    struct jw_lock *lock; /* guards the fields below */
    struct scan_task *tasks;
    size_t n_tasks, cap_tasks;
    struct scan_task *links; /* symbolic links, followed after everything else */
    size_t n_links, cap_links;
    unsigned busy; /* threads that may still add tasks */
    /* wheels that are read now; bytes in memory of payloads that are checked, and of .zst files; as
     * in jw_scan_report */
    uint64_t wheels, unpacked, unzipped, zips;
    struct scan_ids seen_files, seen_folders;
    unsigned round; /* 0: real names; then one per batch of links */
    struct scan_found *files;
    size_t n_files, cap_files;
    struct jw_scan_skipped *skipped;
    size_t n_skipped, cap_skipped;
    struct finding *finding; /* modules for jobs (scan_jobs.c); NULL: verdicts are asked for */
    bool failed;
    struct jw_err err;
};

/* One thread of a scan. */
struct scan_worker {
    struct scan *scan;
    struct jw_arena *results; /* freed with the report */
    size_t reported;          /* files found or skipped by this thread */
    struct scan_known *known; /* of the file at work, where modules are found */
};

/* The current input: an open file or a member of a wheel. */
struct scan_subject {
    const char *path; /* for messages */
    const char *name; /* decides the format: the last component */
    struct jw_source src;
    uint64_t size;
    bool named;  /* the user named it or its wheel */
    bool listed; /* reported even without code */
    const char *disk_path;
    struct jw_file_id id;
};

bool scan_with(const struct jw_scan_options *options, struct finding *finding,
               struct jw_scan_report *out, struct jw_err *err);
void scan_run_tasks(struct scan_worker *w); /* an error is kept in the scan */

/* Of a scan that finds modules; called from several threads. The image's bytes are open. */
bool finding_see(struct finding *f, struct scan_worker *w, const struct scan_subject *subject,
                 const struct jw_scan_file *file, const struct jw_image *image, struct jw_err *err);
/* What is known of this file, so that it is neither opened nor read; NULL: nothing. */
struct scan_known *finding_recall(const struct finding *f, struct scan_worker *w, const char *path,
                                  const struct jw_file_info *info, bool named);
/* What is known of a file that will be read, or was recalled, counts. */
bool finding_add(struct scan *s, struct scan_known *known, struct jw_err *err);
/* Its first bytes show that the file holds no code. */
void finding_nothing(const struct finding *f, const char *path, const struct jw_file_info *info);

/* All return false only for an error that ends the whole scan. Problems of one file go to the
 * lists. */
/* `path` is copied. */
bool scan_push(struct scan *s, const char *path, struct scan_task how, struct jw_err *err);
bool scan_open_file(struct scan_worker *w, struct jw_file *f, const struct scan_task *task,
                    struct jw_err *err);
/* By a pattern of the options; one without a / applies to file names. */
bool scan_is_excluded(const struct scan *s, const char *path);
/* Would a walk leave out this member? `disk`: the length of the wheel's path. What is excluded is
 * not remembered. */
bool scan_is_left_out(const struct scan *s, struct scan_known *k, const char *path, size_t disk);
/* Begins as a library or a wheel, and has not even its header. */
bool scan_is_truncated(struct jw_bytes head, uint64_t size);
bool scan_is_trusted(const struct scan_worker *w, const struct jw_file *f,
                     const struct scan_task *t, struct jw_err *why);
/* `*hit`: what is known of it counts, and it is not read. */
bool scan_recall(struct scan_worker *w, const struct scan_task *task, const char *path,
                 const struct jw_file_info *info, bool *hit, struct jw_err *err);
void scan_notify_progress(struct scan *s, const char *path);
bool scan_subject(struct scan_worker *w, const struct scan_subject *subject, struct jw_bytes head,
                  struct jw_err *err);
/* Waits until `n` more fit below `most`, or nobody holds any. A thread asks once for a count, or it
 * waits for itself. */
void scan_reserve(struct scan *s, uint64_t *now, uint64_t n, uint64_t most);
void scan_release(struct scan *s, uint64_t *now, uint64_t n);
bool scan_wheel(struct scan_worker *w, const struct scan_subject *wheel, struct jw_err *err);

/* What was found in it goes to the lists. */
bool scan_report_image(struct scan_worker *w, const struct scan_subject *subject,
                       struct jw_image *image, struct jw_err *err);

/* Records a file that could not be read or parsed. Passes an interruption on. */
bool scan_skip(struct scan_worker *w, const char *path, bool named, const struct jw_err *why,
               struct jw_err *err);

/* Fills rows and verdicts of `file` from `image`. Results live in `a`. */
void scan_check(const struct scan *s, const struct jw_image *image, struct jw_arena *a,
                struct jw_scan_file *file);

/* An order of paths, in which variants are equal: loose files of one name but for architectures,
 * libraries of one folder whose names differ in digits alone. Of such files a program takes the one
 * that fits. */
int scan_by_variant(const char *a, const char *b);

/* Where a variant runs on a GPU, a loose file without code for it lacks nothing, and code of a
 * library that may be replaced is for a newer driver. */
bool scan_may_be_replaced(const char *path, bool named);
void scan_find_variants(struct jw_scan_file *files, size_t n, size_t n_gpus);

/* Makes an unpacked NVIDIA driver ready to load, together with the library that emulates a GPU for it (src/phantom).
 * Makes only links in a temporary folder; the driver's files are not copied or changed. */
#ifndef DRIVER_FILES_DRIVER_FILES_H
#define DRIVER_FILES_DRIVER_FILES_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "jitwarm/gpu.h"

#include <stdatomic.h>
#include <stdint.h>

struct jw_driver_files {
    const char *from;    /* folder of its libcuda */
    const char *version; /* "580.178.04", from the file's name */
    const char *licence; /* its file, or NULL */
    const char *phantom; /* libjitwarm-phantom.so */
    char *links;         /* temporary folder for LD_LIBRARY_PATH; remove it with jw_scratch_remove */
};

/* `folder`: an unpacked .run file, the root of an unpacked package or image, or the folder of the libraries.
 * JW_E_USAGE: it has no driver, or phantom is not installed. JW_E_FORMAT: a library is damaged. */
bool jw_driver_files_ready(const char *folder, struct jw_arena *a, struct jw_driver_files *out,
                           struct jw_err *err) JW_MUST;

/* This program's command line once more, with NVIDIA's driver out of files: phantom emulates one GPU. The output of that run is the
 * output of this one. */
struct jw_driver_run {
    char *const *argv; /* of this run; NULL at the end */
    const struct jw_driver_files *files;
    const char *gpu;   /* to emulate */
    const char *cache; /* of the driver there, and jw_driver_run_cache in that run */
    const atomic_bool *interrupted;
};

/* A GPU to emulate, for a run that compiles for all of `sms`: one that the driver knows, and if possible none of them, so that
 * all are compiled in the same way. */
const char *jw_driver_run_gpu_for(const struct jw_driver_files *files, const struct jw_sms *sms,
                                  struct jw_arena *a);

/* `*code`: how it ended. */
bool jw_driver_run(const struct jw_driver_run *o, struct jw_arena *a, int *code, struct jw_err *err) JW_MUST;

/* In such a run; in any other NULL. */
const char *jw_driver_run_cache(struct jw_arena *a);

#endif

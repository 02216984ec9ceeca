/*
 * This program's command line once more, with NVIDIA's driver out of files: phantom emulates one GPU. The output of that run
 * is the output of this one.
 */
#ifndef DRIVER_FILES_DRIVER_RUN_H
#define DRIVER_FILES_DRIVER_RUN_H

#include "base/bytes.h"
#include "driver/files/driver_files.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct jw_driver_run {
    char *const *argv; /* of this run; NULL at the end */
    const struct jw_driver_files *files;
    const char *gpu;   /* to emulate */
    const char *cache; /* of the driver there, and jw_driver_run_cache in that run */
    const atomic_bool *interrupted;
};

/* A GPU to emulate, for a run that compiles for all of `sms`: one that the driver knows, and if possible none of them, so that
 * all are compiled in the same way. */
const char *jw_driver_run_gpu_for(const struct jw_driver_files *files, const uint16_t *sms, size_t n,
                                  struct jw_arena *a);

/* `*code`: how it ended. */
bool jw_driver_run(const struct jw_driver_run *o, struct jw_arena *a, int *code, struct jw_err *err) JW_MUST;

/* In such a run; in any other NULL. */
const char *jw_driver_run_cache(struct jw_arena *a);

#endif

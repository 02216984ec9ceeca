/* Runs this program once more, with an unpacked NVIDIA driver and the library that emulates a GPU
 * for it (src/phantom). It makes only links in a temporary folder; the driver's files are not
 * copied or changed. For a driver for aarch64 it runs jitwarm for aarch64, by qemu-user. */
#pragma once

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdatomic.h>

struct jw_driver_files {
    const char *from;    /* folder of its libcuda */
    const char *version; /* "580.178.04", from the file's name */
    const char *licence; /* its file, or NULL */
    const char *foreign; /* the processor of that libcuda: "aarch64"; NULL: that of this machine */
    const char *program; /* jitwarm for that processor */
    const char *phantom; /* libjitwarm-phantom.so, for it, too */
    char *links;         /* temporary folder for LD_LIBRARY_PATH */
    const char *login;   /* JITWARM_LOGIN of the run; the caller sets it; NULL: unset */
};

/* `folder`: an unpacked .run file, the root of an unpacked package or image, or the folder of the
 * libraries. JW_E_USAGE: it has no driver, or what runs it is not installed. JW_E_FORMAT: a library
 * is damaged. */
bool jw_driver_files_ready(const char *folder, struct jw_arena *a, struct jw_driver_files *out,
                           struct jw_err *err) JW_MUST;

/* Runs the command line `argv` with that driver, in a cache of its own; its output is the output of
 * this run. `*code`: its exit code. Removes the links. */
bool jw_driver_files_run(const struct jw_driver_files *files, char *const *argv,
                         const atomic_bool *interrupted, struct jw_arena *a, int *code,
                         struct jw_err *err) JW_MUST;

/* The cache of a run that jw_driver_files_run started; NULL: this process is no such run. */
const char *jw_driver_files_cache(struct jw_arena *a);

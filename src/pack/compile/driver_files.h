/* NVIDIA's user-space driver in a folder of the user's, made ready to be loaded; and the library that lets it run without a
 * GPU (src/phantom). Nothing of NVIDIA's is copied or changed: links stand in a folder of our own. */
#ifndef PACK_COMPILE_DRIVER_FILES_H
#define PACK_COMPILE_DRIVER_FILES_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

struct jw_driver_files {
    const char *from;    /* where its libcuda lies */
    const char *version; /* "580.178.04", from the file's name */
    const char *licence; /* NULL: no file beside it says */
    const char *phantom; /* libjitwarm-phantom.so */
    char *links;         /* a scratch folder that the dynamic linker finds the driver in: jw_scratch_remove */
};

/*
 * `folder` is a .run file unpacked (--extract-only), the root of an unpacked package or image, or the folder of the libraries
 * itself. JW_E_USAGE: there is no driver in it, or phantom is not installed.
 */
bool jw_driver_files_ready(const char *folder, struct jw_arena *a, struct jw_driver_files *out,
                           struct jw_err *err) JW_MUST;

#endif

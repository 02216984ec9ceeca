/* The folders of NVIDIA's libraries that jitwarm loads by path: NVRTC and nvJitLink. */
#ifndef SOFTWARE_FIND_LIBRARY_FOLDERS_H
#define SOFTWARE_FIND_LIBRARY_FOLDERS_H

#include "software/find/places.h"

/* `how` of a folder that an environment variable names. */
extern const char jw_in_cuda_home[], jw_in_cuda_path[]; /* "$CUDA_HOME", "$CUDA_PATH" */

/* Adds the folders in this order: $CUDA_HOME and $CUDA_PATH, /usr/local/cuda*, those found by discovery, on Windows
 * those of PATH. All are absolute. False: a limit was exceeded. */
bool jw_library_folders(struct jw_finder *f) JW_MUST;

#endif

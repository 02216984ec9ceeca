/* Where NVIDIA's libraries lie that are loaded by their path while we run: NVRTC, nvJitLink. */
#ifndef SOFTWARE_FIND_LIBRARY_FOLDERS_H
#define SOFTWARE_FIND_LIBRARY_FOLDERS_H

#include "software/find/places.h"

/* As `how` of a folder that a variable names, which says what its user wants. */
extern const char jw_in_cuda_home[], jw_in_cuda_path[]; /* "$CUDA_HOME", "$CUDA_PATH" */

/*
 * Adds the folders, in this order: $CUDA_HOME and $CUDA_PATH, /usr/local/cuda*, below what `f->out` has discovered (Python's
 * and conda's packages, the toolkit's usual folders, the loader's path), on Windows those of PATH. All are absolute. False:
 * a limit was met.
 */
bool jw_library_folders(struct jw_finder *f) JW_MUST;

#endif

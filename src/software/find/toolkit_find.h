/* Finds NVRTC libraries by file name. Loads none, so it does not know which of them work. */
#pragma once

#include "base/arena.h"
#include "machine/paths.h"
#include "software/find/discover.h"

/* Absolute paths, each file once. The newest version is first, as far as names tell it; equal ones
 * are by place: $CUDA_HOME and $CUDA_PATH, /usr/local/cuda*, the folders of `found` in their order,
 * the loader's. What only the working folder leads to is not searched. Who may change a library is
 * not asked here. */
struct jw_listing jw_nvrtc_find(const struct jw_discovery *found, struct jw_arena *a);

/* Finds GPUs by product name. For gpus.c. */
#ifndef FACTS_GPU_NAMES_H
#define FACTS_GPU_NAMES_H

#include "jitwarm/err.h"
#include "jitwarm/gpu.h"

#include <stdbool.h>

/*
 * False with a sentence when the name stands for several compute capabilities, or (*found false) for nothing
 * that we know; *found is set in every case.
 */
bool jw_gpu_by_name(const char *text, struct jw_gpu *out, bool *found, struct jw_err *err);

#endif

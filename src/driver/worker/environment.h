/* What a worker's environment differs in from ours. */
#ifndef DRIVER_WORKER_ENVIRONMENT_H
#define DRIVER_WORKER_ENVIRONMENT_H

#include "base/compiler.h"
#include "driver/worker/worker.h"

/* The list lives in `a`; what it names is borrowed from `o`, whose own edits come last. */
void jw_worker_edits(const struct jw_worker_options *o, struct jw_arena *a, struct jw_child_edit **list,
                     size_t *n);

#endif

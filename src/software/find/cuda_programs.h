/* Programs that use the GPU now, and the settings that each was started with. */
#ifndef SOFTWARE_FIND_CUDA_PROGRAMS_H
#define SOFTWARE_FIND_CUDA_PROGRAMS_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "setup/login/env_file.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_cuda_program {
    unsigned long pid;
    const char *name;
    const char *unit;       /* the service of systemd that it belongs to: "trainer.service"; NULL: none */
    struct jw_env_set sets; /* CUDA_* and HOME, as it was started with */
};

struct jw_cuda_programs {
    bool known;      /* false: unknown on this system (see `why`) */
    const char *why; /* a sentence without a full stop */
    size_t hidden;   /* processes of other users, which only they and root can read */
    struct jw_cuda_program *v;
    size_t n;
};

/* Skips jitwarm's own processes, which have settings of their own. `proc`: "/proc" except in tests. False: a limit was
 * exceeded. */
bool jw_cuda_programs(const char *proc, struct jw_arena *a, struct jw_cuda_programs *out,
                      struct jw_err *err) JW_MUST;

/* The path of the driver's library in the text of /proc/PID/maps; NULL: none. Pure. */
const char *jw_maps_driver(const char *maps, struct jw_arena *a);

#endif

/* Programs that run on the GPU now, as far as the system lets us look: which settings each was started with. */
#ifndef SOFTWARE_FIND_CUDA_PROGRAMS_H
#define SOFTWARE_FIND_CUDA_PROGRAMS_H

#include "base/arena.h"
#include "base/compiler.h"
#include "env/files/env_file.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_cuda_program {
    unsigned long pid;
    const char *name;
    const char *unit;       /* the service of systemd that it belongs to: "trainer.service"; NULL: none */
    const char *library;    /* the driver's, as it is loaded */
    struct jw_env_set sets; /* CUDA_* and HOME, as it was started with */
};

struct jw_cuda_programs {
    bool known;      /* false: this system is not asked (see `why`) */
    const char *why; /* a sentence without a full stop */
    size_t hidden;   /* processes that belong to others, who alone may look, with root */
    struct jw_cuda_program *v;
    size_t n;
};

/* Those of jitwarm itself are left out: it starts them with settings of its own. `proc`: "/proc" but in tests. False: a limit was met. */
bool jw_cuda_programs(const char *proc, struct jw_arena *a, struct jw_cuda_programs *out,
                      struct jw_err *err) JW_MUST;

/* ---- pure parts, for tests ---- */

/* The driver's library in a list of mappings (/proc/PID/maps); NULL: it is not loaded. */
const char *jw_maps_driver(const char *maps, struct jw_arena *a);

/* "trainer.service" of the paths in /proc/PID/cgroup; NULL: no service. */
const char *jw_cgroup_service(const char *listing, struct jw_arena *a);

#endif

/* .cu files among the paths of a prime: an NVRTC of this machine compiles them, and their PTX is primed in their place. */
#ifndef PRIME_CU_FILES_H
#define PRIME_CU_FILES_H

#include "driver/nvrtc/nvrtc_compile.h"
#include "jitwarm/texts.h"
#include "session/session.h"

struct jw_cu_file {
    const char *path;
    struct jw_nvrtc_report report;
};

struct jw_cu_report {
    struct jw_cu_file *v; /* those that were tried: after a failure the last one did not compile */
    size_t n;
};

/* Replaces each .cu file of `paths` by its PTX, which the state folder keeps. For the oldest of `gpus`, or of the GPUs
 * here: newer ones run its PTX, too. */
bool jw_cu_compile(struct jw_session *s, struct jw_texts *paths, const struct jw_texts *gpus,
                   struct jw_arena *a, struct jw_cu_report *out, struct jw_err *err) JW_MUST;

#endif

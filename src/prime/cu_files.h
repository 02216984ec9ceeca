/* .cu files among the paths of a look: NVRTC on this machine compiles them to PTX, and the look judges this PTX. */
#ifndef PRIME_CU_FILES_H
#define PRIME_CU_FILES_H

#include "prime/look.h"

/* Returns the PTX of this .cu file as it is now; the state folder keeps it. It is made for the oldest GPU of the scope, since newer ones
 * run it, too. NULL: NVRTC could not make it; err says why, with the path. */
const char *jw_cu_ptx(struct jw_run *run, struct jw_look *l, const char *path, struct jw_err *err);

#endif

/* .cu files among the paths of a look: an NVRTC of this machine compiles them, and their PTX is looked at in their place. */
#ifndef PRIME_CU_FILES_H
#define PRIME_CU_FILES_H

#include "prime/look.h"

/* The PTX of this .cu file as it is now, which the state folder keeps. For the oldest GPU of the scope: newer ones run its PTX, too.
 * NULL: an NVRTC could not make it, and err says why, with the path. */
const char *jw_cu_ptx(struct jw_run *run, struct jw_look *l, const char *path, struct jw_err *err);

#endif

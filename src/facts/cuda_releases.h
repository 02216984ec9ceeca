/* CUDA toolkits, the architectures that each compiles for, and the drivers that run its programs. */
#ifndef FACTS_CUDA_RELEASES_H
#define FACTS_CUDA_RELEASES_H

#include <stdbool.h>

struct jw_cuda_release {
    unsigned cuda;                 /* 1102 */
    unsigned isa_major, isa_minor; /* of the PTX that it makes */
    unsigned oldest, newest;       /* architectures that it compiles for */
    unsigned nvrtc_newest;
    const char *linux_least, *windows_least; /* the oldest driver that its programs start with */
};

/* False: not in the table. */
bool jw_cuda_release_find(unsigned cuda, struct jw_cuda_release *out);
/* The oldest toolkit that compiles for this architecture; false: none that we know. */
bool jw_cuda_release_for(unsigned sm, struct jw_cuda_release *out);

#endif

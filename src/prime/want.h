/* What is asked about. All zero: the roots of this cache; if it never had any, the software that is
 * found here. */
#pragma once

#include "jitwarm/run.h"

#include <stdbool.h>

struct jw_want {
    struct jw_texts paths;   /* only these files and folders */
    struct jw_texts command; /* only the recorded command with these words; a NULL follows them */
    /* words of --gpu (facts/gpus.h), or the name of a GPU here; none: all GPUs here */
    struct jw_texts gpus;
    /* also NVIDIA's own libraries, tests of packages, and modules that are loaded lazily */
    bool all;
    /* skip files that other users can change, except below roots of jitwarm.conf */
    bool trusted_only;
    bool by_root; /* count the modules of each root, too: of_roots of the look */
    bool retry;   /* also modules that this driver could not compile before */
    /* another verb than prime, with its arguments, for remedies that repeat it; or NULL */
    const char *verb;
    const char *const *typed;
};

/* What is asked about. All zero: the roots of this cache; if it never had any, the software that is
 * found here. */
#pragma once

#include "jitwarm/run.h"

struct jw_want {
    struct jw_texts paths;   /* only these files and folders */
    struct jw_texts command; /* only the recorded command with these words; a NULL follows them */
    struct jw_texts gpus;    /* words of --gpu, or a GPU's name; none: all GPUs here */
    bool all;          /* also NVIDIA's libraries, tests of packages, and what loads on demand */
    bool trusted_only; /* skip files that other users can change, except below conf's roots */
    bool by_root;      /* count the modules of each root, too: of_roots of the look */
    bool retry;        /* also modules that this driver could not compile before */
    /* another verb than prime, with its arguments, for remedies that repeat it; or NULL */
    const char *verb;
    const char *const *typed;
};

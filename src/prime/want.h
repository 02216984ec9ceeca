/* What is asked about. All zero: everything, that is the roots of this cache and the software that is found here. */
#ifndef PRIME_WANT_H
#define PRIME_WANT_H

#include "jitwarm/run.h"

#include <stdbool.h>

struct jw_want {
    struct jw_texts paths;   /* these files and folders alone */
    struct jw_texts command; /* the recorded command with these words alone; behind them is a NULL */
    struct jw_texts gpus;    /* words of --gpu; none: the GPUs here */
    bool absent_gpus;        /* they need not be here; needs a cache of their own */
    bool all;                /* also NVIDIA's own libraries and modules that are loaded lazily */
    bool roots_only;         /* no search for software that nobody named */
    bool trusted_only;       /* skip files that other users can change, except below roots of jitwarm.conf */
    bool retry;              /* also modules that this driver could not compile before */
    bool as_root;            /* root asks for root's own programs */
};

#endif

/* How long the driver's compiler takes for one module on one core, before anything was measured on
 * this machine: what a module takes on its branch, and for each byte of PTX a part, which grows
 * with the size of its kernels. driver-fact: F108-time-of-kernels With the kernels counted, sums
 * were within 1.7 times of the processor seconds that NVIDIA's driver took for parts of the eight
 * libraries that this was fitted to; by bytes alone, within 3.8 times. Three whole libraries were
 * within 1.4 times on an idle machine; single ones, and modules, are between 0.4 and 2.5 times, but
 * one on 470. A busy machine takes twice as long. So an estimate is one rounded number. prime
 * learns while it compiles, and asks again where it takes longer. */
#pragma once

#include "facts/drivers.h"

#define JW_COMPILE_BYTE_S 0.5e-6 /* of the smallest kernels */
#define JW_COMPILE_TWICE 25e3    /* in a kernel of so many bytes each takes twice that */
#define JW_COMPILE_LARGEST 400e3 /* of larger kernels: such a text may be data */
#define JW_COMPILE_USUAL 65e3    /* bytes of a kernel where they were not counted */

static inline double jw_compile_seconds(unsigned branch, uint64_t ptx_bytes, uint64_t kernels)
{
    double bytes = (double)ptx_bytes;
    double n = kernels ? (double)kernels : 1 + bytes / JW_COMPILE_USUAL;
    double each = bytes / n < JW_COMPILE_LARGEST ? bytes / n : JW_COMPILE_LARGEST;

    return jw_driver_module_seconds(branch)
           + JW_COMPILE_BYTE_S * bytes * (1 + each / JW_COMPILE_TWICE);
}

/* An estimate is rounded to so many seconds, as it is no more exact than that. */
static inline double jw_compile_step(double seconds)
{
    if (seconds < 10)
        return 1;
    if (seconds < 60)
        return 5;
    if (seconds < 600)
        return 60;
    return seconds < 7200 ? 300 : 3600;
}

/* "under 1 s", "about 40 s", "about 20 min", "about 3 h" */
static inline struct jw_words jw_compile_words(double seconds)
{
    if (seconds < 1)
        return jw_phrase("under 1 s");
    double step = jw_compile_step(seconds);
    uint64_t steps = (uint64_t)(seconds / step + .5);

    return jw_phrase("about %s", JW_CLOCK(step * (double)steps));
}

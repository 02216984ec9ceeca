/*
 * How long the driver's compiler takes on one core, before anything was measured on this machine: a part for each
 * module and a part for each byte of PTX. It is a range, for no sum of sizes says more.
 *
 * What NVIDIA's driver took (modules, PTX, processor seconds; and what this says): TensorFlow 2.3.1 on driver 460 (238, 152 MB, 239;
 * 275); a llama.cpp library on 580 (138, 269 MB, 344; 485); CTranslate2 4.1.0 on 580 (20, 11 MB, 19; 20); ONNX Runtime 1.25.1 on an RTX
 * 5060 Ti (25, about 141 MB, 155; 254); the modules in the data of TensorFlow 2.10.0 on 550 (1,883, 9.6 MB, 17 and 35; 27); samples of
 * XGBoost 1.2.1 on 550 (47, 12.6 MB, 40; 23) and 470 (53, 13.6 MB, 41; 25), of TensorFlow 2.10.0 on 550 (18, 10.9 MB, 48; 20), and of flash
 * attention in CTranslate2 4.3.1 on 550 (2, 20.5 MB, 174; 37) and 535 (149); gpu4pyscf 1.9.0 on 535 (25, 30 MB, 197; 54); bitsandbytes
 * 0.43.3 on 550 (2, 5 MB, 13; 9); Warp 0.3.1 on 470, 535, 550 and 555 (1, 0.9 MB, 3 to 6; 1.7); XGBoost 0.82 on 550 (44, 21.7 MB, 85;
 * 39); implicit 0.6.0 on 550 (18, 11 MB, 70; 20). So 5 of 15 are within 1.5 times. A byte of a large kernel takes longer (driver-fact:
 * F108-time-of-kernels), but sizes do not decide: the kernels of llama.cpp and of gpu4pyscf have 250 KB alike, weighted by their bytes, and
 * take 1.3 and 6.6 µs a byte. prime learns while it compiles, and asks again where it takes longer.
 */
#ifndef FACTS_COMPILE_TIME_H
#define FACTS_COMPILE_TIME_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define JW_COMPILE_MODULE_S 0.005
#define JW_COMPILE_BYTE_S 1.8e-6

static inline double jw_compile_seconds(uint64_t modules, uint64_t ptx_bytes)
{
    return JW_COMPILE_MODULE_S * (double)modules + JW_COMPILE_BYTE_S * (double)ptx_bytes;
}

/* All that was measured lies between so many times of it. */
#define JW_COMPILE_MIN 0.6
#define JW_COMPILE_MAX 4.8

/* "12 s to 1 min 36 s", "5 to 38 minutes", "under 1 s". */
static inline struct jw_words jw_compile_span(double seconds)
{
    double min = JW_COMPILE_MIN * seconds, max = JW_COMPILE_MAX * seconds;

    if (min >= 60)
        return jw_phrase("%u to %u minutes", (unsigned)(min / 60 + .5), (unsigned)(max / 60 + .5));
    return max < 1 ? jw_phrase("under 1 s") : jw_phrase("%s to %s", JW_TENTHS(min), JW_TENTHS(max));
}

/* PTX of this ISA and newer was made by CUDA 12.2 or newer, whose programs load a module at the first use of one of its
 * kernels. */
static inline bool jw_isa_is_lazy(unsigned major, unsigned minor)
{
    return major > 8 || (major == 8 && minor >= 2);
}

#endif

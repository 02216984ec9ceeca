/*
 * How long the driver's compiler takes on one core, before anything was measured on this machine: a part for each
 * module and a part for each byte of PTX. It is a range, for no sum of sizes says more.
 * What NVIDIA's driver took (modules, PTX, processor seconds; and what this says): TensorFlow 2.3.1 on driver 460 (238, 152 MB, 239;
 * 275); a llama.cpp library on 580 (138, 269 MB, 344; 485); CTranslate2 4.1.0 on 580 (20, 11 MB, 19; 20); ONNX Runtime 1.12.0 on 535
 * (66, 57 MB, 59; 104); the modules in the data of TensorFlow 2.10.0 on 550 (1,883, 9.6 MB, 17 and 35; 27); XGBoost 1.2.1 on 550 (47,
 * 12.6 MB, 40; 23) and 0.82 (44, 21.7 MB, 85; 39); flash attention in CTranslate2 4.3.1 (2, 20.5 MB, 174; 37); gpu4pyscf 1.9.0 on 535
 * (25, 30 MB, 197; 54); implicit 0.6.0 (18, 11 MB, 70; 20); CatBoost 0.24 on 535 (75, 38 MB, 52; 69); NNabla 1.20.0 on 555 (197, 40 MB,
 * 49; 71); DGL 0.6.1 on 470 (32, 42 MB, 65; 76); PyTorch3D 0.3.0 on 470 (24, 13 MB, 21; 23); NCCL in CuPy 8.6.0 on 470 (113, 34 MB, 58;
 * 61); xFormers 0.0.16 on 550 (35, 30 MB, 131; 54); Faiss 1.5.3 on 390 (53, 31 MB, 25; 56), and in tsnecuda 3.0.1 on 555 (48, 25 MB,
 * 156; 45). So 8 of 18 are within 1.5 times. A byte of a large kernel takes longer (driver-fact: F108-time-of-kernels), but sizes do not
 * decide, nor do instructions or registers: the kernels of llama.cpp and of gpu4pyscf have 250 KB alike, weighted by their bytes, and
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

/* All libraries that were measured lie between so many times of it, but one on 470 (F108). */
#define JW_COMPILE_MIN 0.4
#define JW_COMPILE_MAX 4.8

/* "8.0 s to 1 min 36 s", "3 to 38 minutes", "under 1 s". */
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

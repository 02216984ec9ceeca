/*
 * How long the driver's compiler takes on one core, before anything was measured on this machine: a part for each
 * module and a part for each byte of PTX.
 *
 * What NVIDIA's driver took (modules, PTX, processor seconds; and what this says): TensorFlow 2.3.1 on driver 460 (238, 152 MB, 239;
 * 276); a llama.cpp library on 580 (138, 269 MB, 344; 486); CTranslate2 4.1.0 on 580 (20, 11 MB, 19; 20); ONNX Runtime 1.25.1 on an RTX
 * 5060 Ti (25, about 141 MB, 155; 254); the modules in the data of TensorFlow 2.10.0 on 550 (1,883, 9.6 MB, 35; 40); samples of XGBoost
 * 1.2.1 on 550 (47, 12.6 MB, 40; 23) and 470 (53, 13.6 MB, 41; 25). So it is within 1.75 times of each; another processor may take twice
 * as long or half. What it does not know is the size of kernels: where these are large, as those of flash attention and of some modules
 * of TensorFlow, a byte takes up to five times as long (driver-fact: F108-time-of-kernels). prime learns while it compiles, and asks again
 * where it takes longer.
 */
#ifndef FACTS_COMPILE_TIME_H
#define FACTS_COMPILE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define JW_COMPILE_MODULE_S 0.012
#define JW_COMPILE_BYTE_S 1.8e-6

static inline double jw_compile_seconds(uint64_t modules, uint64_t ptx_bytes)
{
    return JW_COMPILE_MODULE_S * (double)modules + JW_COMPILE_BYTE_S * (double)ptx_bytes;
}

/* PTX of this ISA and newer was made by CUDA 12.2 or newer, whose programs load a module at the first use of one of its
 * kernels. */
static inline bool jw_isa_is_lazy(unsigned major, unsigned minor)
{
    return major > 8 || (major == 8 && minor >= 2);
}

#endif

/*
 * How long the driver's compiler takes on one core, before anything was measured on this machine: a part for each
 * module and a part for each byte of PTX.
 *
 * Fitted to what NVIDIA's driver took (modules, PTX, seconds; and what this says): TensorFlow 2.3.1 on driver 460 (238,
 * 152 MB, 239; 239), and in its user's log 236; a llama.cpp library on 580 (138, 269 MB, 344; 337); CTranslate2 4.1.0
 * on 580 (20, 11 MB, 19; 18); ONNX Runtime 1.25.1 on an RTX 5060 Ti (25, about 141 MB, 155; 163). So it is within 6 %
 * of each of these, and for other drivers 20 % too low to 36 % too high (docs/benchmarks.md); another processor may
 * take twice as long or half. ptxas and nvJitLink took 20 to 35 % less.
 */
#ifndef FACTS_COMPILE_TIME_H
#define FACTS_COMPILE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define JW_COMPILE_MODULE_S 0.3
#define JW_COMPILE_BYTE_S 1.1e-6

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

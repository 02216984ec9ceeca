/* Names of NVIDIA's libraries: the driver, its compilers, and those for programs. */
#pragma once

#include <stdbool.h>

/* The driver as programs ask the loader for it; its compiler, as the driver asks for it. */
#define JW_LIBCUDA "libcuda.so"
#define JW_LIBCUDA_FILE JW_LIBCUDA ".1"
#define JW_DRIVER_COMPILER "libnvidia-ptxjitcompiler.so"
#define JW_DRIVER_COMPILER_FILE JW_DRIVER_COMPILER ".1"

/* How the names of the driver's compilers begin: of PTX, of bitcode, of tiles. NULL ends them. */
extern const char *const jw_driver_compilers[];

/* The names without a driver's version by which programs and libcuda ask the loader for the
 * driver's libraries. All others that they load have the version in their names: libcuda takes
 * those of its own. NULL ends them. driver-fact: F102-compiler-by-name */
extern const char *const jw_driver_names[];

/* A file of NVIDIA's, which comes compiled for every GPU that it supports, by the name without
 * folder, whatever its ending: "libcublas.so.12", "cublas64_12.dll", "libcuda.so.1". */
bool jw_is_nvidia_file(const char *name);

/* A compiler that programs load, "nvvm" or "nvrtc", by its file's name: "libnvrtc.so.12",
 * "nvvm64_40_0.dll"; no module of Python. */
bool jw_is_compiler(const char *name, const char *compiler);

/* NVRTC as programs ask the loader for it; NULL ends them. */
extern const char *const jw_nvrtc_names[];

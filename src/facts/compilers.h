/* Compilers of GPU code: NVIDIA's libraries, the Python packages that compile while a program runs, and where they
 * keep what they compiled. */
#ifndef FACTS_COMPILERS_H
#define FACTS_COMPILERS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- the driver's own libraries ---- */

/* The driver as programs ask the loader for it; its compiler, and as the driver asks the loader for that. */
#define JW_LIBCUDA "libcuda.so"
#define JW_LIBCUDA_FILE JW_LIBCUDA ".1"
#define JW_DRIVER_COMPILER "libnvidia-ptxjitcompiler.so"
#define JW_DRIVER_COMPILER_FILE JW_DRIVER_COMPILER ".1"

/* The names without a driver's version by which programs and libcuda ask the loader for the driver's libraries. All
 * others that they load have the version in their names: libcuda takes those of its own.
 * driver-fact: F102-compiler-by-name */
const char *const *jw_driver_names(size_t *n);

/* "libcuda.so.1", "libcuda.so.550.163.01" */
bool jw_is_libcuda(const char *name);

/* True also of "libnvidia-nvvm.so.4" and the like, which are known by the driver's build. */
bool jw_is_of_driver(const char *name);

/* ---- NVIDIA's libraries for programs ---- */

struct jw_cuda_library {
    const char *stem;     /* "libnvrtc" */
    const char *windows;  /* a compiler's name begins so on Windows: "nvrtc64_" */
    const char *package;  /* part of its package's name: "cuda-nvrtc" */
    const char *before;   /* the same up to CUDA 12, where it differs */
    bool has_parts;       /* "libcudnn_ops_infer" is one of libcudnn */
    bool has_cuda_number; /* its number is that of CUDA: libcublas.so.12 */
    bool in_no_file;      /* no program names it; Python packages load it */
    bool in_no_cache;     /* no cache keeps what this compiler makes */
};

/* The kind of a file of NVIDIA's, which comes compiled for every GPU that it supports. */
enum jw_nvidia_file {
    JW_NVIDIA_NONE,
    JW_NVIDIA_LIBRARY, /* for programs */
    JW_NVIDIA_TOOL /* the driver, its compilers and tools: only they themselves run the GPU code in them */
};

/* "libcublas.so.12", "cublas64_12.dll", by the name without folder, whatever its ending. */
enum jw_nvidia_file jw_nvidia_file_of(const char *name);

/* Finds a library by its file name, "libcudnn-463fd6d5.so.8.9.7"; NULL: it is no library of the table. */
const struct jw_cuda_library *jw_cuda_library_of(const char *name);

/* True of a file's name on any system. Another version of a compiler makes other code, and finds nothing that this one
 * left in a cache. */
bool jw_is_compiler(const char *name);

/* True of a compiler whose results are in no cache: what it compiles is compiled again at every start. */
bool jw_is_compiler_without_cache(const char *name);

/* NVRTC as programs ask the loader for it, the newest first, with its CUDA; major 0 ends them. */
struct jw_nvrtc_name {
    const char *name;
    unsigned major;
};
extern const struct jw_nvrtc_name jw_nvrtc_names[];

/* The package of PyPI that holds a library: "nvidia-cudnn-cu12==8.*"; NULL: none is known. */
const char *jw_library_package(const char *name, unsigned cuda_major, struct jw_arena *a);

/* The number behind ".so."; 0: none. */
unsigned jw_library_major(const char *name);

/* ---- Python packages ---- */

struct jw_run_time {
    const char *name;      /* as pip has it */
    const char *libraries; /* that it loads, and does not bring: "libcudart libnvrtc"; "" none */
    const char *with;      /* packages of the same toolkit, to install with one that is missing; "" none */
    unsigned cuda;         /* theirs has to be of this one: 12; 0: any */
};

const struct jw_run_time *jw_run_time_packages(size_t *n);

/* ---- caches ---- */

enum jw_compiler_cache_place {
    JW_CACHE_NOWHERE,
    JW_CACHE_HOME,
    JW_CACHE_CACHES,    /* XDG_CACHE_HOME, or ~/.cache */
    JW_CACHE_TEMPORARY, /* TMPDIR, or /tmp; the user's name is the end of its name */
    JW_CACHE_OF_USER    /* there, in a folder of the user's name */
};

struct jw_compiler_cache {
    const char *name, *owner, *module;
    const char *variable;               /* that moves it; NULL: none does */
    const char *below_variable;         /* behind the folder that the variable names */
    enum jw_compiler_cache_place place; /* without the variable */
    const char *below;
    const char *home; /* a variable that stands for HOME */
};

const struct jw_compiler_cache *jw_compiler_caches(size_t *n);

/* The cache that has such files beside a program's sources: "numba"; NULL: none, or not known. */
const char *jw_compiler_cache_beside_sources(const char *file);

/* The compiler of a recorded cache, for people: "CuPy" of "cupy", "Numba" of "numba-lib" beside a program's sources; of
 * another its name, "taichi". */
const char *jw_compiler_cache_owner(const char *name);

/* True if a cache is elsewhere where this variable is set. */
bool jw_moves_compiler_cache(const char *variable);

#endif

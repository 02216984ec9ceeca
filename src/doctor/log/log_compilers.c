#include "doctor/log/log_compilers.h"

#include "base/compiler.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define GRAPHS "records its CUDA graphs"
#define GRAPHS_SO                                                                                            \
    "it does that at each start. The first one is longer, because kernels that it meets there are compiled " \
    "by Triton, Inductor or the driver, each of which keeps them"
#define GRAPHS_FIX(option)                                                                                   \
    "compare with a second start; what remains then is the recording itself, which " option                  \
    " leaves out, at the price of speed"
#define XLA_SO                                                                                               \
    "this is XLA's own compiler. JAX keeps what it made only where JAX_COMPILATION_CACHE_DIR names a "       \
    "folder; TensorFlow does not keep it"
#define XLA_FIX "of JAX, name a folder that lasts, in a container on a volume:"
#define XLA_COMMAND "export JAX_COMPILATION_CACHE_DIR=\"$HOME/.cache/jax\""

/* The lines as the sources print them, and as logs of vLLM, SGLang and TensorRT-LLM have them. */
static const struct jw_log_compiler compilers[] = {
    /* flashinfer 0.2: flashinfer/jit/core.py, load_cuda_ops */
    { "FlashInfer", "flashinfer.jit: Loading JIT ops", "flashinfer.jit: Finished loading JIT ops",
      .owner = "FlashInfer" },
    /* flashinfer: flashinfer/autotuner.py, autotune; vllm: model_executor/warmup/kernel_warmup.py keeps its result */
    { "FlashInfer's autotuner", "[Autotuner]: Autotuning process starts",
      "[Autotuner]: Autotuning process ends", .does = "measures which of its kernels are fast on this GPU",
      .so = "a program that does not keep the result measures again at each start; vLLM of 2026 and newer "
            "keeps it below ~/.cache/vllm, or where VLLM_CACHE_ROOT says, and a new container has none",
      .fix =
          "update vLLM, and keep that folder from one start to the next: in a container set VLLM_CACHE_ROOT "
          "to a folder on a volume. The driver compiles nothing here, so jitwarm prime does not shorten "
          "this pause" },
    /* triton: triton/runtime/autotuner.py prints with TRITON_PRINT_AUTOTUNING=1; knobs.py: autotuning.cache */
    { "Triton's autotuner", "Triton autotuning for function ", NULL,
      .does = "compiles and measures the variants of a kernel",
      .so = "Triton keeps what it compiled, and not which variant was fast: each start measures again",
      .fix = "have it keep that, too, in Triton's own cache (~/.triton/cache or TRITON_CACHE_DIR, in a "
             "container on a volume):",
      .command = "export TRITON_CACHE_AUTOTUNING=1" },
    /* torch/_inductor/select_algorithm.py */
    { "PyTorch Inductor", "AUTOTUNE benchmarking takes ", NULL, .folder = "/tmp/torchinductor_USER",
      .variable = "TORCHINDUCTOR_CACHE_DIR" },
    /* torch/utils/cpp_extension.py: load */
    { "PyTorch's extension builder", "Building extension module ", "Loading extension module ",
      .owner = "PyTorch extensions" },
    /* tilelang: tilelang/jit/kernel.py, JITKernel */
    { "TileLang", "TileLang begins to compile kernel", "TileLang completes to compile kernel",
      .owner = "TileLang" },
    /* sglang: sglang/srt/layers/deep_gemm_wrapper/compile_utils.py, which sets DG_JIT_CACHE_DIR itself from this
     * variable (SGL_DG_CACHE_DIR in older releases): not DeepGEMM's own folder */
    { "DeepGEMM", "Entering DeepGEMM JIT ", .folder = "~/.cache/deep_gemm",
      .variable = "SGLANG_DG_CACHE_DIR" },
    { "DeepGEMM", "DeepGEMM JIT Compiling for <", .folder = "~/.cache/deep_gemm",
      .variable = "SGLANG_DG_CACHE_DIR" },
    /* vllm: vllm/triton_utils/jit_monitor.py, a hook that Triton calls when it has compiled */
    { "Triton", NULL, "Triton kernel JIT compilation during inference", .owner = "Triton" },
    /* vllm: vllm/compilation/backends.py; torch.compile's files are below vLLM's own folder */
    { "vLLM's torch.compile", NULL, "Compiling a graph for ", .owner = "vLLM" },
    /* monitor.py, when all graphs are compiled; earlier releases said it of the profiling run, too */
    { "vLLM's torch.compile", NULL, "torch.compile takes ", .owner = "vLLM" },
    { "vLLM's torch.compile", NULL, "torch.compile and initial profiling ", .owner = "vLLM" },
    /* vllm: v1/worker/gpu_model_runner.py, capture_model; sglang: srt/model_executor/cuda_graph_runner.py, "Capture
     * cuda graph begin", and 0.5.23: model_runner_components/cuda_graph_setup.py, "Capture target decode CUDA graph
     * begin" */
    { "vLLM", "Capturing CUDA graph", "Graph capturing finished", .does = GRAPHS, .so = GRAPHS_SO,
      .fix = GRAPHS_FIX("--enforce-eager") },
    { "SGLang", "cuda graph begin", "cuda graph end", .does = GRAPHS, .so = GRAPHS_SO,
      .fix = GRAPHS_FIX("--disable-cuda-graph") },
    /* TensorRT's builder */
    { "TensorRT", "timing cache in use. Profiling results", "Engine generation completed in ",
      .does = "builds an engine for this GPU, and measures which of its kernels are fast",
      .so = "it keeps nothing itself: a start builds again unless the program saved the engine",
      .fix = "have the program save its engine and load that, in a container on a volume (ONNX Runtime: "
             "trt_engine_cache_enable and trt_engine_cache_path); it is of use on GPUs of this kind alone" },
    /* Omniverse Kit and Isaac Sim: gpu.foundation.plugin */
    { "Omniverse", "Waiting for compilation of ray tracing shaders by GPU driver", NULL,
      .does = "waits for the driver's ray tracing shaders",
      .so = "they are graphics, no CUDA code: ~/.cache/ov and ~/.cache/nvidia/GLCache keep them, and a new "
            "container has none",
      .fix =
          "keep both folders from one start to the next, in a container on volumes. jitwarm prime does not "
          "shorten this pause" },
    /* blender: intern/cycles/device/device.cpp prints it at each render */
    { "Blender", "Loading render kernels (may take a few minutes the first time)", NULL,
      .does = "loads the kernels of Cycles",
      .so =
          "with CUDA the driver compiles them where this Blender has no machine code for the GPU, and keeps "
          "that in its cache; with OptiX they are in a cache of OptiX, /var/tmp/OptixCache_USER or where "
          "OPTIX_CACHE_PATH says",
      .fix = "keep both caches from one start to the next. Begun beside the next render, this shows live "
             "whether "
             "the driver compiles:",
      .command = "jitwarm doctor --watch=60s" },
    /* xla: xla/service/slow_operation_alarm.cc, of the compiler and of the autotuner of convolutions. JAX keeps both in its
     * cache, TensorFlow neither */
    { "XLA", "[Compiling module ", NULL, .does = "compiles", .so = XLA_SO, .fix = XLA_FIX,
      .command = XLA_COMMAND },
    { "XLA", "Constant folding an instruction is taking ", NULL, .does = "computes constants of the program",
      .so = XLA_SO, .fix = XLA_FIX, .command = XLA_COMMAND },
    /* jax/_src/dispatch.py with jax_log_compiles */
    { "XLA", NULL, "Finished XLA compilation of ", .does = "compiles", .so = XLA_SO, .fix = XLA_FIX,
      .command = XLA_COMMAND },
    { "XLA's autotuner", "Trying algorithm eng", NULL, .does = "measures cuDNN's algorithms", .so = XLA_SO,
      .fix = XLA_FIX, .command = XLA_COMMAND },
};

static const struct jw_log_compiler *compiler_of(const char *line, bool ends)
{
    for (size_t i = 0; i < JW_COUNT(compilers); i++) {
        const char *words = ends ? compilers[i].ends : compilers[i].begins;

        if (words && jw_text_find_nocase(line, words))
            return &compilers[i];
    }
    return NULL;
}

const struct jw_log_compiler *jw_log_compiler_begins(const char *line)
{
    return compiler_of(line, false);
}

const struct jw_log_compiler *jw_log_compiler_ends(const char *line)
{
    return compiler_of(line, true);
}

/* ---- its own words about time ---- */

/* A hundred days; no start takes as long. */
#define LONGEST_S 8640000.0

/* "s", "seconds", "ms" behind a number, as a whole word; 0: another. */
static double unit_of(const char *at)
{
    static const struct {
        const char *word;
        double seconds;
    } units[] = { { "ms", 0.001 },  { "s", 1 },    { "sec", 1 }, { "secs", 1 }, { "second", 1 },
                  { "seconds", 1 }, { "h", 3600 }, { "m", 60 },  { "min", 60 }, { "minutes", 60 } };
    size_t n = 0;

    at += *at == ' ';
    while (jw_is_letter(at[n]))
        n++;
    for (size_t i = 0; i < JW_COUNT(units); i++)
        if (n == strlen(units[i].word) && jw_text_starts(at, units[i].word))
            return units[i].seconds;
    return 0;
}

/* The first number of seconds in a text: behind it may stand what is no time ("took 14.99 GiB and 3.2 seconds"). */
static double seconds_in(const char *at)
{
    while (*at) {
        char *end = NULL;

        if (*at < '0' || *at > '9') {
            at++;
            continue;
        }

        double value = strtod(at, &end), unit = unit_of(end);

        if (unit >= 60 && jw_is_letter(end[0]) && end[1] >= '0' && end[1] <= '9') /* Go's "1h6m29.04s" */
            return value * unit + seconds_in(end + 1);
        if (unit > 0)
            return value * unit;
        at = end;
    }
    return 0;
}

double jw_log_stated_seconds(const char *line)
{
    static const char *const words[] = {
        " took ",        " takes ",   "took: ",      "finished ",   "completed ",
        "time elapsed:", " elapsed=", "load time =", " started in "
    };

    for (size_t i = 0; i < JW_COUNT(words); i++) {
        const char *at = jw_text_find_nocase(line, words[i]);
        double seconds = at ? seconds_in(at + strlen(words[i])) : 0;

        if (seconds > 0 && seconds < LONGEST_S)
            return seconds;
    }
    return 0;
}

#include "doctor/doctor_log_compilers.h"

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The lines as the sources print them, and as logs of vLLM, SGLang and TensorRT-LLM have them. */
static const struct jw_log_compiler compilers[] = {
    /* flashinfer 0.2: flashinfer/jit/core.py, load_cuda_ops */
    { "FlashInfer", "flashinfer.jit: Loading JIT ops", "flashinfer.jit: Finished loading JIT ops",
      "FlashInfer", NULL, NULL },
    /* tilelang: tilelang/jit/kernel.py, JITKernel */
    { "TileLang", "TileLang begins to compile kernel", "TileLang completes to compile kernel", "TileLang",
      NULL, NULL },
    /* sglang: sglang/srt/layers/deep_gemm_wrapper/compile_utils.py, which sets DG_JIT_CACHE_DIR itself from this
     * variable (SGL_DG_CACHE_DIR in older releases): not DeepGEMM's own folder */
    { "DeepGEMM", "Entering DeepGEMM JIT ", NULL, NULL, "~/.cache/deep_gemm", "SGLANG_DG_CACHE_DIR" },
    { "DeepGEMM", "DeepGEMM JIT Compiling for <", NULL, NULL, "~/.cache/deep_gemm", "SGLANG_DG_CACHE_DIR" },
    /* vllm: vllm/triton_utils/jit_monitor.py, a hook that Triton calls when it has compiled */
    { "Triton", NULL, "Triton kernel JIT compilation during inference", "Triton", NULL, NULL },
    /* vllm: vllm/compilation/backends.py; torch.compile's files are below vLLM's own folder */
    { "vLLM's torch.compile", NULL, "Compiling a graph for ", "vLLM", NULL, NULL },
};

static const struct jw_log_compiler *compiler_of(const char *line, bool ends)
{
    for (size_t i = 0; i < JW_COUNT(compilers); i++) {
        const char *words = ends ? compilers[i].ends : compilers[i].begins;

        if (words && strstr(line, words))
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

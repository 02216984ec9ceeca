#include "doctor/doctor_log_subject.h"

#include "base/compiler.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

static bool has_any(const char *line, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(line, words[i]))
            return true;
    return false;
}

/* A line of an access log: '"GET /cuda.html HTTP/1.1" 200' */
static bool is_request(const char *line)
{
    static const char *const words[] = { " HTTP/1.", " HTTP/2", " HTTP/3" };

    return has_any(line, words, JW_COUNT(words));
}

/* Beginnings of words, in small letters: "libcudart", "gpu_model_runner", "TensorRT-LLM", "[TRT]" have one. */
static bool begins_name(const char *at)
{
    static const char *const names[] = { "cuda",       "cudnn",        "cublas",     "cudart",     "libcu",
                                         "nvcuda",     "nvidia",       "nvrtc",      "geforce",    "gpu",
                                         "tensorflow", "tensorrt",     "trt",        "torch",      "pytorch",
                                         "vllm",       "sglang",       "flashinfer", "triton",     "tilelang",
                                         "deepgemm",   "jax",          "xla",        "ggml",       "llama",
                                         "ollama",     "onnxruntime",  "cupy",       "numba",      "paddle",
                                         "omniverse",  "bitsandbytes", "xformers",   "ctranslate2" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if ((*at | 0x20) == names[i][0] && jw_text_starts_nocase(at, names[i]))
            return true;
    return false;
}

bool jw_log_names_cuda(const char *line)
{
    if (is_request(line))
        return false;
    for (const char *at = line; *at; at++)
        if (jw_is_letter(*at) && (at == line || !jw_is_letter(at[-1])) && begins_name(at))
            return true;
    return false;
}

bool jw_log_server_is_ready(const char *line)
{
    static const char *const words[] = { "Application startup complete", /* uvicorn: vLLM, SGLang, FastAPI */
                                         "Uvicorn running on ",          /* its next line */
                                         "The server is fired up and ready", /* SGLang */
                                         "server is listening on ",          /* llama.cpp */
                                         "HTTP server listening",            /* older ones */
                                         "Running on local URL:",            /* Gradio: web UIs */
                                         "Started HTTPService at ",          /* Triton Inference Server */
                                         "Listening on 127.0.0.1:11434",     /* Ollama */
                                         "Listening on [::]:11434" };

    return has_any(line, words, JW_COUNT(words));
}

bool jw_log_server_works(const char *line)
{
    static const char *const words[] = { "Waiting for application startup", /* uvicorn, once more */
                                         "Starting to load model",          /* vLLM */
                                         "Received request ", /* vLLM with --enable-log-requests */
                                         "Prefill batch",     /* SGLang */
                                         "launch_slot_",      /* llama.cpp */
                                         "starting runner",   /* Ollama */
                                         "starting llama server" };

    return has_any(line, words, JW_COUNT(words));
}

#include "doctor/log/log_subject.h"

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

/* A line of an access log: '"GET /cuda.html HTTP/1.1" 200', Ollama's '[GIN] 2026/04/10 - 21:14:11 | 200 | 18.1s | 127.0.0.1 | POST "/api/chat"',
 * llama.cpp's 'done request: POST /v1/chat/completions 127.0.0.1 200' */
static bool is_request(const char *line)
{
    static const char *const words[] = { " HTTP/1.", " HTTP/2", " HTTP/3", "[GIN] ", " request: POST /" };

    return has_any(line, words, JW_COUNT(words));
}

/* Beginnings of words, in small letters: "libcudart", "gpu_model_runner", "TensorRT-LLM", "[TRT]" have one. */
static bool begins_name(const char *at)
{
    static const char *const names[] = {
        "cuda",    "cudnn",   "cublas",    "cudart",       "libcu",    "nvcuda",      "nvidia",
        "nvrtc",   "geforce", "gpu",       "tensorflow",   "tensorrt", "trt",         "torch",
        "pytorch", "vllm",    "sglang",    "flashinfer",   "triton",   "tilelang",    "deepgemm",
        "jax",     "xla",     "ggml",      "llama",        "ollama",   "onnxruntime", "cupy",
        "numba",   "paddle",  "omniverse", "bitsandbytes", "xformers", "ctranslate2", "nvrm"
    };

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

/* "0.0.0.0:8000", "localhost:8080", "[::]:11434": a port of this machine. */
static bool names_own_port(const char *line)
{
    static const char *const hosts[] = { "0.0.0.0:", "127.0.0.1:", "localhost:", "[::]:", "[::1]:" };

    for (size_t i = 0; i < JW_COUNT(hosts); i++) {
        const char *at = strstr(line, hosts[i]);

        if (at && jw_is_digit(at[strlen(hosts[i])]))
            return true;
    }
    return false;
}

/* The server answered a request for work: '"POST /v1/completions HTTP/1.1" 200'. A request of the program
 * itself has another server's address in it, and a GET may only ask how far the load of a model is. */
static bool is_answer(const char *line)
{
    return is_request(line) && strstr(line, "POST") && !strstr(line, "://");
}

bool jw_log_server_is_ready(const char *line)
{
    /* uvicorn, Gradio, Flask, hypercorn; llama.cpp, Ollama, gunicorn; Triton Inference Server; TensorFlow Serving;
     * ComfyUI */
    static const char *const listens[] = { "unning on ",      "istening ",   "Service at ",
                                           "ModelServer at ", "REST API at", "GUI go to: " };
    static const char *const ready[] = {
        "Application startup complete",     /* vLLM's uvicorn names no port */
        "The server is fired up and ready", /* SGLang, when it is warm */
        "Prompt executed in ",              /* ComfyUI, which logs no requests */
        "all slots are idle"                /* llama.cpp, after each request, too */
    };

    /* Ollama's runner listens before it loads the model. */
    return (names_own_port(line) && has_any(line, listens, JW_COUNT(listens)) && !strstr(line, "runner.go"))
           || has_any(line, ready, JW_COUNT(ready)) || is_answer(line);
}

bool jw_log_server_works(const char *line)
{
    static const char *const words[] = {
        "Waiting for application startup", /* uvicorn, once more */
        "Booting worker ",                 /* gunicorn, which listens before it loads the program */
        "Received request ",               /* vLLM with --enable-log-requests */
        "Prefill batch",                   /* SGLang */
        "launch_slot_",                    /* llama.cpp */
        "got prompt"
    }; /* ComfyUI */

    if (has_any(line, words, JW_COUNT(words)))
        return true;
    return !is_request(line) && jw_text_find_nocase(line, "load") && jw_text_find_nocase(line, "model");
}

#include "env/files/env_names.h"

#include "base/text.h"

#include <string.h>

const struct jw_env_known jw_env_vars[] = {
    { "CUDA_CACHE_MAXSIZE", "maximum size of the cache in bytes; a larger module is compiled at every start",
      JW_ENV_CACHE },
    { "CUDA_CACHE_PATH", "folder of the driver's cache", JW_ENV_CACHE },
    { "CUDA_CACHE_DISABLE", "1: the driver caches nothing, and compiles at every start", JW_ENV_CACHE },
    { "CUDA_FORCE_PTX_JIT", "1: the driver ignores machine code and compiles all PTX", JW_ENV_SWITCH },
    { "CUDA_FORCE_JIT", "1: the driver ignores machine code and compiles all PTX", JW_ENV_SWITCH },
    { "CUDA_DISABLE_PTX_JIT", "1: the driver compiles nothing; programs without code for the GPU fail",
      JW_ENV_SWITCH },
    { "CUDA_DISABLE_JIT", "1: the driver compiles nothing; programs without code for the GPU fail",
      JW_ENV_SWITCH },
    { "CUDA_MODULE_LOADING", "LAZY: code is compiled when it is first used; EAGER: when it is loaded",
      JW_ENV_OTHER },
    { "CUDA_MODULE_DATA_LOADING", "the same for a module's data", JW_ENV_OTHER },
    { "CUDA_FORCE_PRELOAD_LIBRARIES", "1: the driver loads its compiler when a program starts",
      JW_ENV_OTHER },
    { "CUDA_VISIBLE_DEVICES", "which GPUs programs see", JW_ENV_OTHER },
    { "CUDA_DEVICE_ORDER", "how GPUs are numbered", JW_ENV_OTHER },
    { "CUDA_MPS_PIPE_DIRECTORY", "folder of the MPS server, which shares a GPU", JW_ENV_OTHER },
};
const size_t jw_env_vars_n = JW_COUNT(jw_env_vars);

/* Other variables of the driver, CUDA programs, compilers and build systems. */
static const char *const others[] = {
    "CUDA_BINARY_LOADER_THREAD_COUNT",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_MAX_COPY_CONNECTIONS",
    "CUDA_AUTO_BOOST",
    "CUDA_MANAGED_FORCE_DEVICE_ALLOC",
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
    "CUDA_LOG_FILE",
    "CUDA_MPS_LOG_DIRECTORY",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "CUDA_INJECTION64_PATH",
    "CUDA_DEVCODE_CACHE",
    "CUDA_DEVCODE_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_DIR",
    "CUDA_VERSION",
    "CUDA_ARCH",
    "CUDAARCHS",
};

/* Common wrong names, which no program reads. */
static const struct {
    const char *wrong, *right;
} wrong_names[] = {
    { "CUDA_CACHE_SIZE", "CUDA_CACHE_MAXSIZE" },
    { "CUDA_CACHE_MAX", "CUDA_CACHE_MAXSIZE" },
    { "CUDA_CACHE_MAX_BYTES", "CUDA_CACHE_MAXSIZE" },
    { "CUDA_CACHE_LIMIT", "CUDA_CACHE_MAXSIZE" },
    { "CUDA_CACHE_DIR", "CUDA_CACHE_PATH" },
    { "CUDA_CACHE_DIRECTORY", "CUDA_CACHE_PATH" },
    { "CUDA_CACHE", "CUDA_CACHE_PATH" },
    { "CUDA_JIT_CACHE_PATH", "CUDA_CACHE_PATH" },
    { "NVIDIA_CACHE_PATH", "CUDA_CACHE_PATH" },
    { "CUDA_CACHE_ENABLE", "CUDA_CACHE_DISABLE" },
    { "CUDA_DISABLE_CACHE", "CUDA_CACHE_DISABLE" },
    { "CUDA_FORCE_JIT_PTX", "CUDA_FORCE_PTX_JIT" },
};

enum { NEAR = 2, SHORTEST = 12 };

const struct jw_env_known *jw_env_known(const char *name)
{
    for (size_t i = 0; i < jw_env_vars_n; i++)
        if (strcmp(jw_env_vars[i].name, name) == 0)
            return &jw_env_vars[i];
    return NULL;
}

static const char *name_at(size_t i)
{
    return i < jw_env_vars_n                      ? jw_env_vars[i].name
           : i < jw_env_vars_n + JW_COUNT(others) ? others[i - jw_env_vars_n]
                                                  : NULL;
}

const char *jw_env_meant(const char *name, bool windows)
{
    const char *right, *best = NULL;
    unsigned nearest = NEAR + 1;

    for (size_t i = 0; (right = name_at(i)); i++)
        if (jw_text_equal_nocase(name, right))
            return windows || strcmp(name, right) == 0 ? NULL : right;
    for (size_t i = 0; i < JW_COUNT(wrong_names); i++)
        if (jw_text_equal_nocase(name, wrong_names[i].wrong))
            return wrong_names[i].right;
    for (size_t i = 0; (right = name_at(i)); i++) {
        unsigned apart = strlen(right) < SHORTEST ? NEAR + 1 : jw_text_distance(name, right);

        if (apart < nearest) {
            nearest = apart;
            best = right;
        }
    }
    return best;
}

#include "env/env_vars.h"

#include "base/compiler.h"
#include "base/text.h"

#include <string.h>

const struct jw_env_known jw_env_vars[] = {
    { "CUDA_CACHE_MAXSIZE",
      "how many bytes of compiled code the driver keeps; what is larger is compiled at every start",
      JW_ENV_CACHE },
    { "CUDA_CACHE_PATH", "the folder in which the driver keeps compiled code", JW_ENV_CACHE },
    { "CUDA_CACHE_DISABLE", "1: the driver keeps nothing, and compiles at every start", JW_ENV_CACHE },
    { "CUDA_FORCE_PTX_JIT", "1: machine code is passed over, and all PTX is compiled", JW_ENV_SWITCH },
    { "CUDA_FORCE_JIT", "1: machine code is passed over, and all PTX is compiled", JW_ENV_SWITCH },
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
    { "CUDA_MPS_PIPE_DIRECTORY", "where the server that shares a GPU (MPS) is found", JW_ENV_OTHER },
};
const size_t jw_env_vars_n = JW_COUNT(jw_env_vars);

/* Names of others' that look like the driver's, and are none: compilers and build systems read them. */
static const char *const elsewhere[] = {
    "CUDA_HOME",      "CUDA_PATH",          "CUDA_ROOT",         "CUDA_DIR",
    "CUDA_CACHE_DIR", "CUDA_ARCH",          "CUDA_VERSION",      "CUDA_LAUNCH_BLOCKING",
    "CUDA_LOG_FILE",  "CUDA_DEVCODE_CACHE", "CUDA_DEVCODE_PATH", "CUDA_INJECTION64_PATH",
};

enum { NEAR = 2, SHORTEST = 10 };

const struct jw_env_known *jw_env_known(const char *name)
{
    for (size_t i = 0; i < jw_env_vars_n; i++)
        if (strcmp(jw_env_vars[i].name, name) == 0)
            return &jw_env_vars[i];
    return NULL;
}

/* "CUDA_CACHE_MAX_SIZE" is one letter off, "cuda_cache_maxsize" another case, "CUDA_CACHE_SIZE" and "CUDA_CACHE_DIR" another
 * word. */
static const char *word_for_word(const char *name)
{
    static const char *const pairs[][2] = {
        { "CUDA_CACHE_SIZE", "CUDA_CACHE_MAXSIZE" },   { "CUDA_CACHE_LIMIT", "CUDA_CACHE_MAXSIZE" },
        { "CUDA_CACHE_DIR", "CUDA_CACHE_PATH" },       { "CUDA_CACHE_DISABLED", "CUDA_CACHE_DISABLE" },
        { "CUDA_CACHE_ENABLE", "CUDA_CACHE_DISABLE" },
    };

    for (size_t i = 0; i < JW_COUNT(pairs); i++)
        if (jw_text_equal_nocase(pairs[i][0], name))
            return pairs[i][1];
    return NULL;
}

const struct jw_env_known *jw_env_meant(const char *name)
{
    const struct jw_env_known *best = NULL;
    unsigned nearest = NEAR + 1;
    const char *word = word_for_word(name);

    if (word)
        return jw_env_known(word);
    if (jw_env_known(name) || strlen(name) < SHORTEST)
        return NULL;
    for (size_t i = 0; i < JW_COUNT(elsewhere); i++)
        if (strcmp(elsewhere[i], name) == 0)
            return NULL;
    for (size_t i = 0; i < jw_env_vars_n; i++) {
        unsigned apart =
            jw_text_equal_nocase(name, jw_env_vars[i].name) ? 0 : jw_text_distance(name, jw_env_vars[i].name);

        if (apart < nearest) {
            nearest = apart;
            best = &jw_env_vars[i];
        }
    }
    return best;
}

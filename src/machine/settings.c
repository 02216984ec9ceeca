#include "machine/settings.h"

#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <string.h>

#define RECEIPT true
#define LOGIN true
#define PLACE true
#define ON_OFF true
#define NO false

/* CUDA_MPS_ is not compared with a login: it chooses a server and a share of a GPU, not what is compiled (docs/prime.md). */
/* HOME and APPDATA choose the cache by default; what is remembered of a cache is kept by its folder, so a receipt needs neither. */
enum system { ANY, LINUX, WINDOWS };

static const struct {
    struct jw_setting is;
    enum system system;
} all[] = {
    { { "CUDA_CACHE_PATH", RECEIPT, LOGIN, PLACE, NO }, ANY },
    /* A limit is asked for again each time, and compared with what is needed. */
    { { "CUDA_CACHE_MAXSIZE", NO, LOGIN, NO, NO }, ANY },
    { { "CUDA_CACHE_DISABLE", RECEIPT, LOGIN, PLACE, ON_OFF }, ANY },
    { { "CUDA_FORCE_PTX_JIT", RECEIPT, LOGIN, NO, ON_OFF }, ANY },
    { { "CUDA_FORCE_JIT", RECEIPT, LOGIN, NO, ON_OFF }, ANY },
    { { "CUDA_DISABLE_PTX_JIT", RECEIPT, LOGIN, NO, ON_OFF }, ANY },
    { { "CUDA_DISABLE_JIT", RECEIPT, LOGIN, NO, ON_OFF }, ANY },
    { { "CUDA_MODULE_LOADING", NO, LOGIN, NO, NO }, ANY },
    { { "HOME", NO, LOGIN, PLACE, NO }, LINUX },
    { { "APPDATA", NO, LOGIN, PLACE, NO }, WINDOWS },
    { { "LD_LIBRARY_PATH", RECEIPT, LOGIN, NO, NO }, LINUX },
    { { "CUDA_VISIBLE_DEVICES", RECEIPT, LOGIN, NO, NO }, ANY },
    { { "CUDA_DEVICE_ORDER", RECEIPT, LOGIN, NO, NO }, ANY },
    { { "NVIDIA_VISIBLE_DEVICES", RECEIPT, NO, NO, NO }, ANY },
    { { "LD_PRELOAD", RECEIPT, NO, NO, NO }, LINUX },
    { { "LD_AUDIT", RECEIPT, NO, NO, NO }, LINUX },
    { { "CUDA_CACHE_", RECEIPT, NO, NO, NO }, ANY },
    { { "CUDA_FORCE_", RECEIPT, NO, NO, NO }, ANY },
    { { "CUDA_DISABLE_", RECEIPT, NO, NO, NO }, ANY },
    { { "CUDA_ENABLE_", RECEIPT, NO, NO, NO }, ANY },
    { { "CUDA_MPS_", RECEIPT, NO, NO, NO }, ANY },
    { { "JITWARM_DRIVER", RECEIPT, NO, NO, NO }, ANY },
    { { "JITWARM_PHANTOM_", RECEIPT, NO, NO, NO }, ANY },
    { { "SIMCUDA_GPUS", RECEIPT, NO, NO, NO }, ANY },
    { { "SIMCUDA_DRIVER", RECEIPT, NO, NO, NO }, ANY },
    { { "SIMCUDA_STAMP", RECEIPT, NO, NO, NO }, ANY },
};

static bool is_here(size_t i)
{
    return all[i].system == ANY || (all[i].system == WINDOWS) == jw_os_is_windows();
}

const struct jw_setting *jw_setting_next(const struct jw_setting *before)
{
    static const size_t n = sizeof all / sizeof *all;
    size_t i = 0;

    while (before && i < n && before != &all[i++].is)
        continue;
    while (i < n && !is_here(i))
        i++;
    return i < n ? &all[i].is : NULL;
}

const struct jw_setting *jw_setting_find(const char *text)
{
    for (const struct jw_setting *s = jw_setting_next(NULL); s; s = jw_setting_next(s)) {
        size_t n = strlen(s->name);

        if (strncmp(text, s->name, n) == 0 && (s->name[n - 1] == '_' || !text[n] || text[n] == '='))
            return s;
    }
    return NULL;
}

bool jw_setting_is_of_gpus(const char *name)
{
    return strcmp(name, "CUDA_VISIBLE_DEVICES") == 0 || strcmp(name, "CUDA_DEVICE_ORDER") == 0;
}

bool jw_setting_same(const struct jw_setting *s, const char *a, const char *b)
{
    return jw_text_same(a, b) || (s->on_off && jw_switch_is_on(a) == jw_switch_is_on(b));
}

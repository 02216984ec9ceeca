#include "machine/settings.h"

#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <string.h>

/* CUDA_MPS_ is not compared with a login: it chooses a server and a share of a GPU, not what is compiled (docs/what-is-compared.md). */
/* HOME and APPDATA choose the cache by default. Records belong to the folder of a cache, so a receipt needs
 * neither. */
enum system { ANY, LINUX, WINDOWS };

static const struct {
    struct jw_setting is;
    enum system system;
} all[] = {
    { { "CUDA_CACHE_PATH", .receipt = true, .login = true, .place = true }, ANY },
    /* A limit is asked for again each time, and compared with what is needed. */
    { { "CUDA_CACHE_MAXSIZE", .login = true }, ANY },
    { { "CUDA_CACHE_DISABLE", .receipt = true, .login = true, .place = true, .on_off = true }, ANY },
    { { "CUDA_FORCE_PTX_JIT", .receipt = true, .login = true, .on_off = true }, ANY },
    { { "CUDA_FORCE_JIT", .receipt = true, .login = true, .on_off = true }, ANY },
    { { "CUDA_DISABLE_PTX_JIT", .receipt = true, .login = true, .on_off = true }, ANY },
    { { "CUDA_DISABLE_JIT", .receipt = true, .login = true, .on_off = true }, ANY },
    { { "CUDA_MODULE_LOADING", .login = true }, ANY },
    { { "HOME", .login = true, .place = true }, LINUX },
    { { "APPDATA", .login = true, .place = true }, WINDOWS },
    { { "LD_LIBRARY_PATH", .receipt = true, .login = true, .list = true }, LINUX },
    { { "CUDA_VISIBLE_DEVICES", .receipt = true, .login = true }, ANY },
    { { "CUDA_DEVICE_ORDER", .receipt = true, .login = true }, ANY },
    { { "NVIDIA_VISIBLE_DEVICES", .receipt = true }, ANY },
    { { "LD_PRELOAD", .receipt = true }, LINUX },
    { { "LD_AUDIT", .receipt = true }, LINUX },
    { { "CUDA_CACHE_", .receipt = true }, ANY },
    { { "CUDA_FORCE_", .receipt = true }, ANY },
    { { "CUDA_DISABLE_", .receipt = true }, ANY },
    { { "CUDA_ENABLE_", .receipt = true }, ANY },
    { { "CUDA_MPS_", .receipt = true }, ANY },
    { { "JITWARM_DRIVER", .receipt = true }, ANY },
    { { "JITWARM_PHANTOM_", .receipt = true }, ANY },
    { { "SIMCUDA_GPUS", .receipt = true }, ANY },
    { { "SIMCUDA_DRIVER", .receipt = true }, ANY },
    { { "SIMCUDA_STAMP", .receipt = true }, ANY },
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

/* The next folder behind `*at` that did not stand before it. False: there is none. */
static bool next_folder(const char *list, const char **at, size_t *n)
{
    while (*at) {
        const char *folder = *at;
        bool before = false;

        *n = strcspn(folder, ":");
        *at = folder[*n] ? folder + *n + 1 : NULL;
        for (const char *p = list; p < folder && !before; p += strcspn(p, ":") + 1)
            before = strcspn(p, ":") == *n && memcmp(p, folder, *n) == 0;
        if (!before)
            return true;
    }
    return false;
}

static bool are_same_folders(const char *a, const char *b)
{
    const char *at = a, *there = b;
    size_t n = 0, n_there = 0;

    for (;;) {
        bool more = next_folder(a, &at, &n), more_there = next_folder(b, &there, &n_there);
        const char *end = at ? at - 1 : a + strlen(a), *end_there = there ? there - 1 : b + strlen(b);

        if (!more || !more_there)
            return more == more_there;
        if (n != n_there || memcmp(end - n, end_there - n, n) != 0)
            return false;
    }
}

bool jw_setting_same(const struct jw_setting *s, const char *a, const char *b)
{
    return jw_text_same(a, b) || (s->on_off && jw_switch_is_on(a) == jw_switch_is_on(b))
           || (s->list && a && b && are_same_folders(a, b));
}

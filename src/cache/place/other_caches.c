#include "cache/place/other_caches.h"

#include "base/path.h"
#include "os/files/file.h"
#include "os/machine/env.h"

/* Default folders, and the variables that override them. */
static const struct place {
    const char *owner, *variable, *below_home;
} places[] = {
    { "Triton", "TRITON_CACHE_DIR", ".triton/cache" },
    { "PyTorch Inductor", "TORCHINDUCTOR_CACHE_DIR", NULL },
    { "CuPy", "CUPY_CACHE_DIR", ".cupy/kernel_cache" },
    { "JAX", "JAX_COMPILATION_CACHE_DIR", NULL },
    { "cuda.core", NULL, ".cache/cuda-python" },
    { "OptiX", "OPTIX_CACHE_PATH", NULL },
};

static const char *path_of(const struct place *p, struct jw_arena *a)
{
    const char *path = p->variable ? jw_env(a, p->variable) : NULL, *home;

    if (path && *path)
        return path;
    home = p->below_home ? jw_env_home(a) : NULL;
    return home ? jw_path_join(a, home, p->below_home) : NULL;
}

void jw_other_caches(struct jw_arena *a, struct jw_other_cache out[JW_OTHER_CACHES], size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < JW_COUNT(places); i++) {
        const char *path = path_of(&places[i], a);
        struct jw_file_info info;
        struct jw_err ignored = { 0 };

        if (!path || !jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_DIR) {
            continue;
        }
        out[(*n)++] = (struct jw_other_cache){ places[i].owner, path };
    }
}

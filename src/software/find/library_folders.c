#include "software/find/library_folders.h"

#include "base/path.h"

#include <string.h>

struct row {
    const char *pattern, *how;
};

const char jw_in_cuda_home[] = "$CUDA_HOME", jw_in_cuda_path[] = "$CUDA_PATH";

static const char toolkit[] = "CUDA toolkit";

static const struct row linux_toolkits[] = {
    { "$CUDA_HOME/lib64", jw_in_cuda_home },         { "$CUDA_HOME/targets/*/lib", jw_in_cuda_home },
    { "$CUDA_HOME/lib", jw_in_cuda_home },           { "$CUDA_PATH/lib64", jw_in_cuda_path },
    { "$CUDA_PATH/targets/*/lib", jw_in_cuda_path }, { "$CUDA_PATH/lib", jw_in_cuda_path },
    { "/usr/local/cuda*/lib64", toolkit },           { "/usr/local/cuda*/targets/*/lib", toolkit },
};

static const struct row windows_toolkits[] = {
    { "$CUDA_HOME/bin", jw_in_cuda_home },
    { "$CUDA_HOME/bin/x64", jw_in_cuda_home },
    { "$CUDA_PATH/bin", jw_in_cuda_path },
    { "$CUDA_PATH/bin/x64", jw_in_cuda_path },
};

/* Below each folder that discovery found: site-packages, a conda environment's lib, a toolkit of /opt. */
static const char *const linux_below[] = {
    "",
    "nvidia/cu*/lib",
    "nvidia/nvjitlink/lib",
    "torch/lib",
    "python3*/site-packages/nvidia/cu*/lib",
    "python3*/site-packages/nvidia/nvjitlink/lib",
    "python3*/site-packages/torch/lib",
    "lib64",
    "targets/*/lib",
};

static const char *const windows_below[] = {
    "", "x64", "nvidia/cu*/bin", "nvidia/cu*/bin/x86_64", "nvidia/nvjitlink/bin", "torch/lib",
};

static bool add_toolkits(struct jw_finder *f)
{
    const struct row *rows = f->out->windows ? windows_toolkits : linux_toolkits;
    size_t n = f->out->windows ? JW_COUNT(windows_toolkits) : JW_COUNT(linux_toolkits);

    for (size_t i = 0; i < n; i++)
        if (!jw_finder_folders(f, rows[i].pattern, rows[i].how))
            return false;
    return true;
}

static bool add_discovered(struct jw_finder *f)
{
    const char *const *patterns = f->out->windows ? windows_below : linux_below;
    size_t n = f->out->windows ? JW_COUNT(windows_below) : JW_COUNT(linux_below);

    for (size_t i = 0; i < f->out->n_roots; i++)
        for (size_t k = 0; k < n; k++)
            if (!jw_finder_folders_below(f, f->out->roots[i].path, patterns[k], f->out->roots[i].how))
                return false;
    return true;
}

/* Discovery takes only those folders of PATH on Windows that hold the CUDA runtime. */
static bool add_path(struct jw_finder *f)
{
    const char *list = f->out->windows ? jw_finder_env(f, "PATH") : NULL;

    while (list && *list) {
        size_t n = strcspn(list, ";");
        const char *folder = jw_arena_text(f->a, list, n);

        if (jw_path_absolute(folder) && !jw_finder_add(f, folder, "PATH", NULL, 0))
            return false;
        list += list[n] ? n + 1 : n;
    }
    return true;
}

bool jw_library_folders(struct jw_finder *f)
{
    return add_toolkits(f) && add_discovered(f) && add_path(f);
}

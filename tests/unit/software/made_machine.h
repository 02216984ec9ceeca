/* Another machine to discover: variables of this process, and a tree of files. */
#pragma once

#include "base/compiler.h"
#include "base/path.h"
#include "check.h"
#include "os/files/real.h"
#include "rigs/tree.h"
#include "rigs/variables.h"
#include "software/find/discover.h"

/* Its system and its home are below `tree`. No variable leads to software of this one, nor does the
 * working folder. */
static void made_machine(struct jw_arena *a, const char *tree)
{
    static const char *const names[] = {"VIRTUAL_ENV",
                                        "CONDA_PREFIX",
                                        "TORCH_EXTENSIONS_DIR",
                                        "FLASHINFER_WORKSPACE_BASE",
                                        "PYENV_ROOT",
                                        "ASDF_DATA_DIR",
                                        "MISE_DATA_DIR",
                                        "MAMBA_ROOT_PREFIX",
                                        "XDG_CACHE_HOME",
                                        "WORKON_HOME",
                                        "PYTHONPATH",
                                        "POETRY_VIRTUALENVS_PATH",
                                        "LD_LIBRARY_PATH",
                                        "CUDA_HOME",
                                        "CUDA_PATH",
                                        "LOCALAPPDATA",
                                        "APPDATA",
                                        "ProgramFiles",
                                        "ProgramData",
                                        "PATH"};
    const char *home = tree_dir(a, jw_arena_printf(a, "%s/home", tree));
    struct jw_err err;

    CHECK(jw_real_path(home, a, &home, &err)); /* with its drive */

    for (size_t i = 0; i < JW_COUNT(names); i++)
        set_variable(names[i], NULL);
    set_variable("HOME", home);
    set_variable("USERPROFILE", home);
    set_variable("JITWARM_SYSROOT", tree_path(a, tree));
}

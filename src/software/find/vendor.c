#include "software/find/vendor.h"

#include "base/compiler.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "os/files/real.h"

#include <ctype.h>
#include <string.h>

/* Prefixes of normalised names. tensorrt-llm is a framework, and is not listed. */
static const char *const packages[] = {
    "cuda-",       "cudatoolkit",      "cudnn",       "cuquantum", "custatevec",  "cutensor",
    "libcublas",   "libcudnn",         "libcudss",    "libcufft",  "libcufile",   "libcurand",
    "libcusolver", "libcusparse",      "libcutensor", "libnpp",    "libnvfatbin", "libnvjitlink",
    "libnvjpeg",   "libnvptxcompiler", "nccl",        "nvidia-",   "tensorrt",
};

/* libx.so, libx.so.12.4, x.dll; not a program or a .py. */
static bool is_library(const char *base)
{
    size_t n = strlen(base);
    const char *so = strstr(base, ".so");

    if (so && (so[3] == '\0' || so[3] == '.'))
        return jw_text_starts_nocase(base, "lib");
    return n > 4 && jw_text_starts_nocase(base + n - 4, ".dll");
}

bool jw_is_vendor_tool(const char *base_name)
{
    return is_library(base_name) && jw_nvidia_file_of(base_name) == JW_NVIDIA_TOOL;
}

bool jw_is_vendor_file(const char *base_name)
{
    return is_library(base_name) && jw_nvidia_file_of(base_name);
}

bool jw_is_test_folder(const char *path)
{
    const char *base = jw_path_base(path);
    struct jw_arena a = { 0 };
    bool named = strcmp(base, "tests") == 0 || strcmp(base, "test") == 0;
    /* It may begin below site-packages, or lead there by a link. */
    bool is = named
              && (strstr(path, ".whl/")
                  || (jw_real_path(path, &a, &path, JW_IGNORED)
                      && (strstr(path, "site-packages") || strstr(path, "dist-packages"))));

    jw_arena_free(&a);
    return is;
}

/* Case and the kind of . _ - do not matter (PEP 503). */
static bool name_starts(const char *name, const char *prefix)
{
    for (; *prefix; name++, prefix++)
        if (*prefix == '-' ? !*name || !strchr("-_.", *name) : tolower((unsigned char)*name) != *prefix)
            return false;
    return true;
}

bool jw_is_vendor_package(const char *name)
{
    if (name_starts(name, "tensorrt-llm"))
        return false;
    for (size_t i = 0; i < JW_COUNT(packages); i++)
        if (name_starts(name, packages[i]))
            return true;
    return jw_text_equal_nocase(name, "nvidia");
}

bool jw_is_code_file(const char *path)
{
    return jw_text_ends(path, ".ptx") || jw_text_ends(path, ".cubin") || jw_text_ends(path, ".fatbin");
}

bool jw_may_hold_code(const char *path)
{
    static const char *const ends[] = { ".so", ".dll", ".pyd", ".node", ".fatbin", ".cubin", ".ptx", ".whl" };

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(path, ends[i]))
            return true;
    return strstr(jw_path_base(path), ".so.") != NULL;
}

#include "software/find/vendor.h"

#include "base/compiler.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/libraries.h"
#include "machine/paths.h"
#include "os/files/real.h"

#include <string.h>

/* Prefixes of normalised names. tensorrt-llm is a framework, and is not listed. */
static const char *const packages[] = {
    "cuda-",       "cudatoolkit",      "cudnn",       "cuquantum", "custatevec",  "cutensor",
    "libcublas",   "libcudnn",         "libcudss",    "libcufft",  "libcufile",   "libcurand",
    "libcusolver", "libcusparse",      "libcutensor", "libnpp",    "libnvfatbin", "libnvjitlink",
    "libnvjpeg",   "libnvptxcompiler", "nccl",        "nvidia-",   "tensorrt",
};

/* Is it named like a library (libx.so, libx.so.12.4, x.dll), and not like a program or a .py? */
static bool is_library(const char *base)
{
    size_t n = strlen(base);
    const char *so = strstr(base, ".so");

    if (so && (so[3] == '\0' || so[3] == '.'))
        return jw_text_starts_nocase(base, "lib");
    return n > 4 && jw_text_starts_nocase(base + n - 4, ".dll");
}

bool jw_is_vendor_file(const char *base_name)
{
    return is_library(base_name) && jw_is_nvidia_file(base_name);
}

bool jw_is_test_folder(const char *path)
{
    static const char *const sites[] = {"site-packages/*", "dist-packages/*", "*.whl/*"};
    static const char *const tests[] = {"*-packages*/test/*", "*-packages*/tests/*"};
    const char *base = jw_path_base(path);
    const char *real = NULL;
    struct jw_arena a = {0};
    bool is = (strcmp(base, "tests") == 0 || strcmp(base, "test") == 0) && !jw_is_file(path);

    /* The path may begin below site-packages, or lead there by a link. A member of a wheel is not
     * on the disk. */
    if (is && !jw_real_path(path, &a, &real, JW_IGNORED))
        real = path;
    is = is && jw_path_excluded(real, sites, JW_COUNT(sites))
         && !jw_path_excluded(real, tests, JW_COUNT(tests));
    jw_arena_free(&a);
    return is;
}

/* Case and the kind of . _ - do not matter (PEP 503). */
static bool is_alike(char c, char normal)
{
    if (normal == '-')
        return c && strchr("-_.", c);
    return jw_lower(c) == normal;
}

static bool name_starts(const char *name, const char *prefix)
{
    for (; *prefix; name++, prefix++)
        if (!is_alike(*name, *prefix))
            return false;
    return true;
}

bool jw_is_vendor_package(const char *name)
{
    bool is = jw_text_equal_nocase(name, "nvidia");

    for (size_t i = 0; i < JW_COUNT(packages); i++)
        is |= name_starts(name, packages[i]);
    return is && !name_starts(name, "tensorrt-llm");
}

bool jw_is_code_file(const char *path)
{
    return jw_text_ends(path, ".ptx") || jw_text_ends(path, ".cubin")
           || jw_text_ends(path, ".fatbin");
}

bool jw_may_hold_code(const char *path)
{
    static const char *const names[] = {"*.so",     "*.so.*",  "*.dll", "*.pyd", "*.node",
                                        "*.fatbin", "*.cubin", "*.ptx", "*.whl"};

    return jw_path_excluded(path, names, JW_COUNT(names));
}

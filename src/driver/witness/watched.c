#include "driver/witness/watched.h"

#include "facts/compilers.h"

#include "os/files/file.h"
#include "os/files/real.h"

static bool find_watched(const char *path, struct jw_arena *a, const char **real, uint64_t *node,
                         struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_real_path(path, a, real, err) || !jw_file_stat(*real, &info, err))
        return jw_wrap(err, "%.300s", path);
    *node = info.id.node;
    return info.kind == JW_FILE_REGULAR || jw_fail(err, JW_E_DRIVER, "%.300s is no file", path);
}

bool jw_watched_files(const char *library, const char *compiler, struct jw_arena *a,
                      struct jw_loaded_ask *out, struct jw_err *err)
{
    if (!library)
        return jw_fail(err, JW_E_DRIVER, "no driver was found that it would load");
    if (!compiler)
        return jw_fail(err, JW_E_DRIVER,
                       "the compiler of the driver %.300s, " JW_DRIVER_COMPILER_FILE ", was not found",
                       library);
    return find_watched(library, a, &out->driver, &out->driver_node, err)
           && find_watched(compiler, a, &out->compiler, &out->compiler_node, err);
}

#include "base/path.h"
#include "os/files/file.h"
#include "setup/step_system.h"

bool setup_is_link(const char *path)
{
    (void)path;
    return false;
}

bool setup_put_file(const char *path, struct jw_bytes text, bool for_all, struct jw_arena *a,
                    struct jw_err *err)
{
    (void)for_all;
    if (!text.n)
        return jw_file_remove(path, err) || jw_wrap(err, "%.250s", path);
    return (jw_make_dirs(jw_path_dir(a, path), err) && jw_file_put(path, JW_OUT_REPLACE, text, err))
           || jw_wrap(err, "%.250s", path);
}

#include "machine/whoami.h"

#include "base/path.h"
#include "os/files/file.h"

bool jw_in_wsl(const char *root, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(jw_path_join(a, root, "dev/dxg"), &info, &ignored) && info.kind != JW_FILE_NONE;
}

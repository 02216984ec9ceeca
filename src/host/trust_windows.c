#include "host/trust.h"

#include "os/file.h"

bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct jw_file_info info;

    (void)a;
    *out = (struct jw_trust){ 0 };
    if (!jw_file_stat(path, &info, err))
        return false;
    out->exists = info.kind != JW_FILE_NONE;
    return true;
}

bool jw_trust_held(const struct jw_tree *folder, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    (void)folder;
    (void)a;
    (void)err;
    *out = (struct jw_trust){ .exists = true };
    return true;
}

bool jw_trust_make(const char *path, struct jw_err *err)
{
    return jw_make_dirs(path,
                        err); /* %LOCALAPPDATA% is the user's own, and what is made in it inherits that */
}

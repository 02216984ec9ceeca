#include "machine/textfile.h"
#include "setup/step_system.h"

#include <sys/stat.h>

bool setup_is_link(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

bool setup_put_file(const char *path, struct jw_bytes text, bool for_all, struct jw_arena *a,
                    struct jw_err *err)
{
    struct jw_textfile was = { 0 };
    bool ok = jw_textfile_read(path, a, &was, err);

    was.for_all = for_all;
    ok = ok && (text.n ? jw_textfile_write(&was, text, err) : jw_textfile_remove(&was, err));
    jw_textfile_free(&was);
    return ok;
}

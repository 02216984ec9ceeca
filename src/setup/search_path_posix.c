#include "setup/search_path.h"

bool jw_search_path_change(bool machine, const char *folder, bool add, struct jw_arena *a, struct jw_err *err)
{
    (void)machine;
    (void)folder;
    (void)add;
    (void)a;
    return jw_fail(err, JW_E_USAGE, "this is for Windows");
}

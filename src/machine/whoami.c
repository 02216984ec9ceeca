#include "machine/whoami.h"

#include "base/path.h"
#include "machine/listing.h"

bool jw_in_wsl(const char *root, struct jw_arena *a)
{
    return !jw_is_absent(jw_path_join(a, root, "dev/dxg"));
}

#include "driver/witness/compiler.h"

#include "base/path.h"
#include "machine/listing.h"
#include "os/files/real.h"

#include <string.h>

static const char *beside(const char *folder, const char *suffix, struct jw_arena *a)
{
    const char *path = jw_path_join(a, folder, jw_arena_printf(a, "%s.%s", JW_COMPILER_LIBRARY, suffix)),
               *real;
    struct jw_err ignored;

    return jw_is_file(path) && jw_real_path(path, a, &real, &ignored) ? real : NULL;
}

/* The loader takes the name that ends in .1; some packages have that link elsewhere. */
const char *jw_compiler_library_of(const char *library, struct jw_arena *a)
{
    const char *folder = jw_path_dir(a, library), *version = strstr(jw_path_base(library), ".so.");
    const char *found = beside(folder, "1", a);

    return found || !version ? found : beside(folder, version + strlen(".so."), a);
}

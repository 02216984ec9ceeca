#include "fuzz.h"

fuzz_feed *fuzz_target(const char *name)
{
#define TARGET(file, id)                                                                           \
    if (name && strcmp(name, #id) == 0)                                                            \
        return fuzz_##id;
#include "targets.def"
#undef TARGET
    return NULL;
}

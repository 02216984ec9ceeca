#include "machine/trust.h"

#include <string.h>

bool jw_trust_believe(const char *path, const char *noun, struct jw_arena *a, struct jw_err *err)
{
    struct jw_trust trust;

    if (!jw_trust_read(path, a, &trust, err))
        return false;
    if (trust.owner && strcmp(trust.owner, "root") != 0)
        return jw_fail(err, JW_E_IO, "the %s belongs to %s; what it remembers is not believed", noun,
                       trust.owner);
    return !trust.writers
           || jw_fail(err, JW_E_IO, "%s may write to the %s; what it remembers is not believed",
                      trust.writers, noun);
}
